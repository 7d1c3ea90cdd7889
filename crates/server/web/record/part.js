// What the page can do with whole games beside playing them. It is fetched when it is first needed.

import { notify } from '../js/announcer.js';
import { fetchSheet } from '../js/elements.js';
import { addWords, text } from '../js/strings.js';
import { ask } from './ask.js';
import { keepLast } from './own.js';

export { finish } from './finish.js';
export { openGames } from './games.js';
export { openLoad } from './load.js';
export { openLink } from './open.js';
export { keep, keepLast } from './own.js';
export { Puzzles } from './puzzles.js';
export { Review } from './review.js';
export { share } from './share.js';

const { styled } = fetchSheet('record/record.css');
await Promise.all([styled, addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') })]);

/**
 * Keeps the stored game of this name, which cannot be read, and says that another one takes its place.
 * @param {string} game
 */
export function replaceLost(game) {
  keepLast(game);
  notify(() => text('said.lost'));
}

/**
 * Asks whether a game that is not over may give way to a new one.
 * @param {number} count of its moves
 */
export async function mayStart(count) {
  const choices = /** @type {[string, string][]} */ ([['new', text('start.new')], ['', text('start.go')]]);
  return (await ask({ title: text('start.title'), body: [text('start.about', { count })], choices })) === 'new';
}
