// The words for what may be wrong with a record: every reason that a game gives has words in both languages.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { words as en } from '../record/faults/en.js';
import { words as ja } from '../record/faults/ja.js';
import { words as positionsEn } from '../editor/en.js';
import { words as positionsJa } from '../editor/ja.js';

const crates = new URL('../../../', import.meta.url);

/** The text of the modules of a crate that read records. @param {string} game */
async function sources(game) {
  const folder = new URL(`${game}/src/`, crates);
  const files = await readdir(folder, { recursive: true });
  const wanted = files.filter((file) => file.endsWith('.rs') && /^(record|formats|notation|game|moves|position)\b/.test(file));
  return (await Promise.all(wanted.map((file) => readFile(new URL(file, folder), 'utf8')))).join('\n');
}

/** The reasons in a text of Rust. @param {string} text */
function reasons(text) {
  const functions = [...text.matchAll(/fn reason\b[\s\S]*?\n {4}\}\n/g)].flatMap(([body]) => [...body.matchAll(/=> "([a-z_]+)"/g)]);
  const calls = [...text.matchAll(/\b(?:refuse|refusal)\([^"();]*(?:\([^()]*\))?[^"();]*, "([a-z_]+)"/g)];
  return [...new Set([...functions, ...calls].map(([, reason]) => reason))];
}

for (const game of ['othello', 'dobutsu', 'golad', 'blokus', 'tubstap']) {
  test(`W20: ${game}: every reason has words in both languages`, async () => {
    const { words: own } = await import(`../views/words/${game}.js`);
    const pages = { en: (await import('../words/en.js')).words, ja: (await import('../words/ja.js')).words };
    const found = reasons(await sources(game));
    assert.ok(found.length > 5, found.join(' '));
    for (const [language, tables] of Object.entries({ en: [en, own.en, pages.en, positionsEn], ja: [ja, own.ja, pages.ja, positionsJa] })) {
      const known = (/** @type {string} */ reason) =>
        ['bad_record', 'illegal_move', 'bad_move', 'bad_position'].some((code) => tables.some((table) => Object.hasOwn(table, `error.${code}.${reason}`)));
      assert.deepEqual(found.filter((reason) => !known(reason)), [], language);
    }
  });
}

test('the words for faults of records are in both languages, with the same names', () => {
  const names = (/** @type {Record<string, string>} */ words) => Object.entries(words).map(([key, said]) => [key, [...said.matchAll(/\{\w+\}/g)].map(String).sort()]);
  assert.deepEqual(names(ja), names(en));
  const japanese = /[\u3040-\u30ff\u4e00-\u9fff]/;
  for (const said of Object.values(ja)) assert.match(said, japanese);
});
