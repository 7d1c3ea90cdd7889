// The dialog that lists the keys, has some switches, and copies what a report of a fault should contain. It is fetched when it is
// first opened.

import { notify } from '../js/announcer.js';
import { el, fetchSheet } from '../js/elements.js';
import { choose, settings } from '../js/settings.js';
import { sound } from '../js/sound.js';
import { addWords, text } from '../js/strings.js';

/** @type {Record<string, string>} */
const SIGNS = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', ' ': 'Space' };

const { styled } = fetchSheet('help/help.css');
await Promise.all([styled, addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') })]);

/** @type {() => object} */
let diagnosis = () => ({});

/**
 * @param {string} id
 * @param {boolean} on
 * @param {(on: boolean) => void} change
 */
function toggle(id, on, change) {
  const input = el('input', { id, type: 'checkbox', role: 'switch', checked: on });
  const label = el('span');
  input.addEventListener('change', () => change(input.checked));
  return { whole: el('label', { class: 'switch' }, input, ' ', label), label };
}

const shortcuts = toggle('shortcuts', settings.shortcuts, (shortcuts) => choose({ shortcuts }));
const sounds = toggle('sound', settings.sound, (on) => {
  choose({ sound: on });
  void sound('move');
});
const motion = toggle('motion', !settings.still, (on) => choose({ still: !on }));
sounds.whole.toggleAttribute('hidden', !('AudioContext' in globalThis));

const title = el('h2', { id: 'help-title' });
const rows = el('tbody', { id: 'keys' });
const rules = el('a', { class: 'to-rules' });
const copy = el('button', { type: 'button', class: 'quiet' });
const close = el('button', { type: 'submit', class: 'main' });
const output = el('textarea', { id: 'diagnostics', rows: 6, readonly: true, hidden: true });
const form = el(
  'form',
  { method: 'dialog' },
  title,
  el('div', { class: 'switches' }, shortcuts.whole, sounds.whole, motion.whole, rules),
  el('table', { class: 'keys' }, rows),
  el('div', { class: 'dialog-foot' }, copy, el('span', { class: 'grow' }), close),
  output,
);
const dialog = el('dialog', { id: 'help-dialog', 'aria-labelledby': 'help-title' }, form);
document.body.append(dialog);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  dialog.close();
});
rules.addEventListener('click', () => dialog.close());
copy.addEventListener('click', async () => {
  const { userAgent, languages } = navigator;
  const window = [innerWidth, innerHeight, devicePixelRatio].join(' ');
  const said = JSON.stringify({ banmen: document.title, time: new Date().toISOString(), userAgent, languages, window, ...diagnosis() }, null, 1);
  try {
    await navigator.clipboard.writeText(said);
    notify(() => text('diagnose.done'));
  } catch {
    // Without the permission it is shown, to be copied by hand.
    output.value = said;
    output.hidden = false;
    output.setAttribute('aria-label', text('diagnose.text'));
    output.select();
  }
});

/**
 * @param {import('../js/keys.js').Shortcut[]} table
 * @param {() => object} diagnose
 */
export function showKeys(table, diagnose) {
  diagnosis = diagnose;
  title.textContent = text('keys');
  shortcuts.label.textContent = text('keys.switch');
  sounds.label.textContent = text('sound');
  motion.label.textContent = text('motion');
  copy.textContent = text('diagnose');
  close.textContent = text('close');
  output.hidden = true;
  // The same rules as beside the board, where the game has some.
  const beside = document.querySelector('.learn .to-rules');
  rules.textContent = text('rules');
  rules.setAttribute('href', beside?.getAttribute('href') ?? '#rules');
  rules.hidden = beside?.hasAttribute('hidden') ?? true;
  rows.replaceChildren(
    ...table.map(({ keys, label }) => {
      const caps = keys.flatMap((key) => [' ', el('kbd', {}, SIGNS[key] ?? key)]);
      return el('tr', {}, el('th', { scope: 'row' }, ...caps), el('td', {}, text(label)));
    }),
  );
  if (!dialog.open) dialog.showModal();
}
