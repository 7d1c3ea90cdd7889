// What it costs to play a game: everything that a browser fetches for it, as it comes over the wire.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { address, cell, visit, withBrowser } from './browser.mjs';

withBrowser();

/** The icon, which is fetched twice. */
const ICON = 202;

/**
 * In bytes. A game with maps also fetches the choice of the map, and the orders of units with their reach, damage and threats.
 * Reviews, links, texts and the list of games are fetched when they are used; their buttons and hooks are in every game.
 */
const BUDGETS = { tubstap: 57 * 1024 + ICON };
/** The start page fetches the page and how every game looks, but not what is needed to play them. */
const START_BUDGET = 60 * 1024;
const USUAL_BUDGET = 53 * 1024 + ICON;

const views = (await readdir(new URL('../views/', import.meta.url))).filter((name) => name.endsWith('.js')).map((name) => name.slice(0, -3));
const { games } = (await (await fetch(new URL('api/games', address), { method: 'POST', body: '{}' })).json()).ok;

for (const view of views) {
  for (const locale of ['en-GB', 'ja-JP']) {
    test(`a game of ${view} stays within its size: ${locale}`, async (t) => {
      /** @type {Map<string, number>} */
      const sizes = new Map();
      /** @type {Promise<void>[]} */
      const measured = [];
      // A built-in game with this view; the plain view is for external games, so another's is taken from it.
      const { name } = games.find((game) => game.view === view) ?? games[0];
      const prepare = async (/** @type {import('playwright-core').Page} */ page) => {
        page.on('requestfinished', (request) => {
          const path = new URL(request.url()).pathname;
          // A file that is fetched again may come from the browser's cache, with no bytes.
          const size = async () => sizes.set(path, Math.max((await request.sizes()).responseBodySize, sizes.get(path) ?? 0));
          measured.push(size());
        });
        await page.routeWebSocket(/\/ws$/, (socket) => {
          const server = socket.connectToServer();
          server.onMessage((text) => {
            const answer = JSON.parse(String(text));
            for (const game of answer.ok?.games ?? []) if (game.name === name) game.view = view;
            socket.send(JSON.stringify(answer));
          });
        });
      };
      const page = await visit(t, { game: name, locale, prepare });
      // The dialog of a new game and the analysis are part of playing; the help and the matches are fetched on request.
      await page.keyboard.press('n');
      await page.locator('#new-dialog[open]').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('#analyse').click();
      await page.locator('#lines td').first().waitFor();
      // A piece is taken into the hand first, where there are some to choose from.
      if (view === 'blokus') await page.locator('.held-piece.can').last().click();
      await cell(page, await page.locator('.cell.can').first().getAttribute('data-at') ?? '').click();
      await Promise.all(measured);
      const paths = [...sizes.keys()];
      // A game's own view is fetched by its name, before the server says which view it has.
      for (const other of views) assert.equal(paths.includes(`/views/${other}.js`), other === view || other === name, other);
      for (const other of ['en', 'ja']) assert.equal(paths.includes(`/words/${other}.js`), locale.startsWith(other), other);
      const sum = [...sizes.values()].reduce((a, b) => a + b);
      const budget = Object.hasOwn(BUDGETS, view) ? BUDGETS[/** @type {keyof BUDGETS} */ (view)] : USUAL_BUDGET;
      t.diagnostic(`${sum} bytes in ${sizes.size} files, of ${budget}`);
      assert.ok(sum <= budget, String(sum));
    });
  }
}

test('the start page with its boards stays within its size', async (t) => {
  /** @type {Promise<number>[]} */
  const sizes = [];
  const prepare = async (/** @type {import('playwright-core').Page} */ page) => {
    page.on('requestfinished', (request) => sizes.push(request.sizes().then((size) => size.responseBodySize)));
  };
  const page = await visit(t, { prepare, at: new URL('#start', address).href, shown: '.start-game' });
  await page.waitForFunction(() => [...document.querySelectorAll('.start-board')].every((place) => place.firstElementChild));
  const sum = (await Promise.all(sizes)).reduce((a, b) => a + b);
  t.diagnostic(`${sum} bytes in ${sizes.length} files, of ${START_BUDGET}`);
  assert.ok(sum <= START_BUDGET, String(sum));
});
