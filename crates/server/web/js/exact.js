// Exact values: where the server has the game solved, the value of every move under perfect play.

import { byId, el } from './elements.js';
import { Refusal } from './server.js';
import { reason, text, written } from './strings.js';

/**
 * @typedef {import('./board.js').Value} Value
 * @typedef {{move: string, score: number | null, distance: number | null}} SolvedMove `score` from the view of the side
 *   to move, null where it is not decided; `distance` in plies from the position before the move
 * @typedef {{moves: SolvedMove[]}} Solution
 */

const panel = byId('exact', HTMLElement);

/** @type {(['loss', 'draw', 'win'])} */
const KINDS = ['loss', 'draw', 'win'];
const SIGNS = ['−', '=', '+'];

export class Exact {
  /** The moves, the best first; null until the server has answered. @type {SolvedMove[] | null} */
  #known = null;
  /** Why there are no values. @type {import('./server.js').Fault | null} */
  #fault = null;

  /** The values by move, the best first. @returns {Map<string, Value>} */
  get values() {
    const known = this.#known ?? [];
    const [top] = known;
    return new Map(
      known.map(({ move, score, distance }) => {
        const kind = score === null ? 'open' : KINDS[score + 1];
        const said = text(score && distance !== null ? `exact.${kind}In` : `exact.${kind}`, { n: distance });
        const mark = score === null ? '?' : SIGNS[score + 1] + (score ? (distance ?? '') : '');
        return [move, { mark, said, kind, best: score === top.score && distance === top.distance }];
      }),
    );
  }

  /** Whether the server has answered, with values or with the reason why there are none. */
  get settled() {
    return this.#known !== null || this.#fault !== null;
  }

  /** Discards the values, because the board has changed. */
  clear() {
    this.#known = null;
    this.#fault = null;
  }

  /**
   * Asks for the values of a position.
   * @param {import('./server.js').SearchSlot} slot
   * @param {import('./analysis.js').Subject} subject
   */
  async ask(slot, subject) {
    try {
      const solution = await slot.ask('solve', { ...subject, all: true });
      if (solution) this.#take(solution);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.#fault = refusal.fault;
    }
  }

  /** @param {Solution} solution */
  #take({ moves }) {
    this.#known = moves.map((each) => ({ ...each, score: each.score === null ? null : Math.sign(each.score) }));
    // Of the wins the shortest is the best, of the losses the longest; undecided moves rank between them.
    const rank = (/** @type {SolvedMove} */ { score }) => score ?? 0;
    this.#known.sort((a, b) => rank(b) - rank(a) || rank(a) * (Number(a.distance) - Number(b.distance)));
  }

  draw() {
    const { values } = this;
    if (!values.size) return panel.replaceChildren(el('p', { class: 'dim' }, this.#fault ? reason(this.#fault) : ''));
    const rows = [...values].map(([move, { mark, said, kind, best }]) => {
      const sign = el('span', { class: `sign ${kind}`, 'aria-hidden': 'true' }, mark);
      return el('tr', {}, el('th', { scope: 'row' }, best ? el('b', {}, written(move)) : written(move)), el('td', {}, sign, said));
    });
    panel.replaceChildren(el('table', { 'aria-label': text('exact') }, el('tbody', {}, ...rows)));
  }
}
