// A lesson on the board itself, `#lesson=GAME`: positions with a sentence and a task each. The server says whether a move is
// legal, the step whether it is the one that was asked for. It is fetched when it is first asked for.

import { say } from '../js/announcer.js';
import { byId, el, fetchSheet } from '../js/elements.js';
import { Refusal } from '../js/server.js';
import { choose, save } from '../js/settings.js';
import { inLanguage } from '../js/strings.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {import('../js/server.js').Words} Words
 * @typedef {{says: Words, task?: Words, position?: string, done?: Words, wrong?: Words,
 *   accept?: (move: string, shown: Shown) => boolean | null}} Step
 *   `says` something about the position, the start if it is left out; without `accept` every move may be played. `accept` judges a move
 *   by the position it leads to: null if more moves are needed
 */

/** @type {Record<string, () => Promise<{steps: Step[]}>>} */
const LESSONS = {
  othello: () => import('./othello.js'),
  dobutsu: () => import('./dobutsu.js'),
  'dobutsu-article': () => import('./dobutsu-article.js'),
  golad: () => import('./golad.js'),
  blokus: () => import('./blokus.js'),
  tubstap: () => import('./tubstap.js'),
};

const WORDS = {
  title: { en: '{game}: a lesson', ja: '{game}のレッスン' },
  count: { en: 'Step {n} of {all}', ja: '{all} ステップ中 {n}' },
  back: { en: 'Back', ja: '前へ' },
  next: { en: 'Next', ja: '次へ' },
  skip: { en: 'Skip', ja: 'とばす' },
  again: { en: 'Try again', ja: 'もう一度' },
  leave: { en: 'Leave the lesson', ja: 'レッスンを終える' },
  play: { en: 'Play a game', ja: '対局する' },
  wrong: { en: 'That is a legal move, but not the one of this task. Try another.', ja: '打てる手ですが、課題とは違います。別の手を試してください。' },
  over: { en: 'The task is done. Go on with “Next”.', ja: '課題は終わりました。「次へ」で進んでください。' },
};

/** @param {keyof typeof WORDS} key @param {Record<string, unknown>} [args] */
const said = (key, args = {}) => inLanguage(WORDS[key]).replace(/\{(\w+)\}/g, (_, name) => String(args[name]));

const stage = byId('play', HTMLElement);
const board = byId('board', HTMLElement);
const panel = /** @type {HTMLElement} */ (stage.querySelector('.panel'));

export class Lesson {
  #play;
  #card = el('section', { class: 'card lesson', 'aria-labelledby': 'lesson-title', tabindex: -1 });
  /** @type {GameInfo | null} */
  #game = null;
  /** @type {Step[]} */
  #steps = [];
  #at = 0;
  /** Whether the task of the step is done. */
  #done = false;
  /** The step as it was put on the board. @type {import('../js/play.js').Exercise | null} */
  #exercise = null;

  /** @param {import('../js/play.js').Play} play */
  constructor(play) {
    this.#play = play;
    // Another game or puzzles on the board end the lesson.
    play.addEventListener('change', () => play.lesson === this.#exercise || this.#leave());
    play.addEventListener('moved', () => this.#game && this.#done && this.#steps[this.#at].accept && this.#finish());
  }

  /**
   * Fetches the style sheet of lessons.
   * @param {import('../js/play.js').Play} play
   */
  static async open(play) {
    await fetchSheet('lesson/lesson.css').styled;
    return new Lesson(play);
  }

  /**
   * Begins the lesson of a game whose view is loaded.
   * @param {GameInfo} game
   */
  async begin(game) {
    const { steps } = await LESSONS[game.name]();
    save(`banmen.lesson.${game.name}`, 'seen');
    this.#game = game;
    this.#steps = steps;
    panel.prepend(this.#card);
    stage.classList.add('learning');
    await this.#show(0);
  }

  #leave() {
    if (!this.#game) return;
    this.#game = this.#exercise = null;
    if (this.#card.contains(document.activeElement)) board.focus();
    this.#card.remove();
    // The card of puzzles may have taken its place.
    stage.classList.toggle('learning', panel.querySelector('.lesson') !== null);
  }

  /** @param {number} at */
  async #show(at) {
    const game = this.#game;
    if (!game) return;
    this.#at = at;
    const { position, accept } = this.#steps[at];
    this.#done = !accept;
    const judge = (/** @type {string} */ move, /** @type {Shown} */ shown) => this.#judge(move, shown);
    this.#exercise = { from: position ? { position } : {}, judge };
    await this.#play.teach(game, this.#exercise);
    this.draw();
    say([...this.#card.querySelectorAll('.lesson-says, .lesson-task')].map((each) => each.textContent).join(' '));
    this.#card.focus({ preventScroll: true });
  }

  /**
   * @param {string} move that is legal
   * @param {Shown} shown the position that it leads to
   * @throws {Refusal} what is wrong with it
   */
  #judge(move, shown) {
    const { accept, wrong } = this.#steps[this.#at];
    if (!accept) return;
    if (this.#done) throw refusal(said('over'));
    const verdict = accept(move, shown);
    if (verdict === false) throw refusal(wrong ? inLanguage(wrong) : said('wrong'));
    this.#done = verdict === true;
  }

  #finish() {
    this.draw();
    const done = this.#card.querySelector('.lesson-done');
    if (done) say(String(done.textContent));
    this.#card.querySelector('.main')?.scrollIntoView({ block: 'nearest' });
    /** @type {HTMLElement | null} */ (this.#card.querySelector('.main'))?.focus({ preventScroll: true });
  }

  /** Draws the card, in the language of the page. */
  draw() {
    const game = this.#game;
    if (!game) return;
    const { says, task, done, accept } = this.#steps[this.#at];
    const [all, last] = [this.#steps.length, this.#at === this.#steps.length - 1];
    const button = (/** @type {keyof typeof WORDS} */ key, /** @type {string} */ name, /** @type {() => unknown} */ run) => {
      const made = el('button', { type: 'button', class: name, 'data-lesson': key }, said(key));
      made.addEventListener('click', run);
      return made;
    };
    const playing = el('a', { class: 'main', href: '#' }, said('play'));
    // The game that the page goes on with.
    playing.addEventListener('click', () => choose({ game: game.name }));
    const dots = this.#steps.map((_, i) => el('span', i === this.#at ? { class: 'here' } : i < this.#at ? { class: 'past' } : {}));
    const buttons = [
      ...(this.#at > 0 ? [button('back', '', () => this.#show(this.#at - 1))] : []),
      ...(accept && this.#done ? [button('again', '', () => this.#show(this.#at))] : []),
      last ? playing : button(this.#done ? 'next' : 'skip', this.#done ? 'main' : '', () => this.#show(this.#at + 1)),
    ];
    this.#card.replaceChildren(
      el('div', { class: 'lesson-head' }, el('h2', { id: 'lesson-title' }, said('title', { game: inLanguage(game.title) })), el('a', { href: '#' }, said('leave'))),
      el('div', { class: 'lesson-dots', role: 'img', 'aria-label': said('count', { n: this.#at + 1, all }) }, ...dots),
      el('p', { class: 'lesson-says' }, inLanguage(says)),
      ...(task ? [el('p', { class: 'lesson-task' }, inLanguage(task))] : []),
      ...(accept && this.#done && done ? [el('p', { class: 'lesson-done' }, inLanguage(done))] : []),
      el('div', { class: 'actions' }, ...buttons),
    );
    document.title = `${said('title', { game: inLanguage(game.title) })} · Banmen`;
  }
}

/** @param {string} message */
const refusal = (message) => new Refusal({ code: 'page', message });
