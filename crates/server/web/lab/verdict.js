// Verdicts in words, by the rule that `docs/experiments.md` states.

import { text } from '../js/strings.js';
import { whole } from '../matches/table.js';

/**
 * @typedef {import('./experiment.js').Answer} Answer
 * @typedef {import('./experiment.js').Experiment} Experiment
 * @typedef {import('./experiment.js').Row} Row
 * @typedef {import('./experiment.js').Verdict} Verdict
 */

/** @type {Record<Verdict, string>} */
const KEYS = { agrees: 'lab.agrees', differs: 'lab.differs', 'differs within the margin': 'lab.differsWithin', undecided: 'lab.undecided' };
/** @type {Record<Verdict, string>} */
const SIGNS = { agrees: '✓', differs: '≠', 'differs within the margin': '≈', undecided: '?' };

/**
 * A sign before the verdict of a row, so that it does not depend on colour.
 * @param {Row} row
 */
export const sign = ({ comparison }) => (comparison ? SIGNS[comparison.verdict] : '…');

/**
 * The verdict of a row with a published figure.
 * @param {Row} row
 * @param {boolean} preliminary
 * @returns {string}
 */
export function verdict({ comparison, evidence }, preliminary) {
  if (!comparison) return text(preliminary ? 'lab.notYet' : 'lab.tooLittle');
  const word = text(KEYS[comparison.verdict]);
  const { adjusted, needed, deciding } = comparison;
  const kind = evidence?.kind === 'match' ? 'games' : evidence?.kind === 'share' ? 'trials' : 'samples';
  const counted = (/** @type {number} */ n) => text(`lab.n.${kind}`, { n: whole(n) });
  if (deciding) return text('lab.deciding', { word, verdict: text(KEYS[deciding.verdict]), n: counted(deciding.sample) });
  if (comparison.verdict !== 'undecided') return word;
  if (adjusted === null) return text('lab.unknownSample', { word });
  if (needed === null) return text('lab.smallSample', { word });
  if (needed <= observations(evidence)) return text('lab.narrowly', { word });
  return text('lab.needed', { word, n: counted(kind === 'games' ? 2 * needed : needed) });
}

/**
 * The observations of an interval: pairs, trials, samples.
 * @param {Row['evidence']} evidence
 */
function observations(evidence) {
  if (evidence?.kind === 'match') return evidence.pairs.reduce((a, b) => a + b);
  if (evidence?.kind === 'share') return evidence.of;
  return evidence?.kind === 'mean' ? evidence.n : 0;
}

/**
 * How many figures have which verdict; empty without a published figure.
 * @param {Answer} answer
 */
export function summary({ rows, preliminary }) {
  const compared = rows.filter(({ published }) => published);
  const count = (/** @type {string} */ key, /** @type {(row: Row) => boolean} */ is) => {
    const n = compared.filter(is).length;
    return n ? [`${text(key)} ${whole(n)}`] : [];
  };
  const verdicts = /** @type {[Verdict, string][]} */ (Object.entries(KEYS)).flatMap(([verdict, key]) => count(key, ({ comparison }) => comparison?.verdict === verdict));
  return [...verdicts, ...count(preliminary ? 'lab.notYet' : 'lab.tooLittle', ({ comparison }) => !comparison)].join(text('join'));
}

/**
 * The rule, which is fixed before anything is played.
 * @param {Experiment} experiment
 */
export function rule({ margin, ratio, quantities, main }) {
  const { unit } = quantities[main];
  const within = ratio ? text('lab.factor', { n: margin }) : unit === '%' ? text('lab.points', { n: margin }) : `${margin} ${unit}`.trim();
  return text(ratio ? 'lab.ruleRatio' : 'lab.rule', { within });
}
