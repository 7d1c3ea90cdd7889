// Blokus Duo: squares with a stroke or a ring, the corners to which the next piece can be attached, and the pieces.
//
// The first side's squares have a stroke from corner to corner, the second side's a ring, so that colour is never the
// only difference.

import { svg } from '../js/elements.js';
import { text } from '../js/strings.js';

/** @typedef {import('../js/views.js').Side} Side */

/**
 * The cells of each piece, from its upper left corner: rows are separated by a slash.
 * @type {Record<string, string>}
 */
const ROWS = {
  1: 'x',
  2: 'xx',
  I3: 'xxx',
  V3: 'x./xx',
  I4: 'xxxx',
  L4: 'x../xxx',
  T4: '.x./xxx',
  O: 'xx/xx',
  Z4: 'xx./.xx',
  I5: 'xxxxx',
  L5: 'x.../xxxx',
  N: 'xx../.xxx',
  P: 'xx./xxx',
  U: 'x.x/xxx',
  Y: '.x../xxxx',
  T5: 'xxx/.x./.x.',
  V5: 'x../x../xxx',
  W: 'x../xx./.xx',
  Z5: 'xx./.x./.xx',
  F: '.xx/xx./.x.',
  X: '.x./xxx/.x.',
};

/** @type {Record<string, [number, number][]>} */
const shapes = Object.fromEntries(
  Object.entries(ROWS).map(([name, rows]) => [
    name,
    rows.split('/').flatMap((row, y) => [...row].flatMap((cell, x) => (cell === 'x' ? [/** @type {[number, number]} */ ([x, y])] : []))),
  ]),
);

/**
 * The name of each piece by its invariant.
 * @type {Map<string, string>}
 */
const names = new Map(Object.entries(shapes).map(([name, shape]) => [invariant(shape), name]));

/**
 * A text that is the same in every orientation: the squared distances between the cells, and half the perimeter of
 * their bounding box, since T5 and U have the same distances.
 * @param {number[][]} cells
 */
function invariant(cells) {
  const apart = cells.flatMap(([x, y], i) => cells.slice(i + 1).map(([u, v]) => (x - u) ** 2 + (y - v) ** 2));
  const [wide, high] = [0, 1].map((i) => cells.map((cell) => cell[i])).map((all) => Math.max(...all) - Math.min(...all));
  return [wide + high, ...apart.sort((a, b) => a - b)].join();
}

/**
 * The cells of a move in the order of its text; none of a pass.
 * @param {string} move
 */
function cellsOf(move) {
  if (move === 'pass') return [];
  const cells = move.split(',');
  return cells.every((cell) => /^[a-n]\d\d?$/.test(cell)) ? cells : null;
}

/** @param {string} move */
function said(move) {
  const cells = cellsOf(move) ?? [];
  const name = names.get(invariant(cells.map((cell) => [cell.charCodeAt(0), Number(cell.slice(1))])));
  return text('move.place', { piece: name ?? '', cells: cells.join(text('join')) });
}

/** @param {Side | null} owner */
const square = (owner) =>
  svg(
    'g',
    { class: `square ${owner}` },
    svg('rect', { class: 'body', x: -48, y: -48, width: 96, height: 96, rx: 7 }),
    owner === 'second' ? svg('circle', { class: 'pattern', r: 19 }) : svg('path', { class: 'pattern', d: 'M-25 25 25-25' }),
  );

/** @param {string} name @param {number} r */
const frame = (name, r) => svg('rect', { class: name, x: -r, y: -r, width: 2 * r, height: 2 * r, rx: 8 });

/** @type {import('../js/views.js').Pieces} */
const pieces = {
  shapes,
  square,
  cells: cellsOf,
  said,
  covers: (move) => text('hold.covers', { cells: (cellsOf(move) ?? []).join(text('join')) }),
  misfit: (at) => text('hold.misfit', { at }),
  stuck: (piece) => text('hold.stuck', { piece }),
  action: (name) => text(`hold.${name}`),

  ask(piece, count, all) {
    return piece === null ? text('hold.none') : text('hold.some', { piece, count, all });
  },

  name(piece, count) {
    const size = shapes[piece].length;
    return count === null ? text('hold.theirs', { piece, size }) : text('hold.mine', { piece, size, count });
  },

  sketch(points, value) {
    const outline = points.map(({ x, y }) => svg('rect', { class: 'idea', x: x - 42, y: y - 42, width: 84, height: 84, rx: 8 }));
    if (!value) return outline;
    const [x, y] = [points.map((point) => point.x), points.map((point) => point.y)].map((all) => all.reduce((a, b) => a + b) / all.length);
    const near = points.reduce((a, b) => (Math.hypot(a.x - x, a.y - y) <= Math.hypot(b.x - x, b.y - y) ? a : b));
    const wide = 34 + 24 * value.mark.length;
    const plate = svg('rect', { class: 'plate', x: near.x - wide / 2, y: near.y - 30, width: wide, height: 60, rx: 14 });
    return [...outline, plate, svg('text', { class: 'value on-plate', x: near.x, y: near.y }, value.mark)];
  },
};

/** @type {import('../js/views.js').View} */
export const view = {
  ground: (width, height) => [svg('rect', { class: 'field', width: width * 100, height: height * 100, rx: 3 })],

  piece: (_, owner) => square(owner),

  last: () => frame('last-cell', 40),

  mark(tag) {
    if (tag === 'start') return svg('circle', { class: 'start-cell', r: 26 });
    if (tag === 'corner-first') return svg('path', { class: 'corner first', d: 'M-38-38h26l-26 26z' });
    if (tag === 'corner-second') return svg('path', { class: 'corner second', d: 'M38 38h-26l26-26z' });
    return tag === 'ghost' || tag === 'misfit' ? frame(tag, 46) : null;
  },

  pieces,
};
