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
      const known = !player || players.some((/** @type {{name: string}} */ { name }) => name === parsePlayer(player).name);
      if (!known) throw refuse('linkPlayer', { player: shorten(player) });
    }
    const end = await server.ask('show', { game: game.name, ...link.from, moves: link.moves });
    const taken = await take(server, game, link.from, end, seats(link, end));
    if (taken) notify(() => text('link.opened', { game: inLanguage(game.title), count: taken.kept.moves.length }));
    return taken;
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
