// Positions of TUBSTAP in one line: the rules, the terrain with its border, the turn, and the units.

import { text } from '../js/strings.js';
import { forBoth, SIDES } from './writers.js';

/** As the digits of the text number them; the first one cannot be entered. */
const TERRAINS = ['no-entry', 'plain', 'sea', 'forest', 'mountain', 'road', 'fortress'];
const KINDS = ['I', 'P', 'U', 'R', 'A', 'F'];
const MAX_TURNS = 999;

/** @param {import('./writers.js').More} more */
const sideOf = ({ turn }) => SIDES[(Number(turn) - 1) % 2];

/** @type {import('./writers.js').Writer} */
export const writer = {
  tools: () => [...KINDS.flatMap(forBoth), ...TERRAINS.map((terrain) => ({ piece: null, owner: null, terrain }))],

  fields: [
    { name: 'hp', min: 1, max: 10, label: () => text('edit.hp'), brush: true },
    { name: 'acted', label: () => text('edit.acted'), brush: true },
    { name: 'turn', min: 1, max: MAX_TURNS, label: () => text('edit.turn') },
    { name: 'limit', min: 1, max: MAX_TURNS, label: () => text('edit.limit') },
    { name: 'threshold', min: 0, max: MAX_TURNS, label: () => text('edit.threshold') },
  ],

  read({ board: { extra } }) {
    const numbers = Object.entries(/** @type {Record<string, string>} */ (extra.units)).map(([unit, at]) => [`unit ${at}`, Number(unit)]);
    const { turn, limit, threshold } = extra;
    return { turn: Number(turn) + 1, limit: Number(limit), threshold: Number(threshold), ...Object.fromEntries(numbers) };
  },

  put: (cell, { hp, acted }) => ({ ...cell, label: String(hp), tags: acted ? ['acted'] : [] }),

  // The first side has the odd turns.
  turn: (more, side) => (sideOf(more) === side ? more : { ...more, turn: Number(more.turn) + (side === 'second' ? 1 : -1) }),
  side: sideOf,

  write({ board, side, more }) {
    const { cells, width, height } = board;
    const border = '0'.repeat(width + 2);
    const rows = Array.from({ length: height }, (_, y) =>
      cells.slice(y * width, (y + 1) * width).map(({ terrain }) => Math.max(0, TERRAINS.indexOf(terrain ?? ''))).join(''),
    );
    const terrain = [border, ...rows.map((row) => `0${row}0`), border].join('/');
    const about = `SIZE ${width + 2} ${height + 2} LIMIT ${more.limit} THRESHOLD ${more.threshold} TERRAIN ${terrain}`;
    let line = `${about} TURN ${Number(more.turn) - 1} SIDE ${SIDES.indexOf(side)} UNITS`;
    const places = cells.map(() => -1);
    // Units keep their order, so that a position which was only read is written as it was; new ones follow.
    const number = (/** @type {number} */ i) => Number(more[`unit ${cells[i].at}`] ?? Infinity);
    const units = cells.flatMap(({ piece }, i) => (piece === null ? [] : [i])).sort((a, b) => (number(a) === number(b) ? a - b : number(a) - number(b)));
    units.forEach((i, unit) => {
      const { piece, owner, at, label, tags } = cells[i];
      places[i] = line.length + 1;
      line += ` ${unit}:${piece}:${owner === 'first' ? 0 : 1}:${at}:${label}:${Number(tags.includes('acted'))}`;
    });
    return { text: line, places };
  },
};
