// How each game looks, and what its pieces are called. A view is all that the page knows of a game; a game without its
// own gets `grid`. A visitor fetches the views of the games that are played: each is a module and a sheet of its name.

import { el } from './elements.js';
import { learn } from './strings.js';

/**
 * @typedef {import('./server.js').Side} Side
 * @typedef {{from: string, to: string}} Path `from` names a cell, or a kind of piece in the mover's hand; `to` a cell
 * @typedef {{
 *   ground: (width: number, height: number) => SVGElement[],
 *   piece: (piece: string, owner: Side | null) => SVGElement,
 *   last?: () => SVGElement,
 *   path?: (move: string) => Path | null,
 *   facing?: boolean,
 *   exact?: boolean,
 *   words?: Record<string, Record<string, string>>,
 * }} View
 *   A cell is 100 units wide and high. `ground` draws what lies below the lines between the cells, from 0,0 at the top
 *   left; `piece` draws a piece around 0,0, and `last` the mark of a cell of the last move, if not a frame.
 *
 *   `path` takes the text of a move apart, in games where a piece is picked up and put down; elsewhere a move is the
 *   name of the cell that is pressed. No two legal moves share a path. With `facing` the first side sits below: pieces
 *   are drawn as their owner sees them and the second side's are turned. With `exact` the exact value of every move is
 *   quick to have, where the server can solve the game. `words` are the game's own, by language and key; they go
 *   before the page's.
 */

/** @type {Record<string, () => Promise<View>>} */
const VIEWS = {
  grid: async () => (await import('../views/grid.js')).view,
  othello: async () => (await import('../views/othello.js')).view,
  dobutsu: async () => (await import('../views/dobutsu.js')).view,
  'dobutsu-article': async () => (await import('../views/dobutsu.js')).article,
};

/** The views that were asked for and have not failed. @type {Map<string, Promise<void>>} */
const fetched = new Map();
/** @type {Map<string, {view: View, sheet: HTMLLinkElement}>} */
const loaded = new Map();

/** @param {string | undefined} asked */
const known = (asked) => (asked && Object.hasOwn(VIEWS, asked) ? asked : 'grid');

/**
 * Fetches a view, so that it can be worn. One that could not be had is fetched again when it is asked for again.
 * @param {string | undefined} asked
 * @returns {Promise<void>}
 */
export function fetchView(asked) {
  const name = known(asked);
  const view = fetched.get(name) ?? load(name);
  fetched.set(name, view);
  return view;
}

/** @param {string} name */
async function load(name) {
  // A variant is dressed as its game.
  const sheet = el('link', { rel: 'stylesheet', href: `views/${name.split('-')[0]}.css`, media: 'not all' });
  const styled = new Promise((resolve, reject) => {
    sheet.onload = resolve;
    sheet.onerror = reject;
  });
  document.head.append(sheet);
  try {
    const [view] = await Promise.all([VIEWS[name](), styled]);
    loaded.set(name, { view, sheet });
  } catch (why) {
    sheet.remove();
    fetched.delete(name);
    throw why;
  }
}

/**
 * The words of a view that was fetched, by language.
 * @param {string | undefined} asked
 */
export const wordsOf = (asked) => loaded.get(known(asked))?.view.words ?? {};

/**
 * Gives the page the look and the words of a view that was fetched.
 * @param {string | undefined} asked
 * @returns {View}
 */
export function wear(asked) {
  const name = known(asked);
  for (const [each, { sheet }] of loaded) sheet.media = each === name ? 'all' : 'not all';
  const worn = loaded.get(name);
  if (!worn) throw new Error(`the view ${name} was not fetched`);
  learn(worn.view.words ?? {});
  return worn.view;
}
