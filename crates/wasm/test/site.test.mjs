// The page without a server, from a static host: it plays and analyses every game, stops searches, and works offline.
//
// SITE names the folder of the page; CHROMIUM, where it is not at the usual place, the browser.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { GAMES } from '../../server/web/start/games.js';
import { Instance } from '../web/instance.js';
import { host, site, TYPES } from './host.mjs';
import { uniform } from './table.mjs';

const usual = await host(null);
process.env.BANMEN_URL = usual.url;
const { assertClean, left, reached, visit, withBrowser } = await import('../../server/web/test/browser.mjs');
const { after } = await import('node:test');

withBrowser();
after(usual.close);

const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
/** Without a service worker, and so without shared memory. */
const ALONE = /** @type {const} */ ({ serviceWorkers: 'block' });
const AGAINST_ENGINE = { first: null, second: 'engine:level=1' };

/** @typedef {import('playwright-core').Page} Page */

/**
 * Plays a move by its text.
 * @param {Page} page
 * @param {string} move
 */
async function play(page, move) {
  await page.locator('#enter-move').fill(move);
  await page.keyboard.press('Enter');
}

/** A turn that is legal at the start of a game, whatever start that is. @param {string} game */
function firstTurn(game) {
  if (game === 'golad') return ['pass'];
  const [move] = GAMES[game].moves.split(';');
  return game === 'tubstap' ? [move, 'end'] : [move];
}

/**
 * Plays a person's first turn, and waits for the engine's answer.
 * @param {Page} page
 * @param {string} game
 */
async function playTurn(page, game) {
  const turn = firstTurn(game);
  for (const [i, move] of turn.entries()) {
    await play(page, move);
    await reached(page, i + 1, game);
  }
  await reached(page, turn.length + 1, game);
}

/**
 * The answers to requests, asked one after the other over one connection.
 * @param {Page} page
 * @param {object[]} requests
 * @returns {Promise<any[]>}
 */
const answers = (page, requests) =>
  page.evaluate(async (requests) => {
    const { connect } = await import(new URL('site/engines.js', location.href).href);
    const connection = connect();
    await new Promise((resolve) => (connection.onopen = () => resolve(undefined)));
    const all = [];
    for (const [id, request] of requests.entries()) {
      all.push(
        await new Promise((resolve) => {
          connection.onmessage = ({ data }) => JSON.parse(data).info || resolve(JSON.parse(data));
          connection.send(JSON.stringify({ id, ...request }));
        }),
      );
    }
    return all;
  }, requests);

for (const game of Object.keys(GAMES)) {
  test(`${game}: the engine answers a move, and analyses`, async (t) => {
    const { url, modules } = await host(t);
    const page = await visit(t, { at: url, game, kept: left([], AGAINST_ENGINE), ...ALONE });
    await playTurn(page, game);
    await page.locator('#analyse').click();
    await page.locator('#lines td').first().waitFor();
    await page.locator('#analyse').click();
    assert.deepEqual(modules(), [game], 'no other module is fetched');
    assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  });

  test(`${game}: the browser searches the same tree as Node`, async (t) => {
    const page = await visit(t, { at: usual.url, game, ...ALONE });
    const [answer] = await answers(page, [search(game)]);
    assert.deepEqual(withoutTime(answer), await expected(game));
  });
}

/** @param {string} game */
const search = (game) => ({ id: 1, op: 'think', game, player: 'engine', seed: 5, limits: { nodes: 20_000 }, lines: 2 });

/** What a module in Node answers to that. @param {string} game */
async function expected(game) {
  const instance = new Instance(await WebAssembly.compile(await readFile(join(site, `engines/simd/${game}.wasm`))), () => false);
  /** @type {any} */
  let answer;
  instance.ask(search(game), (response) => (answer = JSON.parse(response)));
  assert.ok(answer.ok.move);
  return withoutTime(answer);
}

/** @param {any} answer */
function withoutTime(answer) {
  delete answer.ok.ms;
  return answer;
}

