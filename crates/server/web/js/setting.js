// The settings of a player as fields, each with what it means. In Japanese the meanings are fetched when the settings are unfolded.

import { el } from './elements.js';
import { language } from './strings.js';

/** @typedef {import('./server.js').Key} Key */

/**
 * Puts fields for settings below the summary of a folded element.
 * @param {HTMLDetailsElement} folded
 * @param {string} title
 * @param {Key[]} keys
 * @param {(key: Key) => string} nameOf the name of a key's field
 * @param {Map<string, string>} [values] those that differ from the defaults
 */
export function foldSettings(folded, title, keys, nameOf, values = new Map()) {
  const fields = keys.map((key) => field(key, nameOf(key), values.get(key.name) ?? ''));
  folded.replaceChildren(el('summary', {}, title), el('div', { class: 'setting-list' }, ...fields));
  folded.ontoggle = () => void translate(folded, keys);
  // A field that the browser is to show as invalid must be visible.
  folded.addEventListener('invalid', unfold, true);
  void translate(folded, keys);
}

/** @param {Event} event */
function unfold({ currentTarget }) {
  /** @type {HTMLDetailsElement} */ (currentTarget).open = true;
}

/**
 * @param {HTMLDetailsElement} folded
 * @param {Key[]} keys
 */
async function translate(folded, keys) {
  if (!folded.open || language() !== 'ja') return;
  const { settings } = await import('./setting-ja.js');
  for (const [i, about] of [...folded.querySelectorAll('.about')].entries()) {
    const words = settings[keys[i]?.summary];
    if (!words) continue;
    about.textContent = words;
    about.removeAttribute('lang');
  }
}

/**
 * @param {Key} key
 * @param {string} name
 * @param {string} value empty for the default
 */
function field(key, name, value) {
  const id = `setting ${name}`.replaceAll(' ', '-');
  const about = { name, 'data-default': key.default, 'aria-describedby': id };
  /** @type {HTMLInputElement | HTMLSelectElement} */
  let input;
  if (key.values) {
    const chosen = value || key.default;
    input = el('select', about, ...key.values.map((each) => el('option', { value: each, selected: each === chosen }, each)));
  } else {
    const number = key.kind === 'integer' || key.kind === 'number';
    input = el('input', { ...about, value, type: number ? 'number' : 'text', placeholder: key.default });
    if (number) {
      input.min = String(key.min ?? '');
      input.max = String(key.max ?? '');
      input.step = key.kind === 'integer' ? '1' : 'any';
    }
  }
  const words = el('small', { id, class: 'about dim', lang: 'en' }, key.summary);
  return el('div', { class: 'setting' }, el('label', { class: 'field' }, el('span', {}, key.name), input), words);
}
