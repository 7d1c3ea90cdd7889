// Ending a game before the rules do: resigning, and agreeing on a draw.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertClean, cell, gate, left, moves, randomLine, reached, visit, withBrowser } from './browser.mjs';

withBrowser();

const AGAINST = { first: null, second: 'engine:level=1' };

/** @param {import('playwright-core').Page} page @param {string} choice */
async function choose(page, choice) {
  await page.locator('[data-action="finish"]').click();
  const dialog = page.getByRole('dialog', { name: 'End this game?' });
  await dialog.getByRole('button', { name: choice, exact: true }).click();
}

/** @param {import('playwright-core').Page} page @param {RegExp} said */
const over = (page, said) => page.locator('.status.over', { hasText: said }).waitFor();

/**
 * Lets the engine see every position that is asked about for a draw as equal.
 * @param {import('playwright-core').Page} page
 */
const equal = (page) =>
  page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    /** @type {Set<number>} */
    const asked = new Set();
    socket.onMessage((text) => {
      const { id, session } = JSON.parse(String(text));
      if (session === 'draw') asked.add(id);
      server.send(text);
    });
    server.onMessage((text) => {
      const answer = JSON.parse(String(text));
      if (asked.has(answer.id) && answer.ok) answer.ok.value = 0.52;
      socket.send(JSON.stringify(answer));
    });
  });

test('a person resigns against an engine; the result is kept, and undo takes it back', async (t) => {
  const line = await randomLine(4, 6);
  const page = await visit(t, { kept: left(line, AGAINST) });
  await page.locator('[data-action="finish"]').click();
  await page.getByRole('dialog', { name: 'End this game?' }).waitFor();
  await assertClean(page, 'question');
  await page.keyboard.press('Escape');
  await choose(page, 'Play on');
  await choose(page, 'Resign');
  await over(page, /^White wins: the other side resigned$/);
  assert.equal(await page.locator('[data-action="finish"]').isVisible(), false);
  await page.reload();
  await over(page, /^White wins: the other side resigned$/);
  await page.locator('[data-action="games"]').click();
  await page.locator('.own-games', { hasText: 'White wins: the other side resigned' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('u');
  await page.locator('.status:not(.over)').waitFor();
  assert.deepEqual(await moves(page), line.slice(0, 4));
  await page.locator('.cell.can').first().click();
  await page.waitForFunction(() => JSON.parse(localStorage.getItem('banmen.game.othello') ?? '').ended === null);
});

test('a person can resign although the engine moves while the question is open', async (t) => {
  const { opened, open } = gate();
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage(async (text) => {
        if (JSON.parse(String(text)).op === 'think') await opened;
        server.send(text);
      });
    });
  const page = await visit(t, { prepare, kept: left(await randomLine(4, 6), AGAINST) });
  await page.locator('.cell.can').first().click();
  await page.locator('#status', { hasText: 'White is thinking' }).waitFor();
  await page.locator('[data-action="finish"]').click();
  const dialog = page.getByRole('dialog', { name: 'End this game?' });
  await dialog.waitFor();
  open();
  await reached(page, 8);
  await dialog.getByRole('button', { name: 'Resign', exact: true }).click();
  await over(page, /^White wins: the other side resigned$/);
});

test('two people agree on a draw', async (t) => {
  const page = await visit(t, { locale: 'ja-JP', kept: left(['f5', 'd6']) });
  await page.locator('[data-action="finish"]').click();
  await page.getByRole('button', { name: '合意して引き分け' }).click();
  await over(page, /^引き分け（合意）$/);
  await cell(page, 'c3').click();
  assert.deepEqual(await moves(page), ['f5', 'd6']);
});

test('an engine takes a draw where it sees the last positions as equal', async (t) => {
  const page = await visit(t, { kept: left(await randomLine(4, 6), AGAINST), prepare: equal });
  await choose(page, 'Offer a draw');
  await over(page, /^A draw: agreed$/);
});

test('an engine declines a draw that is too early, or where it does not see the game as equal', async (t) => {
  const early = await visit(t, { kept: left(['f5', 'd6'], AGAINST), prepare: equal });
  await choose(early, 'Offer a draw');
  await early.getByText('It is too early for a draw.').waitFor();
  // Black takes all discs with the next move.
  const page = await visit(t, { kept: left(['e6', 'f4', 'e3', 'f6', 'g5', 'd6', 'e7', 'f5'], AGAINST) });
  await choose(page, 'Offer a draw');
  await page.getByText('The offer is declined').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.status.over').count(), 0);
});
