// The pictures of an experiment: published figures, and the measured values with their 95 % intervals, as curves over a number
// or one row below the other. Positions are shares of the width, so that the text has its own size on every screen.

import { el, svg } from '../js/elements.js';
import { text } from '../js/strings.js';
import { grouped, number } from './numbers.js';

/**
 * @typedef {import('./experiment.js').Row} Row
 * @typedef {import('./experiment.js').Quantity} Quantity
 * @typedef {{x: number, label: string, row: number}} Point
 * @typedef {{quantity: number, x: string | null, series: {name: string, points: Point[]}[]}} Picture
 */

const KINDS = 6;
/** The height of a row with its label, and of the plane of curves. */
const ROW = 46;
const PLANE = 300;
/** The height of the numbers of the axis. */
const AXIS = 26;

/** The marks of series: a disc, a square, triangles, a cross, a plus. */
const MARKS = [
  'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0',
  'M-4-4h8v8h-8z',
  'M0-5l4.6 8.6h-9.2z',
  'M0 5l-4.6-8.6h9.2z',
  'M-4-4l8 8m0-8l-8 8',
  'M0-5v10M-5 0h10',
];
const DIAMOND = 'M0-6l6 6l-6 6l-6-6z';

/**
 * @param {Picture} picture
 * @param {Row[]} rows
 * @param {Quantity} quantity
 * @param {string} title what the picture shows
 */
export function draw({ x, series }, rows, quantity, title) {
  const points = series.flatMap((one) => one.points);
  const values = points.flatMap(({ row }) => {
    const { value, interval, published, published_interval: stated } = rows[row];
    return [value, ...(interval ?? []), published?.value ?? null, ...(stated ?? [])].filter((n) => n !== null);
  });
  if (!values.length) return null;
  const scale = makeScale(values, quantity.unit === '%');
  const names = x === null ? [text('lab.measured')] : series.map(({ name }) => name || text('lab.measured'));
  const stated = points.some(({ row }) => rows[row].published);
  const drawn = x === null ? drawRows(points, rows, quantity, scale) : drawCurves(series, rows, quantity, scale);
  drawn.setAttribute('role', 'img');
  drawn.setAttribute('aria-label', text('lab.picture', { title }));
  const head = quantity.unit ? `${quantity.name} (${quantity.unit})` : quantity.name;
  const axes = x === null ? head : text('lab.over', { y: head, x });
  return el('figure', { class: 'lab-figure' }, legend(names, stated), drawn, el('figcaption', { class: 'dim', lang: 'en' }, axes));
}

/**
 * @param {string[]} names
 * @param {boolean} stated whether there are published figures
 */
function legend(names, stated) {
  const sign = (/** @type {string} */ kind, /** @type {string} */ d) =>
    svg('svg', { class: 'lab-sign', viewBox: '-14 -8 28 16', 'aria-hidden': 'true' }, ...(kind === 'published' ? [] : [svg('path', { class: `line ${kind}`, d: 'M-14 0h28' })]), svg('path', { class: `${kind === 'published' ? kind : `mark ${kind}`}`, d }));
  const items = names.map((name, i) => el('li', {}, sign(`s${i % KINDS}`, MARKS[i % KINDS]), el('span', { lang: 'en' }, name)));
  if (stated) items.push(el('li', {}, sign('published', DIAMOND), text('lab.published')));
  return el('ul', { class: 'lab-legend' }, ...items);
}

/**
 * A scale whose ends are round numbers, so that it stays while values come in.
 * @param {number[]} values
 * @param {boolean} percent
 */
function makeScale(values, percent) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (high === low) [low, high] = [low - 1, high + 1];
  const step = roundStep((high - low) / 5);
  [low, high] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
  if (percent) [low, high] = [Math.max(0, low), Math.min(100, high)];
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step).filter((tick) => tick <= high + step / 1e6);
  /** The share of the way from the low end to the high one, within both. @param {number} value */
  const at = (value) => Math.min(1, Math.max(0, (value - low) / (high - low)));
  return { at, ticks, step };
}

/** @typedef {ReturnType<typeof makeScale>} Scale */

/** The smallest of 1, 2, 5, 10 … that is at least this. @param {number} least */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least * 0.9999)) ?? least;
}

/** A number on an axis. @param {number} tick @param {number} step */
const plain = (tick, step) => tick.toLocaleString('en', { maximumFractionDigits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) }).replace('-', '−');

/** @param {number} share */
const percent = (share) => `${(share * 100).toFixed(3)}%`;

/**
 * A mark at a place, whose size does not depend on the width.
 * @param {string} kind
 * @param {string} d
 * @param {number} x as a share
 * @param {number | string} y
 * @param {string} [about] a tooltip
 */
function mark(kind, d, x, y, about) {
  const path = svg('path', { class: kind, d }, ...(about ? [svg('title', {}, about)] : []));
  return svg('svg', { class: 'at', x: percent(x), y }, path);
}

/**
 * What is known of a row, for a tooltip.
 * @param {string} label
 * @param {Row} row
 * @param {Quantity} quantity
 */
function about(label, { value, interval, published }, quantity) {
  const shown = (/** @type {number} */ n) => number(n, quantity);
  const measured = value === null ? [] : [`${text('lab.measured')} ${shown(value)}${interval ? ` [${shown(interval[0])}, ${shown(interval[1])}]` : ''}`];
  const stated = published ? [`${text('lab.published')} ${shown(published.value)}`] : [];
  return `${label ? `${label}: ` : ''}${[...measured, ...stated].join(text('join'))}`;
}

