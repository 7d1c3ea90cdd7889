// GOLAD: discs and squares that live, die and are born.
//
// The first side's cells are discs, the second side's are squares. A cell that will survive is solid, one that will die
// is hollow, and one that will be born is a small sign of its colour, as in the figure of the paper; the cells of a
// move are framed, those that it kills are crossed.

import { svg } from '../js/elements.js';
import { language, text } from '../js/strings.js';

/**
 * @typedef {import('../js/views.js').Board} Board
 * @typedef {import('../js/views.js').Side} Side
 * @typedef {Side | null} Owner
 */

/**
 * A disc for the first side, a square for the second.
 * @param {Owner} owner
 * @param {number} r half its width
 * @param {string} name
 */
const sign = (owner, r, name) =>
  owner === 'second'
    ? svg('rect', { class: name, x: -0.92 * r, y: -0.92 * r, width: 1.84 * r, height: 1.84 * r, rx: r * 0.14 })
    : svg('circle', { class: name, r });

const CROSS = 'M-20-20 20 20M-20 20 20-20';

/**
 * The next generation: a living cell stays with two or three living neighbours, a dead one with three is born to those who
 * have more of them. The rules are the server's; this function only previews a move before it is sent.
 * @param {Owner[]} cells row by row
 * @param {number} width
 * @returns {Owner[]}
 */
export function generation(cells, width) {
  return cells.map((owner, i) => {
    const counts = { first: 0, second: 0 };
    const x = i % width;
    for (const row of [i - width, i, i + width]) {
      for (const by of [-1, 0, 1]) {
        const near = x + by >= 0 && x + by < width && (row !== i || by !== 0) ? cells[row + by] : null;
        if (near) counts[near] += 1;
      }
    }
    const living = counts.first + counts.second;
    if (owner) return living === 2 || living === 3 ? owner : null;
    if (living !== 3) return null;
    return counts.first > counts.second ? 'first' : 'second';
  });
}

/** @param {Board} board */
const next = ({ cells, width }) => generation(cells.map((cell) => cell.owner), width);

/** @param {Owner[]} cells @returns {[number, number]} */
const counted = (cells) => [cells.filter((owner) => owner === 'first').length, cells.filter((owner) => owner === 'second').length];

/**
 * The cells of a move in the order of its text: the one that is killed, or the one that is born and the two given up.
 * @param {string} move
 */
function cellsOf(move) {
  const [verb, ...cells] = move.split(' ');
  return verb === 'pass' || (verb === 'kill' && cells.length === 1) || (verb === 'birth' && cells.length === 3) ? cells : null;
}

/** The owners by the cells' names: every cell of a board is asked for at each step. @type {WeakMap<Board, Map<string, Owner>>} */
const known = new WeakMap();

/**
 * @param {Board} board
 * @param {string} at
 */
function ownerOf(board, at) {
  const owners = known.get(board) ?? new Map(board.cells.map((cell) => [cell.at, cell.owner]));
  known.set(board, owners);
  return owners.get(at) ?? null;
}

/**
 * The board after the cells of a move, or of a part of one, and before the generation.
 * @param {Board} board
 * @param {Side} side
 * @param {string[]} chosen
 * @returns {Board}
 */
function place(board, side, chosen) {
  const cells = board.cells.map(({ at, owner }) => {
    if (!chosen.includes(at)) return { at, owner, tags: /** @type {string[]} */ ([]) };
    return owner ? { at, owner: null, tags: ['placed', 'killed'] } : { at, owner: side, tags: ['placed'] };
  });
  const then = generation(cells.map(({ owner }) => owner), board.width);
  const [first, second] = counted(cells.map(({ owner }) => owner));
  return {
    ...board,
    cells: cells.map(({ at, owner, tags }, i) => {
      if (owner && !then[i]) tags.push('dies');
      if (!owner && then[i]) tags.push(`born-${then[i]}`);
      return { at, piece: owner && 'cell', owner, tags };
    }),
    extra: { ...board.extra, first, second },
  };
}

