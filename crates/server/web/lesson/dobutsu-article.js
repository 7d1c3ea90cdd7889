// The lesson of the article's Dobutsu shogi: that of Dobutsu shogi with the rules that differ.

import { steps as usual } from './dobutsu.js';

const [capture, drop, elephant, promotion, lion, crossing] = usual;

/** @type {import('./lesson.js').Step[]} */
export const steps = [
  capture,
  drop,
  elephant,
  {
    ...promotion,
    says: {
      en: 'A chick that steps onto the far row becomes a hen. In this game it moves forward and sideways, in five directions: it cannot step back.',
      ja: 'ひよこは一番奥の段に進むとにわとりになります。このルールでは前と横の五方向にだけ動け、後ろには下がれません。',
    },
  },
  lion,
  {
    ...crossing,
    says: {
      en: 'The other way to win: bring your lion to the far row. Here it wins on every square, even beside the other lion.',
      ja: 'もう一つの勝ち方は、自分のライオンを一番奥の段に進めることです（トライ）。このルールでは、相手のライオンの隣でも勝ちです。',
    },
    task: { en: 'Bring the lion across.', ja: 'ライオンを一番奥へ進めてください。' },
    wrong: { en: 'Go to the far row.', ja: '一番奥の段へ進めてください。' },
    done: {
      en: 'You win. One more thing: a move may not bring the same position about for the fourth time.',
      ja: 'トライ成功。もう一つだけ: 同じ局面を四回にする手は指せません。',
    },
  },
];
