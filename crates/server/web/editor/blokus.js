// Positions of Blokus Duo: rows of squares, the side to move, and who has placed the monomino last.

import { el, svg } from '../js/elements.js';
import { text } from '../js/strings.js';
import { forBoth, SIDES, writeRows } from './writers.js';

/** @param {import('../js/server.js').Side | null} side */
const letter = (side) => (side === null ? '.' : side === 'first' ? 'b' : 'w');

/** @type {import('./writers.js').Writer} */
export const writer = {
  tools: () => forBoth('square'),

  fields: SIDES.map((side) => ({ name: side, label: (sides) => text('edit.last', { side: sides[side] }) })),

  read({ position }) {
    const last = position.split(' ')[2] ?? '';
    return { first: last.includes('b'), second: last.includes('w') };
  },

  // On the board they would be squares without a shape.
  hands: () => [],

  // The server says which pieces are left.
  left: ({ board }, { pieces }, sides) =>
    SIDES.map((side, i) => {
      const hand = board.hands[i];
      const shapes = pieces ? hand.map((piece) => drawn(pieces.shapes[piece], () => pieces.square(side))) : [];
      const words = text('edit.left', { side: sides[side], count: hand.length });
      return el('div', { class: 'edit-left' }, el('p', {}, words), el('div', { role: 'img', 'aria-label': [words, ...hand].join(text('join')) }, ...shapes));
    }),

  cleared: { first: false, second: false },

  write({ board, side, more }) {
    const { text, places } = writeRows(board, ({ owner }) => letter(owner), '/');
    const last = SIDES.filter((each) => more[each]).map(letter).join('');
    return { text: [text, letter(side), last].filter(Boolean).join(' '), places };
  },
};

/**
 * @param {[number, number][]} shape
 * @param {() => SVGElement} square
 */
function drawn(shape, square) {
  const [width, height] = [0, 1].map((i) => Math.max(...shape.map((cell) => cell[i])) + 1);
  const squares = shape.map(([x, y]) => svg('g', { transform: `translate(${x * 100 + 50} ${y * 100 + 50})` }, square()));
  return svg('svg', { viewBox: `0 0 ${width * 100} ${height * 100}`, width: width * 9, height: height * 9, 'aria-hidden': 'true' }, ...squares);
}
