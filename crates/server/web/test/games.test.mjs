// Late answers: one does not replace a later choice of a game, a game is begun once they are there, and what failed can be retried.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, cell, gate, heldBack, left, moves, reached, until, visit, withBrowser } from './browser.mjs';

withBrowser();

const TITLES = { othello: 'Othello', dobutsu: 'Dobutsu shogi', 'dobutsu-article': 'Dobutsu shogi of the article' };

/** @typedef {import('playwright-core').Page} Page */

/**
 * @param {Page} page
 * @param {string} game
 */
const choose = (page, game) => page.locator('#game').selectOption(game);

/**
 * Waits until a game is on the board.
 * @param {Page} page
 * @param {keyof TITLES} game
 */
const drawn = (page, game) => page.getByRole('grid', { name: `${TITLES[game]} board`, exact: true }).waitFor();

/**
 * Checks that the board, the choice and what is stored are those of this game.
 * @param {Page} page
 * @param {keyof TITLES} game
 */
async function assertPlayed(page, game) {
  await drawn(page, game);
  assert.equal(await page.locator('#title').textContent(), TITLES[game]);
  assert.equal(await page.locator('#game').inputValue(), game);
  assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem('banmen.settings') ?? '{}').game), game);
}

/**
 * The style sheets of views in the page, and whether each is applied.
 * @param {Page} page
 */
const sheets = (page) =>
  page.evaluate(() =>
    [...document.head.querySelectorAll('link[href^="views/"]')].map((sheet) => `${sheet.getAttribute('href')} ${sheet.getAttribute('media')}`).sort(),
  );

for (const op of ['players', 'show']) {
  test(`a game whose answer is late does not replace the one chosen after it: ${op}`, async (t) => {
    const { opened, open } = gate();
    let held = 0;
    const prepare = (/** @type {Page} */ page) =>
      page.routeWebSocket(/\/ws$/, (socket) => {
        const server = socket.connectToServer();
        socket.onMessage(async (text) => {
          const request = JSON.parse(String(text));
          if (request.op === op && request.game === 'dobutsu') {
            held += 1;
            await opened;
          }
          server.send(text);
        });
      });
    const page = await visit(t, { prepare, kept: left([]) });
    // Both are taken up where they were left, so that the server is asked for both.
    await page.evaluate((kept) => {
      localStorage.setItem('banmen.game.dobutsu', kept);
      localStorage.setItem('banmen.game.dobutsu-article', kept);
    }, JSON.stringify(left([])));
    await choose(page, 'dobutsu');
    await until(() => held);
    await choose(page, 'dobutsu-article');
    await drawn(page, 'dobutsu-article');
    open();
    // What is asked now is answered after what was held.
    for (const [i, at] of ['2c', '2b'].entries()) {
      await cell(page, at).click();
      if (i) await page.locator('#moves [data-ply="1"][aria-current]').waitFor();
    }
    await assertPlayed(page, 'dobutsu-article');
    assert.deepEqual(await moves(page, 'dobutsu-article'), ['2c2b']);
    assert.deepEqual(await moves(page, 'dobutsu'), []);
    assert.equal(held, 1);
  });
}

test('W7: a game begins with the position that is shown, even if the server has not judged it yet', async (t) => {
  const { opened, open: answer } = gate();
  let held = 0;
  const prepare = (/** @type {Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage(async (text) => {
        if (JSON.parse(String(text)).position) {
          held += 1;
          await opened;
        }
        server.send(text);
      });
    });
  const page = await visit(t, { kept: left([]), prepare });
  await page.locator('[data-action="edit"]').click();
  await page.locator('.editor').waitFor();
  await cell(page, 'f4').click();
  const text = await page.locator('#editor-text').inputValue();
  await until(() => held);
  await page.getByRole('button', { name: 'Play from here' }).dblclick();
  assert.equal(held, 1);
  answer();
  await page.waitForFunction((text) => JSON.parse(localStorage.getItem('banmen.game.othello') ?? '{}').from?.position === text, text);
  await page.locator('.editor').waitFor({ state: 'detached' });
  assert.equal(held, 2, 'one game begins');
});

test('a move that is typed before the server has sent the position of a new game is played', async (t) => {
  const answers = heldBack();
  const page = await visit(t, { kept: left([]), prepare: answers.prepare });
  await page.keyboard.press('n');
  await page.locator('#new-dialog[open]').waitFor();
  answers.hold();
  await page.locator('#new-dialog .main').click();
  await until(answers.count);
  await page.locator('#enter-move').fill('d3');
  await page.keyboard.press('Enter');
  answers.release();
  await reached(page, 1);
  assert.deepEqual(await moves(page), ['d3']);
});

test('a view is fetched once, however often its game is chosen in the meantime', async (t) => {
  const { opened, open } = gate();
  const prepare = (/** @type {Page} */ page) =>
    page.route('**/views/dobutsu.css', async (route) => {
      await opened;
      await route.continue();
    });
  const page = await visit(t, { prepare, kept: left([]) });
  for (const game of ['dobutsu', 'othello', 'dobutsu']) await choose(page, game);
  assert.deepEqual(await sheets(page), ['views/dobutsu.css not all', 'views/othello.css all']);
  open();
  await assertPlayed(page, 'dobutsu');
  assert.deepEqual(await sheets(page), ['views/dobutsu.css all', 'views/othello.css not all']);
  await choose(page, 'othello');
  await assertPlayed(page, 'othello');
  assert.deepEqual(await sheets(page), ['views/dobutsu.css not all', 'views/othello.css all']);
});

