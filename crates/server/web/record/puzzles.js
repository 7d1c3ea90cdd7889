// The turning points of a game as puzzles: the position before the mistake is on the board, and the visitor looks for a better
// move. The engine says whether it is one.

import { say } from '../js/announcer.js';
import { byId, el, fetchSheet } from '../js/elements.js';
import { Refusal, SearchSlot } from '../js/server.js';
import { inLanguage, text, written } from '../js/strings.js';
import { judge, weigh } from './judge.js';

/**
 * @typedef {import('../js/play.js').Play} Play
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {import('./judge.js').Judged} Judged
 * @typedef {import('./judge.js').Verdict} Verdict
 * @typedef {{verdict: Verdict, judged: Judged}} Puzzle the move that was played, and the position before it
 */

const stage = byId('play', HTMLElement);
const board = byId('board', HTMLElement);
const panel = /** @type {HTMLElement} */ (stage.querySelector('.panel'));

/** @param {number} part */
const percent = (part) => Math.round(part * 100);

export class Puzzles {
  #server;
  #play;
  #slot;
  #card = el('section', { class: 'card lesson', 'aria-labelledby': 'puzzles-title', tabindex: -1 });
  /** @type {GameInfo | null} */
  #game = null;
  /** @type {Puzzle[]} */
  #puzzles = [];
  /** Where the positions are: the moves of the game. @type {Record<string, unknown> & {moves: string[]}} */
  #place = { moves: [] };
  #exact = false;
  #at = 0;
  /** What is said of the solution; empty while it is looked for. @type {(() => string) | null} */
  #solved = null;
  /** @type {() => void} */
  #back = () => {};
  /** The puzzle that was put on the board last. @type {import('../js/play.js').Exercise | null} */
  #exercise = null;

