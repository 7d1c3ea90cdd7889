// The names of openings: each line is a game, and the page names the one on the board.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMES, openingOf } from '../openings/othello.js';
import { assertClean, left, show, visit, withBrowser } from './browser.mjs';

withBrowser();

/** @param {string} line */
const movesOf = (line) => line.match(/../g) ?? [];

test('each line of the list can be played, and leads to a position of its own', async () => {
  /** @type {Set<string>} */
  const positions = new Set();
  for (const [line, en, ja] of NAMES) {
    positions.add((await show(movesOf(line))).position);
    assert.deepEqual(openingOf(movesOf(line)), { en, ja }, line);
  }
  assert.equal(positions.size, NAMES.length);
});

test('an opening has its name whatever the order of its moves and the first of them', () => {
  /** @param {string} line */
  const named = (line) => openingOf(movesOf(line))?.en;
  assert.equal(named('f5'), undefined);
  for (const line of ['f5d6c3d3c4', 'f5d6c4d3c3', 'c4e3f6e6f5', 'd3c5f6f5e6', 'e6f4c3c4d3']) assert.equal(named(line), 'Tiger', line);
  // By another order of moves and its mirror image, both of the same length.
  for (const line of ['f5f6e6f4e3', 'f5f6e6d6c5', 'e6f6f5d6c5', 'c4c3d3c5d6']) assert.equal(named(line), 'Cow', line);
  // A later position without a name keeps the last one.
  assert.equal(named('f5d6c3d3c4f4c5'), 'Tiger');
});

test('the page names the opening of the moves up to the ply on the board, in its language', async (t) => {
  for (const [locale, tiger, perpendicular] of [['en-GB', 'Opening: Tiger', 'Opening: Perpendicular'], ['ja-JP', '定石： 虎', '定石： 縦取り']]) {
    const page = await visit(t, { kept: left(movesOf('f5d6c3d3c4')), locale });
    /** Waits until the heading has this opening. @param {string | undefined} said */
    const named = (said) => page.waitForFunction((said) => document.querySelector('#moves-title .opening')?.textContent === said, said);
    await named(tiger);
    await assertClean(page, 'opening');
    const { height } = (await page.locator('.moves .card-head').boundingBox()) ?? assert.fail('the heading is drawn');
    await page.keyboard.press('ArrowLeft');
    await named(perpendicular);
    await page.keyboard.press('Home');
    await named(undefined);
    // The heading keeps its height, so nothing jumps.
    assert.equal((await page.locator('.moves .card-head').boundingBox())?.height, height);
    await page.keyboard.press('End');
    await named(tiger);
    await page.locator('#game').selectOption('dobutsu');
    await named(undefined);
  }
});

test('no opening is named in a game from another position', async (t) => {
  const { position } = await show(movesOf('f5d6c3'));
  const page = await visit(t, { kept: { ...left([]), moves: [{ text: 'd3', side: 'second' }], from: { position } } });
  await page.locator('#moves [data-ply="1"]').waitFor();
  // What names it has been fetched, and has had its turn.
  await page.waitForFunction(() => document.querySelector('link[href="openings/opening.css"]')?.sheet);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  assert.equal(await page.locator('.opening').count(), 0);
});
