// Building the table that solves a game, and how far it is. It is fetched when a table is built.

import { notify } from './announcer.js';
import { el } from './elements.js';
import { Refusal } from './server.js';
import { inLanguage, reason } from './strings.js';
import { BUILD } from './tables.js';

/**
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').Server} Server
 */

const WORDS = {
  building: { en: 'Building the table: {n} %', ja: '表を作っています: {n} %' },
  stop: { en: 'Stop', ja: '中止' },
  folder: { en: 'The data folder cannot be written.', ja: 'データのフォルダーに書き込めません。' },
  built: { en: 'The table is built: “Perfect play” is ready.', ja: '表ができました。「完全プレイ」を選べます。' },
};

/** A table that is being built. */
export class Build extends EventTarget {
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
 * The build of a table that runs, if one does.
 * @param {GameInfo} game
 * @param {string | undefined} rules
 */
export const running = (game, rules) => builds.get(keyOf(game, rules));

/**
 * Begins to build a table, unless it is being built.
 * @param {Server} server
 * @param {GameInfo} game
 * @param {string | undefined} rules
 */
export function begin(server, game, rules) {
  const known = running(game, rules);
  if (known) return known;
  const build = new Build(server, game, rules);
  builds.set(keyOf(game, rules), build);
  void build.ended.then((refusal) => {
    builds.delete(keyOf(game, rules));
    if (refusal) return;
    notify(() => inLanguage(build.note));
    server.dispatchEvent(new Event('table'));
  });
  return build;
}

/**
 * Shows a build until it ends.
 * @param {HTMLElement} place
 * @param {Build} build
 * @returns {Promise<string | null>} why there is no table, empty if the build was stopped; null if there is one
 */
export async function follow(place, build) {
  const bar = el('progress', { max: 100, 'aria-label': inLanguage(BUILD) });
  const words = el('span', {});
  const stop = el('button', { type: 'button', 'data-table': 'stop' }, inLanguage(WORDS.stop));
  stop.addEventListener('click', () => build.stop());
  const draw = () => {
    bar.value = build.percent;
    words.textContent = inLanguage(WORDS.building).replace('{n}', String(build.percent));
  };
  build.addEventListener('progress', draw);
  draw();
  place.replaceChildren(el('div', { class: 'building' }, words, bar, stop));
  const refusal = await build.ended;
  if (!refusal) return null;
  const { fault } = refusal;
  if (fault.code === 'data_folder') return inLanguage(WORDS.folder);
  return fault.code === 'stopped' ? '' : reason(fault);
}
