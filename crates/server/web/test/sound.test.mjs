// Sounds: off until the visitor wants them, remembered, and different for what happens.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, left, lineToPass, visit, withBrowser } from './browser.mjs';

withBrowser();

/** An AudioContext that only counts contexts and lists the tones. */
function fake() {
  const heard = Object.assign(/** @type {number[]} */ ([]), { contexts: 0 });
  const param = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} };
  Object.assign(globalThis, {
    heard,
    AudioContext: class {
      state = 'running';
      currentTime = 0;
      constructor() {
        heard.contexts += 1;
      }
      async resume() {}
    },
    OscillatorNode: class {
      frequency = param;
      /** @param {unknown} _ @param {{frequency: number}} options */
      constructor(_, { frequency }) {
        this.pitch = frequency;
      }
      connect(/** @type {object} */ to) {
        return to;
      }
      start() {
        heard.push(this.pitch);
      }
      stop() {}
    },
    GainNode: class {
      gain = param;
      connect() {}
    },
  });
}

const prepare = (/** @type {import('playwright-core').Page} */ page) => page.addInitScript(fake);

/**
 * Waits for a sound.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string>} its pitches
 */
async function next(page) {
  await page.waitForFunction(() => globalThis.heard.length > 0);
  return page.evaluate(() => globalThis.heard.splice(0).join());
}

/** @param {import('playwright-core').Page} page */
async function turnOn(page) {
  await page.keyboard.press('?');
  await page.getByRole('switch', { name: 'Sounds' }).check();
  await page.keyboard.press('Escape');
  return next(page);
}

test('W17: without the switch nothing is fetched or heard', async (t) => {
  const page = await visit(t, { kept: left([]), prepare });
  /** @type {string[]} */
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await cell(page, 'd3').click();
  await page.locator('.marks .last').waitFor();
  assert.deepEqual(await page.evaluate(() => [globalThis.heard.contexts, globalThis.heard.length]), [0, 0]);
  assert.ok(!asked.some((url) => url.includes('tones')));
});

test('W17: moves, captures, passes, refusals and ends sound different, and the switch is remembered', async (t) => {
  const line = await lineToPass(5);
  const [last] = line.slice(-1);
  const page = await visit(t, { kept: left(line.slice(0, -1)), prepare });
  const move = await turnOn(page);
  await page.locator('#enter-move').fill('a1b2');
  await page.keyboard.press('Enter');
  const illegal = await next(page);
  await cell(page, last).click();
  const capture = await next(page);
  const pass = await next(page);

  // A shortest game: White has no discs left after nine moves.
  await page.evaluate((kept) => localStorage.setItem('banmen.game.othello', kept), JSON.stringify(left(['e6', 'f4', 'e3', 'f6', 'g5', 'd6', 'e7', 'f5'])));
  await page.reload();
  await cell(page, 'c5').click();
  const end = await next(page);
  assert.equal(new Set([move, illegal, capture, pass, end]).size, 5, JSON.stringify({ move, illegal, capture, pass, end }));
});

test('W17: a capture sounds different from a move that takes nothing', async (t) => {
  const page = await visit(t, { game: 'dobutsu', kept: left([]), prepare });
  const move = await turnOn(page);
  const play = async (/** @type {string} */ text) => {
    await page.locator('#enter-move').fill(text);
    await page.keyboard.press('Enter');
    return next(page);
  };
  assert.equal(await play('1d1c'), move);
  assert.equal(await play('3a3b'), move);
  assert.notEqual(await play('2c2b'), move);
});
