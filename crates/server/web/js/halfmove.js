// The state between the two halves of a move, in games whose turns have two halves: its cells are placed, and the board
// has not changed yet. After another player's move this state is shown for a while; when stepping through a game, each
// half is a step of its own.

import { isStill } from './settings.js';

/**
 * @typedef {import('./server.js').Board} Board
 * @typedef {import('./views.js').Build} Build
 */

/** How long the state between the halves of another player's move is shown. */
const WAIT_MS = 900;

export class HalfMove {
  #play;
  #build;
  #redraw;
  /** The ply whose move is shown between its halves; −1 for none. */
  #ply = -1;
  #timer = 0;
  /** The board that was made last, and of which move. @type {{before: Board, ply: number, board: Board} | null} */
  #made = null;

  /**
   * @param {import('./play.js').Play} play
   * @param {Build} build of the game that is played
   * @param {() => void} redraw called when the wait is over
   */
  constructor(play, build, redraw) {
    this.#play = play;
    this.#build = build;
    this.#redraw = redraw;
  }

  /** Whether another player's move is still shown between its halves. */
  get waiting() {
    return this.#ply >= 0;
  }

  /**
   * Shows the move that led to a ply between its halves for a while, if another player made it: a person has seen the
   * own move while building it.
   * @param {number} ply −1 for none
   */
  wait(ply) {
    const { at, moves, players } = this.#play;
    clearTimeout(this.#timer);
    const others = ply > 0 && ply === at && players[moves[ply - 1].side] !== null;
    this.#ply = others && !isStill() ? ply : -1;
    if (!this.waiting) return;
    this.#timer = setTimeout(() => {
      this.#ply = -1;
      this.#redraw();
    }, WAIT_MS);
  }

  /** The board between the two halves of the move that led to the ply on the board; null where that is not shown. */
  get board() {
    const { at, before, halfway, moves } = this.#play;
    if (!before || !(halfway || this.#ply === at)) return null;
    if (this.#made?.before !== before.board || this.#made.ply !== at) {
      const cells = this.#build.cells(moves[at - 1].text) ?? [];
      this.#made = { before: before.board, ply: at, board: this.#build.place(before.board, before.side, cells) };
    }
    return this.#made.board;
  }
}