  /**
   * @param {import('../js/server.js').Server} server
   * @param {Play} play
   */
  constructor(server, play) {
    this.#server = server;
    this.#play = play;
    this.#slot = new SearchSlot(server, 'review');
    // Another game or a lesson on the board ends the puzzles.
    play.addEventListener('change', () => play.lesson === this.#exercise || this.#leave());
    play.addEventListener('moved', () => this.#game && this.#solved && this.#finish());
  }

  /**
   * Begins with the first puzzle.
   * @param {Puzzle[]} puzzles of the game on the board
   * @param {boolean} exact whether exact values are quick to have
   * @param {() => void} back leads back to the game
   */
  async begin(puzzles, exact, back) {
    await fetchSheet('lesson/lesson.css').styled;
    const { game, moves } = this.#play;
    this.#place = this.#play.place(moves.length);
    this.#puzzles = puzzles;
    this.#exact = exact;
    this.#back = back;
    this.#game = game;
    await this.#show(0);
    if (!this.#game) return;
    panel.prepend(this.#card);
    stage.classList.add('learning');
    this.#card.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  #leave() {
    if (!this.#game) return;
    this.#game = this.#exercise = null;
    this.#slot.drop();
    if (this.#card.contains(document.activeElement)) board.focus();
    this.#card.remove();
    // The card of a lesson may have taken its place.
    stage.classList.toggle('learning', panel.querySelector('.lesson') !== null);
  }

  /** @param {number} at */
  async #show(at) {
    const game = this.#game;
    if (!game) return;
    const { ply } = this.#puzzles[at].verdict;
    const { moves } = this.#place;
    const { position } = await this.#server.ask('show', { ...this.#place, moves: moves.slice(0, ply - 1) });
    if (this.#game !== game) return;
    const from = { rules: /** @type {string | undefined} */ (this.#place.rules), position };
    this.#at = at;
    this.#solved = null;
    this.#exercise = { from, judge: (move, shown) => this.#judge(move, shown) };
    await this.#play.teach(game, this.#exercise);
    this.draw();
    say([...this.#card.querySelectorAll('.lesson-says, .lesson-task')].map((each) => each.textContent).join(' '));
    if (this.#card.isConnected) this.#card.focus({ preventScroll: true });
  }

  /**
   * @param {string} move that is legal
   * @param {Shown} shown the position that it leads to
   * @throws {Refusal} what it loses, if it is no solution
   */
  async #judge(move, shown) {
    if (this.#solved) throw refusal(text('puzzles.over'));
    const { verdict, judged } = this.#puzzles[this.#at];
    const { best, side } = verdict;
    if (move !== best) {
      const place = this.#play.place(0);
      const exercise = this.#play.lesson;
      const { outcome } = shown;
      const value = outcome?.winner ? Number(outcome.winner === shown.side) : 0.5;
      const after = outcome ? { side: shown.side, value, eval: null, best: null, solved: null } : await judge(this.#slot, { ...place, moves: [move] }, shown.side, this.#exact);
      // Another puzzle may be on the board by now, or the solution was shown.
      if (this.#play.lesson !== exercise || this.#solved) return;
      if (!after) throw refusal(text('puzzles.unknown'));
      const found = weigh({ text: move, side }, 1, judged, after);
      const values = { move: written(move), before: percent(judged.value), after: percent(found.after) };
      if (found.kind) throw refusal(text('puzzles.wrong', values));
      this.#solved = () => text('puzzles.good', { ...values, best: written(best ?? '') });
    } else this.#solved = () => text('puzzles.right', { move: written(move) });
  }

  async #giveUp() {
    const { best } = this.#puzzles[this.#at].verdict;
    this.#solved = () => text('puzzles.shown', { best: written(best ?? '') });
    const judged = this.#play.lesson;
    if (judged) judged.judge = () => {};
    await this.#play.play(String(best));
  }

  #finish() {
    this.draw();
    say(String(this.#card.querySelector('.lesson-done')?.textContent));
    const next = /** @type {HTMLElement | null} */ (this.#card.querySelector('.main'));
    next?.scrollIntoView({ block: 'nearest' });
    next?.focus({ preventScroll: true });
  }

  /** Draws the card, in the language of the page. */
  draw() {
    const game = this.#game;
    if (!game) return;
    const { verdict } = this.#puzzles[this.#at];
    const [all, last] = [this.#puzzles.length, this.#at === this.#puzzles.length - 1];
    const button = (/** @type {string} */ key, /** @type {string} */ words, /** @type {string} */ name, /** @type {() => unknown} */ run) => {
      const made = el('button', { type: 'button', class: name, 'data-puzzle': key }, words);
      made.addEventListener('click', run);
      return made;
    };
    const dots = this.#puzzles.map((_, i) => el('span', i === this.#at ? { class: 'here' } : i < this.#at ? { class: 'past' } : {}));
    const done = this.#solved !== null;
    const values = { before: percent(verdict.before), after: percent(verdict.after), move: written(verdict.move) };
    const buttons = [
      ...(done ? [button('again', text('puzzles.again'), '', () => this.#show(this.#at))] : [button('show', text('puzzles.show'), '', () => this.#giveUp())]),
      ...(last ? [] : [button('next', text('puzzles.next'), done ? 'main' : '', () => this.#show(this.#at + 1))]),
      button('back', text('puzzles.back'), done && last ? 'main' : '', () => this.#back()),
    ];
    this.#card.replaceChildren(
      el('div', { class: 'lesson-head' }, el('h2', { id: 'puzzles-title' }, text('puzzles.title', { game: inLanguage(game.title) }))),
      el('div', { class: 'lesson-dots', role: 'img', 'aria-label': text('puzzles.count', { n: this.#at + 1, all }) }, ...dots),
      el('p', { class: 'lesson-says' }, text('puzzles.says', { ...values, ply: verdict.ply, side: inLanguage(game.sides[verdict.side]) })),
      el('p', { class: 'lesson-task' }, text('puzzles.task')),
      ...(this.#solved ? [el('p', { class: 'lesson-done' }, this.#solved())] : []),
      el('div', { class: 'actions' }, ...buttons),
    );
    document.title = `${text('puzzles.title', { game: inLanguage(game.title) })} · Banmen`;
  }
}

/** @param {string} message */
const refusal = (message) => new Refusal({ code: 'page', message });
