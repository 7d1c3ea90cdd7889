// The game that is played: its players, its moves, the ply on the board, and the search of the player to move.
//
// The page keeps the moves and does not know the rules: it asks the server for each position by the moves that lead to
// it.

import { isAway } from './players.js';
import { isStill, load, save } from './settings.js';
import { SearchSlot, Refusal } from './server.js';
import { isPass } from './strings.js';

/**
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').Outcome} Outcome
 * @typedef {import('./server.js').Report} Report
 * @typedef {import('./server.js').Shown} Shown
 * @typedef {import('./server.js').Side} Side
 * @typedef {string | null} PlayerText a player in words, such as `engine:level=4`; null is a person
 * @typedef {{text: string, side: Side, ms?: number}} Move `ms`: the time that it took, in games with a clock
 * @typedef {{first: PlayerText, second: PlayerText}} Players
 * @typedef {{players: Players, timeMs: number, position?: string, rules?: string, clock?: import('../clock/control.js').Control | null}} Setup
 *   `position` to begin with, if not the start
 * @typedef {{rules?: string, position?: string}} From where a game begins, if not at the start of the usual rules
 * @typedef {{seats: Players, moves: Move[], paused: boolean, timeMs: number, from: From, seed: number, ended: Outcome | null,
 *   clock?: import('../clock/control.js').Control, spent?: {ply: number, ms: number}}} Kept a game as it is stored; `spent`: the time that the next
 *   move has taken, in games with a clock
 * @typedef {{from: From, players: Players, limits: Record<Side, Record<string, any>>, moves: Move[], verdict: () => string,
 *   note: (ply: number) => string, back: string, searched: (ply: number) => boolean,
 *   search: (ply: number, draw: () => void) => Promise<void>}} Replay a game of a match: its result, the note on a
 *   move, the address of the match, and the search that chose the next move, if one did, made again
 * @typedef {{from: From, judge: (move: string, shown: Shown) => void | Promise<void>}} Exercise a position to learn from:
 *   `judge` throws if a legal move is not the one that was asked for
 */

/** How long a pass is shown before the game continues. */
const PASS_MS = 1100;
/** The shortest time between two moves, so that they can be followed; and the same where turns have two halves. */
export const PACE_MS = 420;
const HALVES_PACE_MS = 1500;

/** Where the game of this name is stored. @param {GameInfo} game */
const keyOf = (game) => `banmen.game.${game.name}`;

/**
 * The clock of a game, if it has one.
 * @param {unknown} control
 * @param {unknown} [spent]
 */
const makeClock = async (control, spent) => (control ? (await import('../clock/clock.js')).clockOf(control, spent) : null);

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The end of a stored game that the players ended themselves.
 * @param {any} ended
 * @returns {Outcome | null}
 */
function asEnd(ended) {
  if (ended?.by === 'agreement') return { winner: null, margin: null, by: ended.by };
  const resigned = (ended?.by === 'resignation' || ended?.by === 'time') && (ended.winner === 'first' || ended.winner === 'second');
  return resigned ? { winner: ended.winner, margin: null, by: ended.by } : null;
}

/** @param {string} reason */
const refuse = (reason) => new Refusal({ code: 'page', reason });

/**
 * Events: `change` (something to draw), `moved` (`detail`: the ply and the position it led to), `report` (`detail`: ply, side
 * and report of the player that thinks), `fault` (`detail`: why a player could not think), `ended` (`detail`: how the players, or
 * the clock, have ended the game).
 */
export class Play extends EventTarget {
  /** @type {GameInfo} */
  game;
  /** @type {Players} */
  players = { first: null, second: null };
  /** @type {Move[]} */
  moves = [];
  /** Moves taken back, the next to play again first. @type {Move[]} */
  undone = [];
  /** The ply on the board. */
  at = 0;
  /** Whether the board shows that ply's move between its halves, in games whose turns have two halves. */
  halfway = false;
  /** Whether turns have two halves, and each is a step of its own. */
  halves = false;
  /** Whether the game is paused, by the person or a fault; the person resumes it. */
  paused = false;
  timeMs = 1000;
  /** The shortest time between two moves of players. */
  paceMs = PACE_MS;
  /** @type {From} */
  from = {};
  /** The game of a match that is shown, if it is one. @type {Replay | null} */
  replay = null;
  /** The exercise on the board, if it is one. @type {Exercise | null} */
  lesson = null;
  /** Whether the game continues in another tab of the browser. */
  elsewhere = false;
  /** @type {import('../clock/clock.js').Clock | null} */
  clock = null;
  /** The side whose player thinks. @type {Side | null} */
  thinking = null;

