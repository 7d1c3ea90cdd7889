// A picture of a position for pages beside the board. It is drawn as the board is, but in a shadow tree that has the style
// sheets of its own game, so that one page can have pictures of several games.

import { el, fetchSheet, svg } from './elements.js';
import { badge, slots, TRAY } from './hands.js';
import { CELL, drawCoordinates, drawGround, drawLabels, drawLines, drawTerrain, marksOf, measure } from './picture.js';
import { fetchLook } from './views.js';

/**
 * @typedef {import('./server.js').Board} Board
 * @typedef {import('./server.js').Side} Side
 * @typedef {import('./views.js').View} View
 * @typedef {{part?: [number, number, number, number], legal?: boolean, arrows?: [string, string][], rings?: string[],
 *   crosses?: string[], dots?: string[]}} Drawing
 *   `part`: the columns and rows to be seen, as left, top, width and height in cells; `legal`: whether legal moves are
 *   marked; arrows from one cell to another; marks on cells
 */

/** @type {Map<HTMLLinkElement, CSSStyleSheet>} */
const copies = new Map();

const own = fetchSheet('js/figure.css', 'not all');

/**
 * A style sheet of the page as shadow trees can use it.
 * @param {HTMLLinkElement} link
 */
function copyOf(link) {
  const copy = copies.get(link) ?? new CSSStyleSheet();
  if (!copies.has(link)) copy.replaceSync([...(link.sheet?.cssRules ?? [])].map((rule) => rule.cssText).join(''));
  copies.set(link, copy);
  return copy;
}

/**
 * An empty picture for positions of a game. It is hidden from screen readers: the text beside it says
 * what it shows.
 * @param {string | undefined} name of the view
 */
export async function createFigure(name) {
  const [{ view, sheet }] = await Promise.all([fetchLook(name), own.styled]);
  const host = el('div', { class: 'picture', 'aria-hidden': 'true' });
  const page = /** @type {HTMLLinkElement} */ (document.querySelector('link[href="style.css"]'));
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [page, sheet, own.sheet].map(copyOf);
  return {
    host,
    view,
    /**
     * @param {Board} board
     * @param {Side} side to move
     * @param {Drawing} [drawing]
     */
    draw(board, side, drawing = {}) {
      root.replaceChildren(el('div', { class: 'board', 'data-side': side }, drawPosition(board, view, drawing)));
      const { wide, high } = measure(board);
      host.style.setProperty('--ratio', String(drawing.part ? drawing.part[2] / drawing.part[3] : wide / high));
    },
  };
}

/**
 * @param {Board} board
 * @param {View} view
 * @param {Drawing} drawing
 */
function drawPosition(board, view, { part, legal, arrows = [], ...marks }) {
  const { width, cells } = board;
  const places = cells.map(({ at }, i) => ({ at, x: ((i % width) + 0.5) * CELL, y: (Math.floor(i / width) + 0.5) * CELL, size: CELL }));
  const placeOf = (/** @type {string} */ at) => places.find((place) => place.at === at) ?? places[0];
  const picture = drawGround(board, view);
  const pieces = cells.flatMap(({ piece, owner, tags }, i) => {
    if (piece === null) return [];
    const about = { transform: `translate(${places[i].x} ${places[i].y})`, class: tags.includes('acted') ? 'spent' : '' };
    return svg('g', about, svg('g', { transform: facing(view, owner) }, view.piece(piece, owner)));
  });
  const tagged = cells.flatMap((cell, i) => marksOf(places[i], cell.tags.filter((tag) => tag !== 'legal' || legal), undefined, cell, view, facing(view, cell.owner) !== ''));
  const own = [
    ...(marks.dots ?? []).map((at) => put(placeOf(at), 'dot', 'M0 0h.01')),
    ...(marks.rings ?? []).map((at) => put(placeOf(at), 'round', 'M-44 0a44 44 0 1 0 88 0a44 44 0 1 0-88 0z')),
    ...(marks.crosses ?? []).map((at) => put(placeOf(at), 'no', 'M-22-22 22 22M-22 22 22-22')),
    ...arrows.map(([from, to]) => arrow(placeOf(from), placeOf(to))),
  ];
  picture.append(...drawTerrain(board, places, view), drawLines(board), ...drawCoordinates(board, places, view));
  picture.append(...pieces, ...drawLabels(board, places), ...drawHands(board, view), ...tagged, ...own);
  if (part) picture.setAttribute('viewBox', part.map((n) => n * CELL).join(' '));
  return picture;
}

/** @param {View} view @param {Side | null} owner */
const facing = (view, owner) => (view.facing && owner === 'second' ? 'rotate(180)' : '');

/** @param {Board} board @param {View} view */
function drawHands(board, view) {
  const { across, down, margin } = measure(board);
  const middle = margin + TRAY / 2;
  return slots(board, down, -middle, across + middle, false).map((slot) => {
    const { side, piece, x, y, size } = slot;
    const face = svg('g', { transform: `scale(${(size / CELL) * 0.96}) ${facing(view, side)}` }, view.piece(piece, side));
    return svg('g', { transform: `translate(${x} ${y})` }, face, ...badge(slot));
  });
}

/**
 * A mark with a light edge, which is seen on every ground.
 * @param {{x: number, y: number}} place
 * @param {string} name
 * @param {string} d
 */
function put({ x, y }, name, d) {
  const about = { transform: `translate(${x} ${y})`, class: `guide ${name}` };
  return svg('g', about, svg('path', { class: 'edge', d }), svg('path', { class: 'core', d }));
}

/** @param {{x: number, y: number}} from @param {{x: number, y: number}} to */
function arrow(from, to) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  const [far, turn] = [length - 16, (Math.atan2(dy, dx) * 180) / Math.PI];
  const mark = put(from, 'arrow', `M20 0H${far}M${far - 20}-17 ${far} 0l-20 17`);
  mark.setAttribute('transform', `translate(${from.x} ${from.y}) rotate(${turn})`);
  return mark;
}
