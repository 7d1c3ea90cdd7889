// The matches: what the address asks for is fetched, drawn, and fetched again while it is played.
//
// Addresses: `#matches` with game and page, `#match=7` with result and page, `#event=2`, `#game=7.12.0` for game 0 of
// pair 12 of match 7. This module and those beside it are fetched when matches are first asked for.

import { say } from '../js/announcer.js';
import { fetchSheet } from '../js/elements.js';
import { verdict } from '../js/status.js';
import { Refusal, SearchSlot } from '../js/server.js';
import { inLanguage, reason, addWords, text, textOr, written } from '../js/strings.js';
import { fetchView } from '../js/views.js';
import { drawEvent } from './event.js';
import { Follower } from './follow.js';
import { drawList } from './list.js';
import { drawMatch } from './score.js';
import { fixed, percent, whole } from './table.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').MatchInfo} MatchInfo
 * @typedef {import('../js/play.js').Replay} Replay
 * @typedef {import('../js/play.js').Side} Side
 * @typedef {{kind: 'matches' | 'match' | 'event' | 'game', id: string, page: number, game: string, result: string}} Route
 * @typedef {import('./follow.js').Drawn} Drawn
 * @typedef {{game: GameInfo, replay: Replay}} Found a game to be shown on the board
 */

/** How many rows a page of a list has. */
export const ROWS = 50;

/** How often matches that are being played are fetched again. */
const LIVE_MS = 2000;

/**
 * @param {string} hash
 * @returns {Route}
 */
export function route(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const kind = /** @type {Route['kind']} */ (['match', 'event', 'game'].find((kind) => fields.get(kind)) ?? 'matches');
  const page = Math.max(1, Math.floor(Number(fields.get('page'))) || 1);
  return { kind, id: fields.get(kind) ?? '', page, game: kind === 'matches' ? (fields.get('of') ?? '') : '', result: fields.get('result') ?? '' };
}

/**
 * The address of a route.
 * @param {Partial<Route> & {kind: Route['kind']}} route
 */
export function address({ kind, id = '', page = 1, game = '', result = '' }) {
  const more = [game && `of=${encodeURIComponent(game)}`, result && `result=${result}`, page > 1 && `page=${page}`];
  return `#${[kind === 'matches' ? kind : `${kind}=${id}`, ...more].filter(Boolean).join('&')}`;
}

/** @extends {Follower<Route, any[]>} */
export class Arena extends Follower {
  #server;
  #games;

  /**
   * @param {import('../js/server.js').Server} server
   * @param {GameInfo[]} games
   * @param {HTMLElement} root
   */
  constructor(server, games, root) {
    super(root, 'matches', { href: '#matches', name: 'arena.all' }, LIVE_MS);
    this.#server = server;
    this.#games = games;
  }

