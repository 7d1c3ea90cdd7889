// Moves of two steps: a piece is picked up, from a cell or from a hand, and put down on a cell.

/** @typedef {import('./views.js').View} View */

export class Pick {
  /** Where the piece comes from that is held: a cell's name, or a kind of piece in the mover's hand. @type {string | null} */
  held = null;
  /** The legal moves by where they start, then by where they end. @type {Map<string, Map<string, string>>} */
  #starts = new Map();

  /**
   * Takes the legal moves of another position; what was held is let go.
   * @param {string[]} moves
   * @param {NonNullable<View['path']>} path
   */
  follow(moves, path) {
    this.held = null;
    this.#starts.clear();
    for (const move of moves) {
      const way = path(move);
      if (!way) continue;
      const ends = this.#starts.get(way.from) ?? new Map();
      this.#starts.set(way.from, ends.set(way.to, move));
    }
  }

  /**
   * Where the piece may go that starts there, and the moves that take it there; empty if it may not move.
   * @param {string | null} from
   * @returns {Map<string, string>}
   */
  ends(from) {
    return this.#starts.get(from ?? '') ?? new Map();
  }
}