const { kinds } = JSON.parse(await readFile(join(site, 'engines/games.json'), 'utf8'));
const THREADS = { skip: kinds.includes('threads') ? false : 'the page has no modules for several threads' };

test('where workers share memory an analysis has helpers, and a search on one thread is the same', THREADS, async (t) => {
  const { url, asked } = await host(t, { headers: ISOLATED });
  const page = await visit(t, { at: url, kept: left([], AGAINST_ENGINE), ...ALONE });
  await playTurn(page, 'othello');
  await page.locator('#analyse').click();
  await page.locator('#lines td').first().waitFor();
  // One worker for short operations; the player and the analysis may share the other one.
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  const helpers = Math.min(8, Math.max(cores - 1, Math.min(cores, 2))) - 1;
  const workers = page.workers().length - 1;
  assert.ok(workers > 0 && workers % (1 + helpers) === 0, `${workers} workers, ${helpers} helpers`);
  await page.locator('#analyse').click();
  assert.ok(asked.includes('/banmen/engines/threads/othello.wasm'), `${asked}`);
  assert.ok(!asked.includes('/banmen/engines/simd/othello.wasm'), `${asked}`);
  for (const game of ['othello', 'tubstap']) {
    const [answer, together] = await answers(page, [search(game), { op: 'think', game, threads: 9, limits: { time_ms: 200 } }]);
    assert.deepEqual(withoutTime(answer), withoutTime({ ...(await expected(game)) }));
    assert.ok(together.ok.move, JSON.stringify(together));
  }
});

test('where a browser refuses memory that is shared, searches have one thread', async (t) => {
  const { url, asked } = await host(t, { headers: ISOLATED });
  const prepare = (/** @type {Page} */ page) =>
    page.addInitScript(() => {
      const { Memory } = WebAssembly;
      WebAssembly.Memory = /** @type {any} */ (function (/** @type {WebAssembly.MemoryDescriptor} */ size) {
        if (size.shared) throw new RangeError('no memory');
        return new Memory(size);
      });
    });
  const page = await visit(t, { at: url, kept: left([], AGAINST_ENGINE), prepare, ...ALONE });
  await playTurn(page, 'othello');
  assert.deepEqual(asked.filter((path) => path.endsWith('.wasm')), ['/banmen/engines/simd/othello.wasm']);
});

for (const [what, file, from, to, code] of /** @type {const} */ ([
  ['a fault of a module', 'instance.js', 'ask(request, say) {', "ask(request, say) { if (request.seed === 666) { this.lost = true; return say(refusal(request.id, 'internal', 'made')); }", 'internal'],
  ['a fault of a helper', 'worker.js', 'instance.serve(say);', "setTimeout(() => { throw new Error('made'); }, 1000);", undefined],
  ['a helper that cannot be started', 'worker.js', 'postMessage({ serving: true });', "throw new Error('made');", undefined],
])) {
  test(`${what} leaves the next request an answer`, THREADS, async (t) => {
    const { url } = await host(t, { headers: ISOLATED });
    const prepare = (/** @type {Page} */ page) =>
      page.route(`**/site/${file}`, async (route) => {
        const response = await route.fetch();
        const text = (await response.text()).replace(from, to);
        assert.ok(text.includes(to));
        await route.fulfill({ response, body: text });
      });
    const page = await visit(t, { at: url, prepare, caused: /made/, ...ALONE });
    // The helpers of the next request fail as soon, so that it has to be much shorter.
    const request = { op: 'think', game: 'othello', player: 'mcts', seed: 666, threads: 9, limits: { time_ms: 2000 } };
    const [faulty, next] = await answers(page, [request, { ...request, seed: 1, limits: { time_ms: 50 } }]);
    // Where a search had a report that is the answer.
    assert.equal(faulty.error?.code, code, JSON.stringify(faulty));
    assert.ok(code || faulty.ok.move, JSON.stringify(faulty));
    assert.ok(next.ok.move, JSON.stringify(next));
  });
}