test('a view that fails to load leaves nothing behind, and can be requested again', async (t) => {
  let broken = true;
  const prepare = (/** @type {Page} */ page) =>
    page.route('**/views/dobutsu.css', (route) => (broken ? route.abort() : route.continue()));
  const page = await visit(t, { prepare, kept: left([]), caused: /views\/dobutsu\.css|ERR_FAILED|Event/ });
  await choose(page, 'dobutsu');
  await page.locator('#note.shown', { hasText: 'Something went wrong' }).waitFor();
  await assertPlayed(page, 'othello');
  assert.deepEqual(await sheets(page), ['views/othello.css all']);
  broken = false;
  await choose(page, 'dobutsu');
  await assertPlayed(page, 'dobutsu');
  assert.deepEqual(await sheets(page), ['views/dobutsu.css all', 'views/othello.css not all']);
});

test('a new game cancels the loading of another', async (t) => {
  const { opened, open } = gate();
  const prepare = (/** @type {Page} */ page) =>
    page.route('**/views/dobutsu.js', async (route) => {
      await opened;
      await route.continue();
    });
  const page = await visit(t, { prepare, kept: left([]) });
  await choose(page, 'dobutsu');
  await page.locator('#new').click();
  await page.locator('#new-form button[type="submit"]').click();
  await page.locator('#new-dialog').waitFor({ state: 'hidden' });
  open();
  await page.evaluate((view) => import(view), new URL('views/dobutsu.js', address).href);
  await cell(page, 'd3').click();
  await page.locator('#moves [data-ply="1"]').waitFor();
  await assertPlayed(page, 'othello');
});

test('a game from outside whose moves are columns and whose pieces are colours', async (t) => {
  const yellow = (/** @type {any} */ cell) => (cell.owner === 'first' ? { ...cell, piece: 'yellow' } : cell);
  /** @type {string[][]} */
  const asked = [];
  const prepare = (/** @type {Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        const request = JSON.parse(String(text));
        if (request.op === 'show') asked.push(request.moves);
        server.send(text);
      });
      server.onMessage((text) => {
        const answer = JSON.parse(String(text));
        for (const game of answer.ok?.games ?? []) game.view = 'connect-four';
        if (answer.ok?.board) {
          answer.ok.board.cells = answer.ok.board.cells.map(yellow);
          answer.ok.legal = ['c', 'd', 'e', 'f'];
        }
        socket.send(JSON.stringify(answer));
      });
    });
  const page = await visit(t, { kept: left([]), prepare });
  const fill = await page.locator('g.token.first .body').first().evaluate((body) => getComputedStyle(body).fill);
  const [red, green, blue] = (fill.match(/\d+/g) ?? []).map(Number);
  assert.ok(red > 200 && green > 150 && blue < 120, fill);
  await cell(page, 'd3').click();
  await page.locator('#note:not(:empty)').waitFor();
  assert.deepEqual(asked.at(-1), ['d'], 'a cell stands for its column');
});

for (const [game, locale] of Object.entries({ othello: 'ja-JP', dobutsu: 'ja-JP', golad: 'ja-JP', blokus: 'en-GB', tubstap: 'en-GB' })) {
  test(`a laptop’s window holds a whole game: ${game}`, async (t) => {
    const page = await visit(t, { game, locale, viewport: { width: 1280, height: 800 } });
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    await page.locator('#offer').waitFor();
    assert.ok((await height()) <= 800, `${await height()} px with the offer of the lesson`);
    await page.locator('#no-lesson').click();
    await page.locator('#offer').waitFor({ state: 'hidden' });
    assert.ok((await height()) <= 800, `${await height()} px`);
  });
}
