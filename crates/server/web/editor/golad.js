// Positions of the Game of Life and Death: rows of cells, the side to move, and the generations so far.

import { text } from '../js/strings.js';
import { forBoth, SIDES, writeRows } from './writers.js';

/** @type {import('./writers.js').Writer} */
export const writer = {
  tools: () => forBoth('cell'),

  fields: [{ name: 'round', min: 1, max: 100, label: () => text('edit.round') }],

  read: ({ board }) => ({ round: Number(board.extra.round) }),

  write({ board, side, more }) {
    const { text, places } = writeRows(board, ({ owner }) => (owner === null ? '.' : String(SIDES.indexOf(owner))), '/');
    const index = SIDES.indexOf(side);
    return { text: `${text} ${index} ${2 * (Number(more.round) - 1) + index}`, places };
  },
};
