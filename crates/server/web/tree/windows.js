// The visits of an alpha-beta search near its root: windows, values, cut moves, hits in the table. Fetched when such a player
// is run.

import { el } from '../js/elements.js';
import { inLanguage, text, textOr, written } from '../js/strings.js';

/**
 * @typedef {import('../js/server.js').Side} Side
 * @typedef {'searched' | 'cut' | 'table' | 'pruned' | 'leaf' | 'solved' | 'ended'} VisitEnd
 * @typedef {{parent: number | null, move: string | null, side: Side, depth: number, window: [number | null, number | null],
 *   value: number | null, end: VisitEnd, cut?: string[]}} Visit as the server sends it
 * @typedef {{depth: number, proven: number, win: number, scale?: number, unit?: string, visits: Visit[], left_out: number}} Windows
 * @typedef {{look: (line: string[]) => void, below: (line: string[]) => void}} Acts `look` shows a line on the board, `below` asks
 *   for the visits below a line
 */

/** @param {number} n */
const signed = (n) => (n > 0 ? `+${n}` : n < 0 ? `−${-n}` : '0');

/**
 * What a search did, as elements.
 * @param {Windows} windows
 * @param {string[]} path the line below which the visits are shown
 * @param {Record<Side, import('../js/server.js').Words>} sides
 * @param {Acts} acts
 */
export function visitList(windows, path, sides, acts) {
  const { visits, left_out: leftOut } = windows;
  const own = visits[0].side;
  /** The children of each visit, in the order of the search. @type {number[][]} */
  const below = visits.map(() => []);
  visits.forEach(({ parent }, i) => parent !== null && below[parent].push(i));

  /** A value in words, seen by the side to move at the root. @param {number} n */
  const value = (n) => {
    if (Math.abs(n) >= windows.proven) return text(n > 0 ? 'windows.win' : 'windows.loss', { n: windows.win - Math.abs(n) });
    return windows.scale ? `${signed(Number((n / windows.scale).toFixed(2)))}` : signed(n);
  };
  /** @param {Visit} visit */
  const factor = ({ side }) => (side === own ? 1 : -1);

  /** @param {Visit} visit */
  const said = (visit) => {
    const sign = factor(visit);
    const [low, high] = sign > 0 ? visit.window : [visit.window[1], visit.window[0]];
    const bound = (/** @type {number | null} */ n, /** @type {string} */ none) => (n === null ? none : value(sign * n));
    const [alpha, beta] = visit.window;
    const parts = [text('windows.window', { low: bound(low, '−∞'), high: bound(high, '+∞') })];
    if (visit.value !== null) {
      const above = beta !== null && visit.value >= beta;
      const under = alpha !== null && visit.value <= alpha;
      const mark = above ? (sign > 0 ? '≥' : '≤') : under ? (sign > 0 ? '≤' : '≥') : '=';
      parts.push(text('windows.value', { mark, value: value(sign * visit.value) }));
    }
    parts.push(text(`windows.${visit.end}`, { n: visit.cut?.length ?? 0 }));
    return parts.join(text('join'));
  };

  /** @param {number} i @returns {string[]} */
  const lineTo = (i) => {
    const { parent, move } = visits[i];
    return parent === null ? [] : [...lineTo(parent), move ?? ''];
  };

  /** @type {(i: number) => HTMLElement} */
  const draw = (i) => {
    const visit = visits[i];
    const line = lineTo(i);
    // A move is searched again where its first value was in the window, or after a shallower search.
    const again = visit.parent !== null && below[visit.parent].some((other) => other < i && visits[other].move === visit.move);
    const name = el('b', {}, visit.move === null ? text('tree.root') : written(visit.move));
    const head = [name, ' ', el('span', { class: 'visit-said' }, `${again ? text('windows.again') + text('join') : ''}${said(visit)}`)];
    const deeper = ['searched', 'cut'].includes(visit.end) && !below[i].length && visit.depth > 0;
    const act = (/** @type {string} */ key, /** @type {() => void} */ run) => {
      const button = el('button', { 'type': 'button', 'class': 'quiet', 'data-act': key }, text(`windows.${key}`));
      button.setAttribute('aria-label', `${text(`windows.${key}`)}: ${line.map(written).join(' ')}`);
      button.addEventListener('click', run);
      return button;
    };
    const acted = line.length ? [act('look', () => acts.look(line)), ...(deeper ? [act('below', () => acts.below(line))] : [])] : [];
    const cut = visit.cut?.length ? [el('p', { class: 'spared' }, `${text('windows.unsearched')} `, el('s', {}, visit.cut.map(written).join(' ')))] : [];
    const opened = visit.parent === null || lineTo(i).length <= path.length;
    const details = el('details', { class: `visit ${visit.end}` }, el('summary', {}, ...head), el('div', { class: 'acts' }, ...acted), ...cut, ...below[i].map(draw));
    details.open = opened;
    return details;
  };

  /** @param {VisitEnd} end */
  const count = (end) => visits.filter((visit) => visit.end === end).length;
  const cutMoves = visits.reduce((sum, { cut }) => sum + (cut?.length ?? 0), 0);
  const crumbs = path.map((move, i) => {
    const button = el('button', { type: 'button', class: 'quiet' }, written(move));
    button.addEventListener('click', () => acts.below(path.slice(0, i + 1)));
    return button;
  });
  const top = el('button', { 'type': 'button', 'class': 'quiet', 'data-act': 'top' }, text('tree.root'));
  top.addEventListener('click', () => acts.below([]));
  const unit = windows.unit ? text('windows.unit', { unit: textOr(`unit.${windows.unit}`, windows.unit) }) : '';
  return [
    el('p', {}, text('windows.counts', { visits: visits.length, cuts: count('cut'), moves: cutMoves, table: count('table'), pruned: count('pruned') })),
    el('p', { class: 'dim' }, `${text('windows.about', { side: inLanguage(sides[own]) })} ${unit}`),
    ...(leftOut ? [el('p', { class: 'dim' }, text('windows.leftOut', { n: leftOut }))] : []),
    ...(path.length ? [el('nav', { 'aria-label': text('windows.path') }, top, ...crumbs)] : []),
    draw(0),
  ];
}
