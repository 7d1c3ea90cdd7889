// The start page: the games as small boards on which engines play, each one press away from being played. It is what a
// visitor without a game sees first, and `#start` later. It is fetched when it is shown.

import { el, fetchSheet } from '../js/elements.js';
import { createFigure } from '../js/figure.js';
import { isStill, load } from '../js/settings.js';
import { inLanguage, text } from '../js/strings.js';
import { hasRules } from '../js/views.js';
import { GAMES } from './games.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Words} Words
 * @typedef {import('../js/server.js').Shown} Shown
 */

/** @type {Record<string, Words>} */
const WORDS = {
  title: { en: 'Choose a game', ja: 'ゲームを選ぶ' },
  says: {
    en: 'Play against the computer at any strength. The first game is an easy one, and you begin.',
    ja: 'コンピューターと好きな強さで対局できます。最初はやさしい相手で、あなたが先手です。',
  },
  play: { en: 'Play', ja: '対局する' },
  playGame: { en: 'Play {game}', ja: '{game}で対局する' },
  continue: { en: 'Continue', ja: '続ける' },
  continueGame: { en: 'Continue {game}', ja: '{game}を続ける' },
  lessonOf: { en: 'Lesson: {game}', ja: '{game}のレッスン' },
  rulesOf: { en: 'Rules: {game}', ja: '{game}のルール' },
  pause: { en: 'Stop the boards', ja: '盤の動きを止める' },
  resume: { en: 'Let the boards play', ja: '盤を動かす' },
};

/** One board after the other makes a move, at this pace. */
const PACE_MS = 900;
/** How many paces the last position of a board is shown before it begins again. */
const REST = 6;

/** @param {string} key @param {GameInfo} [game] */
const said = (key, game) => inLanguage(WORDS[key]).replace('{game}', game ? inLanguage(game.title) : '');

/** A board that plays the recorded moves. */
class LivingBoard {
  #ask;
  #figure;
  #moves;
  #ply;
  #rest = 0;
  /** By ply. @type {Map<number, Promise<Shown>>} */
  #positions = new Map();

  /**
   * @param {(moves: string[]) => Promise<Shown>} ask
   * @param {Awaited<ReturnType<typeof createFigure>>} figure
   * @param {string[]} moves
   */
  constructor(ask, figure, moves) {
    this.#ask = ask;
    this.#figure = figure;
    this.#moves = moves;
    // What is seen first is a game under way.
    this.#ply = Math.ceil(moves.length / 2);
  }

  get host() {
    return this.#figure.host;
  }

  async draw() {
    const ply = this.#ply;
    const position = this.#positions.get(ply) ?? this.#ask(this.#moves.slice(0, ply));
    this.#positions.set(ply, position);
    const { board, side } = await position;
    if (ply !== this.#ply) return;
    const cells = board.cells.map((cell) => ({ ...cell, tags: cell.tags.filter((tag) => tag === 'acted' || tag === 'start') }));
    this.#figure.draw({ ...board, hands: [], cells }, side);
  }

  /** Makes the next move, or begins again. */
  async step() {
    if (this.#ply < this.#moves.length) this.#ply += 1;
    else if (this.#rest < REST && this.#moves.length) this.#rest += 1;
    else [this.#ply, this.#rest] = [0, 0];
    await this.draw();
  }
}

export class StartPage {
  #games;
  #root;
  #play;
  /** Where the board of each game is, drawn or not. */
  #places;
  /** @type {LivingBoard[]} */
  #boards = [];
  #timer = 0;
  #turn = 0;
  #paused = isStill();
  #pause = el('button', { type: 'button', class: 'quiet' });

  /**
   * @param {import('../js/server.js').Server} server
   * @param {GameInfo[]} all
   * @param {HTMLElement} root
   * @param {(game: GameInfo) => void} play called when a game is chosen
   */
  constructor(server, all, root, play) {
    // A variant is found in the list of games, once its game is known.
    this.#games = all.filter(({ name }) => !all.some((other) => name.startsWith(`${other.name}-`)));
    this.#root = root;
    this.#play = play;
    this.#places = new Map(this.#games.map((game) => [game, el('div', { class: 'start-board' })]));
    for (const [game, place] of this.#places) {
      place.addEventListener('click', () => play(game));
      void this.#fill(server, game, place);
    }
    this.#pause.addEventListener('click', () => {
      this.#paused = !this.#paused;
      this.#label();
    });
  }

  /**
   * Fetches the style sheet of the page.
   * @param {ConstructorParameters<typeof StartPage>} given
   */
  static async open(...given) {
    await fetchSheet('start/start.css').styled;
    return new StartPage(...given);
  }

  /**
   * @param {import('../js/server.js').Server} server
   * @param {GameInfo} game
   * @param {HTMLElement} place
   */
  async #fill(server, game, place) {
    const moves = Object.hasOwn(GAMES, game.name) ? GAMES[game.name].moves.split(';') : [];
    const ask = (/** @type {string[]} */ moves) => server.recorded?.(game.name, moves.length) ?? server.ask('show', { game: game.name, moves });
    const board = new LivingBoard(ask, await createFigure(game.view), moves);
    await board.draw();
    place.append(board.host);
    this.#boards.push(board);
  }

  /** Draws the page in its language, and lets the boards play. */
  show() {
    this.draw();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#step(), PACE_MS);
  }

  /** Stops the boards while another part of the page is shown. */
  leave() {
    clearInterval(this.#timer);
  }

  draw() {
    this.#label();
    this.#root.replaceChildren(
      el('header', { class: 'start-head' }, el('h2', {}, said('title')), el('p', {}, said('says'))),
      el('ul', { class: 'start-games' }, ...this.#games.map((game) => this.#card(game))),
      el('p', { class: 'start-foot' }, this.#pause),
    );
    if (!this.#root.hidden) document.title = `${said('title')} · Banmen`;
  }

  /** @param {GameInfo} game */
  #card(game) {
    const begun = load(`banmen.game.${game.name}`)?.moves?.length > 0;
    const key = begun ? 'continue' : 'play';
    const button = el('button', { type: 'button', class: 'main', 'data-game': game.name, 'aria-label': said(`${key}Game`, game) }, said(key));
    button.addEventListener('click', () => this.#play(game));
    const about = Object.hasOwn(GAMES, game.name) ? el('p', {}, inLanguage(GAMES[game.name].says)) : el('p', { lang: 'en' }, game.summary);
    const parts = hasRules(game.name) ? /** @type {const} */ (['lesson', 'rules']) : [];
    const links = parts.map((part) => el('a', { href: `#${part}=${game.name}`, 'aria-label': said(`${part}Of`, game) }, text(part)));
    const words = el('div', { class: 'start-words' }, el('h3', {}, inLanguage(game.title)), about, el('div', { class: 'start-ways' }, button, ...links));
    return el('li', { class: 'card start-game' }, this.#places.get(game) ?? '', words);
  }

  #label() {
    this.#pause.textContent = said(this.#paused ? 'resume' : 'pause');
  }

  #step() {
    if (this.#paused || document.hidden || !this.#boards.length) return;
    this.#turn = (this.#turn + 1) % this.#boards.length;
    void this.#boards[this.#turn].step();
  }
}
