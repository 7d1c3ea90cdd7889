// Running an experiment on the server's machine, where it may be, and its report.

import { el } from '../js/elements.js';
import { inLanguage, reason, text } from '../js/strings.js';
import { whole } from '../matches/table.js';
import { minutes } from './numbers.js';

/**
 * @typedef {import('./experiment.js').Answer} Answer
 * @typedef {import('./lab.js').Actions} Actions
 */

/** The sizes of a run that are offered, as shares of the whole. */
const SCALES = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
/** The largest size that takes no more than this is chosen first, in minutes. */
const PATIENCE = 2;

/**
 * @param {Answer} answer
 * @param {Actions} actions
 */
export function runCard(answer, { choice, run, stop, report }) {
  const { allowed, stored, seed, failed, experiment } = answer;
  const nodes = allowed ? running(answer, choice, run, stop) : command(answer);
  if (choice.fault) nodes.push(el('p', { class: 'fault', role: 'alert' }, choice.fault));
  else if (failed) nodes.push(el('p', { class: 'fault' }, text('lab.failed', { why: reason(failed) })));
  if (stored && answer.plan) nodes.push(el('p', {}, button('report', 'lab.report', report), ' ', el('span', { class: 'dim' }, text('lab.aboutReport'))));
  if (seed !== 1) nodes.push(el('p', {}, el('a', { href: `#lab=${experiment.id}` }, text('lab.firstSeed'))));
  return el('section', { class: 'card' }, el('h3', {}, text('lab.run')), ...nodes);
}

/**
 * @param {string} key
 * @param {string} name
 * @param {() => void} press
 * @param {boolean} [main]
 */
function button(key, name, press, main = false) {
  const one = el('button', { 'type': 'button', 'data-key': key, 'class': main ? 'main' : '' }, text(name));
  one.addEventListener('click', press);
  return one;
}

/** @param {Answer} answer @returns {Node[]} */
function command({ experiment, seed, plan }) {
  const options = [plan && plan.scale !== 1 ? ` --plan ${plan.scale}` : '', seed === 1 ? '' : ` --seed ${seed}`].join('');
  return [el('p', {}, text('lab.notHere')), el('p', {}, el('code', { class: 'lab-command' }, `banmen reproduce ${experiment.id}${options}`))];
}

/**
 * @param {Answer} answer
 * @param {Actions['choice']} choice
 * @param {() => void} run
 * @param {() => void} stop
 * @returns {Node[]}
 */
function running(answer, choice, run, stop) {
  const { experiment, stored, size, seed } = answer;
  if (answer.run) {
    if (answer.run.seed !== seed) return [el('p', {}, text('lab.otherSeed', { seed: answer.run.seed }))];
    const { target } = answer.run;
    const left = (experiment.minutes * Math.max(0, target - stored)) / size;
    return [
      el('p', {}, text(`lab.progress.${experiment.kind}`, { n: whole(stored), all: whole(target), left: minutes(left) })),
      el('progress', { max: target, value: Math.min(stored, target), 'aria-label': text('lab.run') }),
      el('p', {}, button('stop', 'lab.stop', stop), ' ', el('span', { class: 'dim' }, answer.about ? inLanguage(answer.about) : text('lab.goesOn'))),
    ];
  }
  if (answer.running) return [el('p', {}, text('lab.elsewhere'))];
  if (!answer.preliminary) return [el('p', {}, text('lab.complete'))];
  return form(answer, choice, run);
}

/**
 * @param {Answer} answer
 * @param {Actions['choice']} choice
 * @param {() => void} run
 * @returns {Node[]}
 */
function form({ experiment, plan, size, stored, about }, choice, run) {
  const largest = plan?.scale ?? 1;
  const scales = [largest, ...SCALES.filter((scale) => scale < largest)];
  const cost = (/** @type {number} */ scale) => experiment.minutes * Math.max(0, scale - stored / size);
  choice.scale ??= scales.find((scale) => cost(scale) <= PATIENCE && scale * size > stored) ?? scales.findLast((scale) => scale * size > stored) ?? largest;
  const words = (/** @type {number} */ scale) => {
    const share = scale === 1 ? text('lab.whole') : `${Number((scale * 100).toPrecision(6))} %`;
    return text('lab.choice', { share, n: text(`lab.size.${experiment.kind}`, { n: whole(Math.round(scale * size)) }), cost: minutes(cost(scale)) });
  };
  const options = scales.map((scale) => el('option', { value: scale, selected: scale === choice.scale }, words(scale)));
  const select = el('select', { 'data-key': 'scale' }, ...options);
  select.addEventListener('change', () => (choice.scale = Number(select.value)));
  const nodes = [el('label', { class: 'field' }, el('span', {}, text('lab.howMuch')), select)];
  if (!plan && !stored) {
    const small = el('input', { 'type': 'checkbox', 'role': 'switch', 'data-key': 'planned', 'checked': choice.planned });
    small.addEventListener('change', () => (choice.planned = small.checked));
    nodes.push(el('label', { class: 'switch' }, small, ' ', el('span', {}, text('lab.planSmall'))));
  }
  const where = el('p', { class: 'dim' }, about ? inLanguage(about) : text('lab.thread'));
  return [...nodes, el('p', { class: 'lab-run' }, button('run', stored ? 'lab.continue' : 'lab.begin', run, true)), where];
}
