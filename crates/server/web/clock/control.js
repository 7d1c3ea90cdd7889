// Time controls, and their fields in the dialog of a new game.

import { el, fetchSheet } from '../js/elements.js';
import { addWords, text } from '../js/strings.js';

/**
 * @typedef {{mainMs: number, incrementMs: number, byoyomiMs: number, casual: boolean}} Control `mainMs` for the whole game;
 *   `incrementMs` is added after each turn; `byoyomiMs` for each turn once the main time is used up. In a casual game nobody loses
 *   on time.
 */

const MINUTE_MS = 60_000;
const MAX_MINUTES = 180;
const MAX_SECONDS = 600;

/** Main time in minutes and the time of a turn in seconds of each kind; null where it has none. @type {Record<string, [number | null, number | null]>} */
const KINDS = { move: [null, 30], sudden: [10, null], fischer: [5, 3], byoyomi: [10, 30] };

const { styled } = fetchSheet('clock/clock.css');
await Promise.all([styled, addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') })]);

/**
 * A time control that was stored, with its numbers in range; null if it is none.
 * @param {any} stored
 * @returns {Control | null}
 */
export function asControl(stored) {
  const [mainMs, incrementMs, byoyomiMs] = ['mainMs', 'incrementMs', 'byoyomiMs'].map((name) => stored?.[name]);
  const inRange = (/** @type {unknown} */ ms, /** @type {number} */ most) => Number.isInteger(ms) && Number(ms) >= 0 && Number(ms) <= most;
  const known = inRange(mainMs, MAX_MINUTES * MINUTE_MS) && inRange(incrementMs, MAX_SECONDS * 1000) && inRange(byoyomiMs, MAX_SECONDS * 1000);
  return known && mainMs + byoyomiMs > 0 ? { mainMs, incrementMs, byoyomiMs, casual: stored.casual === true } : null;
}

/** @param {Control} control */
function kindOf({ mainMs, incrementMs, byoyomiMs }) {
  if (!mainMs) return 'move';
  return incrementMs ? 'fischer' : byoyomiMs ? 'byoyomi' : 'sudden';
}

export class ClockFields {
  /** For the form. */
  element = el('div', { class: 'clock-fields' });
  #kind = el('select', { name: 'clock' });
  #minutes = number('clock minutes', 0.5, MAX_MINUTES, 'any');
  #seconds = number('clock seconds', 1, MAX_SECONDS, '1');
  #casual = el('input', { name: 'clock casual', type: 'checkbox', role: 'switch' });
  #secondsLabel = el('span');
  #rest = el('div', { class: 'clock-rest' });

  /**
   * @param {Control | null} control at first; the usual one without it
   */
  constructor(control) {
    const kinds = Object.keys(KINDS).map((kind) => el('option', { value: kind }, text(`clock.${kind}`)));
    this.#kind.append(...kinds);
    this.#kind.value = control ? kindOf(control) : 'fischer';
    this.#fill(control);
    this.#kind.addEventListener('change', () => this.#fill(null));
    this.element.append(el('label', { class: 'field' }, el('span', {}, text('clock')), this.#kind), this.#rest);
  }

  /** The chosen time control; null if it allows no time. @returns {Control | null} */
  get control() {
    const kind = this.#kind.value;
    const [main, turn] = KINDS[kind];
    const mainMs = main === null ? 0 : Math.round(Number(this.#minutes.value) * MINUTE_MS);
    const turnMs = turn === null ? 0 : Math.round(Number(this.#seconds.value)) * 1000;
    const [incrementMs, byoyomiMs] = kind === 'fischer' ? [turnMs, 0] : [0, turnMs];
    return asControl({ mainMs, incrementMs, byoyomiMs, casual: this.#casual.checked });
  }

  /** @param {Control | null} control the chosen one, or the usual one of its kind */
  #fill(control) {
    const kind = this.#kind.value;
    const [main, turn] = KINDS[kind];
    if (main !== null) this.#minutes.value = String(control ? control.mainMs / MINUTE_MS : main);
    if (turn !== null) this.#seconds.value = String(control ? (control.incrementMs || control.byoyomiMs) / 1000 : turn);
    this.#casual.checked = control?.casual ?? this.#casual.checked;
    this.#secondsLabel.textContent = text(`clock.seconds.${kind}`);
    const minutes = el('label', { class: 'field' }, el('span', {}, text('clock.mainTime')), this.#minutes);
    const seconds = el('label', { class: 'field' }, this.#secondsLabel, this.#seconds);
    const casual = el('label', { class: 'switch' }, this.#casual, ' ', el('span', {}, text('clock.casual')));
    this.#rest.replaceChildren(...(main === null ? [] : [minutes]), ...(turn === null ? [] : [seconds]), casual);
  }
}

/**
 * @param {string} name
 * @param {number} min
 * @param {number} max
 * @param {string} step
 */
const number = (name, min, max, step) => el('input', { name, type: 'number', min, max, step, required: true, inputmode: 'decimal' });
