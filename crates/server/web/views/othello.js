// Othello: a green felt with its four dots, and discs that are black on one side and white on the other.
//
// The white face has a ring and the black face does not, so that colour is never the only difference.

import { svg } from '../js/elements.js';

/** @type {import('../js/views.js').View} */
export const view = {
  ground(width, height) {
    const dots = [2, width - 2].flatMap((x) =>
      [2, height - 2].map((y) => svg('circle', { class: 'ink', cx: x * 100, cy: y * 100, r: 8 })),
    );
    return [
      svg('defs', {}, sheen('felt'), sheen('first'), sheen('second')),
      svg('rect', { class: 'felt', width: width * 100, height: height * 100, rx: 3 }),
      ...dots,
    ];
  },

  piece(_, owner) {
    const disc = svg(
      'g',
      { class: `disc ${owner}` },
      svg('circle', { class: 'shade', cx: 2, cy: 7, r: 40 }),
      svg('circle', { class: 'back', cy: 3.5, r: 40 }),
      svg('circle', { class: 'face', r: 40 }),
    );
    if (owner === 'second') disc.append(svg('circle', { class: 'ring', r: 25 }));
    return disc;
  },

  // Without the name of the opening the game goes on.
  drawn: (play) => import('../openings/opening.js').then(({ name }) => name(play)).catch(() => {}),

  last: () => svg('rect', { class: 'last', x: -9, y: -9, width: 18, height: 18, rx: 3 }),
};

/**
 * A gradient of light from above; the style sheet sets the colours of both ends.
 * @param {string} name
 */
const sheen = (name) =>
  svg(
    'linearGradient',
    { id: `sheen-${name}`, class: `sheen ${name}`, x2: 0, y2: 1 },
    svg('stop', { offset: 0 }),
    svg('stop', { offset: 1 }),
  );
