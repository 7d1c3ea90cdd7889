// Engines: watching them play, stopping them, analysing; and the connection that carries it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { cell, left, legalCells, moves, position, pressAtOnce, randomLine, reached, show, spoken, until, visit, withBrowser } from './browser.mjs';

withBrowser();

const ENGINES = { first: 'engine:level=1', second: 'random' };

const FIRST_LINE_MS = 150;
/** Times are information on a shared machine; the bound only catches what is broken. */
const SLACK = 10;

test('W5: two engines play to the result, with pause and single steps', async (t) => {
  const page = await visit(t, { kept: left(await randomLine(2, 54), ENGINES) });
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.locator('#status', { hasText: 'Paused' }).waitFor();
  const { length } = await moves(page);
  await page.waitForTimeout(600);
  assert.equal((await moves(page)).length, length, 'a pause holds');
  await page.getByRole('button', { name: 'One move', exact: true }).click();
  await reached(page, length + 1);
  await page.keyboard.press('p');
  await page.locator('.status.over').waitFor();
  const { outcome } = await show(await moves(page));
  assert.ok(outcome);
  assert.match((await page.locator('#status').textContent()) ?? '', /^(Black|White) wins by \d+$|^A draw$/);
  await page.getByRole('button', { name: 'Play again' }).click();
  await page.locator('#new-dialog').waitFor();
});

test('W5: "move now" ends the search', async (t) => {
  const line = await randomLine(4, 21);
  const page = await visit(t, { kept: left(line, { first: null, second: 'engine:level=10' }, { timeMs: 10000 }) });
  await page.getByRole('button', { name: 'Move now' }).waitFor();
  await page.locator('#lines td').first().waitFor();
  const began = Date.now();
  await page.keyboard.press('m');
  await reached(page, 22);
  const ms = Date.now() - began;
  t.diagnostic(`moved ${ms} ms after the key`);
  assert.ok(ms < 5000, String(ms));
  assert.ok((await show(line)).legal.includes((await moves(page))[21]));
});

test('W5: "move now" while the server is busy goes on waiting', async (t) => {
  /** The requests to think that were refused. @type {Set<number>} */
  const refused = new Set();
  let busy = true;
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        const { id, op } = JSON.parse(String(text));
        if (op !== 'think' || !busy) return server.send(text);
        refused.add(id);
        socket.send(JSON.stringify({ id, error: { code: 'busy' } }));
      });
    });
  const page = await visit(t, { prepare, kept: left(await randomLine(4, 7), { first: null, second: 'engine:level=1' }) });
  await until(() => refused.size);
  await page.keyboard.press('m');
  await until(() => refused.size > 1);
  busy = false;
  await reached(page, 8);
  await page.locator('.board.open').waitFor();
});

test('W6: analysis shows lines, values and the bar soon, and follows the board', async (t) => {
  const line = await randomLine(6, 16);
  const page = await visit(t, { kept: left(line) });
  const times = [];
  for (let ply = line.length; ply > line.length - 4; ply -= 1) {
    // From the request, which the click or the key sends, to the first line in the page.
    const drawn = page.evaluate(
      (heading) =>
        new Promise((resolve) => {
          const began = performance.now();
          const lines = document.getElementById('lines');
          const seen = () => lines?.querySelector('th.wide')?.textContent?.includes(heading) && lines.querySelector('td');
          const wait = new MutationObserver(() => seen() && resolve(performance.now() - began));
          if (lines) wait.observe(lines, { childList: true, subtree: true });
        }),
      `move ${ply + 1}`,
    );
    if (ply === line.length) await page.keyboard.press('a');
    else await page.keyboard.press(',');
    times.push(Math.round(await drawn));
  }
  t.diagnostic(`first line after ${times.join(', ')} ms (aim: ${FIRST_LINE_MS})`);
  for (const ms of times) assert.ok(ms < FIRST_LINE_MS * SLACK, String(ms));
  const { legal } = await show(line.slice(0, 13));
  const firsts = await page.locator('#lines td.line b').allTextContents();
  assert.ok(firsts.length >= 1 && firsts.length <= 3);
  for (const move of firsts) assert.ok(legal.includes(move), move);
  // The speed is shown as soon as a millisecond has passed.
  await page.waitForFunction(() => /depth \d+ · .* nodes · .* nodes\/s/.test(document.querySelector('#lines')?.textContent ?? ''));
  assert.match((await page.locator('#bar').getAttribute('aria-label')) ?? '', /^Black \d+ %, White \d+ %$/);
  assert.equal(await page.locator('.marks .value').count(), firsts.length);
  await page.keyboard.press('a');
  await page.locator('.marks .value').first().waitFor({ state: 'detached' });
});

for (const keys of ['ah', 'ha', 'hh', 'ahh', 'hahaa']) {
  test(`W6: a hint is shown once, and the analysis continues, in either order: ${keys}`, async (t) => {
    const line = await randomLine(13, 18);
    const page = await visit(t, { kept: left(line) });
    await pressAtOnce(page, ...keys);
    await page.locator('.marks .hint').waitFor();
    if (keys.includes('a')) await page.locator('#lines td').first().waitFor();
    const [hint, ...more] = await spoken(page, /hint/i);
    assert.deepEqual(more, []);
    assert.ok((await show(line)).legal.includes(hint.match(/^Hint: (\w+)\.$/)?.[1] ?? ''), hint);
  });
}

