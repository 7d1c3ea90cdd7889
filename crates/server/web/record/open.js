// Opening the link of a shared game. The visitor's own game gives way only if it is the beginning of the shared one, was not
// played by a person, or the visitor agrees.

import { notify } from '../js/announcer.js';
import { AWAY, parsePlayer } from '../js/players.js';
import { Refusal } from '../js/server.js';
import { load } from '../js/settings.js';
import { inLanguage, placed, text } from '../js/strings.js';
import { ask, tell } from './ask.js';
import { read, refuse, shorten } from './link.js';

/**
 * @typedef {import('../js/play.js').From} From
 * @typedef {import('../js/play.js').Kept} Kept
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Server} Server
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {import('../js/server.js').Side} Side
 */

/** As many positions are asked for at once. */
const AT_ONCE = 8;
const TIME_MS = 1000;

/**
 * Reads a link and asks what has to be asked.
 * @param {string} hash
 * @param {Server} server
 * @param {GameInfo[]} games
 * @returns {Promise<{game: GameInfo, kept: Kept} | null>} the game to be played; null if the visitor's own game stays
 */
export async function openLink(hash, server, games) {
  try {
    const link = await read(hash);
    const game = games.find(({ name }) => name === link.game);
    if (!game) throw refuse('linkUnknown', { game: shorten(link.game) });
    const { players } = await server.ask('players', { game: game.name });
    for (const player of [link.first, link.second]) {
      const known = !player || players.some((/** @type {{name: string}} */ { name }) => name === parsePlayer(player).name);
      if (!known) throw refuse('linkPlayer', { player: shorten(player) });
    }
    const place = { game: game.name, ...link.from };
    const end = await server.ask('show', { ...place, moves: link.moves });
    const own = load(`banmen.game.${game.name}`);
    const older = own && sameStart(own.from, link.from) && isPrefix(texts(own), end.moves);
    if (older && own.moves.length === end.moves.length) return { game, kept: own };
    if (!older && own && (await hasPlayed(own, server, game)) && !(await mayReplace(game, own, end))) return null;
    const sides = await sidesOf(server, place, end);
    const moves = end.moves.map((/** @type {string} */ text, /** @type {number} */ i) => ({ text, side: sides[i] }));
    const kept = { seats: seats(link, end), moves, paused: Boolean(link.first && link.second), timeMs: TIME_MS, from: link.from, seed: 1 };
    notify(text('link.opened', { game: inLanguage(game.title), count: moves.length }));
    return { game, kept };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    await tell(text('link.bad'), placed(refusal.fault), text('link.badAbout'));
    return null;
  }
}

/**
 * Who plays: where the link names no engine, the visitor plays the side to move, and the other one is far away.
 * @param {import('./link.js').Link} link
 * @param {Shown} end
 */
function seats({ first, second }, { side, outcome }) {
  const players = { first: first ?? null, second: second ?? null };
  if (!first && !second && !outcome) players[side === 'first' ? 'second' : 'first'] = AWAY;
  return players;
}

/** @param {any} own a stored game @returns {string[]} */
const texts = (own) => (Array.isArray(own.moves) ? own.moves.map((/** @type {any} */ move) => String(move?.text)) : []);

/**
 * @param {From | undefined} a
 * @param {From} b
 */
const sameStart = (a, b) => (a?.rules ?? '') === (b.rules ?? '') && (a?.position ?? '') === (b.position ?? '');

/**
 * @param {string[]} short
 * @param {string[]} long
 */
const isPrefix = (short, long) => short.every((move, i) => move === long[i]);

/**
 * Whether a person has played in a stored game that is not over.
 * @param {any} own
 * @param {Server} server
 * @param {GameInfo} game
 */
async function hasPlayed(own, server, game) {
  const byHand = Array.isArray(own.moves) && own.moves.some((/** @type {any} */ move) => own.seats?.[move?.side] === null);
  if (!byHand) return false;
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
  const about = text('link.replace', { game: inLanguage(game.title), own: own.moves.length, count: end.moves.length });
  const title = text('link.replaceTitle');
  return (await ask({ title, body: [about], choices: [['open', text('link.open')], ['', text('link.keep')]] })) === 'open';
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
