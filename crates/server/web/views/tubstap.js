// TUBSTAP: terrain distinguished by patterns and tones, and units: squares of the first side, discs of the second, each with a sign
// of its kind and its hit points.

import { svg } from '../js/elements.js';
import { text, textOr } from '../js/strings.js';

/**
 * @typedef {import('../js/views.js').Board} Board
 * @typedef {import('../js/views.js').Side} Side
 * @typedef {import('../js/orders.js').Action} Action
 */

/** @param {number} x @param {number} y @param {number} r */
const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

/**
 * The sign of each kind of unit: what is filled, and what is drawn with a broad line.
 * @type {Record<string, [string, string]>}
 */
const SIGNS = {
  F: ['M0-29 5-11 25 7v7L6 9 4 20l8 6v4L0 27l-12 3v-4l8-6L-6 9l-19 5V7L-5-11z', ''],
  A: [`M0-27q5 4 5 13l22 5v8H5L4 13l9 6v6h-26v-6l9-6L-5-1h-22v-8l22-5q0-9 5-13z${disc(-17, 7, 4.5)}${disc(17, 7, 4.5)}`, ''],
  P: ['M-20 7h40a8 8 0 0 1 0 16h-40a8 8 0 0 1 0-16zM-20 4l5-9h30l5 9zM-11-7v-8q0-3 3-3H6q3 0 3 3v8z', 'M9-13h18'],
  U: [disc(-7, 12, 4), `${disc(-7, 12, 11)}M-27 22-7 12M-13 5 23-19`],
  R: ['M-24 11h48v6q0 7-7 7h-34q-7 0-7-7zM-14 8V1q0-3 3-3h22q3 0 3 3v7z', 'M-7-2 3-24M5-2 15-24'],
  I: [`${disc(0, -15, 9)}M-15 25V11Q-15-3 0-3t15 14v14z`, ''],
};

/** @param {string} kind @param {Side | null} owner */
function unit(kind, owner) {
  const [filled, line] = SIGNS[kind] ?? ['', ''];
  const body =
    owner === 'second'
      ? svg('circle', { class: 'body', r: 38 })
      : svg('rect', { class: 'body', x: -36, y: -36, width: 72, height: 72, rx: 9 });
  // The corner is left to the hit points.
  const sign = svg('g', { class: 'sign', transform: 'translate(-6 -9) scale(0.8)' }, svg('path', { d: filled }), svg('path', { class: 'line', d: line }));
  return svg('g', { class: `unit ${owner}` }, body, sign);
}

/** @param {number} x @param {number} y */
const tree = (x, y) => `M${x} ${y - 13}l10 17h-7v5h-6v-5h-7z`;

/** The pattern of each terrain but roads. @type {Record<string, string>} */
const PATTERNS = {
  plain: 'M-38 38l3-8 3 8m64-68 3-8 3 8M-40-30l3-8 3 8m68 68 3-8 3 8',
  forest: [[-36, -33], [0, -36], [36, -33], [-37, 2], [37, 2], [-36, 38], [0, 40], [36, 38], [0, 3]].map(([x, y]) => tree(x, y)).join(''),
  mountain: 'M-50 50-28-8-12 28 8-46 32 16 40 0 50 22V50z',
  sea: [-36, -12, 12, 36].map((y) => `M-46 ${y}q11.5-12 23 0t23 0 23 0 23 0`).join(''),
  fortress: 'M-46 46v-92h15v12h16v-12h30v12h16v-12h15v92H17V22q0-14-17-14t-17 14v24z',
  'no-entry': 'M-50 0 0-50M-50 50 50-50M0 50 50 0',
};

/** From the middle up, right, down and left; square ends lead to the edge of the cell. */
const WAYS = ['M0 0V-33', 'M0 0H33', 'M0 0V33', 'M0 0H-33'];

/** @param {string} move @returns {Action | null} */
function read(move) {
  const parts = /^(\d+)@(\d+,\d+)(?:>(\d+))?$/.exec(move);
  return parts && { unit: parts[1], to: parts[2], target: parts[3] ?? null };
}

/** "panzer 3" @param {unknown} kind @param {unknown} number */
const named = (kind, number) => text('act.unit', { kind: textOr(`piece.${kind}`, ''), number });

/** @type {import('../js/views.js').Units} */
const units = {
  end: 'end',
  pace: 1000,
  read,
  write: ({ unit, to, target }) => `${unit}@${to}${target === null ? '' : `>${target}`}`,
  word: (key, args) => text(`act.${key}`, args),
  named,

  said(move, { cells, extra }) {
    const action = read(move);
    if (!action) return text('act.ended');
    const { unit, to, target } = action;
    /** @type {Record<string, any>} */
    const { last, units: places, attacks } = extra;
    const done = last?.move === move ? last : null;
    const kindOf = (/** @type {string | null} */ number) => cells.find(({ at }) => number !== null && at === places[number])?.piece;
    const parts = { unit: named(done?.kind ?? kindOf(unit), unit), to, target: named(done?.target_kind ?? kindOf(target), target) };
    if (target === null) return text(done?.from === to ? 'act.stayed' : 'act.moved', parts);
    const [damage, counter] = done ? [done.damage, done.counter] : (attacks?.[move] ?? [0, 0]);
    return text(counter ? 'act.fought' : 'act.attacked', { ...parts, damage, counter });
  },

  facts({ extra: { turn, limit, threshold } }, map) {
    const now = Math.min(Number(turn) + 1, Number(limit));
    // The name of a map, not the text of a position.
    return [map.length < 40 && map, text('act.facts', { now, limit, threshold })].filter(Boolean).join(' · ');
  },

  summary: ({ width, height, extra }) => text('act.map', { width, height, limit: extra.limit }),
};

/** @type {import('../js/views.js').View} */
export const view = {
  written: (move) => (move === 'end' ? text('act.ended') : move),

  ground: (width, height) => [svg('rect', { class: 'field', width: width * 100, height: height * 100 })],

  terrain(name, beside) {
    const ground = svg('rect', { class: 'tone', x: -50, y: -50, width: 100, height: 100 });
    if (name !== 'road') return [ground, svg('path', { class: 'pattern', d: PATTERNS[name] ?? '' })];
    const ways = WAYS.filter((_, i) => ['road', 'fortress'].includes(beside[i] ?? '')).join('') || 'M-33 0H33';
    return [ground, svg('path', { class: 'way', d: ways }), svg('path', { class: 'dashes', d: ways })];
  },

  piece: unit,

  mark(tag, { piece }) {
    const frame = { class: piece ? `${tag} over` : tag, x: -46, y: -46, width: 92, height: 92, rx: 7 };
    // Over a unit there is a frame only, and its own cell needs none beside that of the chosen unit.
    if (tag === 'threat' && !piece) return svg('path', { class: tag, d: 'M-46-14-14-46M-46 18 18-46M-46 46 46-46M-18 46 46-18M14 46 46 14' });
    if (tag === 'threat' || tag === 'reach' || (tag === 'goal' && !piece)) return svg('rect', frame);
    if (tag === 'target' || tag === 'aimed') return svg('path', { class: tag, d: `${disc(0, 0, 41)}M0-49v18M0 49V31M-49 0h18M49 0H31` });
    if (tag === 'acted') return svg('g', { class: 'done' }, svg('circle', { cx: -34, cy: -34, r: 13 }), svg('path', { d: 'M-40-34l5 5 8-10' }));
    return null;
  },

  last: () => svg('rect', { class: 'last-cell', x: -46, y: -46, width: 92, height: 92, rx: 8 }),

  units,
};
