// A line of the analysis, opened: its moves one by one, each of which can be seen on the board. It is fetched when a line
// is first opened.

import { say } from './announcer.js';
import { byId, el } from './elements.js';
import { Refusal } from './server.js';
import { addWords, reason, text, written } from './strings.js';

/**
 * @typedef {import('./server.js').Shown} Shown
 */

const panel = byId('line', HTMLElement);

await addWords({
  en: async () => ({
    words: {
      'line.title': 'Line of the analysis',
      'line.close': 'Back to the game',
      'line.at': 'Line of the analysis: move {n} of {count}',
      'error.page.line': 'This is a line of the analysis. “Back to the game” returns to the game.',
    },
  }),
  ja: async () => ({
    words: {
      'line.title': '読み筋',
      'line.close': '対局に戻る',
      'line.at': '読み筋 {count} 手中 {n} 手目',
      'error.page.line': '読み筋を見ています。「対局に戻る」を押すと対局に戻ります。',
    },
  }),
});

export class Line {
  #server;
  #changed;
  /** The position before the line. @type {Record<string, unknown> & {moves: string[]}} */
  #place = { moves: [] };
  /** @type {string[]} */
  #moves = [];
  /** How many moves of the line are on the board. */
  #at = 0;
  /** The position on the board; null while the line is closed or its answer is awaited. @type {Shown | null} */
  shown = null;

  /**
   * @param {import('./server.js').Server} server
   * @param {() => void} changed called when the board of the line has changed
   */
  constructor(server, changed) {
    this.#server = server;
    this.#changed = changed;
    panel.addEventListener('click', ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      if (button?.dataset.step) void this.#go(Number(button.dataset.step));
      else if (button) this.close();
    });
    panel.addEventListener('keydown', (event) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -this.#moves.length, End: this.#moves.length };
      const by = steps[/** @type {keyof typeof steps} */ (event.key)];
      if (event.ctrlKey || event.altKey || event.metaKey || (by === undefined && event.key !== 'Escape')) return;
      event.preventDefault();
      event.stopPropagation();
      if (by === undefined) this.close();
      else void this.#go(Math.max(1, Math.min(this.#at + by, this.#moves.length)));
    });
  }

  /**
   * Opens a line at its first move.
   * @param {Record<string, unknown> & {moves: string[]}} place before the line
   * @param {string[]} moves
   * @param {boolean} atEnd opens it at its last move instead, and leaves the focus where it is
   */
  async open(place, moves, atEnd) {
    this.#place = place;
    this.#moves = moves;
    await this.#go(atEnd ? moves.length : 1);
    if (atEnd) return;
    /** @type {HTMLElement | null} */ (panel.querySelector('[aria-current]'))?.focus();
  }

  close() {
    // The answer that is awaited, if one is, comes too late.
    this.#moves = [];
    if (panel.hidden) return;
    const focused = panel.contains(document.activeElement);
    panel.hidden = true;
    this.shown = null;
    this.#changed();
    if (focused) byId('analyse', HTMLInputElement).focus();
  }

  /** Where the line is, in words. */
  get status() {
    return text('line.at', { n: this.#at, count: this.#moves.length });
  }

  /** @param {number} at */
  async #go(at) {
    const moves = this.#moves;
    this.#at = at;
    try {
      const shown = await this.#server.ask('show', { ...this.#place, moves: [...this.#place.moves, ...moves.slice(0, at)] });
      if (moves !== this.#moves || at !== this.#at) return;
      this.shown = shown;
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (panel.hidden) this.#moves = [];
      say(reason(refusal.fault));
      return;
    }
    this.draw();
    this.#changed();
  }

  draw() {
    if (!this.#moves.length) return;
    const focused = panel.contains(document.activeElement);
    const items = this.#moves.map((move, i) => {
      const button = el('button', { 'type': 'button', 'data-step': i + 1, 'tabindex': i + 1 === this.#at ? 0 : -1 }, written(move));
      if (i + 1 === this.#at) button.setAttribute('aria-current', 'step');
      return el('li', {}, button);
    });
    const close = el('button', { type: 'button' }, text('line.close'));
    panel.setAttribute('aria-label', text('line.title'));
    panel.replaceChildren(el('ol', { class: 'move-list' }, ...items), close);
    panel.hidden = false;
    if (focused) /** @type {HTMLElement | null} */ (panel.querySelector('[aria-current]'))?.focus({ preventScroll: true });
  }
}
