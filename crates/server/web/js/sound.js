// Sounds, if the visitor wants them. They are fetched when they are first needed.

import { settings } from './settings.js';

/** @typedef {'move' | 'capture' | 'pass' | 'end' | 'illegal'} Sound */

/** @param {Sound} name */
export async function sound(name) {
  if (settings.sound) (await import('./tones.js')).sound(name);
}

/** Prepares for sounds that are wanted. */
export function listenSound() {
  // Browsers allow sounds only after the visitor has pressed something.
  for (const press of ['pointerdown', 'keydown']) {
    addEventListener(press, () => settings.sound && void import('./tones.js').then((tones) => tones.wake()), { once: true });
  }
}

/**
 * The sound of a move.
 * @param {import('./server.js').Shown} shown after it
 * @param {import('./server.js').Shown | null} before
 * @param {boolean} passed
 * @returns {Sound}
 */
export function soundOf(shown, before, passed) {
  if (shown.outcome) return 'end';
  if (passed) return 'pass';
  const takes = before?.board.cells.some(({ owner, label }, i) => {
    const now = shown.board.cells[i];
    return owner !== null && owner !== before.side && (now.owner !== owner || now.label !== label);
  });
  return takes ? 'capture' : 'move';
}
