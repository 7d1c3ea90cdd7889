// A move that is built cell by cell: the cells chosen so far, the effect of choosing the cell under the pointer, and,
// below the board, what to choose next. The board shows the effect of the move before it is played.

import { say, notify } from './announcer.js';
import { byId, el } from './elements.js';
import { SIDES } from './hands.js';
import { inLanguage, text } from './strings.js';
import { Zoom } from './zoom.js';

/**
 * @typedef {import('./server.js').Board} Board
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').Side} Side
 * @typedef {import('./board.js').State} State
 * @typedef {import('./views.js').Build} Build
 */

const bar = byId('draft', HTMLElement);

const BACK = { en: 'Take back', ja: '戻す' };

export class Draft {
  #build;
  #act;
  #redraw;
  /** @type {Board | null} */
  #base = null;
  /** @type {GameInfo | null} */
  #game = null;
  /** @type {Side} */
  #side = 'first';
  #open = false;
  /** @type {string[]} */
  #chosen = [];
  /** The cell under the pointer or the focus. @type {string | null} */
  #pointed = null;
  /** The boards that were made last, by what was chosen. @type {Map<string, Board>} */
  #placed = new Map();
  #zoom = new Zoom(() => this.#chosen.at(-1) ?? this.#base?.cells.find(({ tags }) => tags.includes('last'))?.at ?? null);
  #prompt = el('p', { id: 'draft-prompt' });
  #counts = el('p', { class: 'counts' });
  #play = el('button', { type: 'button', class: 'main', 'data-draft': 'play' });
  #back = el('button', { type: 'button', 'data-draft': 'back' });
  #pass = el('button', { type: 'button', 'data-draft': 'pass' });

  /**
   * @param {Build} build
   * @param {(move: string) => Promise<boolean>} act plays a move, and returns whether it was played
   * @param {() => void} redraw called when what is to be drawn has changed
   */
  constructor(build, act, redraw) {
    this.#build = build;
    this.#act = act;
    this.#redraw = redraw;
    /** @type {[HTMLButtonElement, () => unknown][]} */
    const buttons = [
      [this.#play, () => this.#move !== null && this.#act(this.#move)],
      [this.#back, () => this.back()],
      [this.#pass, () => this.#act(build.pass)],
    ];
    for (const [button, run] of buttons) {
      button.addEventListener('click', () => button.getAttribute('aria-disabled') !== 'true' && run());
    }
    const hand = el('div', { class: 'actions' }, this.#play, this.#back, this.#pass);
    bar.replaceChildren(this.#prompt, el('div', { class: 'hand' }, this.#counts, hand));
    bar.hidden = false;
    bar.classList.add('build');
  }

  /** Hides the draft when another game is shown. */
  leave() {
    this.#zoom.leave();
    bar.hidden = true;
    bar.classList.remove('build');
    bar.replaceChildren();
  }

  /**
   * Follows the board; another position begins another move.
   * @param {GameInfo} game
   * @param {Board} board
   * @param {State} state
   */
  follow(game, board, { side, open }) {
    if (board !== this.#base || open !== this.#open) {
      this.#chosen = [];
      this.#placed.clear();
    }
    this.#game = game;
    this.#base = board;
    this.#side = side;
    this.#open = open;
    this.#draw();
  }

  /** Whether a choice was made. */
  get begun() {
    return this.#chosen.length > 0;
  }

  /** Whether a choice was made, but the move is not complete. */
  get choosing() {
    return this.begun && this.#move === null;
  }

  /** The board with the chosen cells. */
  get board() {
    return this.#place(this.#chosen);
  }

  /** The board with the chosen cells, and with the cell under the pointer as if it were chosen. */
  get drawn() {
    return this.#place(this.#tried);
  }

  /** The cells that would be chosen if the cell under the pointer were pressed. A complete move is not changed. */
  get #tried() {
    if (!this.#open || this.#pointed === null || this.#move !== null) return this.#chosen;
    if (this.#chosen.includes(this.#pointed)) return this.#chosen;
    const tried = this.#choose(this.#pointed);
    return typeof tried === 'string' ? this.#chosen : tried;
  }

  /** The move, if it is complete. */
  get #move() {
    return this.#base && this.#build.move(this.#base, this.#chosen);
  }

  /** @param {string[]} cells */
  #place(cells) {
    const base = /** @type {Board} */ (this.#base);
    if (!cells.length) return base;
    const key = cells.join(' ');
    const placed = this.#placed.get(key) ?? this.#build.place(base, this.#side, cells);
    this.#placed.set(key, placed);
    return placed;
  }

  /** @param {string} at */
  #choose(at) {
    return this.#build.choose(/** @type {Board} */ (this.#base), this.#side, this.#chosen, at);
  }

  /**
   * Whether a cell can be chosen.
   * @param {string} at
   */
  can(at) {
    return this.#open && typeof this.#choose(at) !== 'string';
  }

  /**
   * Handles a press on a cell: chooses it, or undoes its choice; on the last cell of a complete move, plays the move.
   * @param {string} at
   */
  press(at) {
    const move = this.#move;
    if (!this.#open) return void this.#act(at);
    if (move !== null && at === this.#chosen.at(-1)) return void this.#act(move);
    const chosen = this.#choose(at);
    if (typeof chosen === 'string') return notify(chosen);
    this.#turn(chosen);
  }

  /**
   * Undoes the last choice.
   * @returns {boolean} whether there was one
   */
  back() {
    const begun = this.#open && this.begun;
    if (begun) this.#turn(this.#chosen.slice(0, -1));
    return begun;
  }

  /**
   * Previews the choice of a cell.
   * @param {string | null} at
   */
  point(at) {
    if (at === this.#pointed) return;
    const before = this.#tried.join(' ');
    this.#pointed = at;
    if (this.#tried.join(' ') !== before) this.#change();
  }

  /** @param {string[]} chosen */
  #turn(chosen) {
    this.#chosen = chosen;
    this.#pointed = null;
    this.#change();
    say(this.#prompt.textContent ?? '');
  }

  #change() {
    this.#draw();
    this.#redraw();
  }

  #draw() {
    const [base, game] = [this.#base, this.#game];
    if (!base || !game) return;
    const prompt = this.#open ? this.#build.ask(base, this.#chosen) : '';
    if (this.#prompt.textContent !== prompt) this.#prompt.textContent = prompt;
    const now = [base.extra.first, base.extra.second];
    const then = this.#build.count(this.drawn);
    this.#counts.replaceChildren(
      ...SIDES.map((side, i) =>
        el(
          'span',
          {},
          el('span', { class: `token ${side}` }),
          el('span', { class: 'unseen' }, inLanguage(game.sides[side])),
          ` ${now[i]} → `,
          el('b', {}, String(then[i])),
        ),
      ),
    );
    this.#zoom.draw();
    this.#play.textContent = text('moves.play');
    this.#back.textContent = inLanguage(BACK);
    this.#pass.textContent = text('pass');
    const able = new Map([
      [this.#play, this.#move !== null],
      [this.#back, this.begun],
      [this.#pass, true],
    ]);
    for (const [button, is] of able) button.setAttribute('aria-disabled', String(!(this.#open && is)));
  }
}
