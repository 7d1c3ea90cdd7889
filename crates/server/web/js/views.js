// How each game is drawn, and the names of its pieces. A view contains everything that the page knows about a game;
// games without a view of their own use `grid`. Views are fetched when their games are played: each is a module and a
// style sheet of its name, and a module with its words.

import { fetchSheet } from './elements.js';
import { setGameWords } from './strings.js';

/**
 * @typedef {import('./server.js').Side} Side
 * @typedef {import('./server.js').Board} Board
 * @typedef {import('./server.js').Cell} Cell
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./board.js').Value} Value
 * @typedef {{from: string, to: string}} Path `from` names a cell, or a kind of piece in the mover's hand; `to` a cell
 * @typedef {{
 *   example: string,
 *   pass: string,
 *   cells: (move: string) => string[] | null,
 *   place: (board: Board, side: Side, cells: string[]) => Board,
 *   count: (board: Board) => [number, number],
 *   choose: (board: Board, side: Side, chosen: string[], at: string) => string[] | string,
 *   move: (board: Board, chosen: string[]) => string | null,
 *   ask: (board: Board, chosen: string[]) => string,
 *   said: (move: string) => string,
 *   facts: (board: Board) => string,
 *   sketch: (points: {x: number, y: number}[], value: Value | undefined) => SVGElement[],
 * }} Build
 *   What the page knows of a game whose moves are built cell by cell and are too many to be listed, and whose turn has
 *   two halves: the cells of the move are placed, then the board changes by itself. `example` and `pass` are moves.
 *   `cells` are those of a move, in the order of its text; `place` the board with them placed, marked with what is about
 *   to happen; `count` the pieces of both sides once it has. While a move is built, `choose` says what is chosen once a
 *   cell is pressed, or why it cannot be; `move` the move, if it is whole; `ask` what to choose next. `said` is a move in
 *   words, `facts` a line below the board, `sketch` the picture of an engine's move, over the middles of its cells.
 * @typedef {{
 *   shapes: Record<string, [number, number][]>,
 *   square: (owner: Side) => SVGElement,
 *   cells: (move: string) => string[] | null,
 *   said: (move: string) => string,
 *   covers: (move: string) => string,
 *   ask: (piece: string | null, count?: number, all?: number) => string,
 *   misfit: (at: string) => string,
 *   stuck: (piece: string) => string,
 *   action: (name: string) => string,
 *   name: (piece: string, count: number | null) => string,
 *   sketch: (points: {x: number, y: number}[], value: Value | undefined) => SVGElement[],
 * }} Pieces
 *   What the page knows of a game whose pieces cover several cells and may be turned and mirrored. `shapes` are the cells of
 *   each piece in hand, columns to the right and rows downwards; `square` draws one of them around 0,0; `cells` are those
 *   of a move in any order. The others are words: of a move (`said`); of what it covers (`covers`); of the piece that is
 *   held, with the number of its placements as it is turned and in all (`ask`); of a cell where it does not fit
 *   (`misfit`); of a piece that fits nowhere (`stuck`); of a button (`action`); of a piece in hand, with the number of
 *   placements if it is the mover's (`name`). `sketch` is the picture of an engine's move.
 * @typedef {{
 *   end: string,
 *   pace: number,
 *   read: (move: string) => import('./orders.js').Action | null,
 *   write: (action: import('./orders.js').Action) => string,
 *   word: (key: string, args?: Record<string, unknown>) => string,
 *   named: (kind: unknown, number: unknown) => string,
 *   said: (move: string, board: Board) => string,
 *   facts: (board: Board, from: string) => string,
 *   summary: (board: Board) => string,
 * }} Units
 *   What the page knows of a game whose units act one after the other in a turn: each goes to a cell and may attack an enemy
 *   from there. `end` is the move that ends the turn, `pace` the milliseconds between two actions of an engine; `read` takes
 *   a move apart, and `write` puts it together. The others are words: of the orders (`word`); of a unit by its kind and
 *   number (`named`); of a move on the board before or after it (`said`); a line below the board (`facts`) and one on a
 *   position to begin with (`summary`).
 * @typedef {{
 *   ground: (width: number, height: number) => SVGElement[],
 *   piece: (piece: string, owner: Side | null) => SVGElement,
 *   terrain?: (name: string, beside: (string | null | undefined)[]) => SVGElement[],
 *   last?: () => SVGElement,
 *   drawn?: (play: import('./play.js').Play) => Promise<void>,
 *   mark?: (tag: string, cell: Cell) => SVGElement | null,
 *   path?: (move: string) => Path | null,
 *   build?: Build,
 *   pieces?: Pieces,
 *   units?: Units,
 *   facing?: boolean,
 *   exact?: boolean,
 *   written?: (text: string) => string,
 *   read?: (typed: string) => string,
 *   said?: (move: string, board: Board) => string,
 *   words?: Record<string, Record<string, string>>,
 *   Exact?: typeof import('./exact.js').Exact,
 *   Pick?: typeof import('./pick.js').Pick,
 *   Draft?: typeof import('./draft.js').Draft,
 *   Hold?: typeof import('./hold.js').Hold,
 *   Orders?: typeof import('./orders.js').Orders,
 *   HalfMove?: typeof import('./halfmove.js').HalfMove,
 * }} View
 *   A cell is 100 units wide and high. `ground` draws what lies below the lines between the cells, from 0,0 at the top
 *   left; `terrain` draws that of a cell around 0,0, with the terrains above, to the right, below and to the left of it; `piece`
 *   draws a piece around 0,0, `last` the mark of a cell of the last move, if not a frame, and `mark` that of
 *   a tag of the game's own.
 *
 *   `drawn` is called when the list of moves has been drawn.
 *
 *   `path` takes the text of a move apart, in games where a piece is picked up and put down; elsewhere a move is the
 *   name of the cell that is pressed. No two legal moves share a path. With `facing` the first side is at the bottom: pieces
 *   are drawn as their owner sees them and the second side's are turned. With `exact` the exact value of every move is
 *   quick to have, where the server can solve the game. `written` is a move, or the name of a cell, a row or a column, in the
 *   notation of the page's language, `read` what is typed in it and is no legal move, and `said` a move on the board after it. What is needed to play is added when the view is fetched: the
 *   game's own `words`, by language and key, and what only games with `path`, `exact`, `build`, `pieces` or `units` need.
 */

