// The plain view for a game that the page has never heard of: cells, and tokens with the first letter of the piece.
//
// The first side's tokens are solid, the second side's are outlined, what belongs to nobody is square.

import { svg } from './elements.js';

/** @type {import('./views.js').View} */
export const grid = {
  ground(width, height) {
    const lines = [];
    for (let x = 1; x < width; x += 1) lines.push(`M${x * 100} 0V${height * 100}`);
    for (let y = 1; y < height; y += 1) lines.push(`M0 ${y * 100}H${width * 100}`);
    return [
      svg('rect', { class: 'paper', width: width * 100, height: height * 100, rx: 3 }),
      svg('path', { class: 'lines', d: lines.join('') }),
    ];
  },

  piece(piece, owner) {
    const shape =
      owner === null
        ? svg('rect', { class: 'body', x: -38, y: -38, width: 76, height: 76, rx: 8 })
        : svg('circle', { class: 'body', r: 36 });
    const letter = svg('text', { class: 'letter' }, [...piece][0]?.toUpperCase() ?? '');
    return svg('g', { class: `token ${owner ?? 'nobody'}` }, shape, letter);
  },

  last: () => svg('rect', { class: 'last-cell', x: -45, y: -45, width: 90, height: 90, rx: 5 }),
};
