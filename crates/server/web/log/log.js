// The log of a search: a row for each depth, and for each change of the best move. Fetched when it is first opened.

import { byId, el, fetchSheet } from '../js/elements.js';
import { addWords, language, short, text, written } from '../js/strings.js';

/** @typedef {import('../js/server.js').Report} Report */

/** The latest rows that are drawn. */
const MAX_ROWS = 200;
/** Closer than this to its end the list follows the search. In pixels. */
const NEAR_END = 8;

const { styled } = fetchSheet('log/log.css');
await Promise.all([styled, addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') })]);

const panel = byId('log', HTMLElement);

export class Log {
  #table = el('table');
  /** The rows that were drawn, by their reports. @type {WeakMap<Report, HTMLElement>} */
  #rows = new WeakMap();
  #language = '';

  /** Whether it is open. */
  get open() {
    return !panel.hidden;
  }

  toggle() {
    panel.hidden = !panel.hidden;
  }

  /** @param {Report[]} reports of one search, in their order */
  draw(reports) {
    if (!this.open) return;
    const atEnd = panel.scrollTop + panel.clientHeight > panel.scrollHeight - NEAR_END;
    if (!reports.length) return panel.replaceChildren(el('p', { class: 'dim' }, text('log.none')));
    const playouts = reports.some((report) => report.playouts);
    const names = ['log.depth', 'log.value', 'log.move', playouts ? 'log.playouts' : 'log.nodes', 'log.time'];
    const head = el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, text(name))));
    const first = Math.max(0, reports.length - MAX_ROWS);
    if (this.#language !== language()) this.#rows = new WeakMap();
    this.#language = language();
    const rows = reports.slice(first).map((report, i) => {
      const drawn = this.#rows.get(report) ?? row(report, playouts, report.move !== reports[first + i - 1]?.move);
      this.#rows.set(report, drawn);
      return drawn;
    });
    const caption = el('caption', { class: 'unseen' }, text('log.about'));
    this.#table.replaceChildren(caption, el('thead', {}, head), el('tbody', {}, ...rows));
    if (this.#table.parentElement !== panel) panel.replaceChildren(this.#table);
    if (atEnd) panel.scrollTop = panel.scrollHeight;
  }
}

/**
 * @param {Report} report
 * @param {boolean} inPlayouts whether playouts are counted, else positions
 * @param {boolean} other whether the best move is another than before
 */
function row({ depth, value, move, nodes, playouts, ms }, inPlayouts, other) {
  const count = inPlayouts ? playouts : nodes;
  return el(
    'tr',
    { class: other ? 'other' : '' },
    el('td', {}, String(depth ?? '')),
    el('td', {}, value === null ? '' : `${Math.round(value * 100)} %`),
    el('td', {}, written(move ?? '')),
    el('td', {}, count ? short(count) : ''),
    el('td', {}, text('dialog.seconds', { n: (ms / 1000).toFixed(ms < 10_000 ? 2 : 0) })),
  );
}
