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

  last: () => svg('rect', { class: 'last', x: -9, y: -9, width: 18, height: 18, rx: 3 }),

  words: {
    en: {
      'piece.disc': 'disc',
      'unit.discs': 'discs',
      'error.illegal_move.turns_nothing': '{move} would flip nothing.',
      'error.illegal_move.pass_not_allowed': 'Passing is not allowed here.',
      'player.classic': 'Classic',
      'player.greedy': 'Greedy',
      'about.engine': 'Our strongest: alpha-beta with a fitted evaluation; the ending is solved exactly.',
      'about.classic': 'The article’s program: mobility and corners, plain alpha-beta, the last 12 squares exactly.',
      'about.greedy': 'Flips the most discs.',
    },
    ja: {
      'piece.disc': '石',
      'unit.discs': '石',
      'error.illegal_move.turns_nothing': '{move} では石を返せません。',
      'error.illegal_move.pass_not_allowed': 'ここではパスできません。',
      'player.classic': 'クラシック',
      'player.greedy': '欲張り',
      'about.engine': 'いちばん強いプレイヤー。学習した評価関数でアルファベータ探索をし、終盤は完全に読み切ります。',
      'about.classic': '記事のプログラム。着手可能数と隅を評価するアルファベータ探索で、最後の 12 マスを読み切ります。',
      'about.greedy': '返せる石がいちばん多い手を選びます。',
    },
  },
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