  #server;
  #slot;
  #seed = 0;
  /** How the players ended the game, if the rules did not. @type {Outcome | null} */
  #ended = null;
  /** Counts the changes of the line; results of requests under another count are discarded. */
  #epoch = 0;
  #movedAt = 0;
  /** The thinking time of the turn so far, and the ply up to which it is counted. */
  #spent = { ply: 0, ms: 0 };
  /** By ply. @type {Shown[]} */
  #positions = [];
  /** The last request for the position reached. @type {Promise<Shown> | null} */
  #asked = null;

  /**
   * @param {import('./server.js').Server} server
   * @param {GameInfo} game
   */
  constructor(server, game) {
    super();
    this.#server = server;
    this.#slot = new SearchSlot(server, 'play');
    this.game = game;
    addEventListener('pagehide', () => this.clock && this.#save());
    addEventListener('storage', ({ key, newValue }) => {
      if (key === keyOf(this.game) && newValue !== null && this.#own) this.#leave();
    });
  }

  /** The position on the board; null until the server has answered. */
  get shown() {
    return this.#positions[this.at] ?? null;
  }

  /** The position that the game has reached; null until the server has answered. */
  get reached() {
    return this.#positions[this.moves.length] ?? null;
  }

  /** The position before the ply on the board; null while it is not known. */
  get before() {
    return this.positionAt(this.at - 1);
  }

  /** @param {number} ply @returns {Shown | null} the position after it; null while it is not known */
  positionAt(ply) {
    return this.#positions[ply] ?? null;
  }

  /** Whether the board shows the current position of the game. */
  get live() {
    return this.at === this.moves.length && !this.halfway;
  }

  /** Whether no side is played by a person. */
  get watched() {
    return this.players.first !== null && this.players.second !== null;
  }

  /** The game as it is stored. @returns {Kept} */
  get kept() {
    const { players, moves, paused, timeMs, from } = this;
    return { seats: players, moves, paused, timeMs, from, seed: this.#seed, ended: this.#ended, ...this.clock?.kept };
  }

  /** Whether the game is the visitor's own: it is stored. */
  get #own() {
    return !this.replay && !this.lesson;
  }

  /** Whether a person has made a move in a game of the visitor's own that is not over. */
  get begun() {
    const played = this.moves.some((move) => this.players[move.side] === null);
    return played && this.#own && !this.elsewhere && !this.reached?.outcome;
  }

  /** Whether a person is to move in the position on the board. */
  get open() {
    const { shown } = this;
    return this.live && !this.elsewhere && shown !== null && !shown.outcome && this.players[shown.side] === null;
  }

  /**
   * The fields of a request about a ply.
   * @param {number} ply
   */
  place(ply) {
    return { game: this.game.name, ...this.from, moves: this.texts(ply) };
  }

  /** @param {number} ply */
  texts(ply) {
    return this.moves.slice(0, ply).map((move) => move.text);
  }

  /**
   * Starts a new game.
   * @param {GameInfo} game
   * @param {Setup} setup
   */
  async start(game, setup) {
    const clock = await makeClock(setup.clock);
    this.#putAway(clock);
    this.game = game;
    this.#setUp(setup);
    const { rules, position } = setup;
    this.from = { ...(rules && { rules }), ...(position && { position }) };
    this.moves = [];
    this.undone = [];
    this.#setPly(0);
    await this.#settle([]);
  }

  /**
   * Stops and stores the clock of the game that is left.
   * @param {Play['clock']} next the clock of the game that follows
   */
  #putAway(next) {
    if (this.clock) this.#save();
    this.clock?.stop();
    this.clock = next;
  }

  /** @param {Setup} setup */
  #setUp({ players, timeMs }) {
    this.players = { ...players };
    this.timeMs = timeMs;
    this.replay = null;
    this.lesson = null;
    this.elsewhere = false;
    this.paused = false;
    this.#ended = null;
    this.#seed = crypto.getRandomValues(new Uint32Array(1))[0];
  }

  /**
   * Shows a game of a match from its start. The game stored in the browser is not changed.
   * @param {GameInfo} game
   * @param {Replay} replay
   */
  async show(game, replay) {
    this.#putAway(null);
    this.game = game;
    this.replay = replay;
    this.lesson = null;
    this.#ended = null;
    const { from, players, moves } = replay;
    Object.assign(this, { from, players, moves: [...moves], undone: [], at: 0, paused: false, elsewhere: false });
    await this.#settle([]);
    await this.goTo(0);
  }

