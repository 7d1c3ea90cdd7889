// Positions of Dobutsu shogi as SFEN: rows of pieces, the side to move, and the pieces in hand.

import { text, textOr } from '../js/strings.js';
import { forBoth, SIDES } from './writers.js';

/** @type {Record<string, string>} */
const LETTERS = { lion: 'L', giraffe: 'G', elephant: 'E', chick: 'C', hen: '+C' };
const HELD = ['giraffe', 'elephant', 'chick'];

/** @param {string} letter @param {import('../js/server.js').Side | null} side */
const cased = (letter, side) => (side === 'first' ? letter : letter.toLowerCase());

/** @type {import('./writers.js').Writer} */
export const writer = {
  tools: () => Object.keys(LETTERS).flatMap(forBoth),

  legend: () => text('edit.hands'),

  fields: SIDES.flatMap((side) =>
    HELD.map((piece) => ({
      name: `${side} ${piece}`,
      min: 0,
      max: 2,
      label: (sides) => text('edit.hand', { side: sides[side], piece: textOr(`piece.${piece}`, piece) }),
    })),
  ),

  read: ({ board }) =>
    Object.fromEntries(
      SIDES.flatMap((side, i) => HELD.map((piece) => [`${side} ${piece}`, board.hands[i].filter((held) => held === piece).length])),
    ),

  hands: (more) => SIDES.map((side) => HELD.flatMap((piece) => Array(Number(more[`${side} ${piece}`])).fill(piece))),

  cleared: Object.fromEntries(SIDES.flatMap((side) => HELD.map((piece) => [`${side} ${piece}`, 0]))),

  write({ board: { cells, width }, side, more }) {
    let rows = '';
    let empty = 0;
    const places = cells.map(({ piece, owner }, i) => {
      const first = i % width === 0;
      if (empty && (first || piece)) {
        rows += empty;
        empty = 0;
      }
      if (i && first) rows += '/';
      const at = rows.length;
      if (piece === null) empty += 1;
      else rows += cased(LETTERS[piece], owner);
      return at;
    });
    if (empty) rows += empty;
    const held = SIDES.flatMap((each) =>
      HELD.map((piece) => {
        const count = Number(more[`${each} ${piece}`]);
        return count ? `${count > 1 ? count : ''}${cased(LETTERS[piece], each)}` : '';
      }),
    ).join('');
    return { text: `${rows} ${side === 'first' ? 'b' : 'w'} ${held || '-'} 1`, places };
  },
};
