// Moves and positions in words, for the line below the board's status and for screen readers.

import { kinds, SIDES } from './hands.js';
import { standing } from './status.js';
import { inLanguage, isPass, text, textOr, written } from './strings.js';

/**
 * @typedef {import('./play.js').Play} Play
 * @typedef {import('./server.js').Shown} Shown
 */

/**
 * A move in words, and what it led to.
 * @param {Play} play
 * @param {{said?: (move: string, board: import('./server.js').Board) => string} | undefined} build moves in words, if the view has them
 * @param {number} ply after the move
 * @param {Shown} shown at that ply
 */
export function describeMove({ game, moves, players, halves }, build, ply, shown) {
  const move = moves[ply - 1];
  const parts = [];
  if (move) {
    const name = isPass(move.text) ? text('pass') : (build?.said?.(move.text, shown.board) ?? move.text);
    parts.push(text('said.move', { side: inLanguage(game.sides[move.side]), move: name }));
    const flipped = shown.board.cells.filter((cell) => cell.tags.includes('flipped')).length;
    if (flipped) parts.push(text('said.flipped', { count: flipped }));
    if (halves) parts.push(...score(game, shown));
  }
  if (shown.legal?.length === 1 && isPass(shown.legal[0])) {
    parts.push(text('status.pass', { side: inLanguage(game.sides[shown.side]) }));
  } else if (!shown.outcome && players[shown.side] === null) {
    parts.push(text('said.legalCount', { count: shown.legal_count.toLocaleString('en') }));
  }
  return parts.join(text('joinSentences'));
}

/**
 * The position in words: turn, scores, hands, legal moves.
 * @param {Play} play
 * @param {Shown} shown what is on the board
 * @param {import('./views.js').View | null} view
 */
export function describePosition(play, shown, view) {
  const { game } = play;
  const parts = [`${standing(play)}${text('stop')}`, ...score(game, shown), ...(play.clock ? [play.clock.said(play)] : [])];
  shown.board.hands.forEach((hand, i) => {
    const side = inLanguage(game.sides[SIDES[i]]);
    const held = kinds(hand).map(([piece, count]) => [textOr(`piece.${piece}`, piece), ...(view?.pieces ? [] : [count])].join(' '));
    parts.push(`${[text(hand.length ? 'hand' : 'hand.empty', { side }), ...held].join(text('join'))}${text('stop')}`);
  });
  // Hundreds of moves are not read out, and units are found on the board.
  if (view?.units) parts.push(`${view.units.facts(shown.board, play.from.position ?? '')}${text('stop')}`);
  else if (shown.legal && shown.legal.length > 99) parts.push(text('said.legalCount', { count: shown.legal.length }));
  else if (shown.legal?.length) parts.push(text('said.legal', { moves: shown.legal.map(written).join(text('join')) }));
  return parts.join(text('joinSentences'));
}

/**
 * The scores in words, where the game counts.
 * @param {import('./server.js').GameInfo} game
 * @param {Shown} shown
 */
function score({ sides: { first, second } }, { board: { extra } }) {
  if (typeof extra.first !== 'number' || typeof extra.second !== 'number') return [];
  return [text('said.score', { first: inLanguage(first), second: inLanguage(second), a: extra.first, b: extra.second })];
}
