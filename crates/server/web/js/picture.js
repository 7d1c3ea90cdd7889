// The picture of a board without its pieces: below them the frame, the trays of the hands, the terrain of the cells,
// the lines between them and the names of columns and rows; over them labels and marks.

import { svg } from './elements.js';
import { RIM, TRAY } from './hands.js';

/** @typedef {import('./server.js').Board} Board */

/** The width of a cell in the picture. */
export const CELL = 100;
/** The frame around the board, as a part of its longer edge. */
const FRAME = 0.058;
/** Shades of terrain: with more terrains than these, some differ by their names alone. */
const SHADES = 6;
/** A label is read over pieces of any colour. */
const LABEL = {
  class: 'cell-label',
  'font-size': 28,
  'text-anchor': 'end',
  fill: 'CanvasText',
  stroke: 'Canvas',
  'stroke-width': 6,
  'paint-order': 'stroke',
};

/**
 * The measures of the picture: of the cells, of the frame about them with and without trays, and of all.
 * @param {Board} board
 */
export function measure({ width, height, hands }) {
  const [across, down] = [width * CELL, height * CELL];
  const margin = Math.max(across, down) * FRAME;
  const beside = hands.length ? margin + TRAY + RIM : margin;
  return { across, down, margin, beside, wide: across + 2 * beside, high: down + 2 * margin };
}

/**
 * The picture with everything below the terrain and the pieces.
 * @param {Board} board
 * @param {import('./views.js').View} view
 */
export function drawGround(board, view) {
  const { width, height, hands } = board;
  const { across, down, margin, beside, wide, high } = measure(board);
  const trays = hands.map((_, i) =>
    svg('rect', { class: 'tray', x: i ? across + margin : -margin - TRAY, width: TRAY, height: down, rx: 8 }),
  );
  return svg(
    'svg',
    { viewBox: `${-beside} ${-margin} ${wide} ${high}`, 'aria-hidden': 'true' },
    svg('rect', { class: 'frame', x: -beside, y: -margin, width: wide, height: high, rx: margin * 0.4 }),
    ...trays,
    ...view.ground(width, height),
  );
}

/**
 * The lines between the cells.
 * @param {Board} board
 */
export function drawLines(board) {
  const { across, down } = measure(board);
  const lines = [];
  for (let x = CELL; x < across; x += CELL) lines.push(`M${x} 0V${down}`);
  for (let y = CELL; y < down; y += CELL) lines.push(`M0 ${y}H${across}`);
  return svg('path', { class: 'lines', d: lines.join('') });
}

/**
 * The terrain of the cells that have one, as the view draws it; else a shade for each name, in the order in which they come,
 * and the name. A view's sheet may give a terrain another look by `data-terrain`.
 * @param {Board} board
 * @param {{x: number, y: number}[]} places
 * @param {import('./views.js').View | null} view
 */
export function drawTerrain({ cells, width }, places, view) {
  const names = [...new Set(cells.map(({ terrain }) => terrain).filter(Boolean))];
  return cells.flatMap(({ terrain }, i) => {
    if (!terrain) return [];
    const about = { class: 'terrain', 'data-terrain': terrain, transform: `translate(${places[i].x} ${places[i].y})` };
    if (view?.terrain) {
      const near = [i - width, i + 1, i + width, i - 1].map((j) => {
        const [from, to] = [places[i], places[j]];
        return to && Math.hypot(to.x - from.x, to.y - from.y) < 1.5 * CELL ? cells[j].terrain : null;
      });
      // A turned board has its first cell at the bottom.
      if (places[0].y > places[places.length - 1].y) near.push(...near.splice(0, 2));
      return svg('g', about, ...view.terrain(terrain, near));
    }
    const shade = (names.indexOf(terrain) % SHADES) * 0.07;
    const ground = svg('rect', { x: -50, y: -50, width: CELL, height: CELL, 'fill-opacity': shade });
    const name = svg('text', { y: -38, 'font-size': 14, 'text-anchor': 'middle' }, terrain);
    return svg('g', { ...about, fill: 'currentColor' }, ground, name);
  });
}

/**
 * The labels of the cells that have one.
 * @param {Board} board
 * @param {{x: number, y: number}[]} places
 */
