// Single-key shortcuts. The dialog that lists them can switch them off.

import { byId } from './elements.js';
import { settings } from './settings.js';

/**
 * @typedef {{keys: string[], label: string, run?: (key: string) => void, anywhere?: boolean}} Shortcut
 *   `keys` as in KeyboardEvent.key; without `run` it is handled elsewhere and only listed; `anywhere` also while no
 *   board is shown
 */

/** @param {Shortcut[]} table */
export function listen(table) {
  document.addEventListener('keydown', (event) => {
    // The arrow keys, Home and End are no letters that could be typed by mistake: they stay.
    if ((!settings.shortcuts && event.key.length === 1) || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]')) return;
    const { target } = event;
    if (target instanceof HTMLInputElement && target.type !== 'checkbox') return;
    if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return;
    // There the space bar presses what has the focus.
    if (event.key === ' ' && target instanceof Element && target.closest('button, a, input, summary')) return;
    // While a position is edited there is no game that the keys could be about.
    const off = byId('play', HTMLElement).hidden || document.body.classList.contains('editing');
    const found = table.find(({ keys, run, anywhere }) => run && keys.includes(event.key) && (anywhere || !off));
    if (!found) return;
    event.preventDefault();
    found.run?.(event.key);
  });
}

/**
 * Shows the list of keys.
 * @param {Shortcut[]} table
 * @param {() => object} diagnosis
 */
export async function showKeys(table, diagnosis) {
  const help = await import('../help/keys.js');
  help.showKeys(table, diagnosis);
}
