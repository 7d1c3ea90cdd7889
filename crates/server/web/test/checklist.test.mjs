// The checklist of the page, W1 to W22: each point has tests, which begin with its number.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';

const POINTS = {
  W1: 'legal moves, the last move and what was captured are marked',
  W2: 'an illegal press changes nothing, and says why',
  W3: 'undo and redo; against an engine to the visitor’s turn',
  W4: 'the list of moves, and the keys',
  W5: 'players and levels for each side; watching, pause, single step, “move now”',
  W6: 'analysis: bar, lines, depth, nodes, speed; the graph of a game and its blunders',
  W7: 'the editor of positions',
  W8: 'import and export in every notation',
  W9: 'sharing by a link that contains the game',
  W10: 'clocks',
  W11: 'every game to its end by keys alone',
  W12: 'screen readers: grid, spoken labels, live region, text input',
  W13: 'colour is never the only cue; contrast, forced colours, reduced motion',
  W14: 'light, dark, and as the system',
  W15: 'touch, and 320 px',
  W16: 'Japanese and English, with the same keys',
  W17: 'sound, off by default',
  W18: 'reload, lost connection, restarted server',
  W19: 'the dialog remembers the last choice; no account, no cookies',
  W20: 'errors in words; diagnostics can be copied',
  W21: 'tournaments and matches, live, to each game',
  W22: 'the tree of a search, and its log',
};

/** Points that hold in each game, with a test of their number for it. */
const EVERY_GAME = ['W1', 'W2', 'W3', 'W4', 'W5', 'W6', 'W7', 'W8', 'W9', 'W11', 'W12', 'W13', 'W15'];
const GAMES = ['othello', 'dobutsu', 'golad', 'blokus', 'tubstap'];

test('each point of the checklist has a test that names it, for every game where it is about each', async () => {
  const folder = new URL('./', import.meta.url);
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.test.mjs'))) {
    const source = await readFile(new URL(file, folder), 'utf8');
    for (const [, title] of source.matchAll(/\btest\([`'](.*?)[`'],/g)) {
      const numbers = /^([SW]\d+(?:, [SW]\d+)*): /.exec(title)?.[1].split(', ').filter((number) => number.startsWith('W')) ?? [];
      // A title with the game in it is that of a test in a loop over all games; the name of a file is that of its game.
      const game = GAMES.find((game) => file.startsWith(game)) ?? (/\$\{(game|name)\}/.test(title) ? 'every' : 'some');
      for (const number of numbers) found.set(number, [...(found.get(number) ?? []), game]);
    }
  }
  assert.deepEqual([...found.keys()].filter((number) => !Object.hasOwn(POINTS, number)), [], 'unknown numbers');
  for (const [number, about] of Object.entries(POINTS)) assert.ok(found.has(number), `${number}, ${about}, has no test`);
  for (const number of EVERY_GAME) {
    const covered = found.get(number) ?? [];
    const missing = GAMES.filter((game) => !covered.includes(game) && !covered.includes('every') && !(game === 'othello' && covered.includes('some')));
    assert.deepEqual(missing, [], `${number}, ${POINTS[/** @type {keyof typeof POINTS} */ (number)]}, has no test for these games`);
  }
});
