// The clocks of a game: one time control for both sides, and the times that the moves took. What a side has left follows
// from these, so a move that is taken back gives its time back. Fetched for games with a clock.

import { say } from '../js/announcer.js';
import { el } from '../js/elements.js';
import { inLanguage, text } from '../js/strings.js';
import { asControl } from './control.js';

/**
 * @typedef {import('../js/play.js').Play} Play
 * @typedef {import('../js/server.js').Side} Side
 * @typedef {import('./control.js').Control} Control
 */

const SIDES = /** @type {Side[]} */ (['first', 'second']);
const SECOND = 1000;
/** The last seconds are shown with tenths. */
const TENTHS_MS = 10 * SECOND;
/** What is left of a person's time is said at these times, if the turn did not begin below them. */
const SAID_MS = [300, 60, 30, 10].map((s) => s * SECOND);
/** A player is given this much less than its clock has: its answer needs time, too. */
const RESERVE_MS = 100;

export class Clock {
  /** @type {Control} */
  control;
  /** The time that the next move has taken, up to when the clock was last started or stopped. */
  #carried = 0;
  /** The ply of this move. */
  #ply = 0;
  /** When the clock was started; null while it stands. @type {number | null} */
  #since = null;
  #timer = 0;
  /** Where this time is next said. */
  #nextSaid = 0;
  /** @type {Play | null} */
  #play = null;
  #faces = SIDES.map((side) => el('span', { class: 'clock', role: 'timer', 'data-clock': side }));

  /**
   * @param {Control} control
   * @param {any} [spent] what the next move has taken before, as stored
   */
  constructor(control, spent) {
    this.control = control;
    if (!Number.isInteger(spent?.ply) || !(spent.ms > 0)) return;
    this.#ply = spent.ply;
    this.#carried = spent.ms;
  }

