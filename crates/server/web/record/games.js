// The dialog that lists the visitor's games.

import { say } from '../js/announcer.js';
import { el } from '../js/elements.js';
import { playerLabel } from '../js/players.js';
import { verdict } from '../js/status.js';
import { inLanguage, language, text } from '../js/strings.js';
import { keepLast, ownGames, remove, restore } from './own.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('./own.js').Own} Own
 */

/**
 * @param {GameInfo[]} games
 * @param {(game: GameInfo, kept: import('./own.js').Kept) => void} open called with the game that was chosen
 */
export function openGames(games, open) {
  const own = ownGames();
  const close = el('button', { type: 'submit', class: 'main' }, text('close'));
  const rows = own.flatMap((one) => {
    const game = games.find(({ name }) => name === one.game);
    return game ? [row(one, game, () => choose(one, game))] : [];
  });
  const list = rows.length ? el('ul', { class: 'own-games' }, ...rows) : el('p', { class: 'dim' }, text('games.none'));
  const about = el('p', { class: 'dim' }, text('games.about'));
  const form = el('form', { method: 'dialog' }, el('h2', { id: 'games-title' }, text('games.title')), about, list, el('div', { class: 'dialog-foot' }, el('span', { class: 'grow' }), close));
  const dialog = el('dialog', { class: 'ask', 'aria-labelledby': 'games-title' }, form);
  dialog.addEventListener('close', () => dialog.remove());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    dialog.close();
  });
  /**
   * @param {Own} one
   * @param {GameInfo} game
   */
  function choose(one, game) {
    dialog.close();
    keepLast(game.name);
    open(game, one.kept);
  }
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * @param {Own} own
 * @param {GameInfo} game
 * @param {() => void} choose
 */
function row(own, game, choose) {
  const { kept, outcome, date } = own;
  const when = new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' }).format(date);
  const players = (/** @type {const} */ (['first', 'second'])).map((side) => `${inLanguage(game.sides[side])}: ${playerLabel(kept.seats[side])}`);
  const result = outcome ? verdict(game, outcome) : text('games.open', { count: kept.moves.length });
  const open = el('button', { type: 'button' }, text('games.show'));
  const drop = el('button', { type: 'button', class: 'quiet' }, text('games.delete'));
  const name = `${inLanguage(game.title)}, ${when}`;
  const item = el(
    'li',
    {},
    el('div', {}, el('b', {}, inLanguage(game.title)), ' ', el('span', { class: 'dim' }, when), el('p', {}, result), el('p', { class: 'dim' }, players.join(' · '))),
    el('div', { class: 'actions' }, open, drop),
  );
  let gone = false;
  const label = () => {
    drop.textContent = text(gone ? 'games.restore' : 'games.delete');
    open.setAttribute('aria-label', `${text('games.show')}: ${name}`);
    drop.setAttribute('aria-label', `${drop.textContent}: ${name}`);
    item.classList.toggle('gone', gone);
    open.disabled = gone;
  };
  open.addEventListener('click', choose);
  drop.addEventListener('click', () => {
    gone = !gone;
    if (gone) remove(own);
    else restore(own);
    label();
    say(text(gone ? 'games.deleted' : 'games.restored'));
  });
  label();
  return item;
}
