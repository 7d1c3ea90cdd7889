// How each game looks. A view is all that the board kit needs to know of a game; a game without its own gets `grid`.

import { grid } from './grid.js';
import { othello } from './othello.js';

/**
 * @typedef {import('./server.js').Board} Board
 * @typedef {import('./server.js').Side} Side
 * @typedef {{
 *   ground: (width: number, height: number) => SVGElement[],
 *   piece: (piece: string, owner: Side | null) => SVGElement,
 *   last: () => SVGElement,
 * }} View
 *   A cell is 100 units wide and high. `ground` draws what lies below the pieces, from 0,0 at the top left; `piece`
 *   draws a piece around 0,0, and `last` the mark of the last move.
 */

/** @type {Record<string, View>} */
const views = { othello };

/**
 * @param {string | undefined} name
 * @returns {View}
 */
export const viewNamed = (name) => (name && Object.hasOwn(views, name) ? views[name] : grid);
