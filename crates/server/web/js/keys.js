// Single-key shortcuts, and the dialog that lists them. They can be switched off.

import { byId, el } from './elements.js';
import { choose, settings } from './settings.js';
import { text } from './strings.js';

/**
 * @typedef {{keys: string[], label: string, run?: (key: string) => void, anywhere?: boolean}} Shortcut
 *   `keys` as in KeyboardEvent.key; without `run` it is handled elsewhere and only listed; `anywhere` also while no
 *   board is in sight
 */

const dialog = byId('help-dialog', HTMLDialogElement);
const rows = byId('keys', HTMLElement);
const shortcuts = byId('shortcuts', HTMLInputElement);

/** @type {Record<string, string>} */
const SIGNS = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };

/** @param {Shortcut[]} table */
export function listen(table) {
  shortcuts.checked = settings.shortcuts;
  shortcuts.addEventListener('change', () => choose({ shortcuts: shortcuts.checked }));
  dialog.querySelector('form')?.addEventListener('submit', (event) => {
    event.preventDefault();
    dialog.close();
  });
  document.addEventListener('keydown', (event) => {
    if (!settings.shortcuts || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]')) return;
    const { target } = event;
    if (target instanceof HTMLInputElement && target.type === 'text') return;
    if (target instanceof HTMLSelectElement) return;
    const { hidden } = byId('play', HTMLElement);
    const found = table.find(({ keys, run, anywhere }) => run && keys.includes(event.key) && (anywhere || !hidden));
    if (!found) return;
    event.preventDefault();
    found.run?.(event.key);
  });
}

/** @param {Shortcut[]} table */
export function showKeys(table) {
  rows.replaceChildren(
    ...table.map(({ keys, label }) => {
      const caps = keys.flatMap((key) => [' ', el('kbd', {}, SIGNS[key] ?? key)]);
      return el('tr', {}, el('th', { scope: 'row' }, ...caps), el('td', {}, text(label)));
    }),
  );
  dialog.showModal();
}
