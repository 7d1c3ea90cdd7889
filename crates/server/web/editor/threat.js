// What the other side threatens: its best move if the side to move did nothing. It is fetched when it is first asked.

import { inLanguage, isPass } from '../js/strings.js';
import { fetchWriter, isWritten } from './writers.js';

/**
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {import('../js/views.js').View} View
 */

const THREAT = { en: 'The other side would play {move}.', ja: '相手の狙い: {move}。' };
const NONE = { en: 'The other side could not move.', ja: '相手に指す手はありません。' };

/** What is said of a threat. @param {string | null} move in the words of the page; null if there is none */
export const threatened = (move) => inLanguage(move === null ? NONE : THREAT).replace('{move}', () => move ?? '');

/**
 * @param {import('../js/play.js').Play} play
 * @param {import('../js/analysis.js').Analysis} analysis
 * @param {View | undefined} view
 * @returns {Promise<{shown: Shown, move: string | null, mark: string | null} | null>} the position on the board, the move, and what of
 *   it can be marked there; null where the question has no answer, or none was found
 */
export async function threatOf({ game, shown, from: { rules } }, analysis, view) {
  if (!shown || shown.outcome || !isWritten(game.view ?? '')) return null;
  const position = await passed(game.view ?? '', shown);
  const found = await analysis.threat({ game: game.name, ...(rules && { rules }), position, moves: [] });
  if (found === null) return null;
  const move = isPass(found) ? null : found;
  const way = move === null ? null : view?.path?.(move);
  // What the other side would drop is not among the pieces of the side to move.
  const dropped = way && !shown.board.cells.some(({ at }) => at === way.from);
  return { shown, move, mark: dropped ? way.to : move };
}

/**
 * @param {string} view of the game
 * @param {Shown} shown
 * @returns {Promise<string>} the same position with the other side to move
 */
async function passed(view, { board, side, ...rest }) {
  const writer = await fetchWriter(view);
  const other = side === 'first' ? 'second' : 'first';
  const more = writer.read?.({ board, side, ...rest }) ?? {};
  // A unit that has acted can act again in its next turn.
  const cells = board.cells.map((cell) => ({ ...cell, tags: cell.tags.filter((tag) => tag !== 'acted') }));
  return writer.write({ board: { ...board, cells }, side: other, more: writer.turn?.(more, other) ?? more }).text;
}
