// Moves of two steps: a piece is picked up, from a cell or from a hand, and put down on a cell, by two presses or by a drag.

import { say, notify } from './announcer.js';
import { listenToDrags } from './drag.js';
import { isStill } from './settings.js';
import { text, written } from './strings.js';

/**
 * @typedef {import('./board.js').State} State
 * @typedef {import('./places.js').Place} Place
 * @typedef {NonNullable<import('./views.js').View['path']>} PathOf
 * @typedef {{
 *   host: HTMLElement,
 *   places: import('./places.js').Places,
 *   act: (move: string) => Promise<boolean>,
 *   refresh: () => void,
 *   name: (place: Place) => string,
 *   pictureOf: (place: Place) => SVGGraphicsElement | null,
 * }} Kit of the board that is played on: `act` plays a move and returns whether it was played, `refresh` redraws the
 * marks, `name` is a place in words, `pictureOf` the piece that is drawn there
 */

const SLIDE_MS = 170;

export class Pick {
  /** Where the held piece comes from: a cell's name, or a kind of piece in the mover's hand. @type {string | null} */
  held = null;
  #kit;
  /** @type {PathOf | null} */
  #path = null;
  /** @type {State | null} */
  #state = null;
  /** The legal moves by where they start, then by where they end. @type {Map<string, Map<string, string>>} */
  #starts = new Map();
  /** What was dragged, until the board is drawn without it. @type {SVGGraphicsElement | null} */
  #dragged = null;

  /** @param {Kit} kit */
  constructor(kit) {
    this.#kit = kit;
    listenToDrags(kit.host, (target) => this.#lift(target), (target) => void this.#drop(target));
  }

  /**
   * Follows the board. In another position the held piece is released.
   * @param {PathOf | null} path null for a game that has no such moves
   * @param {State} state
   * @param {boolean} changed whether this is another position
   */
  follow(path, state, changed) {
    this.#path = path;
    this.#state = state;
    if (changed) {
      this.held = null;
      this.#starts.clear();
      for (const move of path ? state.moves : []) {
        const way = path?.(move);
        if (!way) continue;
        const ends = this.#starts.get(way.from) ?? new Map();
        this.#starts.set(way.from, ends.set(way.to, move));
      }
    }
    if (!state.legal) this.held = null;
  }

  /**
   * The cells to which the piece at a start may go, with the moves that take it there; empty if it cannot move.
   * @param {string | null} from
   * @returns {Map<string, string>}
   */
  ends(from) {
    return this.#starts.get(from ?? '') ?? new Map();
  }

  /** @param {Place} place */
  press(place) {
    const start = this.start(place);
    const move = place.hand === null && this.ends(this.held).get(place.at);
    if (!this.#state?.legal) void this.#kit.act(place.at);
    else if (move) void this.#kit.act(move);
    else if (start !== null && start === this.held) this.#hold(null);
    else if (this.ends(start).size) this.#hold(place);
    else notify(text(this.held === null ? 'pick.none' : 'pick.cannot', { at: this.#kit.name(place) }));
  }

  /**
   * Releases the held piece.
   * @returns {boolean} whether something was
   */
  release() {
    const held = this.held !== null;
    if (held) this.#hold(null);
    return held;
  }

  /**
   * What a move may start with at a place: its name, or nothing at the other side's hand.
   * @param {Place} place
   */
  start({ at, hand }) {
    return hand === null || hand === this.#state?.side ? at : null;
  }

  /** @param {Place | null} place of the piece to be picked up; null to release */
  #hold(place) {
    this.held = place && place.at;
    this.#kit.refresh();
    if (!place) return say(text('pick.down'));
    const ends = [...this.ends(this.held)].map(([to, move]) => [to, this.#state?.notes.values.get(move)?.said].filter(Boolean).join(' '));
    say(text('pick.up', { piece: this.#kit.name(place), cells: ends.map(written).join(text('join')) }));
  }

  /**
   * Picks up what is to be dragged.
   * @param {EventTarget | null} target
   */
  #lift(target) {
    const place = this.#kit.places.take(target);
    if (!place || !this.#state?.legal || !this.ends(this.start(place)).size) return null;
    this.settle();
    this.#hold(place);
    this.#dragged = this.#kit.pictureOf(place);
    return this.#dragged;
  }

  /** @param {Element | null} target */
  async #drop(target) {
    const place = this.#kit.places.take(target);
    const move = place?.hand === null && this.ends(this.held).get(place.at);
    if (!move) this.#hold(null);
    if (!move || !(await this.#kit.act(move))) this.settle();
  }

  /** Returns the dragged picture to its place. */
  settle() {
    if (this.#dragged) this.#dragged.style.translate = '';
    this.#dragged = null;
  }

  /**
   * Where the piece that was moved came from; to be called before the hands are laid out again.
   * @param {State} state after the move: what comes from a hand comes from the side that is not to move
   */
  origin({ played, side }) {
    const from = played && this.#path?.(played)?.from;
    return this.#kit.places.all.find((place) => place.at === from && place.hand !== side) ?? null;
  }

  /**
   * Slides a piece that was moved from where it was, unless it was dragged.
   * @param {Place | null} from
   */
  slide(from) {
    const to = this.#path?.(this.#state?.played ?? '')?.to;
    const place = this.#kit.places.all.find(({ at, hand }) => at === to && hand === null);
    const face = place && this.#kit.pictureOf(place)?.firstElementChild;
    if (!from || !face || isStill() || this.#dragged) return;
    const start = { transform: `translate(${from.x - place.x}px, ${from.y - place.y}px)` };
    face.animate([start, { transform: 'none' }], { duration: SLIDE_MS, easing: 'ease-out' });
  }
}
