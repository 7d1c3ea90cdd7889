// Ending a game before the rules do: a person resigns, or the players agree on a draw.

import { notify } from '../js/announcer.js';
import { SearchSlot } from '../js/server.js';
import { inLanguage, text } from '../js/strings.js';
import { ask, tell } from './ask.js';
import { judge } from './judge.js';

/** @typedef {import('../js/server.js').Outcome} Outcome */

/** An engine agrees if its expected scores after the last moves are this near to a draw. */
const NEAR = 0.1;
/** As many of the mover's last positions are looked at; before that it is too early for a draw. */
const POSITIONS = 3;

/**
 * Asks how the game is to end.
 * @param {import('../js/server.js').Server} server
 * @param {import('../js/play.js').Play} play
 * @returns {Promise<Outcome | null>} null if it goes on
 */
export async function finish(server, play) {
  const { reached, players, game, from } = play;
  if (!reached) return null;
  const alone = players.first !== null || players.second !== null;
  const side = players[reached.side] === null ? reached.side : reached.side === 'first' ? 'second' : 'first';
  const about = text('finish.about', { side: inLanguage(game.sides[side]) });
  /** @type {[string, string][]} */
  const choices = [['resign', text('finish.resign')], ['', text('finish.go')]];
  if (play.open) choices.unshift(['draw', text(alone ? 'finish.offer' : 'finish.agree')]);
  const choice = await ask({ title: text('finish.title'), body: [about], choices });
  if (choice === 'resign') {
    // The engine may have moved meanwhile.
    return play.from === from && play.begun ? { winner: side === 'first' ? 'second' : 'first', margin: null, by: 'resignation' } : null;
  }
  if (choice !== 'draw') return null;
  const early = alone && play.moves.length < 2 * POSITIONS;
  const agreed = !alone || (!early && (await agrees(server, play)));
  if (play.reached !== reached) return null;
  if (agreed) return { winner: null, margin: null, by: 'agreement' };
  await tell(text('finish.offer'), text(early ? 'finish.early' : 'finish.declined'));
  return null;
}

/**
 * Whether the engine at its full strength sees the last positions as nearly equal.
 * @param {import('../js/server.js').Server} server
 * @param {import('../js/play.js').Play} play
 */
async function agrees(server, play) {
  notify(text('finish.thinking'));
  const slot = new SearchSlot(server, 'draw');
  for (let i = 0; i < POSITIONS; i += 1) {
    const ply = play.moves.length - 2 * i;
    const side = i ? play.moves[ply].side : (play.reached?.side ?? 'first');
    const judged = await judge(slot, play.place(ply), side, false);
    if (!judged || Math.abs(judged.value - 0.5) > NEAR) return false;
  }
  return true;
}
