// The pictures of the page in the documents, taken anew: `npm run pictures`, with BANMEN_URL as for the tests; `npm run pictures
// review` takes those whose names contain the word.

import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { GAMES } from '../start/games.js';

const address = process.env.BANMEN_URL ?? 'http://127.0.0.1:8080/';
const folder = new URL('../../../../docs/', import.meta.url).pathname;
mkdirSync(`${folder}pages`, { recursive: true });

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

/** @param {string} game @param {number} plies */
async function kept(game, plies) {
  const line = GAMES[game].moves.split(';').slice(0, plies);
  const sides = line.map(async (_, i) => {
    const body = JSON.stringify({ game, moves: line.slice(0, i) });
    return (await (await fetch(new URL('api/show', address), { method: 'POST', body })).json()).ok.side;
  });
  const moves = (await Promise.all(sides)).map((side, i) => ({ text: line[i], side }));
  return { seats: { first: null, second: null }, moves, paused: false, timeMs: 1000, seed: 1 };
}

/**
 * @param {string} name of the picture
 * @param {{game?: string, plies?: number, hash?: string, phone?: boolean} & import('playwright-core').BrowserContextOptions} options
 * @param {(page: import('playwright-core').Page) => Promise<unknown>} [act] what is done before the picture is taken
 */
async function take(name, { game = 'othello', plies = 0, hash = '', phone = false, ...options }, act = async () => {}) {
  if (!name.includes(process.argv[2] ?? '')) return;
  const screen = phone ? { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } : { viewport: { width: 1280, height: 800 } };
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...screen, ...options });
  const page = await context.newPage();
  await page.addInitScript(
    ([game, game_]) => {
      localStorage.setItem('banmen.settings', JSON.stringify({ game }));
      localStorage.setItem(`banmen.game.${game}`, JSON.stringify(game_));
      localStorage.setItem(`banmen.lesson.${game}`, '"seen"');
    },
    /** @type {const} */ ([game, await kept(game, plies)]),
  );
  await page.goto(new URL(hash, address).href);
  await page.locator('.cell:visible, .start-board > *, .rule').first().waitFor();
  await act(page);
  // Fonts and pictures are drawn.
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${folder}${name}.png` });
  await context.close();
  console.log(name);
}

/** @param {import('playwright-core').Page} page */
async function analyse(page) {
  await page.locator('#analyse').click();
  await page.waitForFunction(() => document.querySelectorAll('#lines td.line').length === 3);
  await page.waitForTimeout(1500);
}

await take('start', { hash: '#start' });
await take('page', { plies: 14 }, analyse);
await take('pages/dobutsu', { game: 'dobutsu', plies: 11, locale: 'ja-JP', colorScheme: 'dark' }, (page) => page.locator('.cell.can').first().click());
await take('pages/golad', { game: 'golad', plies: 12 }, async (page) => {
  for (const cell of await page.locator('.cell.can[aria-label*="Red"]').all()) {
    await cell.click();
    if (await page.locator('#draft').isVisible()) break;
  }
});
await take('pages/blokus', { game: 'blokus', plies: 12, colorScheme: 'dark' }, async (page) => {
  for (const piece of (await page.locator('.held-piece.can').all()).reverse()) {
    await piece.click();
    if ((await page.locator('.cell.can').count()) > 3) break;
  }
  await page.locator('.cell.can').nth(3).hover();
});
await take('pages/tubstap', { game: 'tubstap', plies: 7 }, (page) => page.locator('.cell.can').first().click());
await take('pages/review', { plies: 26, viewport: { width: 1020, height: 960 } }, async (page) => {
  await page.keyboard.press('y');
  await page.waitForFunction(() => (document.querySelector('#review .curve')?.getAttribute('d')?.split('L').length ?? 0) > 26, null, { timeout: 120_000 });
});
await take('pages/lesson', { game: 'golad', hash: '#lesson=golad' });
await take('pages/rules', { game: 'dobutsu', hash: '#rules=dobutsu' });
await take('pages/editor', { game: 'tubstap', plies: 4 }, async (page) => {
  await page.locator('[data-action="edit"]').click();
  await page.locator('.editor').waitFor();
});
await take('pages/new-game', { game: 'tubstap' }, async (page) => {
  await page.keyboard.press('n');
  await page.locator('#new-dialog[open]').waitFor();
});
await take('pages/telephone', { game: 'blokus', plies: 8, phone: true });
await take('pages/telephone-ja', { game: 'dobutsu', plies: 8, phone: true, locale: 'ja-JP', colorScheme: 'dark' });
await browser.close();
