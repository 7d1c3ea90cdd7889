// The rules of the games: every page with its pictures, in both languages; the ways there and back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, assertClean, left, visit, withBrowser } from './browser.mjs';

withBrowser();

const GAMES = ['othello', 'dobutsu', 'golad', 'blokus', 'tubstap'];
const at = (/** @type {string} */ game) => new URL(`#rules=${game}`, address).href;

for (const game of GAMES) {
  test(`the rules of ${game} are drawn in both languages, and axe finds nothing`, async (t) => {
    const page = await visit(t, { at: at(game), shown: '.rule' });
    const headings = () => page.locator('.rule h3').allTextContents();
    const english = await headings();
    assert.ok(english.length >= 5, String(english));
    // Each picture has its board, and each but those of tables a text that says what it shows.
    const pictures = page.locator('.rules .picture');
    assert.ok((await pictures.count()) >= 3);
    assert.equal(await page.locator('.rules .picture svg').count(), await pictures.count());
    for (const says of await page.locator('.rules figcaption').allTextContents()) assert.notEqual(says, '');
    const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= inside);
    await assertClean(page, 'light');
    await page.keyboard.press('l');
    await page.locator('html[lang="ja"]').waitFor();
    await page.locator('.rule h3', { hasText: /[ぁ-ん一-龠]/ }).first().waitFor();
    const japanese = await headings();
    assert.equal(japanese.length, english.length);
    for (const said of await page.locator('.rule :is(h3, p, li, figcaption, caption)').allTextContents()) assert.match(said, /[ぁ-んァ-ヶ一-龠]/);
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    await assertClean(page, 'dark, Japanese');
  });
}

test('the rules are one press from the board and from the help, and the board is as it was', async (t) => {
  const page = await visit(t, { kept: left(['f5']), viewport: { width: 320, height: 640 } });
  await page.locator('#play .to-rules').click();
  await page.locator('.rule').first().waitFor();
  assert.equal(await page.title(), 'Othello: the rules · Banmen');
  assert.equal(await page.locator('#play').isVisible(), false);
  const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
  await assertClean(page, 'narrow');
  await page.locator('.rules-games a[href="#rules=golad"]').click();
  await page.locator('.rules h2', { hasText: 'Game of Life and Death' }).waitFor();
  await page.locator('.rules-back a').click();
  await page.locator('#play').waitFor();
  assert.match(await page.title(), /to move|thinking/);
  assert.equal(await page.locator('#moves [data-ply="1"]').count(), 1);
  assert.equal(await page.locator('#game').inputValue(), 'othello');
  await page.keyboard.press('?');
  await page.locator('#help-dialog .to-rules').click();
  await page.locator('.rules h2', { hasText: 'Othello' }).waitFor();
  assert.equal(await page.locator('dialog[open]').count(), 0);
});

test('a picture has the colours of its own game, whatever game is on the board', async (t) => {
  const page = await visit(t, { game: 'golad', kept: left([]) });
  await page.evaluate(() => (location.hash = '#rules=othello'));
  await page.locator('.rule').first().waitFor();
  const frame = await page.locator('.rules .picture .frame').first().evaluate((rect) => getComputedStyle(rect).fill);
  const felt = await page.locator('.rules .picture .felt').first().evaluate((rect) => getComputedStyle(rect).fill);
  assert.equal(frame, 'rgb(28, 60, 47)');
  assert.match(felt, /sheen-felt/);
});

test('an unknown game in the address shows the rules of a known one', async (t) => {
  const page = await visit(t, { at: at('<img>'), shown: '.rule' });
  assert.equal(await page.locator('.rules h2').textContent(), 'Othello: the rules');
});