test('a hint disappears with the position that it was asked for', async (t) => {
  const line = await randomLine(13, 18);
  const page = await visit(t, { kept: left(line) });
  await pressAtOnce(page, 'h', ',');
  await page.locator('#moves [data-ply="17"][aria-current]').waitFor();
  await page.keyboard.press('h');
  await page.locator('.marks .hint').waitFor();
  await page.keyboard.press('.');
  await page.locator('#moves [data-ply="18"][aria-current]').waitFor();
  assert.equal(await page.locator('.marks .hint').count(), 0);
  const [hint, ...more] = await spoken(page, /hint/i);
  assert.deepEqual(more, []);
  assert.ok((await show(line.slice(0, 17))).legal.includes(hint.match(/^Hint: (\w+)\.$/)?.[1] ?? ''), hint);
});

test('W18: a reload keeps the game', async (t) => {
  const page = await visit(t, { kept: left(await randomLine(8, 9)) });
  await cell(page, (await legalCells(page))[0]).click();
  await reached(page, 10);
  const [before, line] = [await position(page), await moves(page)];
  await page.reload();
  await page.locator('#moves [data-ply="10"]').waitFor();
  assert.deepEqual(await moves(page), line);
  assert.deepEqual(await position(page), before);
});

test('W18: a lost connection is restored, and the game continues', async (t) => {
  /** @type {import('playwright-core').WebSocketRoute[]} */
  const sockets = [];
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      socket.connectToServer();
      sockets.push(socket);
    });
  const page = await visit(t, { prepare, kept: left(await randomLine(9, 8), { first: null, second: 'engine:level=1' }) });
  await sockets[0].close();
  await cell(page, (await legalCells(page))[0]).click();
  await reached(page, 10);
  assert.equal(sockets.length, 2);
});

test('W18: a game against an engine goes on after the server was killed and started again', async (t) => {
  const banmen = process.env.BANMEN ?? assert.fail('BANMEN must name the program');
  const serve = async (/** @type {string} */ listen) => {
    const child = spawn(banmen, ['serve', '--listen', listen], { stdio: ['ignore', 'pipe', 'ignore'] });
    t.after(() => child.kill('SIGKILL'));
    for await (const line of createInterface({ input: child.stdout })) {
      const [url] = line.match(/http:\S+/) ?? [];
      if (url) return { child, url };
    }
    return assert.fail('the server does not listen');
  };
  const first = await serve('127.0.0.1:0');
  const line = await randomLine(9, 8);
  const page = await visit(t, { at: first.url, kept: left(line, { first: null, second: 'engine:level=1' }), caused: /WebSocket|ERR_CONNECTION/ });
  const ended = new Promise((resolve) => first.child.on('exit', resolve));
  first.child.kill('SIGKILL');
  await ended;
  // Pressed while nobody answers; played when the server is there again.
  await cell(page, (await legalCells(page))[0]).click();
  await page.locator('#note.shown', { hasText: 'Connection lost' }).waitFor();
  assert.deepEqual(await moves(page), line);
  await serve(new URL(first.url).host);
  await page.locator('#note.shown', { hasText: 'Reconnected' }).waitFor();
  await reached(page, 10);
  await page.locator('.board.open').waitFor();
  assert.equal((await show(await moves(page))).moves.length, 10);
});

test('an invalid stored game is replaced by a new one', async (t) => {
  const page = await visit(t, { kept: left(['f5', 'a1']) });
  await page.locator('#note.shown', { hasText: 'could not be read' }).waitFor();
  assert.deepEqual(await moves(page), []);
  const games = await page.evaluate(() => JSON.parse(localStorage.getItem('banmen.games') ?? '[]'));
  assert.deepEqual(games.map((own) => own.kept.moves.map((move) => move.text)), [['f5', 'a1']], 'it is among the visitor’s games');
});

test('a stored game stays where it is if the server fails', async (t) => {
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        const { id, op } = JSON.parse(String(text));
        if (op === 'show') socket.send(JSON.stringify({ id, error: { code: 'internal', message: 'it fails' } }));
        else server.send(text);
      });
    });
  const page = await visit(t, { prepare, kept: left(['f5', 'd6']), shown: '#note.shown', caused: /it fails/ });
  assert.equal(await page.locator('#note').textContent(), 'it fails');
  assert.deepEqual(await moves(page), ['f5', 'd6']);
});

test('the analysis asks for all the threads that the server grants, the player of a game for none', async (t) => {
  /** @type {Record<string, unknown>[]} */
  const asked = [];
  const prepare = (/** @type {import('playwright-core').Page} */ page) => {
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        const request = JSON.parse(String(payload));
        if (request.op === 'think') asked.push(request);
      }),
    );
  };
  const page = await visit(t, { prepare, kept: left([], { first: 'engine:level=1', second: null }) });
  await reached(page, 1);
  assert.deepEqual(asked.map(({ session, threads }) => [session, threads]), [['play', undefined]]);
  await page.locator('#analyse').click();
  await page.locator('#lines td').first().waitFor();
  assert.deepEqual(asked.slice(1).map(({ session, threads }) => [session, threads]), [['analyse', 256]]);
});
