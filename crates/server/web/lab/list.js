// The list of experiments, by game and by source.

import { el } from '../js/elements.js';
import { text } from '../js/strings.js';
import { gameTitle, state, table, whole } from '../matches/table.js';
import { minutes, place } from './numbers.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('./lab.js').Drawn} Drawn
 * @typedef {{text: string, section: string | null, table: string | null, figure: string | null, claim: string}} Source
 * @typedef {{id: string, game: string, title: string, question: string, kind: 'match' | 'measure', source: Source, minutes: number,
 *   size: number, planned: number | null, stored: number, running: boolean}} Summary
 */

/**
 * @param {{experiments: Summary[], allowed: boolean}} answer to `experiments`
 * @param {GameInfo[]} games
 * @returns {Drawn}
 */
export function drawList({ experiments, allowed }, games) {
  const names = [...new Set(experiments.map(({ game }) => game))];
  const sections = names.map((name) => {
    const own = experiments.filter(({ game }) => game === name);
    const title = gameTitle(games, name);
    const sources = [...new Set(own.map(({ source }) => source.text))].flatMap((source) => [
      el('h4', { lang: 'en' }, source),
      experimentTable(`${title}: ${source}`, own.filter((one) => one.source.text === source)),
    ]);
    return el('section', { class: 'card' }, el('h3', {}, title), ...sources);
  });
  const running = experiments.filter((one) => one.running);
  const nodes = [
    el('h2', {}, text('lab')),
    el('p', { class: 'lab-about' }, text('lab.about'), ' ', text(allowed ? 'lab.aboutRun' : 'lab.aboutRead')),
    ...sections,
    ...(experiments.length ? [] : [el('p', { class: 'plain' }, text('lab.none'))]),
  ];
  return { title: text('lab'), running: running.length > 0, news: text('lab.runningNow', { names: running.map(({ id }) => id).join(text('join')) || '–' }), nodes };
}

/**
 * @param {string} caption
 * @param {Summary[]} experiments
 */
function experimentTable(caption, experiments) {
  const columns = [
    { name: text('lab.experiment') },
    { name: text('lab.where') },
    { name: text('lab.size'), number: true },
    { name: text('lab.cost'), number: true },
    { name: text('lab.stored'), number: true },
    { name: text('arena.state'), unseen: true },
  ];
  const rows = experiments.map((one) => [
    el(
      'span',
      { class: 'lab-name' },
      el('a', { href: `#lab=${encodeURIComponent(one.id)}`, lang: 'en' }, one.title),
      el('span', { class: 'dim', lang: 'en' }, one.question),
    ),
    el('span', { lang: 'en' }, place(one.source)),
    text(`lab.size.${one.kind}`, { n: whole(one.size) }),
    minutes(one.minutes),
    one.stored ? text('lab.of', { n: whole(one.stored), all: whole(one.size * (one.planned ?? 1)) }) : '',
    state(one.running),
  ]);
  return table(caption, columns, rows);
}
