// Sounds, if the visitor wants them. They are fetched when they are first needed.

import { byId } from './elements.js';
import { choose, settings } from './settings.js';

/** @typedef {'move' | 'capture' | 'pass' | 'end' | 'illegal'} Sound */

/** @param {Sound} name */
export async function sound(name) {
  if (settings.sound) (await import('./tones.js')).sound(name);
}

/** Connects the switch in the help. */
export function listenSound() {
  const input = byId('sound', HTMLInputElement);
  input.checked = settings.sound;
  input.parentElement?.toggleAttribute('hidden', !('AudioContext' in globalThis));
  input.addEventListener('change', () => {
    choose({ sound: input.checked });
    void sound('move');
  });
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
