// What the address asks for: the board, a shared game, the list of matches, one game of a match, an experiment, the rules
// or the lesson of a game, or the start page. And what a game needs before it can be shown: its view and its list of players.

import { byId } from './elements.js';
import { settings } from './settings.js';
import { lastSetup } from './setup.js';
import { fetchView, hasRules } from './views.js';

/**
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').PlayerInfo} PlayerInfo
 */

/** The level at which a visitor first plays, as a fraction of the way from the lowest to the highest. */
const EASY = 0;

const gameChoice = byId('game', HTMLSelectElement);
const stage = byId('play', HTMLElement);
const board = byId('board', HTMLElement);
const matches = byId('arena', HTMLElement);
const lab = byId('lab', HTMLElement);
const rules = byId('rules', HTMLElement);
const start = byId('start', HTMLElement);

export class Router {
  /** The matches, once they were asked for. @type {import('../matches/arena.js').Arena | null} */
  arena = null;
  /** The experiments, once they were asked for. @type {import('../lab/lab.js').Laboratory | null} */
  lab = null;
  /** The rules, once they were asked for. @type {import('../rules/page.js').RulesPage | null} */
  rules = null;
  /** The lessons, once one was asked for. @type {import('../lesson/lesson.js').Lesson | null} */
  lesson = null;
  /** The start page, once it was asked for. @type {import('../start/page.js').StartPage | null} */
  start = null;
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
    window.addEventListener('hashchange', () => {
      for (const dialog of document.querySelectorAll('dialog')) dialog.close();
      void this.follow();
    });
  }

  /** Shows the visitor's own game, which was on the board last. */
  async #showOwn() {
    const play = this.#play;
    const back = stage.hidden;
    this.#showPart(stage);
    if (back) board.focus();
    if (play.replay || play.lesson || !play.shown) {
      const game = this.#games.find(({ name }) => name === settings.game) ?? play.game;
      await this.enter(game, { level: play.lesson ? EASY : undefined });
    } else play.dispatchEvent(new Event('change'));
  }

  /** Shows what the address asks for. */
  async follow() {
    // So that the way back from the first game leads to the start page.
    if (!location.hash && !settings.game) history.replaceState(null, '', '#start');
    const { hash } = location;
    if (hash.startsWith('#rules')) return this.#showRules(hash);
    if (hash.startsWith('#lesson')) return this.#teach(hash);
    if (hash.startsWith('#lab')) return this.#showLab(hash);
    if (hash.startsWith('#play')) return this.#openLink(hash);
    if (hash === '#games') {
      this.leaveMatches();
      void this.openGames();
    }
    if (hash === '#start') return this.#showStart(hash);
    if (!/^#(matches|match|event|game)\b/.test(hash)) return this.#showOwn();
    if (!this.arena) {
      const { Arena } = await import('../matches/arena.js');
      this.arena ??= await Arena.open(this.#server, this.#games, matches);
    }
    if (location.hash !== hash) return;
    const found = await this.arena.show(hash, () => this.#showPart(matches));
    if (location.hash !== hash || !found || !(await this.#loadGame(found.game))) return;
    await this.#play.show(found.game, found.replay);
    if (location.hash !== hash) return;
    this.#showPart(stage);
    this.#shown();
  }

  /**
   * Opens a shared game. The address is left: from then on the game is the visitor's own.
   * @param {string} hash
   */
  async #openLink(hash) {
    history.replaceState(null, '', location.pathname);
    await this.#showOwn();
    const { openLink } = await import('../record/part.js');
    const found = await openLink(hash, this.#server, this.#games);
    if (!found) return;
    await this.enter(found.game, { kept: found.kept });
    this.#shown();
  }

  /**
   * Begins the lesson that the address asks for.
   * @param {string} hash
   */
  async #teach(hash) {
    const name = new URLSearchParams(hash.slice(1)).get('lesson');
    const game = this.#games.find((game) => game.name === name && hasRules(game.name));
    if (!game) return this.#showOwn();
    const { Lesson } = await import('../lesson/lesson.js');
    this.lesson ??= await Lesson.open(this.#play);
    if (!(await this.#loadGame(game)) || location.hash !== hash) return;
    this.#showPart(stage);
    await this.lesson.begin(game);
  }

  /** Shows the list of the visitor's games. */
  async openGames() {
    const { openGames } = await import('../record/part.js');
    openGames(this.#games, (game, kept) => void this.enter(game, { kept }));
  }

  /** @param {HTMLElement} part the part of the page that is shown: the board, the matches, the laboratory, the rules or the start page */
  #showPart(part) {
    for (const each of [stage, matches, lab, rules, start]) each.hidden = each !== part;
    // A clock does not run while the board is out of sight.
    if (part !== stage && this.#play.clock && !this.#play.paused) void this.#play.setPaused(true);
    if (part !== matches) this.arena?.leave();
    if (part !== lab) this.lab?.leave();
    if (part !== start) this.start?.leave();
  }

  /** @param {string} hash */
  async #showStart(hash) {
    if (!this.#play.shown) stage.hidden = true;
    if (!this.start) {
      const { StartPage } = await import('../start/page.js');
      this.start ??= await StartPage.open(this.#server, this.#games, start, (game) => void this.enter(game, { level: EASY }).then(() => board.focus()));
    }
    if (location.hash !== hash) return;
    this.#showPart(start);
    this.start.show();
    if (settings.game) start.focus();
  }

  /** @param {string} hash */
  async #showRules(hash) {
    if (!this.rules) {
      const { RulesPage } = await import('../rules/page.js');
      this.rules ??= await RulesPage.open(this.#server, this.#games, rules);
    }
    if (location.hash !== hash || !(await this.rules.show(hash))) return;
    this.#showPart(rules);
    rules.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  /** @param {string} hash */
  async #showLab(hash) {
    if (!this.lab) {
      const { Laboratory } = await import('../lab/lab.js');
      this.lab ??= await Laboratory.open(this.#server, this.#games, lab);
    }
    if (location.hash !== hash) return;
    this.#showPart(lab);
    await this.lab.show(hash);
  }

  /** Leaves the matches for the visitor's own game. */
  leaveMatches() {
    if (location.hash) history.pushState(null, '', location.pathname);
    this.#showPart(stage);
  }

  /**
   * Shows a game: the stored one, or a new one with the last setup.
   * @param {GameInfo} game
   * @param {{kept?: import('./play.js').Kept, level?: number}} [wishes] `kept`: shown instead of the stored one; `level`:
   *   of the opponent in the first setup, as a fraction
   */
  async enter(game, { kept, level } = {}) {
    this.leaveMatches();
    const wanted = await this.#loadGame(game);
    if (!wanted) return;
    const restored = await this.#play.restore(game, wanted, kept);
    const part = restored === false && (await import('../record/part.js'));
    if (restored || !wanted()) return;
    if (part) part.replaceLost(game.name);
    await this.#play.start(game, this.setup(game, level));
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
   * @param {number} [level] as a fraction, if there is none
   */
  setup(game, level) {
    return lastSetup(game, this.#players.get(game.name) ?? [], level);
  }

  /**
   * The players of a game, as far as they are known.
   * @param {GameInfo} game
   */
  known(game) {
    return this.#players.get(game.name) ?? [];
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
      const asked = this.#players.has(game.name) ? null : this.#server.ask('players', { game: game.name });
      const [answer] = await Promise.all([asked, fetchView(game.view)]);
      if (answer) this.#players.set(game.name, answer.players);
    } catch (why) {
      if (wanted()) gameChoice.value = this.#play.game.name;
      throw why;
    }
    return wanted() ? wanted : null;
  }
}
