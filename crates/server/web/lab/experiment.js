// One experiment: its claim, how to run it, and its table, which fills while it is played.

import { el } from '../js/elements.js';
import { text } from '../js/strings.js';
import { date, gameTitle, results, state, table, whole } from '../matches/table.js';
import { grouped, minutes, number, place } from './numbers.js';
import { draw } from './picture.js';
import { runCard } from './run.js';
import { rule, sign, summary, verdict } from './verdict.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Fault} Fault
 * @typedef {import('./lab.js').Drawn} Drawn
 * @typedef {import('./lab.js').Actions} Actions
 * @typedef {import('./list.js').Source} Source
 * @typedef {{name: string, unit: string, kind: 'share' | 'mean' | 'exact'}} Quantity
 * @typedef {{kind: 'match', pairs: number[], won: number, drawn: number, lost: number} | {kind: 'share', won: number, of: number}
 *   | {kind: 'mean', n: number, mean: number, variance: number} | {kind: 'exact', value: number}} Evidence
 * @typedef {{value: number, within: number, margin: number | null, by: string | null,
 *   sample: 'unknown' | {games: {won: number, drawn: number, lost: number}} | {runs: number}}} Figure
 * @typedef {'agrees' | 'differs' | 'differs within the margin' | 'undecided'} Verdict
 * @typedef {{difference: number, interval: [number, number], p: number, adjusted: number | null, verdict: Verdict, needed: number | null,
 *   deciding: {sample: number, verdict: Verdict} | null}} Comparison
 * @typedef {{labels: string[], cell: number, quantity: number, evidence: Evidence | null, value: number | null,
 *   interval: [number, number] | null, published: Figure | null, published_interval: [number, number] | null,
 *   comparison: Comparison | null, others: [string, number | null][]}} Row
 * @typedef {{id: string, title: string, question: string, kind: 'match' | 'measure', game: string, source: Source,
 *   factors: {name: string, labels: string[]}[], budgets: {name: string, paper: boolean}[], quantities: Quantity[], main: number,
 *   axis: {name: string, points: string[]} | null, margin: number, ratio: boolean, notes: string[], minutes: number}} Experiment
 * @typedef {{experiment: Experiment, seed: number, version: string, size: number, planned: number, stored: number, preliminary: boolean,
 *   plan: {scale: number, digest: string, stored: number, written: number} | null,
 *   cells: {match: number | null, stored: number, planned: number}[], rows: Row[], pictures: import('./picture.js').Picture[],
 *   running: boolean, run: {seed: number, target: number} | null, failed: Fault | null, allowed: boolean,
 *   about?: import('../js/server.js').Words}} Answer to `experiment`; `about` says how it is run where no server runs it
 */

/**
 * @param {Answer} answer
 * @param {GameInfo[]} games
 * @param {Actions} actions
 * @returns {Drawn}
 */
export function drawExperiment(answer, games, actions) {
  const { experiment, seed, stored, planned, preliminary, plan, running } = answer;
  const { id, title, kind } = experiment;
  const facts = [gameTitle(games, experiment.game), id, text(`lab.size.${kind}`, { n: whole(answer.size) }), minutes(experiment.minutes)];
  if (seed !== 1) facts.push(text('arena.seed', { seed }));
  const done = text(`lab.stored.${kind}`, { n: whole(stored), all: whole(planned) });
  const counts = summary(answer);
  const source = [experiment.source.text, place(experiment.source)].filter(Boolean).join(', ');
  const nodes = [
    el('p', {}, el('a', { href: '#lab' }, text('lab.all'))),
    el('div', { class: 'arena-head' }, el('h2', { lang: 'en' }, title), state(running)),
    el('p', { class: 'dim' }, facts.join(' · ')),
    el(
      'div',
      { class: 'cards' },
      card(
        'lab.claim',
        el('blockquote', { class: 'lab-claim', lang: 'en' }, el('p', {}, experiment.source.claim), el('footer', { class: 'dim' }, source)),
        el('p', { lang: 'en' }, experiment.question),
      ),
      runCard(answer, actions),
    ),
    card(
      'lab.results',
      el('p', { class: 'lab-stored' }, done, counts && ` · ${counts}`),
      el('progress', { max: planned, value: Math.min(stored, planned), 'aria-label': text('lab.planned') }),
      ...pictures(answer),
      resultTable(answer),
      ...otherTable(answer),
      el('p', { class: 'dim term' }, rule(experiment)),
      el('p', { class: 'dim term' }, plan ? planWords(plan, preliminary) : text('lab.noPlan')),
      el('p', { class: 'dim term' }, text(`lab.intervals.${kind}`), ' ', text('lab.build', { version: answer.version })),
      ...(experiment.notes.length ? [el('ul', { class: 'dim lab-notes', lang: 'en' }, ...experiment.notes.map((note) => el('li', {}, note)))] : []),
    ),
  ];
  return { title, running, news: `${done} ${counts}`, nodes };
}