for (const [where, headers] of /** @type {const} */ ([['an isolated page', ISOLATED], ['a page without shared memory', {}]])) {
  test(`a long search moves when it is asked to: ${where}`, async (t) => {
    const { url } = await host(t, { headers });
    const kept = left(['d3'], { first: null, second: 'mcts' }, { timeMs: 600_000 });
    const page = await visit(t, { at: url, kept, ...ALONE });
    assert.equal(await page.evaluate(() => crossOriginIsolated), headers === ISOLATED);
    await page.locator('#player-second.thinking, .status').first().waitFor();
    await page.locator('[data-action="moveNow"]').click();
    await reached(page, 2);
    // And the engine thinks again for the next move.
    const [move] = await page.evaluate(() => [...document.querySelectorAll('.cell.can')].map((cell) => cell.getAttribute('data-at') ?? ''));
    await play(page, move);
    await reached(page, 3);
    await page.locator('[data-action="moveNow"]').click();
    await reached(page, 4);
  });
}

test('the start page shows its boards without a module', async (t) => {
  const { url, modules } = await host(t);
  const prepare = (/** @type {Page} */ page) => page.addInitScript(() => localStorage.clear());
  const page = await visit(t, { at: url, prepare, shown: '.start-game', locale: 'ja-JP', ...ALONE });
  await page.waitForFunction(() => [...document.querySelectorAll('.start-board')].every((place) => place.firstElementChild));
  assert.equal(await page.locator('.start-board svg').count(), 5);
  assert.deepEqual(modules(), []);
  await assertClean(page);
  await page.locator('[data-game="golad"]').click();
  await page.locator('.cell').first().waitFor();
  assert.deepEqual(modules(), ['golad']);
});

for (const [locale, words] of /** @type {const} */ ([['en-GB', 'without a server'], ['ja-JP', 'サーバーなし']])) {
  test(`what needs a server says so: ${locale}`, async (t) => {
    const page = await visit(t, { at: usual.url, locale, ...ALONE });
    await page.locator('.tab[href="#matches"]').click();
    await page.locator('#arena', { hasText: words }).waitFor();
  });

  test(`a module that cannot be fetched is said, and fetched when it is asked for again: ${locale}`, async (t) => {
    const { url, broken } = await host(t);
    const page = await visit(t, { at: url, locale, caused: /ERR_EMPTY_RESPONSE|could not be loaded|読み込めませんでした/, ...ALONE });
    broken.add('/dobutsu.wasm');
    await page.locator('#game').selectOption('dobutsu');
    const why = locale === 'en-GB' ? 'could not be loaded' : '読み込めませんでした';
    await page.locator('#note.shown', { hasText: why }).waitFor();
    broken.clear();
    await page.locator('#game').selectOption('dobutsu');
    await page.getByRole('grid', { name: /Dobutsu shogi|どうぶつしょうぎ/ }).waitFor();
  });
}

