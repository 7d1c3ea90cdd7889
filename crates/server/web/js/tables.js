// The offer to build the table that solves a game, in the dialog of a new game. The build goes on when the dialog is closed. It
// is fetched when a table is missing.

import { el } from './elements.js';
import { Refusal } from './server.js';
import { inLanguage } from './strings.js';

/**
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').Server} Server
 */

const WORDS = {
  command: {
    en: '“Perfect play” needs the table of all positions, which this server does not have. “banmen solve {game}” builds it in a few minutes.',
    ja: '「完全プレイ」には全局面の表が必要ですが、このサーバーにはありません。「banmen solve {game}」で数分で作れます。',
  },
  about: {
    en: '“Perfect play” needs the table of all positions. Building it takes this machine a minute or two, once.',
    ja: '「完全プレイ」には全局面の表が必要です。このコンピューターで一度だけ、一、二分で作れます。',
  },
  start: {
    en: 'Without the table it plays either side, from the start alone.',
    ja: '表がなくても、初期局面からならどちらの側も指せます。',
  },
};

/** What the button says. */
export const BUILD = { en: 'Build the table', ja: '表を作る' };

/** @param {keyof typeof WORDS} key @param {number | string} [value] */
const said = (key, value = '') => inLanguage(WORDS[key]).replace(/\{\w+\}/, String(value));

/** What builds, once a table was built. @type {typeof import('./building.js') | null} */
let building = null;

/**
 * Whether the perfect player can play from the start without the table.
 * @param {Server} server
 * @param {GameInfo} game
 * @param {string | undefined} rules
 */
async function playsFromStart(server, game, rules) {
  const place = { game: game.name, ...(rules && { rules }) };
  const { moves } = await server.ask('legal', { ...place, limit: 1 });
  try {
    // As the first side, and as the second.
    for (const played of [[], moves]) await server.ask('think', { ...place, moves: played, player: 'perfect', limits: { nodes: 1 } });
    return true;
  } catch (refusal) {
    if (refusal instanceof Refusal) return false;
    throw refusal;
  }
}

/**
 * Offers to build a table that is missing where the server does that, shows the build that runs, or says what else can be done.
 * @param {HTMLElement} fields those of the dialog, where that is shown once
 * @param {Server} server
 * @param {GameInfo} game
 * @param {string | undefined} rules the usual ones if left out
 * @param {() => boolean} current whether the dialog is still of this game and these rules
 * @param {(sides: string) => void} able called with the sides that the perfect player can play now
 */
export async function offerTable(fields, server, game, rules, current, able) {
  const starts = await playsFromStart(server, game, rules);
  // A page without a server says itself what a build takes.
  const { builds_tables: buildable } = await server.ask('games', {});
  if (!current() || fields.querySelector('.tables')) return;
  able(starts ? 'first second' : '');
  const place = el('div', { class: 'tables' });
  fields.querySelector('.sides')?.after(place);
  const more = starts ? ` ${said('start')}` : '';
  const about = inLanguage(buildable.en ? buildable : WORDS.about) + more;
  if (!buildable) {
    return place.replaceChildren(el('p', { class: 'dim' }, said('command', rules ? `${game.name} --rules ${rules}` : game.name) + more));
  }
  const built = () => {
    place.remove();
    if (current()) able('first second');
  };
  /** @param {string} fault why the last build failed */
  const offer = (fault) => {
    const start = el('button', { type: 'button', 'data-table': 'build' }, inLanguage(BUILD));
    start.addEventListener('click', async () => {
      building ??= await import('./building.js');
      const ended = follow(building.begin(server, game, rules));
      place.querySelector('button')?.focus();
      await ended;
    });
    place.replaceChildren(el('p', { class: 'dim' }, about), ...(fault ? [el('p', { class: 'fault', role: 'alert' }, fault)] : []), start);
  };
  /** @param {import('./building.js').Build} build */
  const follow = async (build) => {
    const fault = await building?.follow(place, build);
    if (typeof fault === 'string') offer(fault);
    else built();
  };
  const build = building?.running(game, rules);
  if (build) await follow(build);
  else offer('');
}
