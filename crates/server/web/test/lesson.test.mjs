// The lessons: every task can be done on the board as it says, a wrong move is explained, and the visitor's game stays as it was.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, assertClean, cell, left, moves, visit, withBrowser } from './browser.mjs';

withBrowser();

/** @typedef {import('playwright-core').Page} Page */

const at = (/** @type {string} */ game) => new URL(`#lesson=${game}`, address).href;
const press = (/** @type {Page} */ page, /** @type {string} */ name) => page.locator(`[data-lesson="${name}"]`).click();
const done = (/** @type {Page} */ page) => page.locator('.lesson-done').waitFor();

/** The moves that do the tasks of each lesson, typed or pressed; nothing where there is no task. */
const SOLUTIONS = {
  othello: ['d3', 'd6', 'h8', 'g1', null],
  dobutsu: ['2c2b', 'C*2c', '3d2c', '1b1a+', '2c2b', '1b1a'],
  'dobutsu-article': ['2c2b', 'C*2c', '3d2c', '1b1a+', '2c2b', '1b2a'],
  golad: ['pass', 'kill 3,2', 'birth 1,2 4,3 5,3', 'kill 3,1', null, null],
  blokus: ['f9,e10,f10,g10,f11', 'g7,g8,h7', 'e6,f6,g6', null],
  tubstap: ['0@3,2', '0@5,2>1', '0@2,3>1', '0@3,2>1', 'end', null],
};

/** Plays a move by its text: the form for it is hidden in a lesson. @param {Page} page @param {string} move */
const play = (page, move) =>
  page.evaluate((move) => {
    const entry = /** @type {HTMLInputElement} */ (document.getElementById('enter-move'));
    entry.value = move;
    /** @type {HTMLFormElement} */ (document.getElementById('enter')).requestSubmit();
  }, move);

for (const [game, solutions] of Object.entries(SOLUTIONS)) {
  test(`the lesson of ${game} can be finished`, async (t) => {
    const page = await visit(t, { at: at(game), shown: '.lesson .actions' });
    await page.locator('.cell').first().waitFor();
    for (const [i, move] of solutions.entries()) {
      await page.locator(`.lesson-dots[aria-label="Step ${i + 1} of ${solutions.length}"]`).waitFor();
      if (move !== null) {
        await page.waitForFunction(() => document.querySelector('.board.open'));
        await play(page, move);
        await done(page);
      }
      if (i === 0) await assertClean(page, game);
      if (i < solutions.length - 1) await press(page, 'next');
    }
    await page.getByRole('link', { name: 'Play a game' }).click();
    await page.locator('#player-second', { hasText: 'level 1' }).waitFor();
    assert.equal(await page.locator('.lesson').count(), 0);
    assert.deepEqual(await moves(page, game), []);
  });
}

test('a task is done on the board, and another move is explained', async (t) => {
  const page = await visit(t, { at: at('dobutsu'), shown: '.lesson .actions', locale: 'ja-JP', viewport: { width: 320, height: 640 } });
  await cell(page, '2d').click();
  await cell(page, '3c').click();
  await page.locator('#note.shown', { hasText: 'ひよこを取って' }).waitFor();
  assert.equal(await page.locator('.lesson-done').count(), 0);
  await cell(page, '2c').click();
  await cell(page, '2b').click();
  await done(page);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-lesson')), 'next');
  const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
  await assertClean(page);
});

test('the visitor’s game is kept during a lesson, and another game ends it', async (t) => {
  const page = await visit(t, { kept: left(['f5', 'd6']) });
  await page.locator('.learn .to-lesson').click();
  await page.locator('.lesson').waitFor();
  await cell(page, 'd3').click();
  await done(page);
  assert.deepEqual(await moves(page), ['f5', 'd6']);
  await page.getByRole('link', { name: 'Leave the lesson' }).click();
  await page.locator('#moves [data-ply="2"]').waitFor();
  await page.waitForFunction(() => document.activeElement?.closest('#board'));
  await page.locator('.learn .to-lesson').click();
  await page.locator('.lesson').waitFor();
  await page.locator('#game').selectOption('dobutsu');
  await page.getByRole('grid', { name: 'Dobutsu shogi board', exact: true }).waitFor();
  assert.equal(await page.locator('.lesson').count(), 0);
  assert.equal(await page.locator('#status').isVisible(), true);
});

test('the way back from the lesson of another game leads to the visitor’s own', async (t) => {
  const page = await visit(t, { kept: left(['f5', 'd6']) });
  await page.evaluate(() => void (location.hash = '#lesson=dobutsu'));
  await page.locator('.lesson').waitFor();
  await page.goBack();
  await page.getByRole('grid', { name: 'Othello board', exact: true }).waitFor();
  assert.deepEqual(await moves(page), ['f5', 'd6']);
  await page.reload();
  await page.getByRole('grid', { name: 'Othello board', exact: true }).waitFor();
});

test('the lesson is offered at the first visit of a game, until it is declined', async (t) => {
  const page = await visit(t);
  await page.locator('#offer').waitFor();
  await page.getByRole('button', { name: 'Do not offer the lesson' }).click();
  await page.locator('#offer').waitFor({ state: 'hidden' });
  await page.reload();
  await page.locator('.cell').first().waitFor();
  assert.equal(await page.locator('#offer').isVisible(), false);
  await page.locator('#game').selectOption('dobutsu');
  await page.locator('#offer').waitFor();
  await cell(page, '2c').click();
  await cell(page, '2b').click();
  await page.locator('#offer').waitFor({ state: 'hidden' });
});