for (const [locale, here, done, same] of /** @type {const} */ ([
  ['en-GB', 'It is run by this page', 'The planned sample is complete.', 'as in the game'],
  ['ja-JP', 'このページが、ブラウザーの', '計画した標本がそろいました', '対局と同じ'],
])) {
  test(`an experiment is run by the page, its games are there to replay, and a reload keeps them: ${locale}`, async (t) => {
    const { url, modules } = await host(t);
    const page = await visit(t, { at: `${url}#lab`, shown: '#lab table', locale, ...ALONE });
    assert.deepEqual(modules(), [], 'the list needs no module');
    await assertClean(page, 'the list');
    await page.locator('#lab a[href="#lab=golad-fig5"]').click();
    await page.locator('.lab-run', { hasText: /./ }).waitFor();
    await page.locator('#lab', { hasText: here }).waitFor();
    await page.locator('[data-key="scale"]').selectOption('0.01');
    await page.locator('[data-key="planned"]').check();
    await page.locator('[data-key="run"]').click();
    await page.locator('#lab', { hasText: done }).waitFor({ timeout: 120_000 });
    const cells = async () => (await page.locator('#lab tbody tr').first().locator('th, td').allTextContents()).join('|');
    const table = await cells();
    await assertClean(page, 'complete');
    const download = page.waitForEvent('download');
    await page.locator('[data-key="report"]').click();
    assert.equal((await download).suggestedFilename(), 'golad-fig5.html');

    await page.reload();
    await page.locator('#lab', { hasText: done }).waitFor();
    assert.equal(await cells(), table);
    await page.locator('.tab[href="#lab"]').click();
    await page.locator('#lab tr', { has: page.locator('a[href="#lab=golad-fig5"]') }).locator('td', { hasText: /(^|\D)6(\D|$)/ }).first().waitFor();
    await page.goBack();

    // A game of the cell, a search of it that is made again, and the way back.
    await page.locator('#lab a[href^="#match="]').first().click();
    await page.locator('#arena a[href^="#game="]').first().click();
    await page.locator('.cell').first().waitFor();
    await page.locator('[data-action="search"]').click();
    await page.locator('#said', { hasText: same }).waitFor();
    // Its own search is stepped: that of the player that begins.
    await page.locator('[data-action="tree"]').click();
    await page.waitForFunction(() => document.querySelector('.tree-form [name=player]')?.value === 'ai3');
    assert.equal(await page.locator('.tree-form [name=playouts]').inputValue(), '50');
    await page.locator('.tree-form button.main').click();
    await page.locator('.nodes [role=treeitem]').nth(1).waitFor();
    await page.locator('[data-action="toMatch"]').click();
    await page.locator('#arena a[href="#lab=golad-fig5"]').click();
    await page.locator('#lab', { hasText: done }).waitFor();
    await page.waitForLoadState('networkidle');
  });
}

test('a run is stopped, another one is refused meanwhile, and it is continued', async (t) => {
  const page = await visit(t, { at: `${usual.url}#lab=dobutsu-uct`, shown: '.lab-run', ...ALONE });
  const stored = async () => Number(/^\d+/.exec((await page.locator('.lab-stored').textContent()) ?? '')?.[0]);
  await page.locator('[data-key="scale"]').selectOption('1');
  await page.locator('[data-key="run"]').click();
  await page.waitForFunction(() => /^[1-9]/.test(document.querySelector('.lab-stored')?.textContent ?? ''), null, { timeout: 60_000 });
  await page.evaluate(() => void (location.hash = '#lab=golad-fig4'));
  await page.locator('[data-key="run"]', { hasText: 'Run' }).click();
  await page.getByRole('alert').filter({ hasText: 'dobutsu-uct is being run' }).waitFor();
  await page.evaluate(() => void (location.hash = '#lab=dobutsu-uct'));
  await page.locator('[data-key="stop"]').click();
  await page.locator('[data-key="run"]', { hasText: 'Continue' }).waitFor();
  const before = await stored();
  assert.ok(before > 0);
  await page.reload();
  await page.locator('[data-key="run"]', { hasText: 'Continue' }).click();
  await page.waitForFunction((before) => Number(/^\d+/.exec(document.querySelector('.lab-stored')?.textContent ?? '')?.[0]) > before, before, { timeout: 60_000 });
  await page.locator('[data-key="stop"]').click();
  await page.locator('[data-key="run"]', { hasText: 'Continue' }).waitFor();
});

/** Every position that is not won at once is lost in 40 plies. */
const TABLE = uniform(40);

/**
 * Makes the worker answer `build` by itself, as a build takes a minute: with the table of the host, or as a script says.
 * @param {Page} page
 * @param {string} [answer]
 */