/**
 * @param {string} name
 * @param {(Node | string)[]} nodes
 */
const card = (name, ...nodes) => el('section', { class: 'card' }, el('h3', {}, text(name)), ...nodes);

/**
 * @param {{scale: number, digest: string, stored: number, written: number}} plan
 * @param {boolean} preliminary
 */
function planWords({ scale, digest, stored, written }, preliminary) {
  const size = scale === 1 ? text('lab.whole') : text('lab.share', { n: `${scale * 100} %` });
  const when = stored ? text('lab.plannedLate', { n: whole(stored) }) : text('lab.plannedFirst');
  const words = text('lab.plan', { size, date: date(written), when, digest: digest.slice(0, 16) });
  return preliminary ? `${words} ${text('lab.preliminary')}` : words;
}

/** @param {Answer} answer */
function pictures({ experiment, pictures, rows }) {
  const drawn = pictures.map((picture) => draw(picture, rows, experiment.quantities[picture.quantity], experiment.title));
  return drawn.filter((picture) => picture !== null);
}

/**
 * The quantities that rows are about.
 * @param {Answer} answer
 */
const judged = ({ rows }) => [...new Set(rows.map(({ quantity }) => quantity))];

/** @param {Quantity} quantity */
const headed = ({ name, unit }) => (unit ? `${name}, ${unit}` : name);

/**
 * The columns of labels, and the labels of a row; the budget of the source is marked.
 * @param {Experiment} experiment
 */
function labels({ factors, axis, budgets }) {
  const columns = [...factors.map(({ name }) => name), ...(axis ? [axis.name] : [])];
  const label = (/** @type {string} */ label, /** @type {number} */ i) => {
    const paper = columns[i] === 'budget' && budgets.some(({ name, paper }) => paper && name === label);
    return el('span', { class: 'lab-label', lang: 'en' }, paper ? `${grouped(label)} *` : grouped(label));
  };
  return { columns: columns.map((name) => ({ name })), of: (/** @type {Row} */ row) => row.labels.map(label), paper: budgets.some(({ paper }) => paper) };
}

/** @param {Answer} answer */
function resultTable(answer) {
  const { experiment, rows, cells, preliminary } = answer;
  const several = judged(answer).length > 1;
  const named = labels(experiment);
  const compared = rows.some(({ published }) => published);
  const columns = [
    // A table has names for its rows, also where there is nothing to distinguish them.
    ...(named.columns.length ? named.columns : [{ name: text('lab.quantity') }]),
    ...(several && named.columns.length ? [{ name: text('lab.quantity') }] : []),
    ...(compared ? [{ name: text('lab.published'), number: true }] : []),
    { name: text('lab.measured'), number: true },
    { name: text('lab.interval'), number: true },
    ...(compared ? [{ name: text('lab.verdict') }] : []),
    { name: text(`lab.sample.${experiment.kind}`), number: true },
  ];
  const body = rows.map((row) => {
    const quantity = experiment.quantities[row.quantity];
    const shown = (/** @type {number} */ value) => number(value, quantity);
    const name = el('span', { lang: 'en' }, headed(quantity));
    return [
      ...(named.columns.length ? named.of(row) : [name]),
      ...(several && named.columns.length ? [name] : []),
      ...(compared ? [row.published ? published(row.published, shown) : ''] : []),
      row.value === null ? '–' : shown(row.value),
      row.interval && quantity.kind !== 'exact' ? text('lab.to', { low: shown(row.interval[0]), high: shown(row.interval[1]) }) : '',
      ...(compared ? [row.published ? judgement(row, experiment, preliminary, shown) : ''] : []),
      sample(row, cells[row.cell]),
    ];
  });
  const note = named.paper ? [el('p', { class: 'dim' }, text('lab.paper'))] : [];
  return el('div', {}, table(text('lab.results'), columns, body), ...note);
}

