// What is said: to a screen reader through the live region, to the eye through a passing note.

import { byId, el } from './elements.js';

const KEPT = 6;
const NOTE_MS = 4500;

const region = byId('live', HTMLElement);
const note = byId('note', HTMLElement);
let timer = 0;

/**
 * Says something to a screen reader, politely and in order.
 * @param {string} text
 */
export function say(text) {
  region.append(el('p', {}, text));
  while (region.childElementCount > KEPT) region.firstElementChild?.remove();
}

/**
 * Shows a note for a while, and says it.
 * @param {string} text
 */
export function tell(text) {
  say(text);
  note.textContent = text;
  note.classList.add('shown');
  clearTimeout(timer);
  timer = setTimeout(() => note.classList.remove('shown'), NOTE_MS);
}
