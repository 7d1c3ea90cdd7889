// The words of the page in the visitor's language. The tables are in the folder `words`, one file per language; a game's own
// words come with its view and take precedence. A test compares the keys.

/** @typedef {import('./server.js').Words} Words */
/** @typedef {import('./server.js').Fault} Fault */
/** @typedef {Record<string, string>} Table */

/** @typedef {Record<string, () => Promise<{words: Table}>>} Tables by language, fetched when it is used */

/** The page's own words, then those of its parts that were loaded. @type {Tables[]} */
const parts = [{ en: () => import('../words/en.js'), ja: () => import('../words/ja.js') }];

/** @type {Table} */
let words = {};
/** The words of the game, by language. @type {Record<string, Table>} */
let own = {};

/** The language that was asked for last. */
let wanted = 'en';

/**
 * Fetches the words of a language, which is that of the page from then on. If another language, or another part of the page, is
 * asked for meanwhile, it fetches those words instead.
 * @param {string} [language] by default the one that was asked for last
 * @returns {Promise<void>}
 */
export async function setLanguage(language = wanted) {
  wanted = language;
  const tables = await Promise.all(parts.map((part) => part[language]()));
  if (language !== wanted || tables.length < parts.length) return setLanguage();
  words = Object.assign({}, ...tables.map((table) => table.words));
  document.documentElement.lang = language;
}

/**
 * Fetches the words of one more part of the page.
 * @param {Tables} part
 */
export function addWords(part) {
  parts.push(part);
  return setLanguage();
}

/** Moves and names of cells in the notation of the game's language. @type {(text: string) => string} */
let write = (text) => text;

/**
 * @param {Record<string, Table>} tables the words of a game, by language
 * @param {(text: string) => string} [written] its notation in the page's language
 */
export const setGameWords = (tables, written = (text) => text) => {
  own = tables;
  write = written;
};

/**
 * A move, or the name of a cell, as players of the page's language write it.
 * @param {string} move as the server writes it
 */
export const written = (move) => (isPass(move) ? text('pass') : write(move));

/**
 * Whether a move hands the turn over and does nothing else.
 * @param {string} move
 */
export const isPass = (move) => /^pa(ss)?$/.test(move);

/** The language of the page. */
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
 * A number in compact form: 812K or 8.4M.
 * @param {number} n
 * @returns {string}
 */
export function short(n) {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(n);
}

/**
 * The reason of a refusal by the server or the page.
 * @param {Fault} fault
 * @returns {string}
 */
export function reason(fault) {
  const words = textOr(`error.${fault.code}.${fault.reason}`, textOr(`error.${fault.code}`, ''));
  const args = { ...fault.args };
  if (typeof args.move === 'string') args.move = write(args.move);
  return fill(words, args) || fault.message || fault.code;
}

/**
 * The reason of a refusal with its place, where a text of several moves or a position was refused.
 * @param {Fault} fault
 * @returns {string}
 */
export function placed(fault) {
  const key = { bad_move: 'at.move', illegal_move: 'at.move', bad_position: 'at.character' }[fault.code];
  if (!key || typeof fault.at !== 'number') return reason(fault);
  return text(key, { n: fault.code === 'bad_position' ? fault.at + 1 : fault.at, reason: reason(fault) });
}
