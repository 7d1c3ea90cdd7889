// A part of the page that follows the server: an answer is drawn, asked for again while the part is shown, and drawn again
// when it has changed.

import { say } from '../js/announcer.js';
import { el } from '../js/elements.js';
import { Refusal } from '../js/server.js';
import { reason, text } from '../js/strings.js';

/**
 * @typedef {{title: string, running: boolean, news: string, nodes: Node[]}} Drawn `news` is announced when it changes; what is
 *   `running` is asked for more often
 */

/** How often what does not change is asked for again. */
const IDLE_MS = 10_000;
/** The shortest time between two announcements about what is running. */
const NEWS_MS = 30_000;

/** @template Route what an address asks for @template Answer */
export class Follower {
  /** What is shown; null while something else is. @type {Route | null} */
  route = null;
  /** What is drawn; null while there is nothing. @type {Answer | null} */
  answer = null;
  #root;
  #name;
  #back;
  #liveMs;
  /** The answer as text, or why there is none: what has not changed is not drawn again. */
  #text = '';
  #timer = 0;
  #running = false;
  #news = '';
  #saidAt = 0;

  /**
   * @param {HTMLElement} root
   * @param {string} name of its title
   * @param {{href: string, name: string}} back where a refusal leads
   * @param {number} liveMs how often what changes is asked for again
   */
  constructor(root, name, back, liveMs) {
    this.#root = root;
    this.#name = name;
    this.#back = back;
    this.#liveMs = liveMs;
    document.addEventListener('visibilitychange', () => this.again());
  }

  /**
   * Asks for what a route names.
   * @param {Route} _route
   * @returns {Promise<Answer>}
   */
  ask(_route) {
    throw new Error('not defined');
  }

  /**
   * Makes what is shown of an answer.
   * @param {Answer} _answer
   * @param {Route} _route
   * @returns {Drawn}
   */
  make(_answer, _route) {
    throw new Error('not defined');
  }

  /** Whether the route is asked for again. @param {Route} _route */
  follows(_route) {
    return true;
  }

  /**
   * Shows another route, which is not asked for yet, and returns the one before.
   * @param {Route} route
   * @returns {Route | null}
   */
  turn(route) {
    clearTimeout(this.#timer);
    const before = this.route;
    this.route = route;
    this.answer = null;
    // Its answer is drawn even if it is the last one: the language, the title or a choice may be another one by now.
    this.#text = '';
    return before;
  }

  /** Stops following. */
  leave() {
    clearTimeout(this.#timer);
    this.route = null;
  }

  /** Draws again, in the language of the page. */
  draw() {
    if (!this.route || !this.answer) return;
    const drawn = this.make(this.answer, this.route);
    this.#running = drawn.running;
    document.title = `${drawn.title} · Banmen`;
    this.#put(drawn.nodes);
    this.#announce(drawn);
  }

  /** @param {Route} wanted */
  async fetch(wanted) {
    try {
      const answer = await this.ask(wanted);
      if (wanted !== this.route) return;
      const said = JSON.stringify(answer);
      if (said !== this.#text) {
        this.answer = answer;
        this.#text = said;
        this.draw();
      }
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (wanted !== this.route) return;
      this.refuse(reason(refusal.fault));
    }
    clearTimeout(this.#timer);
    if (wanted === this.route) this.#timer = setTimeout(() => this.again(), this.#running ? this.#liveMs : IDLE_MS);
  }

  /** Asks again for what is shown. */
  again() {
    clearTimeout(this.#timer);
    if (this.route && this.follows(this.route) && !document.hidden) void this.fetch(this.route);
  }

  /** @param {string} why */
  refuse(why) {
    if (why === this.#text) return;
    this.answer = null;
    this.#text = why;
    this.#running = false;
    document.title = `${text(this.#name)} · Banmen`;
    const { href, name } = this.#back;
    this.#put([el('h2', {}, text(this.#name)), el('p', { class: 'plain' }, why), el('p', {}, el('a', { href }, text(name)))]);
    say(why);
  }

  focus() {
    this.#root.focus();
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
    const again = [...root.querySelectorAll('a, select, [data-key]')].find((one) => name(one) === key);
    (again instanceof HTMLElement ? again : root).focus({ preventScroll: true });
  }

  /** @param {Drawn} drawn */
  #announce({ news, running }) {
    const [before, now] = [this.#news, performance.now()];
    const place = JSON.stringify(this.route);
    this.#news = `${place} ${running} ${news}`;
    const sameProgress = before.startsWith(`${place} ${running} `) && running && now - this.#saidAt < NEWS_MS;
    if (!before.startsWith(`${place} `) || before === this.#news || sameProgress) return;
    this.#saidAt = now;
    say(news);
  }
}