const building = (page, answer) =>
  page.route('**/site/instance.js', async (route) => {
    const response = await route.fetch();
    const made = `
      const request = new XMLHttpRequest();
      request.open('GET', new URL('../made.table', import.meta.url), false);
      request.responseType = 'arraybuffer';
      request.send();
      say(JSON.stringify({ id: asked.id, info: { building: 0.42 } }));
      this.#tables.keep('dobutsu-catch', new Uint8Array(request.response));
      say(JSON.stringify({ id: asked.id, ok: { table: 'dobutsu-catch', bytes: request.response.byteLength } }));`;
    const ask = 'ask(request, say) {';
    const text = (await response.text()).replace(ask, `ask(asked, say) { if (asked.op === 'build') { ${answer ?? made} return; } const request = asked;`);
    assert.notEqual(text, await response.text());
    await route.fulfill({ response, body: text });
  });

/**
 * Shows the exact values, when the board is there.
 * @param {Page} page
 */
async function showExact(page) {
  await page.locator('.board.open').waitFor();
  await page.locator('#wants-exact').check();
}

/**
 * Opens the dialog of a new game, and asks for the table.
 * @param {Page} page
 */
async function build(page) {
  await page.locator('#new').click();
  await page.locator('[data-table="build"]').click();
}

for (const [locale, built, missing, about] of /** @type {const} */ ([
  ['en-GB', 'The table is built', 'table is missing', 'This browser builds it'],
  ['ja-JP', '表ができました', '表がありません', 'このブラウザーで一度だけ'],
])) {
  test(`a table that is built in the browser solves the game, and is there at the next visit: ${locale}`, async (t) => {
    const { url } = await host(t, { files: { 'made.table': TABLE } });
    const page = await visit(t, { at: url, game: 'dobutsu', kept: left([]), locale, prepare: building, ...ALONE });
    await showExact(page);
    await page.locator('#exact', { hasText: missing }).waitFor();
    await page.locator('#new').click();
    await page.locator('.tables', { hasText: about }).waitFor();
    await assertClean(page, 'the offer');
    await page.locator('[data-table="build"]').click();
    await page.locator('#note.shown', { hasText: built }).waitFor();
    await page.keyboard.press('Escape');
    // The workers that were there have it; every move wins in 41 plies.
    await page.locator('#exact td', { hasText: '41' }).first().waitFor();
    assert.equal(await page.locator('#exact tbody tr').count(), 4);
    await page.unroute('**/site/instance.js');
    await page.reload();
    await page.locator('.board.open').waitFor();
    await page.locator('#new').click();
    const perfect = page.locator('select[name="second"]');
    await perfect.selectOption('perfect');
    await page.waitForTimeout(300);
    assert.equal(await perfect.inputValue(), 'perfect');
    assert.equal(await page.locator('.tables').count(), 0);
    await page.locator('#new-dialog .main').click();
    await page.locator('.board.open').waitFor();
    await play(page, '2c2b');
    await reached(page, 2, 'dobutsu');
  });
}

for (const [locale, words] of /** @type {const} */ ([['en-GB', 'it plays either side, from the start'], ['ja-JP', '初期局面からならどちらの側も指せます']])) {
  test(`without a table the perfect player plays from the start: ${locale}`, async (t) => {
    const page = await visit(t, { at: usual.url, game: 'dobutsu', kept: left([]), locale, ...ALONE });
    await page.locator('#new').click();
    await page.locator('.tables', { hasText: words }).waitFor();
    const option = (/** @type {string} */ side) => page.locator(`select[name="${side}"] option[value="perfect"]`);
    assert.deepEqual([await option('first').isDisabled(), await option('second').isDisabled()], [false, false]);
    await assertClean(page, 'the offer');
    for (const side of ['first', 'second']) await page.locator(`select[name="${side}"]`).selectOption('perfect');
    await page.locator('#new-dialog .main').click();
    await reached(page, 8, 'dobutsu');
  });
}

