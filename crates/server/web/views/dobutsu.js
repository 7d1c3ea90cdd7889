// Dobutsu shogi: tiles with an animal and a dot for each way that it may step.
//
// A tile points in the direction in which its owner plays, so that owners differ by direction and not by colour alone; animals differ in outline: mane, trunk, horns, tuft, comb.

import { svg } from '../js/elements.js';
import { language, text, textOr } from '../js/strings.js';

/** @param {number} x @param {number} y @param {number} r */
const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

/** Two of the same, left and right. @param {number} x @param {number} y @param {number} r */
const pair = (x, y, r) => disc(-x, y, r) + disc(x, y, r);

/** A ring of bumps: the lion's mane. */
const mane = Array.from({ length: 12 }, (_, i) => {
  const at = (/** @type {number} */ part) => [Math.sin(part), -Math.cos(part)].map((n) => (n * 20).toFixed(1)).join(' ');
  return `${i ? '' : `M${at(0)}`}A6.2 6.2 0 0 1 ${at(((i + 1) * Math.PI) / 6)}`;
}).join('');

/**
 * What each animal is drawn with, from the bottom layer up: a class for the colour, and a path around 0,0.
 * @type {Record<string, [string, string][]>}
 */
const ANIMALS = {
  lion: [
    ['mane', mane],
    ['gold', pair(12.5, -11, 4.5)],
    ['gold', disc(0, 1, 14.5)],
    ['pale', 'M0 3c-9-1-11 9-4 10.5 2 .5 4-.5 4-2 0 1.5 2 2.5 4 2 7-1.5 5-11.5-4-10.5z'],
    ['solid', 'M-4 2h8l-4 4.5z'],
    ['solid', pair(6, -3, 2)],
  ],
  giraffe: [
    ['line', 'M-5.5-14-7-22M5.5-14 7-22'],
    ['dark', pair(7, -23, 3)],
    ['gold', 'M-9-12-21-15q1 8 11 8zM9-12 21-15q-1 8-11 8z'],
    ['gold', 'M0-17c8 0 11 5 10 12L8 14q-2 9-8 9t-8-9l-2-19c-1-7 2-12 10-12z'],
    ['dark', 'M-3-17h6l-1 6h-4zM-10-2l4 2 .5 5-3 1zM10-2l-4 2-.5 5 3 1z'],
    ['pale', 'M0 7c6 0 9 3 9 8s-4 8-9 8-9-3-9-8 3-8 9-8z'],
    ['solid', `${pair(5.5, -6.5, 2)}${pair(3.5, 14, 1.4)}`],
  ],
  elephant: [
    ['grey', 'M-8-14c-9-6-17 0-17 9s8 16 16 11zM8-14c9-6 17 0 17 9s-8 16-16 11z'],
    ['pale', 'M-5 8-11 8q-1 7 3 11 4-4 4-9zM5 8l6 0q1 7-3 11-4-4-4-9z'],
    ['grey', 'M0-20c9 0 13 6 13 14 0 6-3 11-8 13v10c0 7-10 7-10 0V7c-5-2-8-7-8-13 0-8 4-14 13-14z'],
    ['thin', 'M-2 10h4M-2 14h4'],
    ['solid', pair(6, -6, 2)],
  ],
  chick: [
    ['line', 'M0-16q-5-3-4-7M0-16q0-5 3-8M0-16q5-1 7-4'],
    ['yolk', disc(0, 2, 18)],
    ['yolk', 'M-17 0q-8 3-7 10 6 0 9-4zM17 0q8 3 7 10-6 0-9-4z'],
    ['beak', 'M-5.5 3q5.5-4 11 0l-5.5 7z'],
    ['solid', pair(7.5, -4, 2.2)],
  ],
  hen: [
    ['red', 'M-9-12c-6-6-1-12 3-9 0-6 10-6 11-1 6-2 8 6 3 10z'],
    ['white', 'M0-15c10 0 13 7 13 14 7 1 8-3 8-7 4 13-1 29-21 29S-25 5-21-8c0 4 1 8 8 7 0-7 3-14 13-14z'],
    ['red', 'M-1 9q-5 9 1 10t1-10z'],
    ['beak', 'M-7 2q7-5 14 0l-7 8z'],
    ['solid', pair(7, -5, 2.2)],
  ],
};