/**
 * A published figure with its precision, its sample and who published it.
 * @param {Figure} figure
 * @param {(value: number) => string} shown
 */
function published({ value, within, sample, by }, shown) {
  const parts = [];
  if (sample !== 'unknown' && 'games' in sample) parts.push(results({ wins: sample.games.won, draws: sample.games.drawn, losses: sample.games.lost }));
  if (sample !== 'unknown' && 'runs' in sample) parts.push(text('lab.outOf', { n: whole(sample.runs) }));
  // A smaller value is the rounding of the last digit.
  const precise = within >= 0.1 ? `${shown(value)} ± ${shown(within)}` : shown(value);
  return el('span', { class: 'lab-stack' }, precise, ...[...parts, ...(by ? [by] : [])].map((part) => el('span', { class: 'dim' }, part)));
}

/**
 * @param {Row} row
 * @param {Experiment} experiment
 * @param {boolean} preliminary
 * @param {(value: number) => string} shown
 */
function judgement(row, { ratio }, preliminary, shown) {
  const { comparison } = row;
  const word = el('span', { class: `lab-verdict ${comparison ? comparison.verdict.split(' ').at(-1) : 'none'}` }, el('b', { 'aria-hidden': 'true' }, sign(row)), ' ', verdict(row, preliminary));
  if (!comparison || row.evidence?.kind === 'exact') return word;
  const [low, high] = comparison.interval.map((end) => (ratio ? number(end, { unit: '', kind: 'mean' }) : `${end > 0 ? '+' : ''}${shown(end)}`));
  const p = comparison.adjusted === null ? '' : text('lab.p', { p: comparison.adjusted < 0.0001 ? '< 0.0001' : `= ${comparison.adjusted.toFixed(4)}` });
  return el('span', { class: 'lab-stack' }, word, el('span', { class: 'dim' }, text(ratio ? 'lab.ratio' : 'lab.difference', { low, high, p })));
}

/**
 * The sample of a row: games link to their match.
 * @param {Row} row
 * @param {{match: number | null, stored: number, planned: number}} cell
 */
function sample({ evidence }, { match, stored, planned }) {
  const counted = stored < planned ? el('span', { class: 'dim' }, text('lab.of', { n: whole(stored), all: whole(planned) })) : '';
  let said = '';
  if (evidence?.kind === 'match') said = results({ wins: evidence.won, draws: evidence.drawn, losses: evidence.lost });
  if (evidence?.kind === 'share') said = text('lab.of', { n: whole(evidence.won), all: whole(evidence.of) });
  if (evidence?.kind === 'mean') said = whole(evidence.n);
  if (evidence?.kind === 'exact') said = text('lab.exact');
  const link = match === null || !stored ? said : el('a', { href: `#match=${match}`, 'aria-label': text('lab.games', { results: said, match }) }, said);
  return el('span', { class: 'lab-stack' }, link, counted);
}

/**
 * What was measured beside the quantities that are compared, folded.
 * @param {Answer} answer
 */
function otherTable({ experiment, rows }) {
  const names = [...new Set(rows.flatMap(({ others }) => others.map(([name]) => name)))].filter((name) => name !== 'match');
  if (!names.length) return [];
  const named = labels(experiment);
  const body = rows.filter(({ others }) => others.length).map((row) => [
    ...(named.columns.length ? named.of(row) : [experiment.title]),
    ...names.map((name) => {
      const value = row.others.find(([known]) => known === name)?.[1] ?? null;
      return value === null ? '' : number(value, { unit: '', kind: 'mean' });
    }),
  ]);
  const columns = [...(named.columns.length ? named.columns : [{ name: text('lab.experiment') }]), ...names.map((name) => ({ name, number: true }))];
  const others = table(text('lab.others'), columns, body);
  return body.length ? [el('details', { 'data-key': 'others' }, el('summary', { 'data-key': 'others-summary' }, text('lab.others')), others)] : [];
}