for (const [locale, words] of /** @type {const} */ ([['en-GB', 'has no room to store it'], ['ja-JP', '保存する領域がブラウザーにない']])) {
  test(`without room a table is there until the page is closed, and the page says so: ${locale}`, async (t) => {
    const { url } = await host(t, { files: { 'made.table': TABLE } });
    const prepare = async (/** @type {Page} */ page) => {
      await building(page);
      await page.addInitScript(() => {
        Cache.prototype.put = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
      });
    };
    const page = await visit(t, { at: url, game: 'dobutsu', kept: left([]), locale, prepare, ...ALONE });
    await build(page);
    await page.locator('#note.shown', { hasText: words }).waitFor();
    await page.keyboard.press('Escape');
    await showExact(page);
    await page.locator('#exact td', { hasText: '41' }).first().waitFor();
  });
}

for (const [locale, words] of /** @type {const} */ ([['en-GB', 'refused the memory'], ['ja-JP', 'メモリーをブラウザーから得られません']])) {
  test(`memory that is refused is said, and play goes on: ${locale}`, async (t) => {
    const prepare = (/** @type {Page} */ page) => building(page, "say(refusal(asked.id, 'no_memory', ''));");
    const page = await visit(t, { at: usual.url, game: 'dobutsu', kept: left([], AGAINST_ENGINE), locale, prepare, ...ALONE });
    await build(page);
    await page.locator('.tables .fault', { hasText: words }).waitFor();
    await page.keyboard.press('Escape');
    await playTurn(page, 'dobutsu');
  });
}

for (const [where, headers] of /** @type {const} */ ([['an isolated page', ISOLATED], ['a page without shared memory', {}]])) {
  test(`a build shows how far it is, leaves the engine free, and can be stopped: ${where}`, async (t) => {
    const { url } = await host(t, { headers });
    const page = await visit(t, { at: url, game: 'dobutsu', kept: left([], AGAINST_ENGINE), ...ALONE });
    await build(page);
    const bar = page.locator('.tables progress');
    await bar.waitFor();
    await page.keyboard.press('Escape');
    await playTurn(page, 'dobutsu');
    await page.locator('#new').click();
    await page.waitForFunction(() => (document.querySelector('.tables progress')?.value ?? 0) > 0, null, { timeout: 60_000 });
    await page.locator('[data-table="stop"]').click();
    await page.locator('[data-table="build"]').waitFor();
    assert.equal(await page.locator('.tables .fault').count(), 0);
  });
}