/** Where an animal may step, as its owner sees it: a letter for each dot. @type {Record<string, string>} */
const STEPS = { lion: 'abcdefgh', giraffe: 'bdeg', elephant: 'acfh', chick: 'b', hen: 'abcdeg' };

/** @type {Record<string, [number, number]>} */
const DOTS = { a: [-30, -24], b: [0, -34], c: [30, -24], d: [-34, 3], e: [34, 3], f: [-31, 33], g: [0, 35], h: [31, 33] };

const TILE = 'M-41-22q0-8 7-10l29-9q5-2 10 0l29 9q7 2 7 10v54q0 9-9 9h-64q-9 0-9-9z';

/** @type {Record<string, string>} */
const HANDS = { C: 'chick', E: 'elephant', G: 'giraffe' };

const MOVE = /^(?:(\d[a-d])|([CEG])\*)(\d[a-d])(\+?)$/;

/** Files and ranks as Japanese players write them: ２二. @param {string} name of a square, a file or a rank */
const square = (name) => name.replace(/\d(?=.)/, (file) => '０１２３'[Number(file)] ?? file).replace(/[a-d]$/, (rank) => '一二三四'['abcd'.indexOf(rank)]);

/** @param {string} move */
function written(move) {
  if (language() !== 'ja') return move;
  const [, from, held, to, promoted] = MOVE.exec(move) ?? [];
  if (!to) return /^\d?[a-d]$/.test(move) ? square(move) : move;
  return held ? text('said.dropped', { to: square(to), piece: textOr(`piece.${HANDS[held]}`, '') }) : `${square(from)}→${square(to)}${promoted && text('said.promoted')}`;
}

/** A move typed in Japanese notation, but for drops. @param {string} typed */
const read = (typed) => typed.replace(/[一二三四]/g, (rank) => 'abcd'['一二三四'.indexOf(rank)]).replace('→', '').replace('成', '+');

/**
 * @param {string} move
 * @param {import('../js/views.js').Board} board after it
 */
function said(move, board) {
  const [, from, , to, promoted] = MOVE.exec(move) ?? [];
  const piece = board.cells.find(({ at }) => at === to)?.piece;
  if (language() !== 'ja' || !from || !piece) return written(move);
  return `${square(to)}${textOr(`piece.${promoted ? 'chick' : piece}`, piece)}${promoted && text('said.promoted')}`;
}

/**
 * @param {string} piece
 * @param {import('../js/views.js').Side | null} owner
 * @param {Record<string, string>} steps
 */
function tile(piece, owner, steps) {
  const [animal, step] = Object.hasOwn(ANIMALS, piece) ? [ANIMALS[piece], steps[piece]] : [[], ''];
  const dots = [...step].map((each) => disc(...DOTS[each], 4)).join('');
  const shapes = animal.map(([name, d]) => svg('path', { class: name, d }));
  return svg(
    'g',
    { class: `tile ${owner}` },
    svg('path', { class: 'shade', d: TILE }),
    svg('path', { class: 'wood', d: TILE }),
    svg('path', { class: 'dots', d: dots }),
    svg('g', { class: 'animal', transform: 'translate(0 2) scale(1.15)' }, ...shapes),
  );
}

/** @type {import('../js/views.js').View} */
export const view = {
  facing: true,
  exact: true,
  written,
  read,
  said,

  ground: (width, height) => [
    svg('rect', { class: 'field', width: width * 100, height: height * 100, rx: 3 }),
    svg('path', { class: 'home', d: `M0 0H${width * 100}V100H0zM0 ${height * 100 - 100}H${width * 100}v100H0z` }),
  ],

  piece: (piece, owner) => tile(piece, owner, STEPS),

  path(move) {
    const way = MOVE.exec(move);
    return way && { from: way[1] ?? HANDS[way[2]], to: way[3] };
  },
};

/** The game of the article, whose hen does not step back. @type {import('../js/views.js').View} */
export const article = {
  ...view,
  piece: (piece, owner) => tile(piece, owner, { ...STEPS, hen: 'abcde' }),
};
