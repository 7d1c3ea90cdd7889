// Beside the board: the players with their scores, the side to move, and the result of the game.

import { byId, el } from './elements.js';
import { isAway, playerLabel } from './players.js';
import { inLanguage, text, textOr } from './strings.js';

/**
 * @typedef {import('./play.js').Play} Play
 * @typedef {import('./server.js').Side} Side
 */

const sentence = byId('status', HTMLElement);
const facts = byId('facts', HTMLElement);

/**
 * How a game ended.
 * @param {import('./server.js').GameInfo} game
 * @param {import('./server.js').Outcome} outcome
 * @returns {string}
 */
export function verdict(game, { winner, margin, by }) {
  const side = winner && inLanguage(game.sides[winner]);
  const key = winner === null ? 'status.draw' : margin === null ? 'status.winPlain' : 'status.win';
  const how = textOr(`by.${by}`, '');
  return text(how ? 'status.by' : key, { verdict: text(key, { side, margin }), how, side, margin });
}

/**
 * Whose turn it is, or how the game ended.
 * @param {Play} play
 * @returns {string}
 */
export function standing(play) {
  const { shown, game } = play;
  if (!shown) return text('connecting');
  if (!play.live) return text(play.halfway ? 'status.halfway' : 'status.past', { ply: play.at, count: play.moves.length });
  if (play.replay) return play.replay.verdict();
  if (shown.outcome) return verdict(game, shown.outcome);
  const side = inLanguage(game.sides[shown.side]);
  if (play.elsewhere) return text('status.elsewhere');
  if (play.paused) return text('status.paused', { side });
  if (isAway(play.players[shown.side])) return text('status.away', { side });
  return text(play.thinking ? 'status.thinking' : 'status.person', { side });
}

/**
 * @param {Play} play
 * @param {import('./server.js').Board | null} board what is drawn
 * @param {import('./views.js').View} view
 * @param {import('./server.js').Shown | null} shown the position whose side has the turn
 */
export function drawStatus(play, board, view, shown = play.shown) {
  const over = play.live && (play.replay || play.shown?.outcome);
  sentence.textContent = standing(play);
  sentence.classList.toggle('over', Boolean(over));
  if (!byId('play', HTMLElement).hidden) document.title = `${standing(play)} · ${inLanguage(play.game.title)} · Banmen`;
  for (const side of /** @type {Side[]} */ (['first', 'second'])) drawPlayer(play, board, side, shown);
  const extra = Object.entries(board?.extra ?? {});
  const rest = extra.filter(([name, value]) => name !== 'first' && name !== 'second' && typeof value !== 'object');
  const own = view.build ?? view.units;
  const said = board && own ? [own.facts(board, play.from.position ?? '')] : rest.map(([name, value]) => `${name} ${value}`);
  facts.hidden = said.length === 0;
  facts.textContent = said.join(' · ');
}

/**
 * @param {Play} play
 * @param {import('./server.js').Board | null} board
 * @param {Side} side
 * @param {import('./server.js').Shown | null} shown
 */
function drawPlayer({ game, players, replay, clock }, board, side, shown) {
  const card = byId(`player-${side}`, HTMLElement);
  const turn = shown && !shown.outcome && shown.side === side;
  const score = board?.extra[side];
  card.classList.toggle('turn', Boolean(turn));
  card.classList.toggle('won', shown?.outcome?.winner === side);
  card.replaceChildren(
    el('span', { class: `token ${side}` }),
    el('span', { class: 'who' }, el('b', {}, inLanguage(game.sides[side])), el('span', {}, (replay && players[side]) || playerLabel(players[side]))),
    ...(clock ? [clock.face(side)] : []),
    el('span', { class: 'score' }, typeof score === 'number' ? String(score) : ''),
  );
}
