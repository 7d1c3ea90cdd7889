// The editor of positions: in each game a position is set up by presses, its text is read by the server and begins a game.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertClean, cell, left, show, spoken, visit, withBrowser } from './browser.mjs';

withBrowser();

/**
 * @param {import('node:test').TestContext} t
 * @param {string} game
 */
async function open(t, game, options = {}) {
  // A game that is begun is one of two people.
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.addInitScript((key) => localStorage.setItem(key, '{"seats":{"first":null,"second":null},"timeMs":200}'), `banmen.setup.${game}`);
  const page = await visit(t, { game, kept: left([]), prepare, ...options });
  await page.locator('[data-action="edit"]').click();
  await page.locator('.editor').waitFor();
  return page;
}

/** @param {import('playwright-core').Page} page @param {string} piece */
const choose = (page, piece) => page.getByRole('radio', { name: piece, exact: true }).check({ force: true });

/** @param {import('playwright-core').Page} page @param {string} name @param {string} value */
async function enter(page, name, value) {
  await page.locator(`[data-name="${name}"]`).fill(value);
  await page.locator(`[data-name="${name}"]`).press('Enter');
}

/** @param {import('playwright-core').Page} page */
const written = (page) => page.locator('#editor-text').inputValue();

/** @param {import('playwright-core').Page} page @param {RegExp} said */
const judged = (page, said) => page.locator('#editor-verdict', { hasText: said }).waitFor();

/** @param {import('playwright-core').Page} page */
const cells = (page) => page.evaluate(() => [...document.querySelectorAll('.cell')].map((cell) => cell.getAttribute('aria-label')?.split(', legal')[0]));

const CASES = {
  othello: {
    async set(/** @type {import('playwright-core').Page} */ page) {
      await choose(page, 'White disc');
      await cell(page, 'e4').click();
      await cell(page, 'f4').click();
      await page.getByRole('group', { name: 'To move' }).getByRole('radio', { name: 'White', exact: true }).check();
    },
    text: `${'-'.repeat(27)}OOO-----XO${'-'.repeat(27)} O`,
  },
  dobutsu: {
    async set(/** @type {import('playwright-core').Page} */ page) {
      await choose(page, 'Empty the cell');
      await cell(page, '2b').click();
      await choose(page, 'Sente’s hen');
      await cell(page, '2c').click();
      await enter(page, 'second chick', '1');
    },
    text: 'gle/3/1+C1/ELG b c 1',
  },
  golad: {
    async set(/** @type {import('playwright-core').Page} */ page) {
      await page.getByRole('button', { name: 'Clear' }).click();
      await choose(page, 'Red cell');
      for (const at of ['0,0', '1,0', '2,0']) await cell(page, at).click();
      await choose(page, 'Blue cell');
      for (const at of ['17,15', '16,15', '5,5']) await cell(page, at).click();
      await cell(page, '5,5').click();
      await page.getByRole('group', { name: 'To move' }).getByRole('radio', { name: 'Blue', exact: true }).check();
      await enter(page, 'round', '7');
    },
    text: ['000'.padEnd(18, '.'), ...Array(14).fill('.'.repeat(18)), '11'.padStart(18, '.')].join('/') + ' 1 13',
  },
  blokus: {
    async set(/** @type {import('playwright-core').Page} */ page) {
      for (const at of ['e10', 'e11', 'f10']) await cell(page, at).click();
      await choose(page, 'Orange square');
      await cell(page, 'j5').click();
      await page.getByRole('group', { name: 'To move' }).getByRole('radio', { name: 'Orange', exact: true }).check();
    },
    text: '............../............../............../....b........./....bb......../............../............../............../............../.........w..../............../............../............../.............. w',
  },
  tubstap: {
    async set(/** @type {import('playwright-core').Page} */ page) {
      await page.getByRole('button', { name: 'Clear' }).click();
      await choose(page, 'sea');
      await cell(page, '1,1').click();
      await choose(page, 'Red fighter');
      await cell(page, '1,1').click();
      await enter(page, 'hp', '7');
      await choose(page, 'Blue infantry');
      await cell(page, '6,6').click();
      await page.locator('[data-name="acted"]').check();
      await choose(page, 'Blue antiair');
      await cell(page, '6,5').click();
      await page.getByRole('group', { name: 'To move' }).getByRole('radio', { name: 'Blue', exact: true }).check();
      await enter(page, 'limit', '12');
    },
    text: 'SIZE 8 8 LIMIT 12 THRESHOLD 10 TERRAIN 00000000/02111110/01134310/01133110/01343110/01332110/01111110/00000000 TURN 1 SIDE 1 UNITS 0:F:0:1,1:10:0 1:R:1:6,5:7:1 2:I:1:6,6:7:0',
  },
};

for (const [game, { set, text }] of Object.entries(CASES)) {
  test(`W7: a position of ${game} is set up, read by the server, played from and edited again`, async (t) => {
    const page = await open(t, game);
    await set(page);
    assert.equal(await written(page), text);
    await judged(page, /valid position/);
    // The server writes the position as the editor does.
    assert.equal((await show([], game, { position: text })).position, text);
    const drawn = await cells(page);

    await page.getByRole('button', { name: 'Play from here' }).click();
    await page.locator('.editor').waitFor({ state: 'detached' });
    await page.waitForFunction(([game, text]) => JSON.parse(localStorage.getItem(`banmen.game.${game}`) ?? '{}').from?.position === text, [game, text]);

    await page.locator('[data-action="edit"]').click();
    await page.locator('.editor').waitFor();
    assert.deepEqual(await cells(page), drawn);
    assert.equal(await written(page), text);
  });
}