/**
 * @param {Point[]} points
 * @param {Row[]} rows
 * @param {Quantity} quantity
 * @param {Scale} scale
 */
function drawRows(points, rows, quantity, { at, ticks, step }) {
  const height = points.length * ROW;
  /** @type {SVGElement[]} */
  const nodes = ticks.flatMap((tick) => [
    svg('line', { class: 'grid', x1: percent(at(tick)), x2: percent(at(tick)), y1: 0, y2: height }),
    svg('text', { x: percent(at(tick)), y: height + 18, 'text-anchor': anchor(at(tick)) }, plain(tick, step)),
  ]);
  for (const [i, point] of points.entries()) {
    const { row } = point;
    const label = grouped(point.label);
    const { value, interval, published, published_interval: stated } = rows[row];
    const y = i * ROW;
    nodes.push(svg('text', { class: 'name', y: y + 14, lang: 'en' }, label));
    if (published) {
      if (stated) nodes.push(...whisker('stated', at(stated[0]), at(stated[1]), y + 24));
      nodes.push(mark('published', DIAMOND, at(published.value), y + 24, about(label, rows[row], quantity)));
    }
    if (interval) nodes.push(...whisker('whisker s0', at(interval[0]), at(interval[1]), y + 35));
    if (value !== null) nodes.push(mark('mark s0', MARKS[0], at(value), y + 35, about(label, rows[row], quantity)));
  }
  return svg('svg', { class: 'lab-picture', height: height + AXIS }, ...nodes);
}

/** Text at an end of the axis stays within the picture. @param {number} share */
const anchor = (share) => (share < 0.03 ? 'start' : share > 0.97 ? 'end' : 'middle');

/**
 * An interval along a row.
 * @param {string} kind
 * @param {number} low
 * @param {number} high
 * @param {number} y
 */
function whisker(kind, low, high, y) {
  const end = (/** @type {number} */ x) => svg('line', { class: kind, x1: percent(x), x2: percent(x), y1: y - 4, y2: y + 4 });
  return [svg('line', { class: kind, x1: percent(low), x2: percent(high), y1: y, y2: y }), end(low), end(high)];
}

/**
 * @param {Picture['series']} series
 * @param {Row[]} rows
 * @param {Quantity} quantity
 * @param {Scale} scale
 */
function drawCurves(series, rows, quantity, { at, ticks, step }) {
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x));
  const [least, most] = [Math.min(...xs), Math.max(...xs)];
  const logarithmic = least > 0 && most / least >= 16;
  const turn = (/** @type {number} */ x) => (logarithmic ? Math.log(x) : x);
  /** There is space for the numbers of the axis on the left. @param {number} x */
  const across = (x) => 0.08 + (0.88 * (turn(x) - turn(least))) / (turn(most) - turn(least) || 1);
  const down = (/** @type {number} */ value) => 8 + (1 - at(value)) * (PLANE - 16);
  /** @type {SVGElement[]} */
  const nodes = ticks.flatMap((tick) => [
    svg('line', { class: 'grid', x1: 0, x2: '100%', y1: down(tick), y2: down(tick) }),
    svg('text', { y: down(tick) - 3 }, plain(tick, step)),
  ]);
  for (const x of axisTicks(least, most, logarithmic)) {
    nodes.push(
      svg('line', { class: 'grid', x1: percent(across(x)), x2: percent(across(x)), y1: 0, y2: PLANE }),
      svg('text', { x: percent(across(x)), y: PLANE + 18, 'text-anchor': 'middle' }, x.toLocaleString('en')),
    );
  }
  for (const [i, { name, points }] of series.entries()) {
    const kind = `s${i % KINDS}`;
    // Marks of several series at one place are drawn side by side.
    const beside = (i - (series.length - 1) / 2) * 0.006;
    const place = (/** @type {Point} */ { x }) => across(x) + beside;
    const known = points.filter(({ row }) => rows[row].value !== null);
    const line = known.map((point) => `${(place(point) * 1000).toFixed(1)} ${down(rows[point.row].value ?? 0).toFixed(1)}`).join('L');
    if (line) nodes.push(svg('svg', { class: 'lines', viewBox: `0 0 1000 ${PLANE}`, preserveAspectRatio: 'none', width: '100%', height: PLANE }, svg('path', { class: `line ${kind}`, d: `M${line}` })));
    for (const point of points) {
      const { value, interval, published, published_interval: stated } = rows[point.row];
      const x = place(point);
      const said = about(name, rows[point.row], quantity);
      if (interval) nodes.push(svg('line', { class: `whisker ${kind}`, x1: percent(x), x2: percent(x), y1: down(interval[0]), y2: down(interval[1]) }));
      if (value !== null) nodes.push(mark(`mark ${kind}`, MARKS[i % KINDS], x, down(value), said));
      if (!published) continue;
      if (stated) nodes.push(svg('line', { class: 'stated', x1: percent(x + 0.012), x2: percent(x + 0.012), y1: down(stated[0]), y2: down(stated[1]) }));
      nodes.push(mark('published', DIAMOND, x + 0.012, down(published.value), said));
    }
  }
  return svg('svg', { class: 'lab-picture', height: PLANE + AXIS }, ...nodes);
}

/**
 * @param {number} least
 * @param {number} most
 * @param {boolean} logarithmic
 */
function axisTicks(least, most, logarithmic) {
  if (!logarithmic) return makeScale([least, most], false).ticks.filter((tick) => tick >= least && tick <= most);
  const [from, to] = [Math.ceil(Math.log10(least) - 1e-9), Math.floor(Math.log10(most) + 1e-9)];
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => 10 ** (from + i));
}
