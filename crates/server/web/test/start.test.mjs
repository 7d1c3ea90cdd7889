// The start page: what a first visitor sees, and one press to play.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, assertClean, left, visit, withBrowser } from './browser.mjs';

withBrowser();

/** @typedef {import('playwright-core').Page} Page */

const START = new URL('#start', address).href;
const card = (/** @type {Page} */ page, /** @type {string} */ game) => page.locator('.start-game', { has: page.locator(`[data-game="${game}"]`) });

/** Makes the visitor a new one, once. @param {Page} page */
const forget = (page) =>
  page.addInitScript(() => {
    if (!sessionStorage.length) localStorage.clear();
    sessionStorage.setItem('forgotten', 'yes');
  });

/** Waits until every board is drawn. @param {Page} page */
const drawn = (page) => page.waitForFunction(() => [...document.querySelectorAll('.start-board')].every((place) => place.firstElementChild));

for (const locale of ['en-GB', 'ja-JP']) {
  for (const viewport of [{ width: 1280, height: 800 }, { width: 320, height: 640 }]) {
    test(`a first visitor chooses among the games: ${locale} ${viewport.width}`, async (t) => {
      const page = await visit(t, { prepare: forget, locale, viewport, colorScheme: locale === 'en-GB' ? 'light' : 'dark', shown: '.start-game' });
      await drawn(page);
      assert.equal(await page.locator('.start-game').count(), 5);
      assert.equal(await page.locator('.start-board svg').count(), 5);
      assert.equal(await page.locator('#play').isVisible(), false);
      const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
      await assertClean(page);
    });
  }
}

test('W19: one press begins an easy game, which the visitor finds again', async (t) => {
  const page = await visit(t, { prepare: forget, shown: '.start-game' });
  await page.getByRole('button', { name: 'Play Dobutsu shogi' }).click();
  await page.getByRole('grid', { name: 'Dobutsu shogi board', exact: true }).waitFor();
  assert.match((await page.locator('#player-first').textContent()) ?? '', /You/);
  assert.match((await page.locator('#player-second').textContent()) ?? '', /Engine, level 1$/);
  await page.waitForFunction(() => document.activeElement?.classList.contains('cell'));
  await page.goBack();
  await page.getByRole('button', { name: 'Continue Dobutsu shogi' }).or(page.getByRole('button', { name: 'Play Dobutsu shogi' })).click();
  await page.getByRole('grid', { name: 'Dobutsu shogi board', exact: true }).waitFor();
  await page.reload();
  await page.locator('.cell').first().waitFor();
  assert.equal(await page.locator('.start-game').count(), 0);
  assert.equal(await page.locator('#game').inputValue(), 'dobutsu');
});

test('the start page is one press on the title away, and continues a game that was begun', async (t) => {
  const page = await visit(t, { kept: left(['f5', 'd6']) });
  await page.locator('.bar h1 a').click();
  await card(page, 'othello').waitFor();
  assert.equal(await page.title(), 'Choose a game · Banmen');
  assert.equal(await card(page, 'golad').getByRole('button').textContent(), 'Play');
  await page.getByRole('button', { name: 'Continue Othello' }).click();
  await page.locator('#moves [data-ply="2"]').waitFor();
  assert.equal(new URL(page.url()).hash, '');
  assert.equal(await page.locator('#start').isVisible(), false);
});

/** The boards as they are drawn. @param {Page} page */
const picture = (page) => page.evaluate(() => [...document.querySelectorAll('.start-board .picture')].map((host) => host.shadowRoot?.innerHTML).join());

test('the boards play slowly until they are stopped', async (t) => {
  const page = await visit(t, { at: START, shown: '.start-game', reducedMotion: 'no-preference' });
  await drawn(page);
  const before = await picture(page);
  await page.waitForTimeout(2500);
  assert.notEqual(await picture(page), before);
  await page.getByRole('button', { name: 'Stop the boards' }).click();
  await page.waitForTimeout(300);
  const stopped = await picture(page);
  await page.waitForTimeout(2500);
  assert.equal(await picture(page), stopped);
});

test('the boards are still where motion is reduced', async (t) => {
  const page = await visit(t, { at: START, shown: '.start-game' });
  await drawn(page);
  const before = await picture(page);
  await page.waitForTimeout(2500);
  assert.equal(await picture(page), before);
  await page.getByRole('button', { name: 'Let the boards play' }).waitFor();
});
