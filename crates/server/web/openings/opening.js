// The name of the opening beside the heading of the moves. The heading loses it when its words are set anew, as in another game.

import { byId, el, fetchSheet } from '../js/elements.js';
import { language } from '../js/strings.js';
import { openingOf } from './othello.js';

/** @type {Record<string, string>} */
const LABEL = { en: 'Opening:', ja: '定石：' };

const place = el('span', { class: 'opening dim' });
const { styled } = fetchSheet('openings/opening.css');

/**
 * Names the opening up to the ply on the board; none in a game from another position.
 * @param {import('../js/play.js').Play} play
 */
export async function name(play) {
  const { game } = play;
  await styled;
  if (play.game !== game) return;
  const names = play.from.position === undefined ? openingOf(play.texts(play.at)) : null;
  if (!names) return place.remove();
  place.replaceChildren(el('span', { class: 'unseen' }, `${LABEL[language()]} `), names[language()]);
  byId('moves-title', HTMLElement).append(' ', place);
}
