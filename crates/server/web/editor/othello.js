// Positions of Othello: 64 letters and the side to move.

import { forBoth, writeRows } from './writers.js';

/** @type {import('./writers.js').Writer} */
export const writer = {
  tools: () => forBoth('disc'),

  write({ board, side }) {
    const { text, places } = writeRows(board, ({ owner }) => (owner === null ? '-' : owner === 'first' ? 'X' : 'O'), '');
    return { text: `${text} ${side === 'first' ? 'X' : 'O'}`, places };
  },
};
