// Playing: by keys, by clicks, by typed moves; what is refused; going back and forth.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, left, legalCells, lineToPass, marks, moves, position, randomLine, reached, show, visit, withBrowser } from './browser.mjs';

withBrowser();

const note = '#note.shown';

/** Waits for the result and compares it with the server's. */
async function assertResult(page) {
  await page.locator('.status.over').waitFor();
  const { outcome, board } = await show(await moves(page));
  assert.ok(outcome);
  const names = { first: 'Black', second: 'White' };
  const expected = outcome.winner ? `${names[outcome.winner]} wins by ${outcome.margin}` : 'A draw';
  assert.equal(await page.locator('#status').textContent(), expected);
  const scores = await page.locator('.player-card .score').allTextContents();
  assert.deepEqual(scores, [String(board.extra.first), String(board.extra.second)]);
  assert.ok((await page.locator('#live').textContent())?.includes(expected));
}

test('W11: a whole game by keys alone', async (t) => {
  const page = await visit(t);
  await page.keyboard.press('n');
  // A new game between two people: both sides' first choice is "You".
  for (const side of ['first', 'second']) {
    await page.locator(`select[name="${side}"]`).focus();
    await page.keyboard.press('Home');
  }
  while (!(await page.locator('button[type="submit"]:focus').count())) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('#new-dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('b');
  while (!(await page.locator('.status.over').count())) {
    const { length } = await moves(page);
    const from = await page.evaluate(() => document.activeElement?.getAttribute('data-at') ?? '');
    assert.match(from, /^[a-h][1-8]$/, 'the board has the focus');
    const steps = (/** @type {string} */ at) => [at.charCodeAt(0) - from.charCodeAt(0), Number(at[1]) - Number(from[1])];
    const far = (/** @type {string} */ at) => steps(at).reduce((sum, by) => sum + Math.abs(by), 0);
    const [nearest] = (await legalCells(page)).sort((a, b) => far(a) - far(b));
    if (nearest) {
      const [across, down] = steps(nearest);
      for (let i = Math.abs(across); i > 0; i -= 1) await page.keyboard.press(across > 0 ? 'ArrowRight' : 'ArrowLeft');
      for (let i = Math.abs(down); i > 0; i -= 1) await page.keyboard.press(down > 0 ? 'ArrowDown' : 'ArrowUp');
      await page.keyboard.press(length % 2 ? 'Enter' : 'Space');
    }
    await reached(page, length + 1);
  }
  await assertResult(page);
});

test('a whole game by clicks against an engine', async (t) => {
  const page = await visit(t, { kept: left([], { first: null, second: 'engine:level=1' }) });
  while (!(await page.locator('.status.over').count())) {
    const { length } = await moves(page);
    const [legal] = (await page.locator('.board.open').count()) ? await legalCells(page) : [];
    if (legal) await cell(page, legal).click();
    await reached(page, length + 1);
    await page.locator('.board.open, .status.over').first().waitFor();
  }
  await assertResult(page);
});

test('W1: marks and names of cells are the server’s legal moves at 20 random positions', async (t) => {
  for (let seed = 0; seed < 4; seed += 1) {
    const line = await randomLine(seed, 45);
    const page = await visit(t, { kept: left(line) });
    for (let ply = 5 + seed; ply < line.length; ply += 9) {
      await page.locator(`#moves [data-ply="${ply}"]`).click();
      await page.locator(`#moves [data-ply="${ply}"][aria-current]`).waitFor();
      const { legal, board } = await show(line.slice(0, ply));
      assert.deepEqual(await legalCells(page), [...legal].filter((move) => move !== 'pa').sort(), line.slice(0, ply).join(''));
      assert.equal(await marks(page), (await legalCells(page)).length);
      const flipped = board.cells.filter((one) => one.tags.includes('flipped')).length;
      assert.equal(await page.locator('.marks .flipped').count(), flipped);
      assert.equal(await page.locator('.marks .last').count(), 1);
    }
    await page.context().close();
  }
});

test('W2: a press on an illegal cell shows the reason and changes nothing', async (t) => {
  const page = await visit(t, { kept: left(await randomLine(7, 12)) });
  const before = await position(page);
  const legal = await legalCells(page);
  const said = new Set();
  for (const at of await page.locator('.cell').evaluateAll((cells) => cells.map((one) => one.getAttribute('data-at') ?? ''))) {
    if (legal.includes(at)) continue;
    await cell(page, at).click();
    await page.waitForFunction((at) => document.querySelector('#note.shown')?.textContent?.startsWith(`${at} `), at);
    said.add((await page.locator(note).textContent())?.replace(at, ''));
  }
  assert.deepEqual([...said].sort(), [' is already taken.', ' would flip nothing.']);
  assert.deepEqual(await position(page), before);
  assert.equal((await moves(page)).length, 12);
  assert.ok((await page.locator('#live').textContent())?.includes('flip nothing'));
});

test('W3: undo and redo', async (t) => {
  const page = await visit(t, { kept: left([]) });
  /** @type {Awaited<ReturnType<typeof position>>[]} */
  const seen = [await position(page)];
  for (let ply = 1; ply <= 6; ply += 1) {
    await cell(page, (await legalCells(page))[0]).click();
    await reached(page, ply);
    await page.locator(`#moves [data-ply="${ply}"]`).waitFor();
    seen.push(await position(page));
  }
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('u');
  await page.locator('#moves [data-ply="4"]').waitFor({ state: 'detached' });
  assert.deepEqual(await position(page), seen[3]);
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('r');
  await page.locator('#moves [data-ply="6"]').waitFor();
  assert.deepEqual(await position(page), seen[6]);
});

test('W3: undo against an engine gives the person the move again', async (t) => {
  const line = await randomLine(3, 8);
  const page = await visit(t, { kept: left(line, { first: null, second: 'engine:level=1' }) });
  const before = await position(page);
  await cell(page, (await legalCells(page))[0]).click();
  await reached(page, 10);
  await page.locator('.board.open').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForFunction(() => document.querySelectorAll('#moves li').length === 9);
  assert.deepEqual(await position(page), before);
  assert.deepEqual(await moves(page), line);
  assert.ok(await page.locator('.board.open').count());
});

test('W4: stepping through the moves does not change the game', async (t) => {
  const line = await randomLine(5, 10);
  const page = await visit(t, { kept: left(line) });
  const current = page.locator('#moves [aria-current]');
  const at = async (/** @type {number} */ ply) => {
    await page.waitForFunction((ply) => document.querySelector('#moves [aria-current]')?.getAttribute('data-ply') === ply, String(ply));
    const { board } = await show(line.slice(0, ply));
    await page.waitForFunction(
      (count) => document.querySelector('.player-card .score')?.textContent === count,
      String(board.extra.first),
    );
  };
  await page.keyboard.press('ArrowLeft');
  await at(9);
  await page.keyboard.press('Home');
  await at(0);
  await page.keyboard.press('ArrowRight');
  await at(1);
  await page.keyboard.press('b');
  await page.keyboard.press('.');
  await at(2);
  await page.locator('#moves [data-ply="5"]').click();
  await at(5);
  assert.equal(await current.evaluate((item) => item === document.activeElement), true);
  await page.keyboard.press('ArrowLeft');
  await at(4);
  // A press on an earlier position is refused, with a note on how to continue from there.
  await cell(page, (await legalCells(page))[0]).click();
  await page.locator(note, { hasText: 'Play from here' }).waitFor();
  assert.deepEqual(await moves(page), line);
  await page.getByRole('button', { name: 'To the end' }).click();
  await at(10);
  await page.keyboard.press(',');
  await page.getByRole('button', { name: 'Play from here' }).click();
  await page.waitForFunction(() => document.querySelectorAll('#moves li').length === 10);
  assert.deepEqual(await moves(page), line.slice(0, 9));
});

test('W4: a hint is a legal move, shown and announced', async (t) => {
  const line = await randomLine(11, 20);
  const page = await visit(t, { kept: left(line) });
  await page.keyboard.press('h');
  await page.locator('.marks .hint').waitFor();
  const hint = (await page.locator(note).textContent())?.match(/^Hint: (\w\d)\.$/)?.[1] ?? '';
  assert.ok((await show(line)).legal.includes(hint));
  assert.match((await cell(page, hint).getAttribute('aria-label')) ?? '', /, hint/);
});

test('W4, W12: moves can be typed, and a wrong one is explained', async (t) => {
  const page = await visit(t, { kept: left([]) });
  await page.keyboard.press('i');
  await page.keyboard.type('f5');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#enter-move').inputValue(), '');
  await reached(page, 1);
  await page.keyboard.type('<img src=x onerror=alert(1)>');
  await page.keyboard.press('Enter');
  await page.locator(note).waitFor();
  assert.equal(await page.locator('#note img, #live img').count(), 0);
  assert.deepEqual(await moves(page), ['f5']);
  assert.match(await page.locator('#enter-move').inputValue(), /^<img/, 'what is refused can be corrected');
});

test('a forced pass is announced and played automatically', async (t) => {
  const line = await lineToPass(1);
  const last = String(line.pop());
  const page = await visit(t, { kept: left(line) });
  await cell(page, last).click();
  const loser = line.length % 2 ? 'Black' : 'White';
  await page.locator('#said', { hasText: `${loser} has no move and passes.` }).waitFor();
  await reached(page, line.length + 2);
  assert.deepEqual(await moves(page), [...line, last, 'pa']);
  assert.ok((await page.locator('#live').textContent())?.includes(`${loser} has no move and passes.`));
});

test('W5: levels have names, and players are described in the language of the page', async (t) => {
  const page = await visit(t, { game: 'othello', locale: 'ja-JP' });
  await page.keyboard.press('n');
  await page.locator('#new-dialog[open]').waitFor();
  const white = page.locator('fieldset').last();
  const level = white.locator('input[type=range]');
  await level.fill('4');
  assert.equal(await white.locator('output').textContent(), 'レベル 4（初級の上）');
  assert.equal(await level.getAttribute('aria-valuetext'), 'レベル 4（初級の上）');
  for (const player of ['engine', 'mcts', 'random', 'classic', 'greedy']) {
    await white.locator('select').first().selectOption(player);
    const about = white.locator('p.dim');
    assert.equal(await about.getAttribute('lang'), null, player);
    assert.match(await about.innerText(), /[ぁ-ん].*。$/, player);
  }
});

test('W16: a note changes its language with the page, or goes', async (t) => {
  const page = await visit(t, { kept: left(['f5']) });
  await cell(page, 'a1').click();
  await page.locator(note, { hasText: 'a1 would flip nothing.' }).waitFor();
  await page.keyboard.press('l');
  await page.locator(note, { hasText: 'a1 では石を返せません。' }).waitFor();
});

test('W4: Home, End and the arrow keys step through the game wherever the focus is, also without single-key shortcuts', async (t) => {
  const line = await randomLine(5, 6);
  const page = await visit(t, { kept: left(line) });
  await page.keyboard.press('?');
  await page.locator('#shortcuts').click();
  await page.keyboard.press('Escape');
  const at = (/** @type {number} */ ply) => page.locator(`#moves [data-ply="${ply}"][aria-current]`).waitFor();
  for (const place of ['#language', '#analyse', '[data-action="undo"]', '.tab', '#to-next']) {
    await page.locator(place).first().focus();
    await page.keyboard.press('Home');
    await at(0);
    await page.keyboard.press('ArrowRight');
    await at(1);
    await page.keyboard.press('End');
    await at(6);
    await page.keyboard.press('ArrowLeft');
    await at(5);
    await page.keyboard.press('ArrowRight');
    await at(6);
  }
  // In a field and on the board they have their own meaning, and letters are switched off.
  await page.locator('#enter-move').fill('a1');
  await page.keyboard.press('Home');
  await cell(page, 'd4').focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-at')), 'c4');
  await page.keyboard.press('u');
  await at(6);
  assert.equal((await moves(page)).length, 6);
});
