// Positions of Blokus Duo: rows of squares, the side to move, and who has placed the monomino last.

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

  // The server says which pieces are left. Here they would be squares without a shape.
  hands: () => [],

  cleared: { first: false, second: false },

  write({ board, side, more }) {
    const { text, places } = writeRows(board, ({ owner }) => letter(owner), '/');
    const last = SIDES.filter((each) => more[each]).map(letter).join('');
    return { text: [text, letter(side), last].filter(Boolean).join(' '), places };
  },
};
