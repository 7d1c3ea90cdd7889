// The visitor's settings, stored in this browser only.

/**
 * @typedef {{theme: 'system' | 'light' | 'dark', language: string, shortcuts: boolean, sound: boolean, still: boolean, game: string}} Settings
 *   `still`: without animations, also where the system allows them
 */

const KEY = 'banmen.settings';

/**
 * Reads a stored value; null where there is none, or none that can be read.
 * @param {string} key
 * @returns {any}
 */
export function load(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * Stores a value. Without access to the storage, or when it is full, the page works without it.
 * @param {string} key
 * @param {unknown} value
 */
export function save(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The setting is kept until the page is closed.
  }
}

const stored = load(KEY);

/** @type {Settings} */
export const settings = {
  theme: ['light', 'dark'].includes(stored?.theme) ? stored.theme : 'system',
  language: document.documentElement.lang,
  shortcuts: stored?.shortcuts !== false,
  sound: stored?.sound === true,
  still: stored?.still === true,
  game: typeof stored?.game === 'string' ? stored.game : '',
};

const reduced = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether nothing moves on the page, because the visitor or the system wants it so. */
export const isStill = () => settings.still || reduced.matches;

document.documentElement.toggleAttribute('data-still', settings.still);

/**
 * Changes some settings, stores all, and lets the document follow; its language does when the words are there.
 * @param {Partial<Settings>} change
 */
export function choose(change) {
  Object.assign(settings, change);
  save(KEY, settings);
  const root = document.documentElement;
  root.toggleAttribute('data-still', settings.still);
  if (settings.theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
}
