// Tables and numbers as all lists of the matches show them.

import { el } from '../js/elements.js';
import { inLanguage, language, text } from '../js/strings.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {{name: string, number?: boolean, unseen?: boolean}} Column `number`: its cells end at the right
 * @typedef {Node | string | null} Cell
 */

/**
 * A table in a region of its own, which scrolls sideways where it is too wide. The first cell of a row names it.
 * @param {string} caption
 * @param {Column[]} columns
 * @param {Cell[][]} rows
 */
export function table(caption, columns, rows) {
  const kind = (/** @type {Column} */ { number }) => ({ class: number ? 'number' : '' });
  const head = columns.map((column) =>
    el('th', { scope: 'col', ...kind(column) }, column.unseen ? el('span', { class: 'unseen' }, column.name) : column.name),
  );
  const body = rows.map((cells) =>
    el(
      'tr',
      {},
      ...cells.map((cell, i) =>
        i === 0 ? el('th', { scope: 'row', ...kind(columns[0]) }, cell ?? '') : el('td', kind(columns[i]), cell ?? ''),
      ),
    ),
  );
  const whole = el('table', {}, el('caption', { class: 'unseen' }, caption), el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...body));
  return el('div', { class: 'wide', role: 'region', tabindex: 0, 'aria-label': caption, 'data-key': caption }, whole);
}

/**
 * Steps through the pages of a list.
 * @param {number} page the page shown, from 1
 * @param {number} total rows
 * @param {number} rows of a page
 * @param {(page: number) => string} address
 */
export function pager(page, total, rows, address) {
  const last = Math.max(1, Math.ceil(total / rows));
  if (last === 1 && page === 1) return [];
  const step = (/** @type {number} */ to, /** @type {string} */ name) =>
    to >= 1 && to <= last ? el('a', { href: address(to), 'data-key': name }, text(name)) : el('span', { class: 'dim' }, text(name));
  const here = el('span', {}, text('arena.page', { page, last }));
  return [el('nav', { class: 'pager', 'aria-label': text('arena.pages') }, step(Math.min(page - 1, last), 'arena.previous'), here, step(page + 1, 'arena.next'))];
}

/**
 * A player's text, marked as text of another language.
 * @param {string} player
 */
export const playerName = (player) => el('span', { class: 'player', lang: 'en' }, player);

/**
 * @param {GameInfo[]} games
 * @param {string | null} name
 */
export function gameTitle(games, name) {
  const game = games.find((each) => each.name === name);
  return game ? inLanguage(game.title) : (name ?? text('arena.several'));
}

/**
 * The number of games played, and of games planned.
 * @param {{games: number, planned: number | null}} counts
 */
export const progress = ({ games, planned }) =>
  planned !== null && games < planned ? text('arena.of', { games: whole(games), planned: whole(planned) }) : whole(games);

/**
 * A mark for what is being played.
 * @param {boolean} running
 */
export const state = (running) => (running ? el('span', { class: 'live' }, text('arena.running')) : '');

/** @param {number} n */
export const whole = (n) => new Intl.NumberFormat(language()).format(n);

/**
 * @param {number} n
 * @param {number} [digits]
 */
export const fixed = (n, digits = 1) =>
  new Intl.NumberFormat(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(n).replace('-', '−');

/**
 * A difference, with its sign.
 * @param {number} n
 */
export const signed = (n) => `${n < -0.05 ? '−' : n > 0.05 ? '+' : '±'}${fixed(Math.abs(n))}`;

/**
 * A share in per cent.
 * @param {number} part 0 to 1
 */
export const percent = (part) => `${fixed(part * 100)} %`;

/**
 * A value with its interval, either end of which may be infinite.
 * @param {{value: number | null, low: number | null, high: number | null}} elo
 */
export function between({ value, low, high }) {
  const end = (/** @type {number | null} */ n, /** @type {string} */ endless) => (n === null ? endless : signed(n));
  if (value !== null && low !== null && high !== null && Math.abs(high + low - 2 * value) < 1) {
    return `${signed(value)} ± ${fixed((high - low) / 2)}`;
  }
  return `${end(value, text('arena.unknown'))} [${end(low, '−∞')}, ${end(high, '+∞')}]`;
}

/**
 * @param {number} seconds since 1970
 */
export const date = (seconds) =>
  new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(seconds * 1000));

/**
 * @param {{wins: number, draws: number, losses: number}} results
 */
export const results = ({ wins, draws, losses }) => `${whole(wins)} – ${whole(draws)} – ${whole(losses)}`;
