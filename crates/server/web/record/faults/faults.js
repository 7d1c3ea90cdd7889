// What is wrong with a text that cannot be read, in words a player understands, with its place. Fetched when it is needed.

import { addWords, placed, text, textOr } from '../../js/strings.js';

/** @typedef {import('../../js/server.js').Fault} Fault */

/** Longer parts of a text are not quoted. */
const LONGEST = 24;

await addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') });
// Positions in a record have the faults of positions elsewhere.
await addWords({ en: () => import('../../editor/en.js'), ja: () => import('../../editor/ja.js') });

/**
 * @param {Fault} fault of a text
 * @param {string} said the text
 */
export function worded(fault, said) {
  if (fault.code !== 'bad_record') return placed(fault);
  const before = [...said].slice(0, fault.at ?? 0).join('');
  const lines = before.split('\n');
  const [found = ''] = [...said].slice(fault.at ?? 0).join('').match(/^[A-Za-z]+\[[^\]\n]*\]|^[^\s;()[\]{}"]+/) ?? [];
  const args = { ...fault.args, move: found, found, line: lines.length, character: [...(lines.at(-1) ?? '')].length + 1 };
  const key = ['bad_record', 'illegal_move', 'bad_position'].map((code) => `error.${code}.${fault.reason}`).find((key) => textOr(key, ''));
  if (!key) return text('load.badRecord', args);
  const words = textOr(key, '');
  const quoted = found && found.length <= LONGEST && !words.includes('{move}');
  return text(quoted ? 'fault.found' : 'fault.place', { ...args, reason: text(key, args) });
}
