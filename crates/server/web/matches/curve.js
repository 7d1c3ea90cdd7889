// The log-likelihood ratio of a test over its pairs, between the bounds at which it ends.

import { el, svg } from '../js/elements.js';
import { text } from '../js/strings.js';
import { fixed, whole } from './table.js';

const [WIDTH, HEIGHT] = [640, 220];
const [LEFT, RIGHT, TOP, BOTTOM] = [48, 12, 14, 28];

/**
 * @param {{curve: [number, number][], lower: number, upper: number}} test
 * @param {string} words a description of the picture
 */
export function curve({ curve, lower, upper }, words) {
  const ratios = [lower, upper, 0, ...curve.map(([, llr]) => llr)];
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  const pairs = Math.max(1, curve.at(-1)?.[0] ?? 1);
  const x = (/** @type {number} */ pair) => LEFT + (pair / pairs) * (WIDTH - LEFT - RIGHT);
  const y = (/** @type {number} */ llr) => TOP + ((most - llr) / (most - least)) * (HEIGHT - TOP - BOTTOM);
  const line = (/** @type {string} */ kind, /** @type {number} */ llr) => svg('path', { class: kind, d: `M${LEFT} ${y(llr)}H${WIDTH - RIGHT}` });
  const label = (/** @type {number} */ llr) => svg('text', { class: 'mark', x: LEFT - 6, y: y(llr), 'text-anchor': 'end', 'dominant-baseline': 'middle' }, fixed(llr, llr ? 2 : 0));
  const points = [[0, 0], ...curve].map(([pair, llr]) => `${x(pair).toFixed(1)} ${y(llr).toFixed(1)}`);
  const picture = svg(
    'svg',
    { class: 'curve', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': words },
    line('bound', upper),
    line('bound', lower),
    line('zero', 0),
    label(upper),
    label(lower),
    label(0),
    svg('path', { class: 'ratio', d: `M${points.join('L')}` }),
    svg('text', { class: 'mark', x: WIDTH - RIGHT, y: HEIGHT - 8, 'text-anchor': 'end' }, text('test.pairs', { n: whole(pairs) })),
  );
  return el('figure', { class: 'figure' }, picture);
}
