// The visitor's own games: a new one asks before it takes the place of one that is played, a list keeps them, and two tabs do
// not overwrite each other.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, assertClean, cell, left, legalCells, moves, randomLine, reached, visit, withBrowser } from './browser.mjs';

withBrowser();

const AGAINST = { first: null, second: 'engine:level=1' };

/** @param {import('playwright-core').Page} page */
async function startNew(page) {
  await page.keyboard.press('n');
  await page.locator('#new-dialog button[type="submit"]').click();
}

/** @param {import('playwright-core').Page} page */
async function list(page) {
  await page.locator('[data-action="games"]').click();
  const dialog = page.getByRole('dialog', { name: 'My games' });
  await dialog.waitFor();
  return dialog;
}

test('a new game asks before it replaces one that is played, which stays in the list', async (t) => {
  const line = await randomLine(6, 8);
  const page = await visit(t, { kept: left(line, AGAINST) });
  await startNew(page);
  const question = page.getByRole('dialog', { name: 'Start a new game?' });
  await question.waitFor();
  await assertClean(page, 'question');
  await question.getByRole('button', { name: 'Continue my game' }).click();
  await question.waitFor({ state: 'detached' });
  assert.deepEqual(await moves(page), line);

  await startNew(page);
  await question.getByRole('button', { name: 'Start the new game' }).click();
  await page.waitForFunction(() => document.querySelectorAll('#moves li').length === 1);
  // Nobody has moved: no question.
  await startNew(page);
  await page.locator('dialog[open]').waitFor({ state: 'hidden' });

  const games = await list(page);
  await assertClean(page, 'list');
  assert.match((await games.locator('li').textContent()) ?? '', /Othello.*Not over, moves: 8.*Black: You · White: Engine, level 1/);
  await games.getByRole('button', { name: /^Open/ }).click();
  await page.locator('#moves [data-ply="8"][aria-current]').waitFor();
  assert.deepEqual(await moves(page), line);
  await page.reload();
  await page.locator('#moves [data-ply="8"][aria-current]').waitFor();
});

test('a finished game is listed with its result, and can be deleted and restored', async (t) => {
  // A shortest game: White has no discs left after nine moves.
  const line = ['e6', 'f4', 'e3', 'f6', 'g5', 'd6', 'e7', 'f5'];
  const page = await visit(t, { kept: left(line) });
  await cell(page, 'c5').click();
  await page.locator('.status.over').waitFor();
  await page.waitForFunction(() => localStorage.getItem('banmen.games'));
  let games = await list(page);
  assert.match((await games.locator('li').textContent()) ?? '', /Black wins by 64/);
  await games.getByRole('button', { name: /^Delete/ }).click();
  const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem('banmen.games') ?? '[]').length);
  assert.equal(await stored(), 0);
  await games.getByRole('button', { name: /^Restore/ }).click();
  assert.equal(await stored(), 1);
  await games.getByRole('button', { name: /^Delete/ }).click();
  await page.keyboard.press('Escape');
  await page.goto(new URL('#games', address).href);
  games = page.getByRole('dialog', { name: 'My games' });
  await games.getByText('There are no games yet.').waitFor();
});

test('a finished game stays in the list when its last move is taken back', async (t) => {
  const line = ['e6', 'f4', 'e3', 'f6', 'g5', 'd6', 'e7', 'f5'];
  const page = await visit(t, { kept: left(line) });
  await cell(page, 'c5').click();
  await page.locator('.status.over').waitFor();
  await page.waitForFunction(() => localStorage.getItem('banmen.games'));
  await page.keyboard.press('u');
  await page.locator('#moves [data-ply="8"][aria-current]').waitFor();
  await startNew(page);
  await page.getByRole('button', { name: 'Start the new game' }).click();
  await page.waitForFunction(() => document.querySelectorAll('#moves li').length === 1);
  const [first, second, ...more] = await (await list(page)).locator('li').allTextContents();
  assert.match(first, /Not over, moves: 8/);
  assert.match(second, /Black wins by 64/);
  assert.deepEqual(more, []);
});

test('the list is bounded', async (t) => {
  const page = await visit(t, { kept: left(await randomLine(6, 2)) });
  await page.evaluate(() => {
    const kept = { seats: { first: null, second: null }, moves: [{ text: 'f5', side: 'first' }], paused: false, timeMs: 200, from: {}, seed: 1 };
    const games = Array.from({ length: 200 }, (_, i) => ({ id: `othello.${i + 7}`, game: 'othello', kept, outcome: null, date: 1000 - i }));
    localStorage.setItem('banmen.games', JSON.stringify(games));
  });
  await startNew(page);
  await page.getByRole('button', { name: 'Start the new game' }).click();
  await page.waitForFunction(() => document.querySelectorAll('#moves li').length === 1);
  const ids = await page.evaluate(() => JSON.parse(localStorage.getItem('banmen.games') ?? '[]').map((/** @type {{id: string}} */ { id }) => id));
  assert.equal(ids.length, 200);
  assert.equal(ids[0], 'othello.1');
  assert.equal(ids.at(-1), 'othello.205');
});

test('two tabs do not overwrite each other', async (t) => {
  const line = await randomLine(3, 6);
  const one = await visit(t, { kept: left(line) });
  const two = await one.context().newPage();
  await two.goto(address);
  await two.locator('#moves [data-ply="6"][aria-current]').waitFor();
  await cell(two, (await legalCells(two))[0]).click();
  await reached(two, 7);
  await one.locator('#status', { hasText: 'continues in another tab' }).waitFor();
  await assertClean(one, 'another tab');
  const after = await moves(two);
  await cell(one, (await legalCells(one))[1] ?? 'a1').click();
  await one.keyboard.press('u');
  await one.waitForTimeout(200);
  assert.deepEqual(await moves(one), after);
  await one.getByRole('button', { name: 'Continue here' }).click();
  await one.locator('#moves [data-ply="7"][aria-current]').waitFor();
  await cell(one, (await legalCells(one))[0]).click();
  await reached(one, 8);
  await two.locator('#status', { hasText: 'continues in another tab' }).waitFor();
});