  /** What is stored beside the moves. */
  get kept() {
    return { clock: this.control, spent: { ply: this.#ply, ms: this.used } };
  }

  /** The time that the next move has taken so far. */
  get used() {
    return Math.round(this.#carried + (this.#since === null ? 0 : performance.now() - this.#since));
  }

  /**
   * Starts or stops as the game stands. It runs after the first move, while the board is shown and neither the end nor a
   * pause is reached; looking back at earlier moves does not stop it.
   * @param {Play} play
   */
  follow(play) {
    this.#play = play;
    const { moves, reached, paused, elsewhere } = play;
    if (this.#ply !== moves.length) {
      this.stop();
      this.#ply = moves.length;
      this.#carried = 0;
    }
    const runs = moves.length > 0 && reached !== null && !reached.outcome && !paused && !elsewhere && play.clock === this;
    if (!runs) this.stop();
    else if (this.#since === null) {
      this.#since = performance.now();
      const left = this.left(play, reached.side);
      this.#nextSaid = SAID_MS.find((ms) => ms < left) ?? 0;
    }
    this.#tick();
  }

  /** Stops, until the game is followed again. */
  stop() {
    this.#carried = this.used;
    this.#since = null;
    clearTimeout(this.#timer);
  }

  /**
   * The main time of a side at the beginning of its turn, and what the turn has used.
   * @param {Play} play
   * @param {Side} side
   */
  #turn({ moves, reached }, side) {
    const { mainMs, incrementMs, byoyomiMs } = this.control;
    let [main, used] = [mainMs, 0];
    let mine = false;
    for (const move of moves) {
      if (mine && move.side !== side) [main, used] = [Math.max(0, main - used) + incrementMs, 0];
      mine = move.side === side;
      if (mine) used += move.ms ?? 0;
    }
    if (mine && reached?.side !== side && !reached?.outcome) [main, used] = [Math.max(0, main - used) + incrementMs, 0];
    const now = reached?.side === side && !reached.outcome ? this.used : 0;
    return { main, used: used + now, byoyomiMs };
  }

  /**
   * The time that a side has left: of its main time, else of its turn; below zero if it has exceeded both.
   * @param {Play} play
   * @param {Side} side
   */
  left(play, side) {
    const { main, used, byoyomiMs } = this.#turn(play, side);
    return main > used ? main - used : main + byoyomiMs - used;
  }

  /**
   * Whether the player who moves after this time has lost by it. The time that the server takes to answer a person's move is
   * not the person's: the clock stands until then.
   * @param {Play} play
   * @param {number} ms of this move
   * @param {Promise<unknown>} [asked] the answer to a person's move
   */
  isOver(play, ms, asked) {
    if (asked) {
      const follow = () => this.follow(play);
      this.stop();
      asked.then(follow, follow);
    }
    const side = play.reached?.side;
    if (!side || this.control.casual || !play.moves.length) return false;
    const { main, used, byoyomiMs } = this.#turn(play, side);
    return used - this.used + ms > main + byoyomiMs;
  }

  /**
   * The limits of a player that thinks.
   * @param {Play} play
   * @param {Side} side
   */
  limits(play, side) {
    const { main, used, byoyomiMs } = this.#turn(play, side);
    const [fromMain, fromTurn] = byoyomiMs > RESERVE_MS ? [0, RESERVE_MS] : [RESERVE_MS, 0];
    const whole = (/** @type {number} */ ms) => Math.max(0, Math.round(ms));
    const clock = { main_ms: whole(main - fromMain), increment_ms: this.control.incrementMs, byoyomi_ms: whole(byoyomiMs - fromTurn) };
    return { clock, turn_used_ms: whole(used - this.used) };
  }

  /** The face of a side's clock. @param {Side} side */
  face(side) {
    this.#draw();
    return this.#faces[SIDES.indexOf(side)];
  }

  /**
   * The time of both sides in words.
   * @param {Play} play
   */
  said(play) {
    return SIDES.map((side) => text('clock.said', { side: inLanguage(play.game.sides[side]), time: inWords(this.left(play, side)) })).join(text('joinSentences'));
  }

  /** Draws the faces, says what is left, and ends the game of a person whose time is up; until something of it changes next. */
  #tick() {
    clearTimeout(this.#timer);
    const play = this.#play;
    const side = play?.reached?.side;
    if (!play || !side) return;
    this.#draw();
    if (this.#since === null) return;
    const left = this.left(play, side);
    if (play.players[side] === null) {
      if (this.isOver(play, this.used)) return void play.timeOut();
      if (this.#nextSaid && left <= this.#nextSaid) {
        if (left > 0) say(text('clock.left', { side: inLanguage(play.game.sides[side]), time: inWords(this.#nextSaid) }));
        this.#nextSaid = SAID_MS.find((ms) => ms < this.#nextSaid) ?? 0;
      }
    }
    const step = left > 0 && left <= TENTHS_MS ? SECOND / 10 : SECOND;
    const rest = ((left % step) + step) % step;
    this.#timer = setTimeout(() => this.#tick(), (rest || step) + 1);
  }

  #draw() {
    const play = this.#play;
    if (!play) return;
    SIDES.forEach((side, i) => {
      const face = this.#faces[i];
      const left = this.left(play, side);
      const shown = digits(left);
      if (face.textContent !== shown) face.textContent = shown;
      face.setAttribute('aria-label', text('clock.said', { side: inLanguage(play.game.sides[side]), time: inWords(left) }));
      face.classList.toggle('runs', this.#since !== null && play.reached?.side === side);
      face.classList.toggle('low', left <= TENTHS_MS);
    });
  }
}

/**
 * The clock of a stored game or of a setup.
 * @param {unknown} control
 * @param {unknown} spent
 */
export function clockOf(control, spent) {
  const checked = asControl(control);
  return checked && new Clock(checked, spent);
}

/**
 * A time as clocks show it. Seconds are rounded up, so that zero is the end.
 * @param {number} ms
 */
function digits(ms) {
  if (ms > 0 && ms <= TENTHS_MS) return `0:${(Math.ceil(ms / 100) / 10).toFixed(1).padStart(4, '0')}`;
  const all = Math.abs(Math.ceil(ms / SECOND));
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const shown = hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  return ms < 0 && all ? `−${shown}` : shown;
}

/**
 * A time in words: 4 minutes 30 seconds.
 * @param {number} ms
 * @returns {string}
 */
function inWords(ms) {
  const all = Math.ceil(ms / SECOND);
  if (all < 0) return text('clock.over', { time: inWords(-ms) });
  const parts = /** @type {const} */ ([['hour', Math.floor(all / 3600)], ['minute', Math.floor(all / 60) % 60], ['second', all % 60]]);
  const some = parts.filter(([name, n]) => n || (name === 'second' && !all));
  return some.map(([name, n]) => text(n === 1 ? `clock.${name}` : `clock.${name}s`, { n })).join(' ');
}
