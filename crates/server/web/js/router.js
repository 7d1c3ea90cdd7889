// What the address asks for: the board, the list of matches, or one game of a match. And what a game needs before it can be
// shown: its view and its list of players.

import { notify } from './announcer.js';
import { byId } from './elements.js';
import { lastSetup } from './newgame.js';
import { text } from './strings.js';
import { fetchView } from './views.js';

/**
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').PlayerInfo} PlayerInfo
 */

const gameChoice = byId('game', HTMLSelectElement);
const stage = byId('play', HTMLElement);
const matches = byId('arena', HTMLElement);

export class Router {
  /** The matches, once they were asked for. @type {import('../matches/arena.js').Arena | null} */
  arena = null;
  #server;
  #games;
  #play;
  #shown;
  /** By game. @type {Map<string, PlayerInfo[]>} */
  #players = new Map();
  /** Counts the games that were asked for: a later one supersedes one that is still loading. */
  #requests = 0;

  /**
   * @param {import('./server.js').Server} server
   * @param {GameInfo[]} games
   * @param {import('./play.js').Play} play
   * @param {() => void} shown called when a game of a match is on the board
   */
  constructor(server, games, play, shown) {
    this.#server = server;
    this.#games = games;
    this.#play = play;
    this.#shown = shown;
    window.addEventListener('hashchange', () => void this.follow());
  }

  /** Shows what the address asks for. */
  async follow() {
    const { hash } = location;
    const play = this.#play;
    if (!/^#(matches|match|event|game)\b/.test(hash)) {
      this.#showBoard(true);
      if (play.replay || !play.shown) await this.enter(play.game);
      return;
    }
    if (!this.arena) {
      const { Arena } = await import('../matches/arena.js');
      this.arena ??= await Arena.open(this.#server, this.#games, matches);
    }
    if (location.hash !== hash) return;
    const found = await this.arena.show(hash);
    if (location.hash !== hash) return;
    if (found) {
      if (!(await this.#loadGame(found.game))) return;
      await play.show(found.game, found.replay);
      if (location.hash !== hash) return;
    }
    this.#showBoard(found !== null);
    if (found) this.#shown();
  }

  /** @param {boolean} board whether the board is shown, or the matches */
  #showBoard(board) {
    matches.hidden = board;
    stage.hidden = !board;
    if (board) this.arena?.leave();
  }

  /** Leaves the matches for the visitor's own game. */
  leaveMatches() {
    if (location.hash) history.pushState(null, '', location.pathname);
    this.#showBoard(true);
  }

  /**
   * Shows a game: the stored one, or a new one with the last setup.
   * @param {GameInfo} game
   */
  async enter(game) {
    this.leaveMatches();
    const wanted = await this.#loadGame(game);
    if (!wanted) return;
    const restored = await this.#play.restore(game, wanted);
    if (restored || !wanted()) return;
    if (restored === false) notify(text('said.lost'));
    await this.#play.start(game, this.setup(game));
  }

  /**
   * Prepares for a new game, whose view is loaded: a game that is still loading is no longer wanted.
   * @param {GameInfo} game
   */
  supersede(game) {
    this.#requests += 1;
    this.leaveMatches();
    gameChoice.value = game.name;
  }

  /**
   * The last setup of a game.
   * @param {GameInfo} game
   */
  setup(game) {
    return lastSetup(game, this.#players.get(game.name) ?? []);
  }

  /**
   * The players of a game; none if another game was asked for in the meantime.
   * @param {GameInfo} game
   */
  async playersOf(game) {
    if (!this.#players.has(game.name)) await this.#loadGame(game);
    return this.#players.get(game.name) ?? [];
  }

  /**
   * Fetches what a game needs to be shown.
   * @param {GameInfo} game
   * @returns {Promise<(() => boolean) | null>} whether the game is still wanted; null if it is not any more
   */
  async #loadGame(game) {
    this.#requests += 1;
    const request = this.#requests;
    const wanted = () => request === this.#requests;
    gameChoice.value = game.name;
    try {
      await fetchView(game.view);
      if (!this.#players.has(game.name)) {
        this.#players.set(game.name, (await this.#server.ask('players', { game: game.name })).players);
      }
    } catch (why) {
      if (wanted()) gameChoice.value = this.#play.game.name;
      throw why;
    }
    return wanted() ? wanted : null;
  }
}
