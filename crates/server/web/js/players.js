// Players as text: parses and formats `engine:level=4`, and makes a label for people.

import { text, textOr } from './strings.js';

/** @typedef {import('./play.js').PlayerText} PlayerText */

/** A person elsewhere, whose moves come by link. */
export const AWAY = 'link';

/** @param {PlayerText} player */
export const isAway = (player) => player === AWAY;

/**
 * @param {string} player
 * @returns {{name: string, keys: Map<string, string>}}
 */
export function parsePlayer(player) {
  const [name, ...rest] = player.split(':');
  const pairs = rest.join(':').split(',').filter(Boolean);
  /** @type {Map<string, string>} */
  const keys = new Map();
  for (const pair of pairs) {
    const cut = pair.indexOf('=');
    keys.set(pair.slice(0, cut), pair.slice(cut + 1));
  }
  return { name, keys };
}

/**
 * Whether a player is the engine at its full strength: its level is the highest, and nothing else is set.
 * @param {PlayerText} player
 * @param {import('./server.js').PlayerInfo[]} known the players of the game
 */
export function isFullStrength(player, known) {
  if (player === null) return false;
  const { name, keys } = parsePlayer(player);
  const info = known.find((one) => one.name === 'engine');
  if (name !== 'engine' || !info || keys.size > Number(keys.has('level'))) return false;
  const level = info.keys.find((key) => key.name === 'level');
  return !level || Number(keys.get('level') ?? level.default) === level.max;
}

/**
 * @param {string} name
 * @param {Map<string, string>} keys
 */
export function formatPlayer(name, keys) {
  const pairs = [...keys].map(([key, value]) => `${key}=${value}`);
  return pairs.length ? `${name}:${pairs.join(',')}` : name;
}

/**
 * The name of a player for people: "Engine, level 4".
 * @param {PlayerText} player
 */
export function playerLabel(player) {
  if (player === null) return text('person');
  const { name, keys } = parsePlayer(player);
  const parts = [...keys].map(([key, value]) => (key === 'level' ? text('level', { level: value }) : `${key} ${value}`));
  return [textOr(`player.${name}`, name), ...parts].join(text('join'));
}

/**
 * A level with its name, if it has one: "Level 4: casual".
 * @param {string} level
 */
export function levelLabel(level) {
  const name = textOr(`level.${level}`, '');
  return name ? text('level.named', { level, name }) : text('level', { level });
}