test('a table that was damaged is refused, and built anew', async (t) => {
  const { url } = await host(t, { files: { 'made.table': TABLE } });
  const page = await visit(t, { at: url, game: 'dobutsu', kept: left([]), prepare: building, ...ALONE });
  await page.evaluate(async () => {
    const cache = await caches.open('banmen.tables');
    await cache.put(new URL('engines/tables/dobutsu-catch', location.href), new Response('no table'));
  });
  await page.reload();
  await showExact(page);
  await page.locator('#exact', { hasText: 'damaged' }).waitFor();
  await build(page);
  await page.locator('#note.shown', { hasText: 'The table is built' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#exact td', { hasText: '41' }).first().waitFor();
});

// A minute of an optimised module, three of the checks' own.
test('the whole table is built in the browser', { skip: process.env.WHOLE ? false : 'WHOLE is not set' }, async (t) => {
  const page = await visit(t, { at: usual.url, game: 'dobutsu', kept: left([]), ...ALONE });
  page.setDefaultTimeout(600_000);
  await build(page);
  await page.locator('#note.shown', { hasText: 'The table is built: “Perfect play” is ready.' }).waitFor();
  await page.keyboard.press('Escape');
  await showExact(page);
  await page.locator('#exact tbody tr').nth(3).waitFor();
  const values = await page.locator('#exact tbody tr').allTextContents();
  // Tanaka's values of the first moves: three lose in 78 plies, one in 76.
  assert.deepEqual(values.map((value) => /7[68]/.exec(value)?.[0]).sort(), ['76', '78', '78', '78'], values.join());
  await page.reload();
  await showExact(page);
  await page.locator('#exact tbody tr').nth(3).waitFor();
});

test('without WebAssembly each request is refused with the reason, over one connection', async (t) => {
  const { url, asked } = await host(t);
  const prepare = (/** @type {Page} */ page) => page.addInitScript(() => void Reflect.deleteProperty(globalThis, 'WebAssembly'));
  const page = await visit(t, { at: url, prepare, shown: 'body', caused: /no WebAssembly/, ...ALONE });
  await page.waitForTimeout(3000);
  assert.equal(asked.filter((path) => path.endsWith('/games.json')).length, 1);
  const [{ error }] = await answers(page, [{ op: 'players', game: 'othello' }]);
  assert.match(error.message, /no WebAssembly/);
});

test('a list of experiments that was not there is asked for again', async (t) => {
  const page = await visit(t, { at: usual.url, caused: /503/, ...ALONE });
  await page.route('**/experiments.json', (route) => route.fulfill({ status: 503, body: '[]' }), { times: 1 });
  const [first, second] = await answers(page, [{ op: 'experiments' }, { op: 'experiments' }]);
  assert.equal(first.error.code, 'page');
  assert.ok(second.ok.experiments.length > 0);
});

test('a host that does not know the type of a module will do', async (t) => {
  const { wasm, ...types } = TYPES;
  const { url } = await host(t, { types });
  assert.equal(wasm, 'application/wasm');
  const page = await visit(t, { at: url, kept: left([], AGAINST_ENGINE), ...ALONE });
  await playTurn(page, 'othello');
});

test('after the first visit the page plays every game without a network, isolated', async (t) => {
  const { url, modules, close } = await host(t);
  const page = await visit(t, { at: url, kept: left([], AGAINST_ENGINE), caused: /ERR_CONNECTION_REFUSED/ });
  // Each game has a module, which for an isolated page is that for several threads, and one with its experiments.
  const kind = kinds.includes('threads') ? 'threads' : 'simd';
  const wanted = Object.keys(GAMES).flatMap((game) => [`engines/${kind}/${game}.wasm`, `engines/simd/lab/${game}.wasm`]);
  await page.evaluate(async (wanted) => {
    for (let missing = wanted; missing.length; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const caching = (await caches.keys()).map(async (name) => (await caches.open(name)).keys());
      const there = (await Promise.all(caching)).flat();
      missing = wanted.filter((path) => !there.some(({ url }) => url.endsWith(path)));
    }
  }, wanted);
  assert.deepEqual(modules().sort(), Object.keys(GAMES).sort());
  close();
  await page.reload();
  await page.locator('.cell').first().waitFor();
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  for (const game of Object.keys(GAMES)) {
    await page.locator('#game').selectOption(game);
    await page.waitForFunction((game) => JSON.parse(localStorage.getItem('banmen.settings') ?? '{}').game === game, game);
    await page.locator('.board.open').waitFor();
    await playTurn(page, game);
  }
  await page.locator('#analyse').click();
  await page.locator('#lines td').first().waitFor();
  // Experiments too.
  await page.locator('.tab[href="#lab"]').click();
  await page.locator('#lab a[href="#lab=dobutsu-first"]').click();
  await page.locator('[data-key="scale"]').selectOption('0.01');
  await page.locator('[data-key="planned"]').check();
  await page.locator('[data-key="run"]').click();
  await page.locator('#lab', { hasText: 'The planned sample is complete.' }).waitFor({ timeout: 60_000 });
});

test('the page can be installed', async (t) => {
  const page = await visit(t, { at: usual.url });
  const session = await page.context().newCDPSession(page);
  const { data, errors } = await session.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const manifest = JSON.parse(data ?? '');
  for (const { src, sizes } of manifest.icons) {
    const size = await page.evaluate(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, src);
    if (sizes !== 'any') assert.equal(size, sizes);
  }
  await page.evaluate(() => navigator.serviceWorker.ready);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'), []);
});
