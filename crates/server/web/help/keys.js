// The dialog that lists the keys. It is fetched when it is first opened.

import { byId, el } from '../js/elements.js';
import { addWords, text } from '../js/strings.js';

const dialog = byId('help-dialog', HTMLDialogElement);
const rows = byId('keys', HTMLElement);

/** @type {Record<string, string>} */
const SIGNS = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };

await addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') });

/** @param {import('../js/keys.js').Shortcut[]} table */
export function showKeys(table) {
  rows.replaceChildren(
    ...table.map(({ keys, label }) => {
      const caps = keys.flatMap((key) => [' ', el('kbd', {}, SIGNS[key] ?? key)]);
      return el('tr', {}, el('th', { scope: 'row' }, ...caps), el('td', {}, text(label)));
    }),
  );
  if (!dialog.open) dialog.showModal();
}