/** @type {import('../js/views.js').Build} */
const build = {
  example: 'birth 2,10 11,6 6,7',
  pass: 'pass',
  cells: cellsOf,
  place,
  said,
  facts: ({ extra }) => text('facts.round', { round: extra.round, rounds: extra.rounds }),
  count: (board) => counted(next(board)),

  choose(board, side, chosen, at) {
    const owner = ownerOf(board, at);
    const [first, ...given] = chosen;
    const birth = first !== undefined && ownerOf(board, first) === null;
    if (at === first) return [];
    if (given.includes(at)) return [first, ...given.filter((each) => each !== at)];
    if (!owner) return Number(board.extra[side]) < 2 ? text('draft.tooFew') : [at, ...(birth ? given : [])];
    if (!birth) return [at];
    if (owner !== side) return text('error.illegal_move.not_yours', { move: at });
    return [first, ...given.slice(0, 1), at];
  },

  move(board, chosen) {
    if (chosen.length === 3) return `birth ${chosen.join(' ')}`;
    return chosen.length === 1 && ownerOf(board, chosen[0]) ? `kill ${chosen[0]}` : null;
  },

  ask(board, chosen) {
    const [at, a] = chosen;
    const move = build.move(board, chosen);
    if (move) return text('draft.whole', { move: said(move) });
    return text(['draft.none', 'draft.two', 'draft.one'][chosen.length], { at, a });
  },

  sketch([to, ...given], value) {
    const shapes = given.map(({ x, y }) => svg('path', { class: 'way', d: `M${x} ${y}L${to.x} ${to.y}` }));
    for (const { x, y } of given.length ? given : [to]) {
      shapes.push(svg('path', { class: 'cross', d: CROSS, transform: `translate(${x} ${y})` }));
    }
    const about = { transform: `translate(${to.x} ${to.y})` };
    const sketch = svg('g', about, ...(given.length ? [svg('circle', { class: 'ring', r: 46 })] : []));
    if (value) {
      // Above the cell, so that its next state stays visible.
      const wide = 26 + 26 * value.mark.length;
      sketch.append(
        svg('rect', { class: 'plate', x: -wide / 2, y: -78, width: wide, height: 52, rx: 14 }),
        svg('text', { class: 'value on-plate', y: -50 }, value.mark),
      );
    }
    return [...shapes, sketch];
  },
};

/** With the verb in the page's language, in the order in which a move is typed. @param {string} move */
function written(move) {
  return language() === 'ja' ? move.replace(/^birth /, '誕生 ').replace(/^kill /, '殺す ') : move;
}

/** With the verb of the server. @param {string} typed */
const read = (typed) => typed.replace(/^誕生\s*/, 'birth ').replace(/^殺す\s*/, 'kill ').replace(/^パス$/, 'pass');

/** @param {string} move */
function said(move) {
  const [at, a, b] = cellsOf(move) ?? [];
  if (b) return text('move.birth', { at, a, b });
  return at ? text('move.kill', { at }) : text('pass');
}

/** @type {import('../js/views.js').View} */
export const view = {
  written,
  read,

  ground: (width, height) => [svg('rect', { class: 'field', width: width * 100, height: height * 100, rx: 3 })],

  piece: (_, owner) => sign(owner, 40, `life ${owner}`),

  mark(tag, { owner }) {
    if (tag === 'dies') return sign(owner, 25, 'hollow');
    if (tag === 'born-first' || tag === 'born-second') return sign(tag === 'born-first' ? 'first' : 'second', 15, `life ${tag.slice(5)}`);
    if (tag === 'placed') return svg('rect', { class: 'placed', x: -46, y: -46, width: 92, height: 92, rx: 8 });
    return tag === 'killed' ? svg('path', { class: 'cross', d: CROSS }) : null;
  },

  build,
};