  /**
   * Shows an exercise, with persons on both sides. The game stored in the browser is not changed.
   * @param {GameInfo} game
   * @param {Exercise} lesson
   */
  async teach(game, lesson) {
    this.#putAway(null);
    this.game = game;
    this.#setUp({ players: { first: null, second: null }, timeMs: this.timeMs });
    this.lesson = lesson;
    this.from = lesson.from;
    this.moves = [];
    this.undone = [];
    this.#setPly(0);
    await this.#settle([]);
  }

  /**
   * Restores a game that was stored in the browser.
   * @param {GameInfo} game
   * @param {() => boolean} wanted whether it is still wanted once the server has answered
   * @param {any} [kept] the stored game; by default the one that was played last
   * @returns {Promise<boolean | null>} whether it was restored; null if there was none, or it is no longer wanted
   * @throws {Refusal} if the server cannot say whether it is a game
   */
  async restore(game, wanted, kept = load(keyOf(game))) {
    if (kept === null) return null;
    /** @param {unknown} player */
    const isPlayer = (player) => player === null || typeof player === 'string';
    /** @param {any} move */
    const isMove = (move) => typeof move?.text === 'string' && (move.side === 'first' || move.side === 'second');
    if (!Array.isArray(kept.moves) || !kept.moves.every(isMove)) return false;
    if (!isPlayer(kept.seats?.first) || !isPlayer(kept.seats?.second)) return false;
    /** @type {string[]} */
    const texts = kept.moves.map((/** @type {Move} */ move) => move.text);
    /** @type {From} */
    const from = { rules: kept.from?.rules, position: kept.from?.position };
    let shown;
    try {
      shown = await this.#server.ask('show', { game: game.name, ...from, moves: texts });
    } catch (refusal) {
      if (!(refusal instanceof Refusal) || !/^(bad|illegal|unknown)_/.test(refusal.fault.code)) throw refusal;
      return false;
    }
    const clock = await makeClock(kept.clock, kept.spent);
    if (!wanted()) return null;
    if (shown.moves.length !== texts.length) return false;
    this.#putAway(clock);
    this.game = game;
    this.#setUp({ players: kept.seats, timeMs: Number(kept.timeMs) || 1000 });
    this.from = from;
    this.moves = kept.moves;
    this.undone = [];
    this.#setPly(texts.length);
    // A clock waits for the visitor to be back.
    this.paused = kept.paused === true || (clock !== null && texts.length > 0);
    this.#seed = Number(kept.seed) >>> 0;
    this.#ended = asEnd(kept.ended);
    const positions = [];
    positions[texts.length] = shown;
    await this.#settle(positions);
    return true;
  }