test('W7: the text can be edited, and the board follows it', async (t) => {
  const page = await open(t, 'dobutsu');
  await page.locator('#editor-text').fill('gle/3/1c1/ELG w C 1');
  await judged(page, /Gote to move/);
  assert.match((await cell(page, '2c').getAttribute('aria-label')) ?? '', /Gote’s chick/);
  assert.equal(await page.locator('[data-name="first chick"]').inputValue(), '1');
  await page.getByRole('button', { name: 'Undo' }).click();
  assert.equal(await written(page), 'gle/1c1/1C1/ELG b - 1');
});

test('W7, W20: a refused position says why and where, in both languages, and cannot be played', async (t) => {
  const page = await open(t, 'tubstap');
  await choose(page, 'Red panzer');
  await cell(page, '4,5').click();
  await judged(page, /^4,5: Only aircraft can be over the sea\.$/);
  assert.match((await cell(page, '4,5').getAttribute('aria-label')) ?? '', /at fault/);
  const start = page.getByRole('button', { name: 'Play from here' });
  assert.equal(await start.getAttribute('aria-disabled'), 'true');
  await start.click({ force: true });
  await page.locator('#editor-text').fill('SIZE 8 8 LIMIT 0');
  await judged(page, /^Character 16: This number is not possible here\.$/);
  await page.locator('#language').click();
  await judged(page, /^16 文字目: ここには使えない数です。$/);
  assert.equal(await page.locator('.editor h2').textContent(), '局面の編集');
});

test('W7: Blokus Duo: the pieces that are left are beside the board', async (t) => {
  const page = await open(t, 'blokus');
  const left = page.locator('.edit-left');
  assert.deepEqual(await left.locator('p').allTextContents(), ['Violet, pieces left: 21', 'Orange, pieces left: 21']);
  for (const at of ['e10', 'e11', 'f10']) await cell(page, at).click();
  // One cell and two are pieces as well: only with the third is V3 gone.
  await left.first().locator('[role=img][aria-label*=": 20, 1, 2, I3, I4,"]').waitFor();
  assert.equal(await left.first().locator('svg').count(), 20);
  // An impossible piece leaves them as they were.
  await cell(page, 'a1').click();
  await page.locator('.verdict.fault').waitFor();
  assert.equal(await left.first().locator('svg').count(), 20);
});

test('W7: the editor asks which side the visitor plays', async (t) => {
  const page = await open(t, 'othello');
  const people = page.getByRole('group', { name: 'You play' });
  assert.equal(await people.getByRole('radio', { name: 'Both' }).isChecked(), true);
  await people.getByRole('radio', { name: 'White', exact: true }).check();
  await cell(page, 'f4').click();
  await judged(page, /valid position/);
  await page.getByRole('button', { name: 'Play from here' }).click();
  await page.locator('#player-first', { hasText: 'Engine, level' }).waitFor();
  await page.locator('#player-second', { hasText: 'You' }).waitFor();
});

test('W7: a position in which the game is over is valid, and not played', async (t) => {
  const page = await open(t, 'othello');
  for (const at of ['d4', 'e5']) await cell(page, at).click();
  await judged(page, /game is over in this position: Black wins by 64/);
  assert.equal(await page.getByRole('button', { name: 'Play from here' }).getAttribute('aria-disabled'), 'true');
});

test('W7: the editor works by keys alone, and says what it does', async (t) => {
  const page = await visit(t, { kept: left([]) });
  await page.locator('[data-action="edit"]').focus();
  await page.keyboard.press('Enter');
  await page.locator('.editor').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.classList.contains('cell')), true);
  await page.keyboard.press('Home');
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Enter');
  assert.match(await written(page), /^X-/);
  assert.deepEqual(await spoken(page, /^a1, Black disc$/), ['a1, Black disc']);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await page.keyboard.press('Delete');
  assert.match(await written(page), /^X-/);
  // The palette is the next stop. The shortcuts of the game are off.
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('n');
  assert.equal(await page.locator('dialog[open]').count(), 0);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  assert.match(await written(page), /^XO-/);
});

test('W7: leaving the editor brings the game back as it was, and so does another game', async (t) => {
  const page = await open(t, 'blokus');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'Back to the game' }).click();
  await page.locator('.held-piece').first().waitFor();
  assert.equal(await page.locator('.editor').count(), 0);
  assert.ok(await page.locator('#status').isVisible());
  await page.locator('[data-action="edit"]').click();
  await page.locator('.editor').waitFor();
  await page.locator('#game').selectOption('othello');
  await page.locator('.editor').waitFor({ state: 'detached' });
  await page.getByRole('grid', { name: 'Othello board' }).waitFor();
  assert.ok(await page.locator('#status').isVisible());
});

for (const [game, colorScheme, locale] of /** @type {const} */ ([['tubstap', 'dark', 'ja-JP'], ['dobutsu', 'light', 'en-GB'], ['golad', 'dark', 'en-GB']])) {
  test(`axe finds nothing, and 320 px are enough: ${game}`, async (t) => {
    const page = await open(t, game, { colorScheme, locale, viewport: { width: 320, height: 640 } });
    await page.locator('#editor-text').fill('?');
    await page.locator('.verdict.fault').waitFor();
    await assertClean(page, 'editor');
    const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= inside, `${wide} > ${inside}`);
  });
}
