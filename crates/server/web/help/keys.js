// The dialog that lists the keys, and copies what a report of a fault should contain. It is fetched when it is first opened.

import { notify } from '../js/announcer.js';
import { byId, el, fetchSheet } from '../js/elements.js';
import { addWords, text } from '../js/strings.js';

const dialog = byId('help-dialog', HTMLDialogElement);
const rows = byId('keys', HTMLElement);

/** @type {Record<string, string>} */
const SIGNS = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', ' ': 'Space' };

const { styled } = fetchSheet('help/help.css');
await Promise.all([styled, addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') })]);

/** @type {() => object} */
let diagnosis = () => ({});
const copy = el('button', { type: 'button', class: 'quiet' });
const output = el('textarea', { id: 'diagnostics', rows: 6, readonly: true, hidden: true });
dialog.querySelector('.dialog-foot .grow')?.before(copy);
dialog.querySelector('form')?.append(output);
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
  copy.textContent = text('diagnose');
  output.hidden = true;
  rows.replaceChildren(
    ...table.map(({ keys, label }) => {
      const caps = keys.flatMap((key) => [' ', el('kbd', {}, SIGNS[key] ?? key)]);
      return el('tr', {}, el('th', { scope: 'row' }, ...caps), el('td', {}, text(label)));
    }),
  );
  if (!dialog.open) dialog.showModal();
}
