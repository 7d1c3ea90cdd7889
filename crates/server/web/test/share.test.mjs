// Shared games: the link of a game, opening it elsewhere, and links that cannot be opened.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, assertClean, cell, left, legalCells, moves, position, random, randomLine, reached, show, visit, withBrowser } from './browser.mjs';

withBrowser();

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };
const at = (/** @type {string} */ fragment) => new URL(fragment, address).href;

/** @param {import('playwright-core').Page} page */
async function share(page) {
  await page.getByRole('button', { name: 'Share' }).click();
  await page.locator('#note.shown', { hasText: 'Link copied' }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

test('W9: a game between two people goes to and fro by links', async (t) => {
  const line = await randomLine(3, 11);
  const alice = await visit(t, { ...CLIPBOARD, kept: left(line) });
  const link = await share(alice);
  assert.equal(link, at(`#play=othello&moves=${line.join('.')}`));

  const bob = await visit(t, { ...CLIPBOARD, at: link, shown: '#moves [data-ply="11"][aria-current]' });
  assert.deepEqual(await position(bob), await position(alice));
  assert.deepEqual(await moves(bob), line);
  assert.equal(new URL(bob.url()).hash, '');
  await cell(bob, (await legalCells(bob))[0]).click();
  await reached(bob, 12);
  await bob.locator('#status', { hasText: 'share the game with your opponent' }).waitFor();
  assert.equal(await bob.locator('.board.open').count(), 0);
  assert.match((await bob.getByRole('button', { name: 'Share' }).getAttribute('class')) ?? '', /main/);
  await assertClean(bob, 'opponent elsewhere');

  // Alice's own game is the beginning of this one, so she is not asked.
  await alice.goto(await share(bob));
  await alice.locator('#moves [data-ply="12"][aria-current]').waitFor();
  assert.deepEqual(await moves(alice), await moves(bob));
  assert.ok(await alice.locator('.board.open').count());
  await cell(alice, (await legalCells(alice))[0]).click();
  await reached(alice, 13);
  await alice.locator('#status', { hasText: 'share the game with your opponent' }).waitFor();
  await alice.reload();
  await alice.locator('#status', { hasText: 'share the game with your opponent' }).waitFor();
});

test('W9: the link of a game that was resigned has its result', async (t) => {
  const line = await randomLine(4, 7);
  const alice = await visit(t, { ...CLIPBOARD, kept: { ...left(line), ended: { winner: 'first', margin: null, by: 'resignation' } } });
  const result = await alice.locator('#status').textContent();
  assert.match(result ?? '', /resigned/);
  const link = await share(alice);
  assert.equal(link, at(`#play=othello&moves=${line.join('.')}&end=resignation:first`));
  const bob = await visit(t, { at: link, shown: '#moves [data-ply="7"][aria-current]' });
  await bob.locator('#status', { hasText: result ?? '' }).waitFor();
  assert.equal(await bob.locator('.board.open').count(), 0);
});

test('W9: a link names the engine and the position to begin with, and the device’s own dialog is used where there is one', async (t) => {
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.addInitScript(() => {
      navigator.share = async ({ url } = {}) => void Object.assign(globalThis, { shared: url });
    });
  const kept = { ...left([], { first: null, second: 'engine:level=2' }), from: { position: 'map02' } };
  const page = await visit(t, { game: 'tubstap', kept, prepare });
  await page.keyboard.press('c');
  await page.waitForFunction(() => 'shared' in globalThis);
  const link = await page.evaluate(() => globalThis.shared);
  assert.equal(link, at('#play=tubstap&from=map02&second=engine:level=2'));
  const other = await visit(t, { at: link, shown: '#title:text("TUBSTAP")' });
  await other.locator('#player-second', { hasText: 'level 2' }).waitFor();
  await other.locator('#facts', { hasText: 'map02' }).waitFor();
});

test('a visitor’s unfinished game is replaced only on request', async (t) => {
  const [own, other] = [await randomLine(1, 6), await randomLine(2, 9)];
  const page = await visit(t, { kept: left(own) });
  const link = at(`#play=othello&moves=${other.join('.')}`);
  await page.goto(link);
  const dialog = page.getByRole('dialog', { name: 'Open this game?' });
  await dialog.waitFor();
  await assertClean(page, 'question');
  await dialog.getByRole('button', { name: 'Keep my game' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await moves(page), own);
  await page.goto(link);
  await dialog.getByRole('button', { name: 'Open the other game' }).click();
  await page.locator('#moves [data-ply="9"][aria-current]').waitFor();
  assert.deepEqual(await moves(page), other);
});

test('a link without moves sets the players, also of a visitor who has not played', async (t) => {
  const page = await visit(t, { at: at('#play=othello&second=engine:level=8') });
  await page.locator('#player-second', { hasText: 'level 8' }).waitFor();
  await page.goto(at('#play=othello&second=engine:level=9'));
  await page.locator('#player-second', { hasText: 'level 9' }).waitFor();
});

test('a link of the same moves leaves the players as they are', async (t) => {
  const page = await visit(t, { kept: left(['f5', 'd6'], { first: null, second: 'engine:level=2' }) });
  await page.goto(at('#play=othello&moves=f5.d6&second=engine:level=8'));
  await page.locator('#note.shown', { hasText: 'the shared game is on the board' }).waitFor();
  await page.locator('#player-second', { hasText: 'level 2' }).waitFor();
});

test('W9: a long game is packed into a link that messengers take', async (t) => {
  const map = { position: 'map01' };
  /** @type {string[]} */
  const sides = [];
  const below = random(5);
  /** @type {string[]} */
  const line = [];
  for (let shown = await show([], 'tubstap', map); line.length < 150 && !shown.outcome; shown = await show(line, 'tubstap', map)) {
    // Units that only move keep the game going.
    const moves = shown.legal.filter((/** @type {string} */ move) => !move.includes('>') && move !== 'end');
    line.push(moves.length ? moves[below(moves.length)] : 'end');
    sides.push(shown.side);
  }
  const kept = { ...left([]), moves: line.map((text, i) => ({ text, side: sides[i] })), from: map };
  const page = await visit(t, { ...CLIPBOARD, game: 'tubstap', kept });
  const link = await share(page);
  assert.match(link, /#play=tubstap&z=[\w-]+$/);
  assert.ok(link.length < 1500, `${link.length} characters for ${line.length} moves`);
  const other = await visit(t, { at: link, shown: `#moves [data-ply="${line.length}"][aria-current]` });
  assert.deepEqual(await moves(other, 'tubstap'), line);
});

/** @type {[fragment: string, en: RegExp, ja: RegExp][]} */
const BAD = [
  ['#play=', /names no game/, /ゲームの名前がありません/],
  ['#play=chess&moves=e4', /no game called “chess”/, /「chess」というゲームはありません/],
  ['#play=othello&moves=f5.d6.zz', /Move 3: A move is the name of a square, such as d3/, /3 手目: /],
  ['#play=othello&moves=f5.d6.a1', /Move 3: a1 would flip nothing/, /3 手目: a1 /],
  ['#play=othello&from=hello', /Character 1: This position/, /1 文字目: この局面/],
  ['#play=othello&moves=f5%2', /without the two digits/, /正しくない %/],
  ['#play=othello&moves=f5&end=resignation', /no way to end a game: “resignation”/, /終わり方ではないもの（resignation）/],
  ['#play=othello&z=abc', /damaged or incomplete/, /壊れているか/],
  ['#play=othello&second=<b>x</b>', /no player called “%3Cb%3Ex%3C\/b%3E”|no player called “<b>x<\/b>”/, /という対局者はいません/],
  ['#play=othello&second=engine:level=99', /no player called “engine:level=99”/, /「engine:level=99」という対局者はいません/],
  ['#play=othello&move=f5', /a part “move”/, /「move」という項目/],
  ['#game=abc', /three numbers such as 7.12.0, not by “abc”/, /「abc」/],
  ['#match=abc', /a number after “match=”, not “abc”/, /「abc」/],
];

for (const [locale, column] of /** @type {const} */ ([['en-GB', 1], ['ja-JP', 2]])) {
  test(`W9, W20: a link that cannot be opened says why and where: ${locale}`, async (t) => {
    const page = await visit(t, { locale, kept: left(['f5']) });
    for (const bad of BAD) {
      await page.goto(at(bad[0]));
      await page.locator('dialog.ask[open] p, #arena .plain', { hasText: bad[column] }).waitFor();
      await page.keyboard.press('Escape');
    }
    await assertClean(page, 'bad link');
    await page.goto(at(BAD[2][0]));
    await page.locator('dialog.ask[open]').waitFor();
    await assertClean(page, 'bad link of a game');
    await page.keyboard.press('Escape');
    assert.deepEqual(await moves(page), ['f5']);
  });
}