/** @type {Record<string, () => Promise<View>>} */
const VIEWS = {
  grid: async () => (await import('../views/grid.js')).view,
  othello: async () => (await import('../views/othello.js')).view,
  dobutsu: async () => (await import('../views/dobutsu.js')).view,
  'dobutsu-article': async () => (await import('../views/dobutsu.js')).article,
  golad: async () => (await import('../views/golad.js')).view,
  blokus: async () => (await import('../views/blokus.js')).view,
  tubstap: async () => (await import('../views/tubstap.js')).view,
};

/** The words of the games, which a picture of a game does without. @type {Record<string, () => Promise<Pick<View, 'words'>>>} */
const WORDS = {
  othello: () => import('../views/words/othello.js'),
  dobutsu: () => import('../views/words/dobutsu.js'),
  golad: () => import('../views/words/golad.js'),
  blokus: () => import('../views/words/blokus.js'),
  tubstap: () => import('../views/words/tubstap.js'),
};

/** A variant has the style sheet and the words of its game. @param {string} name */
const home = (name) => name.split('-')[0];

/**
 * A view with what is needed to play, some of it only in some games.
 * @param {string} name
 * @returns {Promise<View>}
 */
async function whole(name) {
  const [view, own] = await Promise.all([VIEWS[name](), WORDS[home(name)]?.()]);
  const [pick, exact, draft, half, hold, orders] = await Promise.all([
    view.path ? import('./pick.js') : null,
    view.exact ? import('./exact.js') : null,
    view.build ? import('./draft.js') : null,
    view.build ? import('./halfmove.js') : null,
    view.pieces ? import('./hold.js') : null,
    view.units ? import('./orders.js') : null,
  ]);
  const parts = { Pick: pick?.Pick, Exact: exact?.Exact, Draft: draft?.Draft, HalfMove: half?.HalfMove, Hold: hold?.Hold };
  return { ...view, ...parts, Orders: orders?.Orders, words: own?.words };
}

/** @typedef {{view: View, sheet: HTMLLinkElement}} Look a view with its style sheet */

/** Without what is needed to play; those that were asked for and have not failed. @type {Map<string, Promise<Look>>} */
const looks = new Map();
/** The views that were asked for and have not failed. @type {Map<string, Promise<void>>} */
const fetched = new Map();
/** @type {Map<string, Look>} */
const loaded = new Map();

/** @param {string | undefined} asked */
const known = (asked) => (asked && Object.hasOwn(VIEWS, asked) ? asked : 'grid');

/**
 * Whether there is a page with the rules of a game, and a lesson: of each game that has a view of its own.
 * @param {string} game
 */
export const hasRules = (game) => game !== 'grid' && Object.hasOwn(VIEWS, game);

/**
 * Fetches a view, so that it can be applied. After a failure it is fetched again at the next request.
 * @param {string | undefined} asked
 * @returns {Promise<void>}
 */
export function fetchView(asked) {
  const name = known(asked);
  const view = fetched.get(name) ?? load(name);
  fetched.set(name, view);
  return view;
}

/** Moves and positions in words: there once a view was fetched. @type {typeof import('./spoken.js')} */
export let spoken;

/** @param {string} name */
async function load(name) {
  try {
    const [{ sheet }, view, said] = await Promise.all([fetchLook(name), whole(name), import('./spoken.js')]);
    spoken = said;
    loaded.set(name, { view, sheet });
  } catch (why) {
    fetched.delete(name);
    throw why;
  }
}

/**
 * Fetches how a game looks, without what is needed to play it. After a failure it is fetched again at the next request.
 * @param {string | undefined} asked
 * @returns {Promise<Look>}
 */
export function fetchLook(asked) {
  const name = known(asked);
  const look = looks.get(name) ?? loadLook(name);
  looks.set(name, look);
  return look;
}

/** @param {string} name */
async function loadLook(name) {
  const { sheet, styled } = fetchSheet(`views/${home(name)}.css`, 'not all');
  try {
    const [view] = await Promise.all([VIEWS[name](), styled]);
    return { view, sheet };
  } catch (why) {
    sheet.remove();
    looks.delete(name);
    throw why;
  }
}

/**
 * The words of a view that was fetched, by language.
 * @param {string | undefined} asked
 */
export const wordsOf = (asked) => loaded.get(known(asked))?.view.words ?? {};

/**
 * Applies the style sheet and the words of a view that was fetched.
 * @param {string | undefined} asked
 * @returns {View}
 */
export function applyView(asked) {
  const name = known(asked);
  for (const [each, { sheet }] of loaded) sheet.media = each === name ? 'all' : 'not all';
  const applied = loaded.get(name);
  if (!applied) throw new Error(`the view ${name} was not fetched`);
  setGameWords(applied.view.words ?? {}, applied.view.written);
  return applied.view;
}
