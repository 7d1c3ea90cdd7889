// The words of the page, in the language it speaks. The tables lie in the folder `words`, one file a language; a game's own
// words come with its view and stand before them. A test compares the keys.

/** @typedef {import('./server.js').Words} Words */
/** @typedef {import('./server.js').Fault} Fault */
/** @typedef {Record<string, string>} Table */

/** @typedef {Record<string, () => Promise<{words: Table}>>} Tables by language, fetched when that is spoken */

/** The page's own words, then those of its parts that were asked for. @type {Tables[]} */
const parts = [{ en: () => import('../words/en.js'), ja: () => import('../words/ja.js') }];

/** @type {Table} */
let words = {};
/** The words of the game, by language. @type {Record<string, Table>} */
let own = {};

/**
 * Fetches the words of a language; from then on the page speaks it.
 * @param {string} language
 */
export async function speak(language) {
  const tables = await Promise.all(parts.map((part) => part[language]()));
  words = Object.assign({}, ...tables.map((table) => table.words));
}

/**
 * Fetches the words of one more part of the page.
 * @param {Tables} part
 */
export function teach(part) {
  parts.push(part);
  return speak(language());
}

/** @param {Record<string, Table>} tables the words of a game, by language */
export const learn = (tables) => void (own = tables);

/** The language that the page speaks. */
export const language = () => document.documentElement.lang;

/**
 * The words for a key in the page's language, with `{name}` filled in from `args`.
 * @param {string} key
 * @param {Record<string, unknown>} [args]
 * @returns {string}
 */
export function text(key, args = {}) {
  return fill(textOr(key, key), args);
}

/**
 * @param {string} words
 * @param {Record<string, unknown>} [args]
 */
const fill = (words, args = {}) => words.replace(/\{(\w+)\}/g, (_, name) => String(args[name] ?? ''));

/**
 * The words for a key, or `fallback` where no table has it.
 * @param {string} key
 * @param {string} fallback
 * @returns {string}
 */
export function textOr(key, fallback) {
  const table = [own[language()] ?? {}, words].find((table) => Object.hasOwn(table, key));
  return table ? table[key] : fallback;
}

/**
 * The server's words in the page's language.
 * @param {Words} words
 * @returns {string}
 */
export const inLanguage = (words) => words[language()] ?? words.en;

/**
 * A number as people write it: 812,345 or 8.4 M.
 * @param {number} n
 * @returns {string}
 */
export function short(n) {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(n);
}

/**
 * Why the server, or the page, said no.
 * @param {Fault} fault
 * @returns {string}
 */
export function reason(fault) {
  const words = textOr(`error.${fault.code}.${fault.reason}`, textOr(`error.${fault.code}`, ''));
  return fill(words, fault.args) || fault.message || fault.code;
}