  /**
   * Fetches the words and the style sheet of the matches.
   * @param {import('../js/server.js').Server} server
   * @param {GameInfo[]} games
   * @param {HTMLElement} root
   */
  static async open(server, games, root) {
    const { styled } = fetchSheet('matches/arena.css');
    await Promise.all([styled, addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') })]);
    return new Arena(server, games, root);
  }

  /**
   * Shows what an address asks for.
   * @param {string} hash
   * @param {() => void} reveal brings this part of the page into sight, once what the address names is drawn here
   * @returns {Promise<Found | null>} the game that it names; null if what it names is drawn here
   */
  async show(hash, reveal) {
    const wanted = route(hash);
    const before = this.turn(wanted);
    if (wanted.kind === 'game') {
      const found = await this.#find(wanted);
      if (found) {
        this.leave();
        return found;
      }
    } else if (wanted.kind !== 'matches' && !/^\d{1,15}$/.test(wanted.id)) {
      this.refuse(text('arena.badNumber', { kind: wanted.kind, id: wanted.id }));
    } else {
      await this.fetch(wanted);
    }
    if (wanted !== this.route || location.hash !== hash) return null;
    reveal();
    if (before?.kind !== wanted.kind || before.id !== wanted.id) this.focus();
    return null;
  }

  /**
   * @override
   * @param {any[]} answers
   * @param {Route} route
   */
  make(answers, route) {
    const draws = { matches: drawList, match: drawMatch, event: drawEvent, game: drawMatch };
    return draws[route.kind](answers, route, this.#games);
  }

  /** @override @param {Route} route */
  async ask(route) {
    const answers = await Promise.all(this.#questions(route).map(([op, body]) => this.#server.ask(op, body)));
    const game = this.#games.find(({ name }) => name === answers[0].match?.game);
    // Its words say how games ended; without them the words of the store are shown.
    if (game) await fetchView(game.view).catch(() => {});
    return answers;
  }

  /** @override @param {Route} route */
  follows({ kind }) {
    return kind !== 'game';
  }

  /**
   * What a route asks the server.
   * @param {Route} route
   * @returns {[string, Record<string, unknown>][]}
   */
  #questions({ kind, id, page, game, result }) {
    const part = { limit: ROWS, offset: (page - 1) * ROWS };
    if (kind === 'matches') return [['matches', { game: game || null, alone: true, ...part }]];
    const number = Number(id);
    if (kind === 'event') return [['standings', { event: number }], ['matches', { event: number, ...part }]];
    return [['standings', { match: number }], ['record', { match: number, result: result || null, ...part }]];
  }

  /**
   * @param {Route} wanted
   * @returns {Promise<Found | null>}
   */
  async #find(wanted) {
    if (!/^\d{1,15}(\.\d{1,15}){2}$/.test(wanted.id)) {
      this.refuse(text('arena.badGame', { id: wanted.id }));
      return null;
    }
    const [match, pair, game] = wanted.id.split('.').map(Number);
    let answer;
    try {
      answer = await this.#server.ask('record', { match, pair, game });
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.refuse(reason(refusal.fault));
      return null;
    }
    const info = this.#games.find(({ name }) => name === answer.match.game);
    if (!info || !answer.game.sides) {
      this.refuse(text('arena.noBoard', { game: answer.match.game }));
      return null;
    }
    return { game: info, replay: replay(answer, info, this.#server) };
  }
}

/**
 * A stored game as the board takes it.
 * @param {{match: MatchInfo, game: any}} answer
 * @param {GameInfo} info
 * @param {import('../js/server.js').Server} server
 * @returns {Replay}
 */
function replay({ match, game }, info, server) {
  const slot = new SearchSlot(server, 'rerun');
  /** What the searches that were made again found, by the moves before them. @type {Map<number, () => string>} */
  const found = new Map();
  const winner = game.score === 0.5 ? null : /** @type {Side} */ ((game.score === 1) === (game.game === 0) ? 'first' : 'second');
  const [first, second] = game.game === 0 ? match.players : [...match.players].reverse();
  const { limits } = match.conditions;
  const side = (/** @type {number} */ player) => /** @type {Side} */ (player === game.game ? 'first' : 'second');
  const lostAt = (/** @type {number} */ ply) => game.lost_turns.find((/** @type {{ply: number}} */ turn) => turn.ply === ply);
  /** What is known of the last of some moves. @param {number} ply */
  const taken = (ply) => {
    if (ply === 0) return '';
    const lost = lostAt(ply - 1);
    if (lost) return text('arena.lost', { how: textOr(`ended.${lost.by}`, lost.by) });
    return ply <= game.opening ? text('arena.opening') : text('arena.took', { ms: fixed(game.times_ms[ply - game.opening - 1] ?? 0) });
  };
  return {
    from: { rules: match.rules, position: game.position ?? undefined },
    players: { first, second },
    limits: { first: limits[game.game], second: limits[1 - game.game] },
    moves: game.moves.map((/** @type {string} */ move, /** @type {number} */ i) => ({ text: move, side: game.sides[i] })),
    back: address({ kind: 'match', id: String(match.id) }),
    note: (ply) => [taken(ply), found.get(ply)?.()].filter(Boolean).join(' '),
    searched: (ply) => ply >= game.opening && ply < game.moves.length && !lostAt(ply),
    search: async (ply, draw) => {
      for (const [other, said] of found) if (said === searching) found.delete(other);
      found.set(ply, searching);
      draw();
      try {
        const answer = await slot.ask('rerun', { match: match.id, pair: game.pair, game: game.game, ply });
        if (answer) found.set(ply, () => foundAgain(answer));
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) throw refusal;
        found.set(ply, () => reason(refusal.fault));
      }
      draw();
      if (found.get(ply) !== searching) say(found.get(ply)?.() ?? '');
    },
    verdict: () => {
      // If a fault costs only a turn, the rules end the game.
      if (game.fault === null || game.lost_turns.length > 0) {
        const margin = game.margin === null ? null : Math.abs(game.margin);
        return verdict(info, { winner, margin, by: game.by });
      }
      const how = text('arena.fault', { side: inLanguage(info.sides[side(game.fault)]), how: textOr(`ended.${game.by}`, game.by) });
      return text('status.by', { verdict: verdict(info, { winner, margin: null, by: '' }), how });
    },
  };
}

/** What is said while a search runs. */
const searching = () => text('again.searching');

/**
 * What a search that was made again found, in words.
 * @param {any} answer
 */
function foundAgain({ chosen, played, same, timed, versions, report }) {
  const facts = [
    text('again.value', { value: percent(report.value) }),
    report.depth > 0 && text('limit.depth', { n: report.depth }),
    report.nodes > 0 && text('again.nodes', { n: whole(report.nodes) }),
    text('again.line', { line: (report.lines[0]?.moves ?? []).map(written).join(' ') }),
  ];
  const said = text(same ? 'again.same' : 'again.other', { move: written(chosen), played: written(played), facts: `${facts.filter(Boolean).join(text('join'))}.` });
  return [said, timed && text('again.timed'), versions[0] !== versions[1] && text('again.version')].filter(Boolean).join(' ');
}
