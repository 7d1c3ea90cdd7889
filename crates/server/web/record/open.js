// Opening the link of a shared game.

import { notify } from '../js/announcer.js';
import { AWAY, parsePlayer } from '../js/players.js';
import { Refusal } from '../js/server.js';
import { inLanguage, placed, text } from '../js/strings.js';
import { tell } from './ask.js';
import { read, refuse, shorten } from './link.js';
import { take } from './take.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Server} Server
 * @typedef {import('../js/server.js').Shown} Shown
 */

/**
 * Reads a link and asks what has to be asked.
 * @param {string} hash
 * @param {Server} server
 * @param {GameInfo[]} games
 * @returns {Promise<import('./take.js').Taken | null>} the game to be played; null if the visitor's own game stays
 */
export async function openLink(hash, server, games) {
  try {
    const link = await read(hash);
    const game = games.find(({ name }) => name === link.game);
    if (!game) throw refuse('linkUnknown', { game: shorten(link.game) });
    const { players } = await server.ask('players', { game: game.name });
    for (const player of [link.first, link.second]) {
      if (player && !isKnown(player, players)) throw refuse('linkPlayer', { player: shorten(player) });
    }
    const end = await server.ask('show', { game: game.name, ...link.from, moves: link.moves });
    const ended = end.outcome ? null : link.ended;
    const taken = await take(server, game, link.from, end, seats(link, end, Boolean(end.outcome ?? ended)), { ended });
    if (taken) notify(() => text('link.opened', { game: inLanguage(game.title), count: taken.kept.moves.length }));
    return taken;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    await tell(text('link.bad'), placed(refusal.fault), text('link.badAbout'));
    return null;
  }
}

/**
 * Whether a game has a player, with settings of these names and with numbers in their ranges. The rest the server says.
 * @param {string} player
 * @param {import('../js/server.js').PlayerInfo[]} players of the game
 */
function isKnown(player, players) {
  const { name, keys } = parsePlayer(player);
  const info = players.find((one) => one.name === name);
  return info !== undefined && [...keys].every(([key, value]) => {
    const known = info.keys.find((one) => one.name === key);
    if (!known) return false;
    const isNumber = (known.kind === 'integer' || known.kind === 'number') && known.min !== null && known.max !== null;
    return !isNumber || (Number(value) >= Number(known.min) && Number(value) <= Number(known.max));
  });
}

/**
 * Who plays: where the link names no engine, the visitor plays the side to move, and the other one is far away.
 * @param {import('./link.js').Link} link
 * @param {Shown} end
 * @param {boolean} over
 */
function seats({ first, second }, { side }, over) {
  const players = { first: first ?? null, second: second ?? null };
  if (!first && !second && !over) players[side === 'first' ? 'second' : 'first'] = AWAY;
  return players;
}