export const drawLabels = ({ cells }, places) =>
  cells.flatMap(({ label }, i) => (label ? svg('text', { ...LABEL, x: places[i].x + 44, y: places[i].y + 42 }, label) : []));

/**
 * Names of columns and rows, where the cells' names are made of them: a half that the whole column shares and a half
 * that the whole row shares, in either order.
 * @param {Board} board
 * @param {{x: number, y: number}[]} places
 * @param {import('./views.js').View | null} view
 */
export function drawCoordinates(board, places, view) {
  const { width, cells } = board;
  const { margin } = measure(board);
  const parts = cells.map(({ at }) => /^([a-z]+|\d+(?!\d)),?([a-z]+|\d+)$/.exec(at)?.slice(1) ?? [at, at]);
  const column = [0, 1].find((half) =>
    parts.every((part, i) => part[half] === parts[i % width][half] && part[1 - half] === parts[i - (i % width)][1 - half]),
  );
  if (column === undefined) return [];
  const [top, rows] = [parts.slice(0, width), parts.filter((_, i) => i % width === 0)];
  const label = (/** @type {string} */ name, /** @type {number} */ x, /** @type {number} */ y) =>
    svg('text', { class: 'label', x, y, 'font-size': margin / 2 }, view?.written?.(name) ?? name);
  // On a wide board numbers of two digits need more than a column.
  const nth = Math.ceil((margin * 0.6) / CELL);
  return [
    ...top.flatMap((part, x) => (x % nth ? [] : label(part[column], places[x].x, -margin / 2))),
    ...rows.map((part, y) => label(part[1 - column], -margin / 2, places[y * width].y)),
  ];
}

/** @param {string} name */
const frame = (name) => svg('rect', { class: name, x: -45, y: -45, width: 90, height: 90, rx: 8 });

/**
 * The marks over a place; none where there is nothing to mark.
 * @param {{x: number, y: number, size: number}} place
 * @param {string[]} tags
 * @param {import('./board.js').Value | undefined} value
 * @param {import('./server.js').Cell | undefined} cell what is there, if it is a cell
 * @param {import('./views.js').View} view
 * @param {boolean} [down] whether the piece points down
 * @returns {SVGElement[]}
 */
export function marksOf({ x, y, size }, tags, value, cell, view, down = false) {
  /** @type {SVGElement[]} */
  const marks = [];
  const taken = cell?.piece !== null;
  for (const tag of tags) {
    const own = cell && view.mark?.(tag, cell);
    if (own) marks.push(own);
    if (tag === 'flipped') marks.push(svg('circle', { class: 'flipped', r: 43.5 }));
    if (tag === 'last') marks.push(view.last?.() ?? frame('last-cell'));
    if (tag === 'legal') {
      const about = `legal${value ? ' valued' : ''}`;
      marks.push(svg('circle', taken ? { class: `${about} takes`, r: 43 } : { class: about, r: 9 }));
    }
    if (tag === 'check') {
      // In a corner that the piece leaves free, beside its point.
      const sign = [svg('path', { class: 'check', d: 'M39.5-48.5 49-32.5H30z' }), svg('path', { class: 'bang', d: 'M39.5-44v5m0 3v.5' })];
      marks.push(svg('g', { transform: `translate(0 ${down ? 81 : 0})` }, ...sign));
    }
    if (tag === 'held') marks.push(frame('held'));
    if (tag === 'hint' && !view.build && !view.pieces) marks.push(view.path ? frame('hint') : svg('circle', { class: 'hint', r: 37 }));
  }
  if (value && view.path) {
    // A piece may be on the cell: the value has a plate of its own, below the piece's face.
    const [wide, down] = [14 + 13 * value.mark.length, taken ? 35 : 0];
    marks.push(
      svg('rect', { class: `plate ${value.kind ?? ''}`, x: -wide / 2, y: down - 14, width: wide, height: 28, rx: 8 }),
      svg('text', { class: 'value on-plate', y: down + 1 }, value.mark),
    );
  } else if (value) {
    marks.push(svg('text', { class: value.best ? 'value best' : 'value' }, value.mark));
  }
  return marks.length ? [svg('g', { transform: `translate(${x} ${y}) scale(${size / CELL})` }, ...marks)] : [];
}
