// Building the table that solves a game, in the dialog of a new game. The build goes on when the dialog is closed. It is fetched
// when a table is missing.

import { notify } from './announcer.js';
import { el } from './elements.js';
import { Refusal } from './server.js';
import { inLanguage, reason } from './strings.js';

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
  second: {
    en: 'Without the table it plays {side} alone, who wins from the start.',
    ja: '表がなくても、初期局面から勝てる{side}なら指せます。',
  },
  build: { en: 'Build the table', ja: '表を作る' },
  building: { en: 'Building the table: {n} %', ja: '表を作っています: {n} %' },
  stop: { en: 'Stop', ja: '中止' },
  built: { en: 'The table is built: “Perfect play” is ready.', ja: '表ができました。「完全プレイ」を選べます。' },
};

/** @param {keyof typeof WORDS} key @param {number | string} [value] */
const said = (key, value = '') => inLanguage(WORDS[key]).replace(/\{\w+\}/, String(value));

/** A table that is being built. */
class Build extends EventTarget {
  /** The share that is done, in percent. */
  percent = 0;
  /** Why there is no table; null if there is one. @type {Promise<Refusal | null>} */
  ended;
  /** What is said of the table when it is there. */
  note = WORDS.built;
  #server;
  #id;

  /**
   * @param {Server} server
   * @param {GameInfo} game
   * @param {string | undefined} rules
   */
  constructor(server, game, rules) {
    super();
    this.#server = server;
    const { id, answer } = server.request('build', { game: game.name, ...(rules && { rules }) }, ({ building }) => {
      this.percent = Math.round(building * 100);
      this.dispatchEvent(new Event('progress'));
    });
    this.#id = id;
    this.ended = answer.then(
      ({ note }) => {
        this.note = note ?? this.note;
        return null;
      },
      (why) => {
        if (why instanceof Refusal) return why;
        throw why;
      },
    );
  }

  stop() {
    this.#server.stop(this.#id);
  }
}

/** By the name of the game and of its rules. @type {Map<string, Build>} */
const builds = new Map();

/**
 * @param {GameInfo} game
 * @param {string | undefined} rules
 */
const keyOf = (game, rules) => `${game.name} ${rules ?? ''}`;

/**
 * Whether the perfect player can play the second side without the table.
 * @param {Server} server
 * @param {GameInfo} game
 * @param {string | undefined} rules
 */
async function playsSecond(server, game, rules) {
  const place = { game: game.name, ...(rules && { rules }) };
  const { moves } = await server.ask('legal', { ...place, limit: 1 });
  try {
    await server.ask('think', { ...place, moves, player: 'perfect', limits: { nodes: 1 } });
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
  const second = await playsSecond(server, game, rules);
  // A page without a server says itself what a build takes.
  const { builds_tables: buildable } = await server.ask('games', {});
  if (!current() || fields.querySelector('.tables')) return;
  able(second ? 'second' : '');
  const place = el('div', { class: 'tables' });
  fields.querySelector('.sides')?.after(place);
  const more = second ? ` ${said('second', inLanguage(game.sides.second))}` : '';
  const about = inLanguage(buildable.en ? buildable : WORDS.about) + more;
  if (!buildable) {
    return place.replaceChildren(el('p', { class: 'dim' }, said('command', rules ? `${game.name} --rules ${rules}` : game.name) + more));
  }
  const built = () => {
    place.remove();
    if (current()) able('first second');
  };
  const build = builds.get(keyOf(game, rules));
  if (build) await follow(place, server, game, rules, built, build, about);
  else offer(place, server, game, rules, built, '', about);
}

/**
 * @param {HTMLElement} place
 * @param {Server} server
 * @param {GameInfo} game
 * @param {string | undefined} rules
 * @param {() => void} built
 * @param {string} fault why the last build failed
 * @param {string} about what a build takes
 */
function offer(place, server, game, rules, built, fault, about) {
  const start = el('button', { type: 'button', 'data-table': 'build' }, said('build'));
  start.addEventListener('click', async () => {
    const build = new Build(server, game, rules);
    builds.set(keyOf(game, rules), build);
    void build.ended.then((refusal) => {
      builds.delete(keyOf(game, rules));
      if (refusal) return;
      notify(() => inLanguage(build.note));
      server.dispatchEvent(new Event('table'));
    });
    const ended = follow(place, server, game, rules, built, build, about);
    /** @type {HTMLElement | null} */ (place.querySelector('button'))?.focus();
    await ended;
  });
  place.replaceChildren(el('p', { class: 'dim' }, about), ...(fault ? [el('p', { class: 'fault', role: 'alert' }, fault)] : []), start);
}

/**
 * Shows a build until it ends.
 * @param {HTMLElement} place
 * @param {Server} server
 * @param {GameInfo} game
 * @param {string | undefined} rules
 * @param {() => void} built
 * @param {Build} build
 * @param {string} about what a build takes
 */
async function follow(place, server, game, rules, built, build, about) {
  const bar = el('progress', { max: 100, 'aria-label': said('build') });
  const words = el('span', {});
  const stop = el('button', { type: 'button', 'data-table': 'stop' }, said('stop'));
  stop.addEventListener('click', () => build.stop());
  const draw = () => {
    bar.value = build.percent;
    words.textContent = said('building', build.percent);
  };
  build.addEventListener('progress', draw);
  draw();
  place.replaceChildren(el('div', { class: 'building' }, words, bar, stop));
  const refusal = await build.ended;
  if (refusal) offer(place, server, game, rules, built, refusal.fault.code === 'stopped' ? '' : reason(refusal.fault), about);
  else built();
}
