// The rules of each game on a page of their own, `#rules=GAME`. It is fetched when it is first asked for, and each game's
// part when it is shown.

import { el, fetchSheet } from '../js/elements.js';
import { createFigure } from '../js/figure.js';
import { addWords, inLanguage, text } from '../js/strings.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Board} Board
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {import('../js/server.js').Words} Words
 * @typedef {import('../js/figure.js').Drawing & {position?: string, moves?: string[], placed?: string[], board?: Board,
 *   hands?: boolean, reach?: string, pieces?: boolean, says?: Words}} Picture
 *   of the position that `moves` lead to, or of `board`; `placed`: the cells of a move that was placed but has not had its
 *   effect; `hands`: false leaves out the hands; `reach`: where this unit can go is marked; `pieces`: the pieces of the first
 *   hand instead of the board; `says`: what it shows
 * @typedef {Words | string | Picture} Entry
 * @typedef {{title: Words, text?: Words[], points?: Words[], pictures?: Picture[],
 *   table?: {says: Words, head: Entry[], rows: Entry[][]}}} Section
 * @typedef {{aim: Words, sections: Section[]}} Rules
 */

/** @type {Record<string, () => Promise<{rules: Rules}>>} */
const RULES = {
  othello: () => import('./othello.js'),
  dobutsu: () => import('./dobutsu.js'),
  golad: () => import('./golad.js'),
  blokus: () => import('./blokus.js'),
  tubstap: () => import('./tubstap.js'),
};

/** The game that has the rules' page: a variant is described on that of its game. @param {string} game */
const home = (game) => game.split('-')[0];

await addWords({
  en: async () => ({ words: { 'rules.of': '{game}: the rules', 'rules.back': 'Back to the game', 'rules.all': 'Rules of all games' } }),
  ja: async () => ({ words: { 'rules.of': '{game}のルール', 'rules.back': '対局に戻る', 'rules.all': '各ゲームのルール' } }),
});

export class RulesPage {
  #server;
  #games;
  #root;
  /** The game whose rules are shown, and they. @type {{game: GameInfo, rules: Rules} | null} */
  #shown = null;
  /** The server's answers, by request. @type {Map<string, Promise<Shown>>} */
  #answers = new Map();

  /**
   * @param {import('../js/server.js').Server} server
   * @param {GameInfo[]} games
   * @param {HTMLElement} root
   */
  constructor(server, games, root) {
    this.#server = server;
    this.#games = games.filter(({ name }) => Object.hasOwn(RULES, name));
    this.#root = root;
  }

  /**
   * Fetches the style sheet of the page.
   * @param {import('../js/server.js').Server} server
   * @param {GameInfo[]} games
   * @param {HTMLElement} root
   */
  static async open(server, games, root) {
    await fetchSheet('rules/rules.css').styled;
    return new RulesPage(server, games, root);
  }

  /**
   * Draws the rules that an address asks for.
   * @param {string} hash
   * @returns {Promise<boolean>} whether they are still wanted
   */
  async show(hash) {
    const asked = home(new URLSearchParams(hash.slice(1)).get('rules') ?? '');
    const game = this.#games.find(({ name }) => name === asked) ?? this.#games[0];
    const { rules } = await RULES[game.name]();
    this.#shown = { game, rules };
    await this.draw();
    return location.hash === hash;
  }

