// W8 at length: a thousand random games of each game through the fragment of a link, through every record format, and through the
// text of their moves in every notation. The page's modules are tested without a browser.
//
// BANMEN names the program, which plays the games; BANMEN_URL the server, which reads and writes notations.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { read, write } from '../record/link.js';
import { readings } from '../record/reading.js';
import { address, show } from './browser.mjs';

const banmen = process.env.BANMEN ?? assert.fail('BANMEN must name the program');
const folder = mkdtempSync(join(tmpdir(), 'banmen-roundtrip-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** As many games of each game. */
const GAMES = 1000;
/** A log of GOLAD has two boards for each move: 27 KB a game. */
const RECORDS = { golad: 100 };
/** As many games are written and read in every notation, by the server. */
const WRITTEN = 40;

/** @param {string} store @param {string[]} args */
const run = (store, ...args) => execFileSync(banmen, ['--store', join(folder, store), ...args], { encoding: 'utf8', maxBuffer: 2 ** 27 });

/**
 * The moves of the games of a match.
 * @param {string} store
 * @param {number} match
 * @returns {string[][]}
 */
const movesOf = (store, match) =>
  run(store, 'records', 'export', String(match), '--format', 'json').trim().split('\n').map((line) => JSON.parse(line).game.moves);

/** Random games, in a store of their own. @param {string} game @param {number} games */
function play(game, games) {
  const store = `${game}-${games}.sqlite`;
  run(store, 'match', game, 'random', 'random', '--games', String(games), '--openings', 'random:0', '--nodes', '1', '--concurrency', '1');
  return store;
}

/**
 * The first reading of a text that the server accepts.
 * @param {string} name
 * @param {string} text
 */
async function reading(name, text) {
  for (const { position, moves } of readings(text)) {
    const found = await show(moves, name, position === undefined ? {} : { position }).catch(() => null);
    if (found) return found;
  }
  return null;
}

const { games } = (await (await fetch(new URL('api/games', address), { method: 'POST', body: '{}' })).json()).ok;

for (const { name, formats, dialects } of games.filter((/** @type {{formats?: string[]}} */ game) => game.formats?.length)) {
  test(`W8, W9: ${name}: ${GAMES} random games through a link, every record format and every notation`, async (t) => {
    const store = play(name, GAMES);
    const lines = movesOf(store, 1);
    assert.equal(lines.length, GAMES);
    let [longest, packed] = [0, 0];
    const from = { rules: undefined, position: 'a_b c.d%/1,2:3=4' };
    for (const [i, moves] of lines.entries()) {
      const ended = i % 4 ? null : { winner: i % 8 ? 'first' : null, margin: null, by: i % 8 ? 'resignation' : 'agreement' };
      const link = { game: name, from: i % 2 ? from : { rules: undefined, position: undefined }, moves, first: undefined, second: i % 3 ? 'engine:level=5' : undefined, ended };
      const fragment = await write(link);
      assert.match(fragment, /^#play=[\w&=:,.%@-]+$/, 'nothing that messengers cut');
      assert.deepEqual(await read(fragment), link);
      longest = Math.max(longest, fragment.length);
      packed += Number(fragment.includes('&z='));
    }
    t.diagnostic(`longest link: ${longest} characters, ${packed} packed`);

    const count = /** @type {Record<string, number>} */ (RECORDS)[name] ?? GAMES;
    const [recorded, known] = count === GAMES ? [store, lines] : [play(name, count), lines.slice(0, count)];
    for (const format of formats) {
      const file = join(folder, `${name}.${format}`);
      writeFileSync(file, run(recorded, 'records', 'export', '1', '--format', format));
      const again = `${name}-${format}.sqlite`;
      run(again, 'records', 'import', name, file, '--format', format);
      assert.deepEqual(movesOf(again, 1), count === GAMES ? known : movesOf(recorded, 1), format);
    }

    // While the programs ran this one stood still, and has not seen which idle connections the server closed.
    await setTimeout(100);
    for (const dialect of dialects) {
      for (const moves of lines.slice(0, WRITTEN)) {
        const written = await show(moves, name, /** @type {any} */ ({ dialect }));
        // As the page separates them.
        const separator = [...moves, ...written.moves].some((move) => move.includes(' ')) ? '\n' : ' ';
        const [{ moves: pasted }] = readings(written.moves.join(separator));
        const { position, moves: found } = await show(pasted, name);
        assert.deepEqual(found, (await show(moves, name)).moves, dialect);
        // The position as text, as the page offers it beside the moves.
        assert.equal((await show([], name, { position: written.position })).position, (await show([], name, { position })).position, dialect);
      }
      // A game from another position, whose text in some notations has several lines.
      const moves = lines[0];
      const start = { position: (await show(moves.slice(0, 4), name)).position };
      const begun = await show([], name, /** @type {any} */ ({ ...start, dialect }));
      const written = await show(moves.slice(4), name, /** @type {any} */ ({ ...start, dialect }));
      const separator = written.moves.some((/** @type {string} */ move) => move.includes(' ')) ? '\n' : ' ';
      const end = await reading(name, `${begun.position}\n${written.moves.join(separator)}`);
      assert.deepEqual(end?.moves, (await show(moves.slice(4), name, start)).moves, `${dialect}: ${begun.position}`);
    }
  });
}
