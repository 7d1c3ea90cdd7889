// The words of Othello, which take precedence over the page's.

/** @type {Record<string, Record<string, string>>} */
export const words = {
  en: {
    'piece.disc': 'disc',
    'unit.discs': 'discs',
    'unit.points': 'points',
    'error.bad_move': 'A move is the name of a square, such as d3.',
    'error.illegal_move.turns_nothing': '{move} would flip nothing.',
    'error.illegal_move.pass_not_allowed': 'Passing is not allowed here.',
    'player.classic': 'Classic',
    'player.greedy': 'Greedy',
    'about.engine': 'Our strongest: a selective search with a fitted evaluation; the ending is solved exactly.',
    'about.classic': 'The article’s program: mobility and corners, plain alpha-beta, the last 12 squares exactly.',
    'about.greedy': 'Flips the most discs.',
  },
  ja: {
    'piece.disc': '石',
    'unit.discs': '石',
    'unit.points': '点',
    'error.bad_move': '手は d3 のようにマスの名前で書きます。',
    'error.illegal_move.turns_nothing': '{move} では石を返せません。',
    'error.illegal_move.pass_not_allowed': 'ここではパスできません。',
    'player.classic': 'クラシック',
    'player.greedy': '欲張り',
    'about.engine': 'いちばん強いプレイヤー。学習した評価関数で有望な手を選んで深く読み、終盤は完全に読み切ります。',
    'about.classic': '記事のプログラム。着手可能数と隅を評価するアルファベータ探索で、最後の 12 マスを読み切ります。',
    'about.greedy': '返せる石がいちばん多い手を選びます。',
  },
};