  /** Draws the page, in the language of the page. */
  async draw() {
    if (!this.#shown) return;
    const { game, rules } = this.#shown;
    const title = text('rules.of', { game: inLanguage(game.title) });
    const others = this.#games.map(({ name, title }) =>
      el('a', { href: `#rules=${name}`, ...(name === game.name && { 'aria-current': 'page' }) }, inLanguage(title)),
    );
    const sections = await Promise.all(rules.sections.map((section) => this.#section(section, game)));
    if (this.#shown.game !== game) return;
    if (location.hash.startsWith('#rules')) document.title = `${title} · Banmen`;
    this.#root.replaceChildren(
      el('p', { class: 'rules-back' }, el('a', { href: '#' }, `← ${text('rules.back')}`)),
      el('header', {}, el('h2', {}, title), el('p', { class: 'aim' }, inLanguage(rules.aim))),
      ...sections,
      el('nav', { class: 'rules-games', 'aria-label': text('rules.all') }, ...others),
    );
  }

  /**
   * @param {Section} section
   * @param {GameInfo} game
   */
  async #section({ title, text: paragraphs = [], points = [], pictures = [], table }, game) {
    const body = el('div', { class: 'rule-text' }, el('h3', {}, inLanguage(title)));
    body.append(...paragraphs.map((words) => el('p', {}, inLanguage(words))));
    if (points.length) body.append(el('ul', {}, ...points.map((words) => el('li', {}, inLanguage(words)))));
    const section = el('section', { class: 'card rule' }, body);
    if (pictures.length) {
      const drawn = await Promise.all(pictures.map((picture) => this.#picture(picture, game)));
      section.append(el('div', { class: `rule-pictures of-${Math.min(drawn.length, 6)}` }, ...drawn));
    }
    if (table) section.append(await this.#table(table, game));
    return section;
  }

  /**
   * @param {NonNullable<Section['table']>} table
   * @param {GameInfo} game
   */
  async #table({ says, head, rows }, game) {
    const entry = async (/** @type {Entry} */ entry) => {
      if (typeof entry === 'string') return [entry];
      if ('en' in entry) return [inLanguage(entry)];
      const words = entry.says ? [el('span', {}, inLanguage(entry.says))] : [];
      return [await this.#draw(entry, game), ...words];
    };
    const cell = async (/** @type {Entry} */ each, /** @type {number} */ column) =>
      column ? el('td', {}, ...(await entry(each))) : el('th', { scope: 'row' }, ...(await entry(each)));
    const line = async (/** @type {Entry[]} */ row) => el('tr', {}, ...(await Promise.all(row.map(cell))));
    const top = await Promise.all(head.map(async (each) => el('th', { scope: 'col' }, ...(await entry(each)))));
    const lines = await Promise.all(rows.map(line));
    const drawn = el('table', {}, el('caption', {}, inLanguage(says)), el('thead', {}, el('tr', {}, ...top)), el('tbody', {}, ...lines));
    return el('div', { class: 'rule-table', tabindex: 0, role: 'region', 'aria-label': inLanguage(says) }, drawn);
  }

  /**
   * @param {Picture} picture
   * @param {GameInfo} game
   */
  async #picture(picture, game) {
    const drawn = await this.#draw(picture, game);
    return el('figure', {}, drawn, el('figcaption', {}, picture.says ? inLanguage(picture.says) : ''));
  }

  /**
   * @param {Picture} picture
   * @param {GameInfo} game
   */
  async #draw(picture, game) {
    const { position, moves = [], placed, hands = true, reach, pieces } = picture;
    const figure = await createFigure(game.view);
    const { view } = figure;
    const shown = picture.board ? null : await this.#ask({ game: game.name, ...(position && { position }), moves });
    const side = shown?.side ?? 'first';
    /** @type {Board} */
    let board = picture.board ?? /** @type {Shown} */ (shown).board;
    if (placed && view.build) board = view.build.place(board, side, placed);
    if (pieces && view.pieces) board = pieceBoard(view.pieces.shapes);
    // The pieces of a hand that are drawn beside the board are too many to be read in a picture.
    if (!hands || view.pieces) board = { ...board, hands: [] };
    /** @type {Record<string, any>} */
    const { extra } = board;
    const reached = reach === undefined ? [] : extra.reach[reach];
    const cells = board.cells.map((cell) => (reached.includes(cell.at) ? { ...cell, tags: [...cell.tags, 'goal'] } : cell));
    figure.draw({ ...board, cells }, side, picture);
    return figure.host;
  }

  /**
   * @param {Record<string, unknown>} body
   * @returns {Promise<Shown>}
   */
  #ask(body) {
    const key = JSON.stringify(body);
    const answer = this.#answers.get(key) ?? this.#server.ask('show', body);
    this.#answers.set(key, answer);
    return answer;
  }
}

/**
 * A board on which all pieces of a hand lie beside each other.
 * @param {Record<string, [number, number][]>} shapes
 * @returns {Board}
 */
function pieceBoard(shapes) {
  const width = 22;
  /** @type {Set<string>} */
  const taken = new Set();
  let [left, top, deep] = [1, 1, 0];
  for (const shape of Object.values(shapes)) {
    const [wide, high] = [0, 1].map((axis) => Math.max(...shape.map((cell) => cell[axis])) + 1);
    if (left + wide >= width) [left, top, deep] = [1, top + deep + 1, 0];
    for (const [x, y] of shape) taken.add(`${left + x}/${top + y}`);
    left += wide + 1;
    deep = Math.max(deep, high);
  }
  const height = top + deep + 1;
  const cells = Array.from({ length: width * height }, (_, i) => {
    const there = taken.has(`${i % width}/${Math.floor(i / width)}`);
    return { at: '', piece: there ? 'square' : null, owner: there ? /** @type {const} */ ('first') : null, tags: [] };
  });
  return { width, height, cells, hands: [], extra: {} };
}
