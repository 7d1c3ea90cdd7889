// How long the page without a server takes from its address to the engine's first move, with an empty cache, in time and in
// processor time of the browser and the host, and the memory of a module after a search, for each game.
//
// SITE names the folder of the page; CHROMIUM, where it is not at the usual place, the browser. Arguments are the games; all without.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { GAMES } from '../../server/web/start/games.js';
import { Instance } from '../web/instance.js';
import { host, site } from './host.mjs';

const { chromium } = createRequire(new URL('../../server/web/', import.meta.url))('playwright-core');

const RUNS = 5;
/** The time of the engine for its move, in milliseconds. */
const THINK_MS = 100;
/** The positions, or playouts, of the search after which memory is measured. */
const SEARCHES = { othello: 1_000_000, dobutsu: 1_000_000, golad: 1_000_000, blokus: 8_000, tubstap: 2_000 };

const { url, close } = await host(null);
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });

const system = await browser.newBrowserCDPSession();

/** The processor time that the browser's processes and this one have taken, in milliseconds. */
async function spent() {
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  const { user, system: kernel } = process.cpuUsage();
  return processInfo.reduce((/** @type {number} */ sum, { cpuTime }) => sum + cpuTime * 1000, (user + kernel) / 1000);
}

/** Runs in the page, before its scripts: keeps a game in which the engine begins, and the time at which its first move is kept. */
function prepare({ game, timeMs }) {
  const kept = { seats: { first: 'engine', second: null }, moves: [], paused: false, timeMs, seed: 1 };
  localStorage.setItem('banmen.settings', JSON.stringify({ game }));
  localStorage.setItem(`banmen.game.${game}`, JSON.stringify(kept));
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function (key, value) {
    setItem.call(this, key, value);
    if (!('movedAt' in globalThis) && key === `banmen.game.${game}` && JSON.parse(value).moves.length) {
      Object.assign(globalThis, { movedAt: performance.now() });
    }
  };
}

/**
 * @param {string} game
 * @returns {Promise<{moved: number, fetched: number, cpu: number}>} milliseconds from the address to the first move, and to the
 *   module's last byte; processor time until the first move is seen
 */
async function load(game) {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.addInitScript(prepare, { game, timeMs: THINK_MS });
  const before = await spent();
  await page.goto(url);
  await page.waitForFunction(() => 'movedAt' in globalThis, null, { timeout: 60_000 });
  const cpu = (await spent()) - before;
  const times = await page.evaluate(() => {
    const module = performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.wasm'));
    return { moved: /** @type {any} */ (globalThis).movedAt, fetched: /** @type {PerformanceResourceTiming} */ (module).responseEnd };
  });
  await context.close();
  return { ...times, cpu };
}

const MIB = 1 << 20;

const wanted = process.argv.slice(2);
for (const game of Object.keys(GAMES)) {
  if (wanted.length && !wanted.includes(game)) continue;
  const runs = [];
  for (let run = 0; run < RUNS; run++) runs.push(await load(game));
  runs.sort((a, b) => a.moved - b.moved);
  const [{ moved, fetched }] = runs;
  const cpu = Math.min(...runs.map((run) => run.cpu));
  const instance = new Instance(await WebAssembly.compile(await readFile(join(site, `engines/simd/${game}.wasm`))), () => false);
  const before = instance.bytes;
  instance.ask({ id: 1, op: 'think', game, player: 'engine', seed: 1, limits: { playouts: SEARCHES[game] } }, () => {});
  const list = runs.map((run) => Math.round(run.moved)).join(', ');
  console.log(`${game}: first move after ${moved.toFixed(0)} ms, the module fetched after ${fetched.toFixed(0)} ms (all: ${list}), ${cpu.toFixed(0)} ms of processor time; memory ${(before / MIB).toFixed(1)} MiB, after a search ${(instance.bytes / MIB).toFixed(1)} MiB`);
}
await browser.close();
close();