  /**
   * A person plays a move, in any notation that the game reads.
   * @param {string} move
   * @throws {Refusal} the server's reason, or `page` with `past`, `turn` or `one`
   */
  async play(move) {
    if (!this.live || this.replay) throw refuse('past');
    if (this.elsewhere) throw refuse('elsewhere');
    const epoch = this.#epoch;
    // A move may be typed before the position of a new game has come.
    if (!this.reached) await this.#asked;
    const { reached } = this;
    if (!reached || epoch !== this.#epoch) return;
    if (reached.outcome) throw new Refusal({ code: 'illegal_move', reason: 'game_over' });
    if (this.players[reached.side] !== null) throw refuse('turn');
    const asked = this.#ask([...this.texts(this.moves.length), move]);
    const ms = this.clock?.used;
    if (ms !== undefined && this.clock?.isOver(this, ms, asked)) return this.timeOut();
    const shown = await asked;
    if (epoch !== this.#epoch) return;
    await this.lesson?.judge(shown.moves[this.moves.length], shown);
    if (epoch !== this.#epoch) return;
    if (this.clock) this.paused = false;
    await this.#adopt(shown, true, ms);
  }

  /**
   * Shows a ply. The game continues in the meantime.
   * @param {number} ply
   * @param {boolean} [halfway] between the halves of its move
   */
  async goTo(ply, halfway = false) {
    const at = Math.max(0, Math.min(ply, this.moves.length));
    this.#setPly(at, halfway && at > 0);
    const epoch = this.#epoch;
    const wanted = (halfway ? [at - 1, at] : [at]).filter((each) => each >= 0 && !this.#positions[each]);
    if (!wanted.length) return this.#changed();
    const found = await Promise.all(wanted.map((each) => this.#ask(this.texts(each))));
    if (epoch !== this.#epoch) return;
    wanted.forEach((each, i) => (this.#positions[each] = found[i]));
    if (at === this.at) this.#changed();
  }

  /**
   * Steps forward or back: by half a turn, if turns have two halves.
   * @param {number} by 1 or −1
   */
  async go(by) {
    const { at, halfway, halves } = this;
    if (!halves) await this.goTo(at + by);
    else if (by > 0) await this.goTo(halfway ? at : at + 1, !halfway && at < this.moves.length);
    else await this.goTo(halfway ? at - 1 : at, !halfway);
  }

  /**
   * @param {number} ply
   * @param {boolean} [halfway]
   */
  #setPly(ply, halfway = false) {
    this.at = ply;
    this.halfway = halfway;
  }

  /** The ply that undo goes back to: a person's last choice, or one move where engines play; −1 if there is none. */
  get undoPly() {
    if (this.watched) return this.moves.length - 1;
    return this.moves.findLastIndex((move) => this.#chosen(move));
  }

  /**
   * Whether a person chose a move. Where turns have halves a pass is a choice too.
   * @param {Move} move
   */
  #chosen(move) {
    return this.players[move.side] === null && (this.halves || !isPass(move.text));
  }

  async undo() {
    if (this.undoPly >= 0) await this.#cut(this.undoPly);
  }

  /** Plays again what undo took back, up to the next choice of a person. */
  async redo() {
    if (!this.undone.length) return;
    /** @param {Move | undefined} move */
    const choice = (move) => !move || this.watched || this.#chosen(move);
    do {
      this.moves.push(/** @type {Move} */ (this.undone.shift()));
    } while (!choice(this.undone[0]));
    this.#setPly(this.moves.length);
    await this.#settle(this.#positions);
  }

  /**
   * Continues from the ply on the board; a game of a match becomes one of the visitor's own.
   * @param {Setup} setup of the visitor's own game
   */
  async fromHere(setup) {
    const { replay } = this;
    if (replay) {
      const clock = await makeClock(setup.clock);
      this.#putAway(clock);
      this.#setUp(setup);
    } else if (this.live) return;
    await this.#cut(this.at);
    if (replay) this.undone = [];
  }

  /** @param {boolean} paused */
  async setPaused(paused) {
    this.paused = paused;
    await this.#settle(this.#positions);
  }

  /**
   * Ends the game as the players agreed, or because one of them resigned.
   * @param {Outcome} outcome
   */
  async end(outcome) {
    this.#ended = outcome;
    await this.#settle(this.#positions);
    this.dispatchEvent(new CustomEvent('ended', { detail: outcome }));
  }

  /** Ends the game: the time of the side to move is up. */
  async timeOut() {
    const { reached } = this;
    if (reached && !reached.outcome) await this.end({ winner: reached.side === 'first' ? 'second' : 'first', margin: null, by: 'time' });
  }

  /** While paused, lets the side to move make one move. */
  async step() {
    const { reached } = this;
    if (!this.paused || !reached || reached.outcome || this.thinking) return;
    this.#setPly(this.moves.length);
    await this.#drive(reached, true);
  }

  /** Leaves the game to the tab that has changed it. */
  #leave() {
    this.#epoch += 1;
    this.#slot.drop();
    this.thinking = null;
    const news = !this.elsewhere;
    this.elsewhere = true;
    this.#changed();
    if (news) this.dispatchEvent(new CustomEvent('fault', { detail: { code: 'page', reason: 'elsewhere' } }));
  }

  /** Makes the player that thinks move at once. */
  moveNow() {
    this.#slot.stop();
  }

  /** @param {number} ply */
  async #cut(ply) {
    this.#ended = null;
    this.undone.unshift(...this.moves.splice(ply));
    this.#setPly(ply);
    if (this.watched) this.paused = true;
    await this.#settle(this.#positions.slice(0, ply + 1));
  }

  /**
   * Handles a change of the moves: discards running requests, and lets the side to move play.
   * @param {Shown[]} positions the known positions of the new moves
   */
  async #settle(positions) {
    const epoch = ++this.#epoch;
    this.#slot.drop();
    this.thinking = null;
    this.#positions = positions;
    this.#save();
    const ply = this.moves.length;
    if (!this.reached) {
      const shown = await (this.#asked = this.#ask(this.texts(ply)));
      if (epoch !== this.#epoch) return;
      this.#positions[ply] = shown;
    }
    if (this.#ended && this.#own && this.reached) this.#positions[ply] = { ...this.reached, outcome: this.#ended };
    this.#changed();
    if (this.reached && !this.replay) await this.#drive(this.reached, false);
  }

  /**
   * Makes the move of the side to move, unless a person does.
   * @param {Shown} shown the current position
   * @param {boolean} single one step within a pause
   */
  async #drive(shown, single) {
    if (shown.outcome || this.elsewhere || (this.paused && !single)) return;
    const epoch = this.#epoch;
    const forced = shown.legal?.length === 1 && isPass(shown.legal[0]) ? shown.legal[0] : null;
    const player = this.players[shown.side];
    if (!forced && (player === null || isAway(player))) return;
    let move = forced;
    let ms = 0;
    if (forced) {
      await pause(PASS_MS);
    } else {
      this.thinking = shown.side;
      this.#changed();
      const pace = this.halves ? HALVES_PACE_MS : this.paceMs;
      // Without animations an answer to a person is shown at once, but not what follows in the same turn.
      const answers = this.moves.at(-1)?.side !== shown.side;
      const [report] = await Promise.all([
        this.#think(shown, String(player)),
        single || (isStill() && !this.watched && answers) ? null : pause(this.#movedAt + pace - performance.now()),
      ]);
      move = report?.move ?? null;
      ms = report?.ms ?? 0;
      if (epoch === this.#epoch && this.clock?.isOver(this, ms)) return this.timeOut();
    }
    if (epoch !== this.#epoch || move === null) return;
    this.thinking = null;
    const led = await this.#ask([...this.texts(this.moves.length), move]);
    if (epoch === this.#epoch) await this.#adopt(led, false, ms);
  }

  /**
   * @param {Shown} shown
   * @param {string} player
   * @returns {Promise<Report | null>} null if the search was dropped or failed
   */
  async #think(shown, player) {
    const ply = this.moves.length;
    // The time is that of the whole turn, which may be several moves.
    const used = this.#spent.ply === ply && this.moves.at(-1)?.side === shown.side ? this.#spent.ms : 0;
    /** @param {Report} report */
    const report = (report) =>
      this.dispatchEvent(new CustomEvent('report', { detail: { ply, side: shown.side, report } }));
    try {
      const final = await this.#slot.think(
        {
          ...this.place(ply),
          player,
          seed: (this.#seed + ply) % 2 ** 32,
          limits: this.clock?.limits(this, shown.side) ?? { time_ms: this.timeMs, turn_used_ms: used },
          lines: 3,
        },
        report,
      );
      if (final) {
        report(final);
        this.#spent = { ply: ply + 1, ms: used + final.ms };
      }
      return final;
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      // Asked to move at once before it had begun to search, it has no move yet.
      if (refusal.fault.code === 'stopped') return this.#think(shown, player);
      this.thinking = null;
      this.paused = true;
      this.#changed();
      this.dispatchEvent(new CustomEvent('fault', { detail: refusal.fault }));
      return null;
    }
  }

  /**
   * Adopts the moves in the server's answer, which may contain forced passes that were omitted.
   * @param {Shown} shown
   * @param {boolean} byHand
   * @param {number} [ms] that the first of these moves took; the others took none
   */
  async #adopt(shown, byHand, ms = 0) {
    const epoch = this.#epoch;
    const from = this.moves.length;
    /** @type {Shown[]} */
    const positions = this.#positions.slice(0, from + 1);
    for (let ply = from + 1; ply < shown.moves.length; ply += 1) {
      positions[ply] = await this.#ask(shown.moves.slice(0, ply));
    }
    if (epoch !== this.#epoch) return;
    positions[shown.moves.length] = shown;
    const added = shown.moves.slice(from).map((text, i) => ({ text, side: positions[from + i].side, ...(this.clock && { ms: i ? 0 : ms }) }));
    if (byHand && added.some((move) => this.players[move.side] !== null && !isPass(move.text))) throw refuse('one');
    const follow = this.live;
    this.moves.push(...added);
    this.undone = [];
    if (follow) this.at = this.moves.length;
    this.#movedAt = performance.now();
    this.#positions = positions;
    added.forEach((_, i) => {
      const detail = { ply: from + i + 1, shown: positions[from + i + 1] };
      this.dispatchEvent(new CustomEvent('moved', { detail }));
    });
    await this.#settle(positions);
  }

  /**
   * @param {string[]} moves
   * @returns {Promise<Shown>}
   */
  #ask(moves) {
    return this.#server.ask('show', { ...this.place(0), moves });
  }

  #changed() {
    this.clock?.follow(this);
    this.dispatchEvent(new Event('change'));
  }

  #save() {
    if (this.#own && !this.elsewhere) save(keyOf(this.game), this.kept);
  }
}
