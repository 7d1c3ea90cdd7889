// The players, the time and the position of a new game that the visitor has not set up: those of the last one.

import { formatPlayer, parsePlayer } from './players.js';
import { load } from './settings.js';

/**
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').PlayerInfo} PlayerInfo
 * @typedef {import('./play.js').Setup} Setup
 */

/** The times per move to choose from. */
export const TIMES_MS = [200, 500, 1000, 3000, 10000];
/** The default level, as a fraction of the way from the lowest to the highest. */
const DEFAULT_LEVEL = 0.25;

/**
 * The setup of a game until the visitor chooses another: a person against a weak engine.
 * @param {GameInfo} game
 * @param {PlayerInfo[]} players
 * @param {number} [level] of the engine, as a fraction of the way from the lowest to the highest
 * @returns {Setup}
 */
export function lastSetup(game, players, level) {
  const kept = load(`banmen.setup.${game.name}`);
  /** @param {unknown} player */
  const known = (player) =>
    player === null || (typeof player === 'string' && players.some(({ name }) => name === parsePlayer(player).name));
  const complete = known(kept?.seats?.first) && known(kept?.seats?.second) && TIMES_MS.includes(kept.timeMs);
  const position = String(kept?.position ?? '');
  const { positions = [], seeded_positions: seeded } = game;
  const chosen = positions.includes(position) || (seeded && positions.length && position.startsWith(seeded));
  const from = chosen ? { position } : freshStart(game);
  const rules = game.rules.includes(kept?.rules) && kept.rules !== game.rules[0] ? { rules: kept.rules } : {};
  if (kept && complete) return { players: kept.seats, timeMs: kept.timeMs, clock: kept.clock, ...rules, ...from };
  const [engine] = players.filter((player) => player.name === 'engine');
  return { players: { first: null, second: engine ? gentle(engine, level) : null }, timeMs: 1000, ...rules, ...from };
}

/** Another random position. @param {string} seeded the beginning of its text */
export const randomPosition = (seeded) => `${seeded}${crypto.getRandomValues(new Uint32Array(1))[0]}`;

/** A start of its own, in games whose starts differ by a seed only. @param {GameInfo} game */
export const freshStart = ({ positions, seeded_positions: seeded }) => (seeded && !positions ? { position: randomPosition(seeded) } : {});

/**
 * A player at a low level.
 * @param {PlayerInfo} player
 * @param {number} [part] of the way from the lowest to the highest level
 */
export function gentle({ name, keys }, part = DEFAULT_LEVEL) {
  const level = keys.find((key) => key.name === 'level');
  if (!level || level.min === null || level.max === null) return name;
  return formatPlayer(name, new Map([['level', String(Math.round(level.min + (level.max - level.min) * part))]]));
}
