// The variants of a game's rules: they are offered with a word on each, played, named beside the board and remembered.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, assertClean, legalCells, show, visit, withBrowser } from './browser.mjs';

withBrowser();

/** @typedef {import('playwright-core').Page} Page */

const { games } = (await (await fetch(new URL('api/games', address), { method: 'POST', body: '{}' })).json()).ok;
const varied = games.filter(({ rules }) => rules.length > 1);

/** Opens the dialog of a new game. @param {Page} page */
async function open(page) {
  await page.keyboard.press('n');
  await page.locator('#new-dialog[open]').waitFor();
}

/** The game as the page keeps it. @param {Page} page @param {string} name */
const kept = (page, name) => page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? 'null'), `banmen.game.${name}`);

test('the games with variants are known', () => {
  assert.deepEqual(varied.map(({ name }) => name), ['dobutsu', 'golad', 'blokus']);
});

for (const { name, rules } of varied) {
  for (const locale of ['en-GB', 'ja-JP']) {
    test(`W5: each variant is offered with a word on it, and played: ${name} ${locale}`, async (t) => {
      const page = await visit(t, { game: name, locale });
      await open(page);
      const choice = page.locator('select[name="rules"]');
      assert.deepEqual(await choice.locator('option').evaluateAll((all) => all.map((one) => one.getAttribute('value'))), rules);
      /** @type {Set<string | null>} */
      const about = new Set();
      for (const each of rules) {
        await choice.selectOption(each);
        about.add(await page.locator('#rules-about').textContent());
        const option = (await choice.locator(`option[value="${each}"]`).textContent()) ?? '';
        assert.notEqual(option, each);
        if (locale === 'ja-JP') assert.match(option, /[ぁ-んァ-ヶ一-龠]/);
      }
      assert.equal(about.size, rules.length);
      await assertClean(page, 'dialog');
      const last = rules[rules.length - 1];
      const said = await choice.locator(`option[value="${last}"]`).textContent();
      await page.getByRole('dialog').locator('button.main').click();
      await page.locator('#variant', { hasText: String(said) }).waitFor();
      const { from } = await kept(page, name);
      assert.equal(from.rules, last);
      await page.reload();
      await page.locator('#variant', { hasText: String(said) }).waitFor();
      await open(page);
      assert.equal(await choice.inputValue(), last);
      await choice.selectOption(rules[0]);
      await page.getByRole('dialog').locator('button.main').click();
      await page.locator('#variant').waitFor({ state: 'hidden' });
      assert.equal((await kept(page, name)).from.rules, undefined);
    });
  }
}

test('the board follows the rules that were chosen', async (t) => {
  const page = await visit(t, { game: 'golad' });
  const reds = () => page.locator('.cell[aria-label*="Red"]').evaluateAll((all) => all.map((one) => Number(one.getAttribute('data-at')?.split(',')[1])));
  await open(page);
  await page.getByRole('dialog').locator('button.main').click();
  await page.locator('.board.open').waitFor();
  assert.deepEqual((await reds()).filter((row) => row > 7), [], 'separate: red is above');
  await open(page);
  await page.locator('select[name="rules"]').selectOption('mixed');
  await page.getByRole('dialog').locator('button.main').click();
  await page.waitForFunction(() => [...document.querySelectorAll('.cell[aria-label*="Red"]')].some((one) => Number(one.getAttribute('data-at')?.split(',')[1]) > 7));
  const { from } = await kept(page, 'golad');
  const { board } = await show([], 'golad', from);
  assert.equal((await reds()).length, board.cells.filter(({ owner }) => owner === 'first').length);
});

test('free starts of Blokus Duo are legal on both start cells', async (t) => {
  const kept = { seats: { first: null, second: null }, moves: [], paused: false, timeMs: 200, seed: 1, from: { rules: 'free-start' } };
  const page = await visit(t, { game: 'blokus', kept });
  await page.locator('.held-piece.can').first().click();
  assert.deepEqual(await legalCells(page), ['e10', 'j5']);
});

test('each new game of the Game of Life and Death begins from a start of its own', async (t) => {
  const page = await visit(t, { game: 'golad' });
  const starts = new Set([(await kept(page, 'golad')).from.position]);
  for (let count = 2; count <= 4; count++) {
    await open(page);
    await page.getByRole('dialog').locator('button.main').click();
    await page.locator('#new-dialog').waitFor({ state: 'hidden' });
    await page.waitForFunction((before) => !before.includes(JSON.parse(localStorage.getItem('banmen.game.golad') ?? '{}').from?.position), [...starts]);
    starts.add((await kept(page, 'golad')).from.position);
  }
  for (const start of starts) assert.match(start, /^start:\d+$/);
});

test('the perfect player and its table are those of the rules that are chosen', async (t) => {
  /** @type {(string | undefined)[]} */
  const built = [];
  const prepare = async (/** @type {Page} */ page) => {
    await page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const { id, op, player, rules } = JSON.parse(String(message));
        if (op === 'build') built.push(rules);
        else if (op !== 'solve' && (op !== 'think' || player !== 'perfect')) return server.send(message);
        const there = op === 'build' || rules !== 'any-try';
        socket.send(JSON.stringify({ id, ...(there ? { ok: op === 'solve' ? { moves: [] } : { move: '2c2b', value: 0 } } : { error: { code: 'table_missing', message: 'no table' } }) }));
      });
    });
  };
  const page = await visit(t, { game: 'dobutsu', prepare });
  const perfect = page.locator('select[name="second"] option[value="perfect"]');
  const choice = page.locator('select[name="rules"]');
  await open(page);
  assert.equal(await perfect.isEnabled(), true);
  await choice.selectOption('any-try');
  await page.locator('.tables').waitFor();
  assert.equal(await perfect.isDisabled(), true);
  await choice.selectOption('legal');
  await page.locator('.tables').waitFor({ state: 'detached' });
  assert.equal(await perfect.isEnabled(), true);
  await choice.selectOption('any-try');
  await page.getByRole('button', { name: 'Build the table' }).click();
  await page.locator('.tables').waitFor({ state: 'detached' });
  assert.deepEqual(built, ['any-try']);
  assert.equal(await perfect.isEnabled(), true);
});

test('a setting that is out of its range is shown where it is folded away', async (t) => {
  const page = await visit(t, { game: 'othello' });
  await open(page);
  const settings = page.locator('#new-dialog details').filter({ hasText: 'exact' });
  await page.locator('#new-dialog details summary').last().click();
  await settings.getByLabel('exact').fill('99999999');
  await settings.locator('summary').click();
  assert.equal(await settings.getAttribute('open'), null);
  await page.locator('#new-dialog button[type="submit"]').click();
  await settings.getByLabel('exact').waitFor({ state: 'visible' });
  assert.equal(await settings.getByLabel('exact').evaluate((input) => input === document.activeElement), true);
});
