// The laboratory: the experiments on published claims, what the store has of them, and running one on the server's machine.
// `#lab` is the list, `#lab=ID` one experiment, with `&seed=2` that of another seed. What is shown is fetched again while it
// is played, by whichever process. This module and those beside it are fetched when the laboratory is first asked for.

import { notify, say } from '../js/announcer.js';
import { el, fetchSheet } from '../js/elements.js';
import { Refusal } from '../js/server.js';
import { addWords, reason, text } from '../js/strings.js';
import { drawExperiment } from './experiment.js';
import { drawList } from './list.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {{id: string, seed: number}} Route the list where `id` is empty
 * @typedef {{title: string, running: boolean, news: string, nodes: Node[]}} Drawn `news` is announced when it changes
 * @typedef {{scale: number | null, planned: boolean, fault: string}} Choice of the next run: its share of the whole, whether
 *   it is planned at this size, and why the last one was refused
 * @typedef {{choice: Choice, run: () => void, stop: () => void, report: () => void}} Actions
 */

/** How often an experiment that is being run is fetched again, and how often others are. */
const LIVE_MS = 1000;
const IDLE_MS = 10_000;
/** The shortest time between two announcements about an experiment that is being run. */
const NEWS_MS = 30_000;

/**
 * @param {string} hash
 * @returns {Route}
 */
function route(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const seed = Number(fields.get('seed') ?? 1);
  return { id: fields.get('lab') ?? '', seed: Number.isSafeInteger(seed) && seed >= 0 ? seed : 1 };
}

export class Laboratory {
  #server;
  #games;
  #root;
  /** What is shown; null while something else is. @type {Route | null} */
  #route = null;
  /** The answer that is drawn, and its text: an unchanged answer is not drawn again. @type {any} */
  #answer = null;
  #text = '';
  #timer = 0;
  #running = false;
  #news = '';
  #saidAt = 0;
  /** @type {Choice} */
  #choice = { scale: null, planned: false, fault: '' };

  /**
   * @param {import('../js/server.js').Server} server
   * @param {GameInfo[]} games
   * @param {HTMLElement} root
   */
  constructor(server, games, root) {
    this.#server = server;
    this.#games = games;
    this.#root = root;
    document.addEventListener('visibilitychange', () => this.#again());
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
    clearTimeout(this.#timer);
    const before = this.#route;
    const wanted = (this.#route = route(hash));
    const other = before?.id !== wanted.id || before.seed !== wanted.seed;
    if (other) this.#choice = { scale: null, planned: false, fault: '' };
    await this.#fetch(wanted);
    if (other && wanted === this.#route) this.#root.focus();
  }

  /** Stops following the experiments. */
  leave() {
    clearTimeout(this.#timer);
    this.#route = null;
  }

  /** Draws again, in the language of the page. */
  draw() {
    if (!this.#route || !this.#answer) return;
    const actions = { choice: this.#choice, run: () => void this.#run(), stop: () => void this.#stop(), report: () => void this.#report() };
    const drawn = this.#route.id ? drawExperiment(this.#answer, this.#games, actions) : drawList(this.#answer, this.#games);
    this.#running = drawn.running;
    document.title = `${drawn.title} · Banmen`;
    this.#put(drawn.nodes);
    this.#announce(drawn);
  }

  /** @param {Route} wanted */
  async #fetch(wanted) {
    try {
      const { id, seed } = wanted;
      const answer = await (id ? this.#server.ask('experiment', { experiment: id, seed }) : this.#server.ask('experiments', {}));
      if (wanted !== this.#route) return;
      const said = JSON.stringify(answer);
      if (said !== this.#text) {
        this.#answer = answer;
        this.#text = said;
        this.draw();
      }
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (wanted !== this.#route) return;
      this.#refuse(reason(refusal.fault));
    }
    clearTimeout(this.#timer);
    if (wanted === this.#route) this.#timer = setTimeout(() => this.#again(), this.#running ? LIVE_MS : IDLE_MS);
  }

  /** Fetches what is shown again. */
  #again() {
    clearTimeout(this.#timer);
    if (this.#route && !document.hidden) void this.#fetch(this.#route);
  }

  /** @param {string} why */
  #refuse(why) {
    this.#answer = null;
    this.#text = '';
    this.#running = false;
    document.title = `${text('lab')} · Banmen`;
    this.#put([el('h2', {}, text('lab')), el('p', { class: 'plain' }, why), el('p', {}, el('a', { href: '#lab' }, text('lab.all')))]);
    say(why);
  }

  /**
   * Asks for an operation on the experiment that is shown; null if it was refused, which is shown.
   * @param {string} op
   * @param {Record<string, unknown>} body
   */
  async #ask(op, body) {
    const wanted = this.#route;
    this.#choice.fault = '';
    try {
      return await this.#server.ask(op, body);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (wanted !== this.#route) return null;
      this.#choice.fault = reason(refusal.fault);
      this.draw();
      say(this.#choice.fault);
      return null;
    }
  }

  async #run() {
    if (!this.#route) return;
    const { id, seed } = this.#route;
    const { scale, planned } = this.#choice;
    if (await this.#ask('reproduce', { experiment: id, seed, scale, plan: planned ? scale : null })) this.#again();
  }

  async #stop() {
    if (this.#route && (await this.#ask('interrupt', { experiment: this.#route.id }))) this.#again();
  }

  async #report() {
    if (!this.#route) return;
    const { id, seed } = this.#route;
    notify(() => text('lab.making'));
    const answer = await this.#ask('report', { experiment: id, seed });
    if (!answer) return;
    const url = URL.createObjectURL(new Blob([answer.html], { type: 'text/html' }));
    el('a', { href: url, download: `${id}${seed === 1 ? '' : `-${seed}`}.html` }).click();
    // The browser has begun to save it by then.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  /**
   * Replaces the nodes; the focus, the scroll positions and what is unfolded are kept.
   * @param {Node[]} nodes
   */
  #put(nodes) {
    const root = this.#root;
    const active = document.activeElement;
    const name = (/** @type {Element} */ one) => (one instanceof HTMLElement ? (one.dataset.key ?? one.getAttribute('href')) : null);
    const key = active && root.contains(active) ? name(active) : null;
    const wide = () => [...root.querySelectorAll('.wide')];
    const lefts = new Map(wide().map((region) => [name(region), region.scrollLeft]));
    const open = new Set([...root.querySelectorAll('details[open]')].map(name));
    root.replaceChildren(...nodes);
    for (const region of wide()) region.scrollLeft = lefts.get(name(region)) ?? 0;
    for (const details of root.querySelectorAll('details')) details.open = open.has(name(details));
    if (key === null) return;
    const again = [...root.querySelectorAll('a, [data-key]')].find((one) => name(one) === key);
    (again instanceof HTMLElement ? again : root).focus({ preventScroll: true });
  }

  /** @param {Drawn} drawn */
  #announce({ news, running }) {
    const [before, now] = [this.#news, performance.now()];
    const place = JSON.stringify(this.#route);
    this.#news = `${place} ${running} ${news}`;
    const sameProgress = before.startsWith(`${place} ${running} `) && running && now - this.#saidAt < NEWS_MS;
    if (!before.startsWith(`${place} `) || before === this.#news || sameProgress) return;
    this.#saidAt = now;
    say(news);
  }
}
