// What the editor knows of each game: its pieces, and how a position is written.

/**
 * @typedef {import('../js/server.js').Board} Board
 * @typedef {import('../js/server.js').Cell} Cell
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {import('../js/server.js').Side} Side
 * @typedef {Record<string, number | boolean | string>} More what belongs to a position beside its cells, by name
 * @typedef {{board: Board, side: Side, more: More}} Draft a position while it is edited
 * @typedef {{piece: string | null, owner: Side | null, terrain?: string}} Tool what a press puts on a cell; without a piece and a
 *   terrain it empties the cell
 * @typedef {{name: string, min?: number, max?: number, label: (sides: Record<Side, string>) => string, brush?: boolean}} Field
 *   a number, or a switch where it has no bounds; with `brush` it belongs to what is put on cells, not to the position
 * @typedef {{text: string, places: number[]}} Written `places`: by cell the offset of its text, or −1
 * @typedef {{
 *   tools: (board: Board) => Tool[],
 *   fields?: Field[],
 *   legend?: () => string,
 *   read?: (shown: Shown) => More,
 *   put?: (cell: Cell, more: More) => Cell,
 *   turn?: (more: More, side: Side) => More,
 *   side?: (more: More) => Side,
 *   hands?: (more: More) => string[][],
 *   left?: (shown: Shown, view: import('../js/views.js').View, sides: Record<Side, string>) => HTMLElement[],
 *   cleared?: More,
 *   write: (draft: Draft) => Written,
 * }} Writer
 *   `legend` is over the fields of the position; `read` takes what is beside the cells from a position; `put` completes a cell that gets a piece; `turn` follows a change of
 *   the side to move and `side` one of the fields, where one determines the other; `hands` are the pieces in hand to be drawn,
 *   `left` what shows beside the board those of a valid position; `cleared` what changes when the board is cleared.
 */

/** By view. @type {Record<string, () => Promise<Writer>>} */
const WRITERS = {
  othello: async () => (await import('./othello.js')).writer,
  dobutsu: async () => (await import('./dobutsu.js')).writer,
  'dobutsu-article': async () => (await import('./dobutsu.js')).writer,
  golad: async () => (await import('./golad.js')).writer,
  blokus: async () => (await import('./blokus.js')).writer,
  tubstap: async () => (await import('./tubstap.js')).writer,
};

/**
 * @param {string} view
 * @returns {Promise<Writer>}
 */
export const fetchWriter = (view) => WRITERS[view]();

/** Whether positions of a game with this view can be written. @param {string} view */
export const isWritten = (view) => Object.hasOwn(WRITERS, view);

/** @type {Side[]} */
export const SIDES = ['first', 'second'];

/**
 * One kind of piece for both sides.
 * @param {string} piece
 * @returns {Tool[]}
 */
export const forBoth = (piece) => SIDES.map((owner) => ({ piece, owner }));

/**
 * The rows of a board, each cell as one text, and where the cells begin.
 * @param {Board} board
 * @param {(cell: Cell) => string} letter
 * @param {string} separator between rows
 * @returns {Written}
 */
export function writeRows({ cells, width }, letter, separator) {
  let text = '';
  const places = cells.map((cell, i) => {
    if (i && i % width === 0) text += separator;
    const at = text.length;
    text += letter(cell);
    return at;
  });
  return { text, places };
}
