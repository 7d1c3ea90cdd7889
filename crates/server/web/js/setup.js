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
  const from = positions.includes(position) || (seeded && position.startsWith(seeded)) ? { position } : {};
  if (kept && complete) return { players: kept.seats, timeMs: kept.timeMs, clock: kept.clock, ...from };
  const [engine] = players.filter((player) => player.name === 'engine');
  return { players: { first: null, second: engine ? gentle(engine, level) : null }, timeMs: 1000 };
}

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
