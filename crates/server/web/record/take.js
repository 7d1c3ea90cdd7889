// Makes a game of moves that came from elsewhere the visitor's own. It replaces the visitor's unfinished game only if that is
// the beginning of it, or the visitor agrees.

import { load } from '../js/settings.js';
import { Refusal } from '../js/server.js';
import { inLanguage, text } from '../js/strings.js';
import { ask } from './ask.js';
import { hasPlayed, keepLast } from './own.js';

/**
 * @typedef {import('../js/play.js').From} From
 * @typedef {import('../js/play.js').Kept} Kept
 * @typedef {import('../js/play.js').Players} Players
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Server} Server
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {import('../js/server.js').Side} Side
 * @typedef {{game: GameInfo, kept: Kept}} Taken
 */

/** As many positions are asked for at once. */
const AT_ONCE = 8;
const TIME_MS = 1000;

/**
 * @param {Server} server
 * @param {GameInfo} game
 * @param {From} from
 * @param {Shown} end the position that the moves lead to
 * @param {Players} seats
 * @param {{sides?: Side[], ended?: import('../js/server.js').Outcome | null, wanted?: () => boolean}} [record] the sides of the moves,
 *   and how the game ended where its rules did not end it, if they are known; `wanted`: whether the game is still wanted
 * @returns {Promise<Taken | null>} null if the visitor's own game stays
 */
export async function take(server, game, from, end, seats, { sides: known, ended = null, wanted = () => true } = {}) {
  const own = load(`banmen.game.${game.name}`);
  const older = own && (await sameStart(server, game, own.from, from)) && texts(own).every((move, i) => move === end.moves[i]);
  // The same game stays as it is, with the result that a record knows. Without moves, it is new to the players that were asked for.
  const same = older && end.moves.length > 0 && own.moves.length === end.moves.length;
  if (same) return { game, kept: { ...own, ended: own.ended ?? ended } };
  if (!older && own && (await isPlayed(own, server, game)) && !(wanted() && (await mayReplace(game, own, end)))) return null;
  const sides = known ?? await sidesOf(server, { game: game.name, ...from }, end);
  if (!wanted()) return null;
  if (!older) keepLast(game.name);
  const moves = end.moves.map((move, i) => ({ text: move, side: sides[i] }));
  const paused = seats.first !== null && seats.second !== null;
  const [seed] = crypto.getRandomValues(new Uint32Array(1));
  return { game, kept: { seats, moves, paused, timeMs: TIME_MS, from, seed, ended } };
}

/** @param {any} own a stored game @returns {string[]} */
const texts = (own) => (Array.isArray(own.moves) ? own.moves.map((/** @type {any} */ move) => String(move?.text)) : []);

/**
 * Whether two games begin with the same position, however it is written.
 * @param {Server} server
 * @param {GameInfo} game
 * @param {From | undefined} own
 * @param {From} other
 */
async function sameStart(server, game, own, other) {
  if ((own?.rules ?? '') !== (other.rules ?? '')) return false;
  if ((own?.position ?? '') === (other.position ?? '')) return true;
  try {
    const shown = await Promise.all([own, other].map((from) => server.ask('show', { game: game.name, ...from })));
    return shown[0].position === shown[1].position;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return false;
  }
}

/**
 * Whether a person has played in a stored game that is not over.
 * @param {any} own
 * @param {Server} server
 * @param {GameInfo} game
 */
async function isPlayed(own, server, game) {
  if (!hasPlayed(own) || own.ended) return false;
  try {
    const { outcome } = await server.ask('show', { game: game.name, ...own.from, moves: texts(own) });
    return outcome === null;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return false;
  }
}

/**
 * @param {GameInfo} game
 * @param {any} own
 * @param {Shown} end
 */
async function mayReplace(game, own, end) {
  const about = text('take.replace', { game: inLanguage(game.title), own: own.moves.length, count: end.moves.length });
  const title = text('take.replaceTitle');
  return (await ask({ title, body: [about], choices: [['open', text('take.open')], ['', text('take.keep')]] })) === 'open';
}

/**
 * The side of each move.
 * @param {Server} server
 * @param {{game: string}} place
 * @param {Shown} end
 * @returns {Promise<Side[]>}
 */
async function sidesOf(server, place, { moves }) {
  /** @type {Side[]} */
  const sides = [];
  for (let ply = 0; ply < moves.length; ply += AT_ONCE) {
    const some = moves.slice(ply, ply + AT_ONCE).map((_, i) => server.ask('show', { ...place, moves: moves.slice(0, ply + i) }));
    sides.push(...(await Promise.all(some)).map(({ side }) => side));
  }
  return sides;
}
