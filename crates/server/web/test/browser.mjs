// What the browser tests share: one Chromium, fresh contexts, and direct requests to the server for comparison.
//
// BANMEN_URL names the running server; CHROMIUM, where it is not at the usual place, the browser.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

export const address = process.env.BANMEN_URL ?? assert.fail('BANMEN_URL must name a running server');

const OFFLINE = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** How long a test waits for something that must come. */
const TIMEOUT_MS = 15_000;

/** @type {import('playwright-core').Browser} */
let browser;

/** Starts the browser for the tests of a file, and ends it after them. */
export function withBrowser() {
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());
}

/** The browser. Now and then one that starts on a busy machine hangs: it is given up, and another one started. */
async function launch() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const args = ['--no-sandbox', '--disable-gpu', ...OFFLINE];
  for (let tries = 1; ; tries++) {
    try {
      return await chromium.launch({ executablePath, args, timeout: 30_000 });
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}

/**
 * A fresh visitor of the page. Motion is reduced unless a test asks for it, and no errors may reach the console except those that
 * the test itself causes.
 * @param {import('node:test').TestContext} t
 * @param {{kept?: object, game?: string, at?: string, shown?: string, prepare?: (page: import('playwright-core').Page) => Promise<void>, caused?: RegExp}
 *   & import('playwright-core').BrowserContextOptions} [options] `kept`: how the visitor left the game; `at`: another address, where `shown`
 *   is awaited; `caused`: errors that the test causes
 */
export async function visit(t, { kept, game = 'othello', at = address, shown = '.cell', prepare, caused, ...options } = {}) {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  /** @type {string[]} */
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  t.after(() => assert.deepEqual(errors.filter((error) => !caused?.test(error)), []));
  await page.addInitScript(keep, { game, kept });
  await prepare?.(page);
  await page.goto(at);
  await page.locator(shown).first().waitFor();
  return page;
}

/**
 * A gate: `opened` resolves when `open` is called.
 * @returns {{opened: Promise<void>, open: () => void}}
 */
export function gate() {
  let open = () => {};
  const opened = new Promise((resolve) => (open = () => resolve(undefined)));
  return { opened, open };
}

/**
 * Waits until something holds in the test itself, such as that a request has been sent.
 * @param {() => unknown} condition
 */
export async function until(condition) {
  const end = Date.now() + TIMEOUT_MS;
  while (!condition()) {
    assert.ok(Date.now() < end, `not within ${TIMEOUT_MS} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Lets a test hold back the server's answers: after `hold`, until `release`. */
export function heldBack() {
  /** @type {(() => void)[] | null} */
  let held = null;
  return {
    /** Before the page is visited. @param {import('playwright-core').Page} page */
    prepare: (page) =>
      page.routeWebSocket(/\/ws$/, (socket) =>
        socket.connectToServer().onMessage((text) => {
          if (held) held.push(() => socket.send(text));
          else socket.send(text);
        }),
      ),
    hold: () => void (held = []),
    count: () => held?.length ?? 0,
    release() {
      const late = held ?? [];
      held = null;
      late.forEach((answer) => answer());
    },
  };
}

/**
 * Presses keys in one go, before the page can do anything between them.
 * @param {import('playwright-core').Page} page
 * @param {string[]} keys
 */
export const pressAtOnce = (page, ...keys) =>
  page.evaluate((keys) => {
    for (const key of keys) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  }, keys);

/**
 * The latest announcements of a kind.
 * @param {import('playwright-core').Page} page
 * @param {RegExp} kind
 */
export const spoken = async (page, kind) => (await page.locator('#live p').allTextContents()).filter((said) => kind.test(said));

/** Runs in the page, before its scripts: stores a game there, once. */
function keep({ game, kept }) {
  if (localStorage.length) return;
  localStorage.setItem('banmen.settings', JSON.stringify({ game }));
  if (kept) localStorage.setItem(`banmen.game.${game}`, JSON.stringify(kept));
}

export const PEOPLE = { first: null, second: null };

/**
 * A game as the page keeps it.
 * @param {string[]} moves without passes, so that the sides alternate
 * @param {{first: string | null, second: string | null}} seats
 */
export function left(moves, seats = PEOPLE, more = {}) {
  const sides = ['first', 'second'];
  return { seats, moves: moves.map((text, i) => ({ text, side: sides[i % 2] })), paused: false, timeMs: 200, seed: 1, ...more };
}

/**
 * The server's answer to `show`.
 * @param {string[]} moves
 * @param {{rules?: string, position?: string}} [from]
 */
export async function show(moves, game = 'othello', from = {}) {
  const response = await fetch(new URL('api/show', address), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game, moves, ...from }),
  });
  const answer = await response.json();
  return answer.ok ?? assert.fail(JSON.stringify(answer));
}

/**
 * Random numbers from a seed (mulberry32), so that a failure can be seen again.
 * @param {number} seed
 */
export function random(seed) {
  let state = seed >>> 0;
  return (/** @type {number} */ below) => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), 1 | state);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) % below;
  };
}

/**
 * A random game of a number of plies, without a pass.
 * @param {number} seed
 * @param {number} plies
 * @returns {Promise<string[]>}
 */
export async function randomLine(seed, plies) {
  const below = random(seed);
  for (;;) {
    /** @type {string[]} */
    const moves = [];
    let { legal } = await show(moves);
    while (moves.length < plies && legal.length && legal[0] !== 'pa') {
      moves.push(legal[below(legal.length)]);
      ({ legal } = await show(moves));
    }
    if (moves.length === plies && legal.length && legal[0] !== 'pa') return moves;
  }
}

/**
 * Random moves up to a position in which the side to move must pass.
 * @param {number} seed
 * @returns {Promise<string[]>}
 */
export async function lineToPass(seed) {
  const below = random(seed);
  for (;;) {
    /** @type {string[]} */
    const moves = [];
    let { legal } = await show(moves);
    while (legal.length && legal[0] !== 'pa') {
      moves.push(legal[below(legal.length)]);
      ({ legal } = await show(moves));
    }
    if (legal.length) return moves;
  }
}

/**
 * The moves that the page has kept.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string[]>}
 */
export const moves = (page, game = 'othello') =>
  page.evaluate(
    (key) => JSON.parse(localStorage.getItem(key) ?? '{"moves":[]}').moves.map((move) => move.text),
    `banmen.game.${game}`,
  );

/**
 * Waits until the page has stored this number of moves, or the game is over.
 * @param {import('playwright-core').Page} page
 * @param {number} count
 */
export const reached = (page, count, game = 'othello') =>
  page.waitForFunction(
    ([key, count]) => {
      const game = JSON.parse(localStorage.getItem(key) ?? '{"moves":[]}');
      return game.moves.length >= count || document.querySelector('.status.over');
    },
    /** @type {const} */ ([`banmen.game.${game}`, count]),
  );

/**
 * The legal cells as the page marks them for the eye.
 * @param {import('playwright-core').Page} page
 */
export const marks = (page) => page.locator('.marks .legal').count();

/**
 * The legal cells as the page names them, sorted.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string[]>}
 */
export const legalCells = (page) =>
  page.evaluate(() => [...document.querySelectorAll('.cell.can')].map((cell) => cell.getAttribute('data-at') ?? '').sort());

/**
 * @param {import('playwright-core').Page} page
 * @param {string} at
 */
export const cell = (page, at) => page.locator(`[data-at="${at}"]`);

/**
 * The owners of all cells, as a screen reader reads them.
 * @param {import('playwright-core').Page} page
 */
export const position = (page) =>
  page.evaluate(() => [...document.querySelectorAll('.cell')].map((cell) => cell.getAttribute('aria-label')?.split(', ').slice(0, 2).join(' ')));

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Checks the page by axe's rules.
 * @param {import('playwright-core').Page} page
 */
export async function assertClean(page, where = '') {
  // Evaluated from outside, so that the page's policy need not allow it.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.length} times, first ${nodes[0].html}`),
    [],
    where,
  );
}
