// The laboratory: from the list to an experiment that is run on the page, its table while it fills, a game of a cell, and the
// report; read only where others can reach the server, and accessible.
//
// BANMEN names the program: these tests have servers of their own, with a store of their own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { assertClean, spoken, visit, withBrowser } from './browser.mjs';

withBrowser();

const banmen = process.env.BANMEN ?? assert.fail('BANMEN must name the program');
const folder = mkdtempSync(join(tmpdir(), 'banmen-lab-'));
/** @type {import('node:child_process').ChildProcess[]} */
const started = [];

/** Runs the program without waiting for its end. @param {string[]} args */
function start(...args) {
  const child = spawn(banmen, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  return child;
}

/**
 * The address of a new server.
 * @param {string} store the name of its store
 * @param {string[]} options
 */
async function serve(store, ...options) {
  const server = start('--store', join(folder, store), 'serve', '--listen', '127.0.0.1:0', ...options);
  for await (const line of createInterface({ input: server.stdout ?? assert.fail() })) {
    const found = line.match(/http:\S+/)?.[0];
    if (found) return found;
  }
  return assert.fail('the server ended');
}

let address = '';
before(async () => void (address = await serve('own.sqlite')));
after(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/**
 * A visitor of the laboratory.
 * @param {import('node:test').TestContext} t
 * @param {string} hash
 */
const visitAt = (t, hash, options = {}) => visit(t, { at: `${address}${hash}`, shown: '#lab h2', ...options });

/** @param {string} op @param {object} body */
async function ask(op, body, at = address) {
  return (await (await fetch(new URL(`api/${op}`, at), { method: 'POST', body: JSON.stringify(body) })).json());
}

/**
 * Waits until an experiment does not run any more, and returns its results.
 * @param {string} experiment
 */
async function ended(experiment, at = address) {
  for (;;) {
    const { ok } = await ask('experiment', { experiment }, at);
    if (!ok.running) return ok;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('from the list to an experiment, which is run until its verdict, to one of its games, and to the report', async (t) => {
  const page = await visit(t, { at: address });
  await page.getByRole('link', { name: 'Laboratory' }).press('Enter');
  const list = page.getByRole('table', { name: 'Game of Life and Death: Suzuki' });
  await list.waitFor();
  await list.getByRole('link', { name: 'AI3 against AI2', exact: true }).press('Enter');
  const results = page.getByRole('table', { name: 'Published and measured' });
  await results.waitFor();
  assert.equal(await page.title(), 'AI3 against AI2 · Banmen');
  const cells = async () => (await results.locator('tbody tr').first().locator('th, td').allTextContents()).map((text) => text.trim());
  assert.match((await cells()).join('|'), /^50 playouts.* \*\|90\.6418 – 70 – 12\|–\|\|… preliminary\|0 of 500$/);
  assert.equal(await page.locator('.lab-picture .published').count(), 1, 'the published figure is there before a game is played');

  await page.getByLabel('How much of it').selectOption({ label: '2 %: 10 games, about 1 s' });
  await page.getByRole('switch', { name: /^Give verdicts at this size/ }).check();
  await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await page.locator('#lab', { hasText: '10 of 10 games' }).waitFor({ timeout: 60_000 });
  await page.locator('#lab', { hasText: 'The planned sample is complete.' }).waitFor();
  const { rows, plan, cells: [{ match }] } = await ended('golad-fig5');
  assert.equal(plan.scale, 0.02);
  const [{ evidence, comparison }] = rows;
  const shown = (await cells()).join('|');
  assert.ok(shown.includes(`${evidence.won} – ${evidence.drawn} – ${evidence.lost}`), shown);
  assert.ok(shown.includes(comparison.verdict), shown);
  assert.equal(await page.locator('.lab-picture .mark').count(), 1);
  await assertClean(page, 'complete');

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the report' }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), 'golad-fig5.html');
  const report = readFileSync((await saved.path()) ?? assert.fail(), 'utf8');
  assert.ok(report.startsWith('<!doctype html>') && report.includes('banmen reproduce golad-fig5 --plan 0.02') && report.includes('10 games'));

  await results.getByRole('link', { name: `the games of match ${match}` }).press('Enter');
  const arena = page.locator('#arena');
  await arena.getByRole('link', { name: 'The experiment of this match' }).waitFor();
  await page.getByRole('link', { name: '0.1', exact: true }).press('Enter');
  await page.locator('.cell').first().waitFor();
  // A search is stepped with the player that is to move: in game 1 the second one begins, which has twice the playouts.
  await page.locator('[data-action=tree]').click();
  const own = () => page.evaluate(() => ['player', 'playouts'].map((name) => document.querySelector(`.tree-form [name=${name}]`)?.value));
  await page.locator('.tree-form').waitFor();
  assert.deepEqual(await own(), ['ai2', '100']);
  await page.keyboard.press('Escape');
  await page.locator('#moves [data-ply="1"]').click();
  await page.locator('#moves [aria-current][data-ply="1"]').waitFor();
  await page.waitForFunction(() => document.querySelector('.tree-form [name=player]')?.value === 'ai3');
  assert.deepEqual(await own(), ['ai3', '50']);
  // Another choice stays while the same player is to move, and is not changed by drawing again.
  await page.locator('.tree-form [name=player]').selectOption('mcts');
  await page.locator('.tree-form button.main').click();
  await page.locator('.nodes [role=treeitem]').first().waitFor();
  assert.equal((await own())[0], 'mcts');
});

test('a run goes on without the page, is stopped, and is continued', async (t) => {
  const page = await visitAt(t, '#lab=dobutsu-uct');
  await page.getByLabel('How much of it').selectOption('1');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  const stored = () => page.locator('.lab-stored').textContent();
  const first = await stored();
  await page.getByRole('button', { name: 'Stop' }).focus();
  await page.waitForFunction((first) => document.querySelector('.lab-stored')?.textContent !== first, first, { timeout: 60_000 });
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Stop', 'the focus stays');
  await page.close();
  const { ok: before } = await ask('experiment', { experiment: 'dobutsu-uct' });
  const again = await visitAt(t, '#lab=dobutsu-uct');
  // Two cannot run at once.
  assert.equal((await ask('reproduce', { experiment: 'golad-fig4' })).error.reason, 'here');
  await again.evaluate(() => void (location.hash = '#lab=golad-fig4'));
  await again.getByRole('button', { name: 'Run', exact: true }).click();
  await again.getByRole('alert').filter({ hasText: 'dobutsu-uct is being run' }).waitFor();
  await again.evaluate(() => void (location.hash = '#lab=dobutsu-uct'));
  await again.getByRole('button', { name: 'Stop' }).click();
  await again.getByRole('button', { name: 'Continue' }).waitFor();
  const { stored: after } = await ended('dobutsu-uct');
  assert.ok(after >= before.stored && after < 6400, `${before.stored} ${after}`);
  assert.equal((await spoken(again, /of 6,400 games/)).length > 0, true, 'its end is announced');
});

test('what another process plays is shown, and not run twice', async (t) => {
  const running = start('--store', join(folder, 'own.sqlite'), 'reproduce', 'othello-strength', '--concurrency', '1');
  for (;;) {
    const { ok } = await ask('experiment', { experiment: 'othello-strength' });
    if (ok.running && ok.stored > 0) break;
  }
  const page = await visitAt(t, '#lab=othello-strength');
  await page.locator('#lab', { hasText: 'Another process is running it' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).count(), 0);
  assert.equal((await ask('reproduce', { experiment: 'othello-strength' })).error.code, 'match_busy');
  running.kill('SIGKILL');
  await page.getByRole('button', { name: 'Continue' }).waitFor();
});

test('a server that others may reach shows the command instead', async (t) => {
  const at = await serve('public.sqlite', '--host', 'banmen.example');
  assert.equal((await ask('reproduce', { experiment: 'golad-fig5' }, at)).error.code, 'experiments_not_allowed');
  const page = await visitAt(t, '', { at: `${at}#lab=golad-fig5` });
  await page.locator('.lab-command', { hasText: 'banmen reproduce golad-fig5' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).count(), 0);
  await page.getByRole('link', { name: 'All experiments' }).click();
  await page.getByRole('link', { name: 'AI3 against AI2', exact: true }).waitFor();
});

test('unknown experiments show an error', async (t) => {
  const page = await visitAt(t, '#lab=golad-fig6');
  assert.match((await page.locator('#lab').textContent()) ?? '', /golad-fig6/);
  await page.getByRole('link', { name: 'All experiments' }).click();
  await page.getByRole('link', { name: 'AI3 against AI2', exact: true }).waitFor();
});

test('the numbers of a table are written as those of the axis', async (t) => {
  const page = await visitAt(t, '#lab=dobutsu-curve', { shown: '.lab-label' });
  const labels = await page.locator('.lab-label').allTextContents();
  assert.ok(labels.some((label) => /^\d{1,3}(,\d{3})+$/.test(label)), labels.join(' '));
  assert.deepEqual(labels.filter((label) => /^\d{4}/.test(label)), []);
});

const HOSTILE = '<img src=x onerror="globalThis.broken=1">';

test('texts of an experiment are not markup', async (t) => {
  /** Every text of an answer, but for those that the page chooses by. @param {any} value @param {string} [key] @returns {any} */
  const hostile = (value, key = '') => {
    if (typeof value === 'string' && !['kind', 'id', 'game', 'verdict', 'sample', 'unit'].includes(key)) return HOSTILE;
    if (Array.isArray(value)) return value.map((item) => hostile(item, key));
    if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hostile(item, name)]));
    return value;
  };
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      /** @type {Set<number>} */
      const own = new Set();
      socket.onMessage((text) => {
        const { id, op } = JSON.parse(String(text));
        if (op.startsWith('experiment')) own.add(id);
        server.send(text);
      });
      server.onMessage((text) => {
        const { id, ok } = JSON.parse(String(text));
        socket.send(own.has(id) && ok ? JSON.stringify({ id, ok: hostile(ok) }) : text);
      });
    });
  for (const hash of ['#lab', '#lab=othello-strength', '#lab=dobutsu-curve']) {
    const page = await visitAt(t, hash, { prepare, viewport: { width: 320, height: 640 } });
    assert.ok((await page.locator('#lab').textContent())?.includes(HOSTILE));
    assert.equal(await page.locator('img:not([src="icon.svg"])').count(), 0);
    assert.equal(await page.evaluate(() => 'broken' in globalThis), false);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320, `${hash} scrolls sideways`);
  }
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  for (const [locale, width] of /** @type {const} */ ([['en-GB', 1280], ['ja-JP', 320]])) {
    test(`axe finds nothing in the laboratory: ${colorScheme} ${locale} ${width}`, async (t) => {
      const page = await visitAt(t, '#lab', { colorScheme, locale, viewport: { width, height: 700 } });
      for (const hash of ['#lab', '#lab=golad-fig5', '#lab=dobutsu-uct', '#lab=dobutsu-curve', '#lab=tubstap-table1', '#lab=no-such']) {
        await page.evaluate((hash) => void (location.hash = hash), hash);
        if (hash === '#lab') await page.locator('.lab-name').first().waitFor();
        else await page.locator('#lab', { hasText: hash.slice(5) }).waitFor();
        await assertClean(page, hash);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${hash}: ${wide} > ${width}: the page scrolls sideways`);
      }
    });
  }
}
