// The laboratory: the experiments on published claims, what the store has of them, and running one on the server's machine.
// `#lab` is the list, `#lab=ID` one experiment, with `&seed=2` that of another seed. What is shown is fetched again while it
// is played, by whichever process. This module and those beside it are fetched when the laboratory is first asked for.

import { notify, say } from '../js/announcer.js';
import { el, fetchSheet } from '../js/elements.js';
import { Refusal } from '../js/server.js';
import { addWords, reason, text } from '../js/strings.js';
import { Follower } from '../matches/follow.js';
import { drawExperiment } from './experiment.js';
import { drawList } from './list.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {{id: string, seed: number}} Route the list where `id` is empty
 * @typedef {import('../matches/follow.js').Drawn} Drawn
 * @typedef {{scale: number | null, planned: boolean, fault: string}} Choice of the next run: its share of the whole, whether
 *   it is planned at this size, and why the last one was refused
 * @typedef {{choice: Choice, run: () => void, stop: () => void, report: () => void}} Actions
 */

/** How often an experiment that is being run is fetched again. */
const LIVE_MS = 1000;

/**
 * @param {string} hash
 * @returns {Route}
 */
function route(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const seed = Number(fields.get('seed') ?? 1);
  return { id: fields.get('lab') ?? '', seed: Number.isSafeInteger(seed) && seed >= 0 ? seed : 1 };
}

/** @extends {Follower<Route, any>} */
export class Laboratory extends Follower {
  #server;
  #games;
  /** @type {Choice} */
  #choice = { scale: null, planned: false, fault: '' };

  /**
   * @param {import('../js/server.js').Server} server
   * @param {GameInfo[]} games
   * @param {HTMLElement} root
   */
  constructor(server, games, root) {
    super(root, 'lab', { href: '#lab', name: 'lab.all' }, LIVE_MS);
    this.#server = server;
    this.#games = games;
  }

  /**
   * Fetches the words and the style sheets of the laboratory.
   * @param {import('../js/server.js').Server} server
   * @param {GameInfo[]} games
   * @param {HTMLElement} root
   */
  static async open(server, games, root) {
    const sheets = [fetchSheet('matches/arena.css').styled, fetchSheet('lab/lab.css').styled];
    // Its tables are those of the matches.
    const shared = addWords({ en: () => import('../matches/en.js'), ja: () => import('../matches/ja.js') });
    await Promise.all([...sheets, shared.then(() => addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') }))]);
    return new Laboratory(server, games, root);
  }

  /**
   * Shows what an address asks for.
   * @param {string} hash
   */
  async show(hash) {
    const wanted = route(hash);
    const before = this.turn(wanted);
    const other = before?.id !== wanted.id || before.seed !== wanted.seed;
    if (other) this.#choice = { scale: null, planned: false, fault: '' };
    await this.fetch(wanted);
    if (other && wanted === this.route) this.focus();
  }

  /**
   * @override
   * @param {any} answer
   * @param {Route} route
   */
  make(answer, { id }) {
    const actions = { choice: this.#choice, run: () => void this.#run(), stop: () => void this.#stop(), report: () => void this.#report() };
    return id ? drawExperiment(answer, this.#games, actions) : drawList(answer, this.#games);
  }

  /** @override @param {Route} route */
  ask({ id, seed }) {
    return id ? this.#server.ask('experiment', { experiment: id, seed }) : this.#server.ask('experiments', {});
  }

  /**
   * Asks for an operation on the experiment that is shown; null if it was refused, which is shown.
   * @param {string} op
   * @param {Record<string, unknown>} body
   */
  async #do(op, body) {
    const wanted = this.route;
    this.#choice.fault = '';
    try {
      return await this.#server.ask(op, body);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (wanted !== this.route) return null;
      this.#choice.fault = reason(refusal.fault);
      this.draw();
      say(this.#choice.fault);
      return null;
    }
  }

  async #run() {
    if (!this.route) return;
    const { id, seed } = this.route;
    const { scale, planned } = this.#choice;
    if (await this.#do('reproduce', { experiment: id, seed, scale, plan: planned ? scale : null })) this.again();
  }

  async #stop() {
    if (this.route && (await this.#do('interrupt', { experiment: this.route.id }))) this.again();
  }

  async #report() {
    if (!this.route) return;
    const { id, seed } = this.route;
    notify(() => text('lab.making'));
    const answer = await this.#do('report', { experiment: id, seed });
    if (!answer) return;
    const url = URL.createObjectURL(new Blob([answer.html], { type: 'text/html' }));
    el('a', { href: url, download: `${id}${seed === 1 ? '' : `-${seed}`}.html` }).click();
    // The browser has begun to save it by then.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}
