// The pieces in hand: their counts, names and positions in a tray on each side of the board.

import { svg } from './elements.js';
import { text, textOr } from './strings.js';

/** @typedef {import('./server.js').Board} Board */
/** @typedef {import('./server.js').Side} Side */
/**
 * @typedef {{side: Side, piece: string, count: number, x: number, y: number, size: number, ahead: number}} Slot a kind of piece in
 *   hand; its count is `ahead` of it: -1 above, 1 below
 */

/** The width of a tray. */
export const TRAY = 92;
/** Between a tray and the edge of the picture. */
export const RIM = 14;
/** The height of a count, as a share of the piece's. */
const COUNT = 0.27;

/** @type {Side[]} */
export const SIDES = ['first', 'second'];

/**
 * The kinds in a hand with their numbers, in the order of the hand.
 * @param {string[]} hand
 * @returns {[string, number][]}
 */
export function kinds(hand) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const piece of hand) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  return [...counts];
}

/**
 * "Chick in hand, 2".
 * @param {string} piece
 * @param {number} count
 */
export const slotName = (piece, count) => text('hand.piece', { piece: textOr(`piece.${piece}`, piece), count });

/**
 * The positions of the pieces in hand. The side at the bottom has its tray on the right and fills it from below, the other
 * on the left and from above: each on its own right.
 * @param {Board} board
 * @param {number} high the height of the cells
 * @param {number} left the middle of the left tray
 * @param {number} right the middle of the right tray
 * @param {boolean} turned whether the second side is at the bottom
 * @returns {Slot[]}
 */
export function slots({ hands }, high, left, right, turned) {
  return hands.flatMap((hand, owner) => {
    const below = (owner === 0) !== turned;
    const held = kinds(hand);
    const size = Math.min(TRAY, high / held.length / (1 + COUNT));
    return held.map(([piece, count], i) => {
      const far = size * (i * (1 + COUNT) + 0.5);
      return { side: SIDES[owner], piece, count, x: below ? right : left, y: below ? high - far : far, size, ahead: below ? -1 : 1 };
    });
  });
}

/**
 * The number ahead of a kind of which there are several, where it covers no part of a piece.
 * @param {Slot} slot
 * @returns {SVGElement[]}
 */
export function badge({ count, size, ahead }) {
  if (count < 2) return [];
  const at = ahead * size * (0.5 + COUNT / 2);
  return [
    svg('circle', { class: 'badge', cy: at, r: 13 }),
    svg('text', { class: 'count', y: at }, String(count)),
  ];
}
