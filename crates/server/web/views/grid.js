// The plain view for a game that the page does not know: cells, and tokens with the first letter of the piece.
//
// The first side's tokens are solid, the second side's are outlined, pieces without an owner are square. A piece whose name
// is a colour has that colour.

import { svg } from '../js/elements.js';

const COLOURS = ['red', 'yellow', 'green', 'blue', 'black', 'white'];

/** @type {import('../js/views.js').View} */
export const view = {
  ground: (width, height) => [svg('rect', { class: 'paper', width: width * 100, height: height * 100, rx: 3 })],

  piece(piece, owner) {
    const shape =
      owner === null
        ? svg('rect', { class: 'body', x: -38, y: -38, width: 76, height: 76, rx: 8 })
        : svg('circle', { class: 'body', r: 36 });
    const letter = svg('text', { class: 'letter' }, [...piece][0]?.toUpperCase() ?? '');
    const colour = COLOURS.includes(piece) ? ` ${piece}` : '';
    return svg('g', { class: `token ${owner ?? 'nobody'}${colour}` }, shape, letter);
  },
};
