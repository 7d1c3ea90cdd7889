// The lines of the analysis: only from the engine at full strength, the best first, true to exact values, and shown on the
// board move by move.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertClean, cell, gate, left, moves, position, randomLine, reached, show, spoken, until, visit, withBrowser } from './browser.mjs';

withBrowser();

/**
 * Answers some requests in place of the server.
 * @param {(request: any) => object | null} answer
 */
const answering = (answer) => (/** @type {import('playwright-core').Page} */ page) =>
  page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const request = JSON.parse(String(text));
      const ok = answer(request);
      if (ok) socket.send(JSON.stringify({ id: request.id, ok }));
      else server.send(text);
    });
    server.onMessage((text) => socket.send(text));
  });

const report = (/** @type {[string[], number][]} */ lines) => ({
  move: lines[0][0][0], value: lines[0][1], eval: null, lines: lines.map(([moves, value]) => ({ moves, value, eval: null })),
  nodes: 9, playouts: null, depth: 3, ms: 5, proven: false,
});

for (const [level, shown] of /** @type {const} */ ([['1', false], ['10', true]])) {
  test(`values of an engine at level ${level} are ${shown ? '' : 'not '}shown`, async (t) => {
    const page = await visit(t, { kept: left(await randomLine(4, 8), { first: null, second: `engine:level=${level}` }) });
    await cell(page, (await page.locator('.cell.can').first().getAttribute('data-at')) ?? '').click();
    await reached(page, 10);
    await page.locator('.board.open').waitFor();
    assert.equal((await page.locator('#lines td').count()) > 0, shown);
    assert.equal(await page.locator('#bar.unknown').count(), shown ? 0 : 1);
    if (!shown) return;
    // They are those of a position that is no longer part of the game.
    await page.keyboard.press('u');
    await page.locator('#lines td').first().waitFor({ state: 'detached' });
    assert.equal(await page.locator('#bar.unknown').count(), 1);
  });
}

test('lines are sorted, and their moves are shown on the board', async (t) => {
  const prepare = answering(({ op }) => (op === 'think' ? report([[['d3'], 0.4], [['c4', 'e3', 'f4'], 0.6], [['f5', 'd6'], 0.5]]) : null));
  const page = await visit(t, { prepare, kept: left([]) });
  await page.keyboard.press('a');
  await page.locator('#lines td').first().waitFor();
  assert.deepEqual(await page.locator('#lines td:first-child').allTextContents(), ['60 %', '50 %', '40 %']);
  assert.match((await page.locator('#bar').getAttribute('aria-label')) ?? '', /^Black 60 %/);
  await page.locator('#lines td.line button').first().click();
  await page.locator('#status', { hasText: 'move 1 of 3' }).waitFor();
  // Nothing is said of the position of the game, and the other side has the turn.
  assert.equal(await page.locator('#said').textContent(), '');
  assert.equal(await page.locator('.player-card.turn').getAttribute('id'), 'player-second');
  const panel = page.getByRole('group', { name: 'Line of the analysis' });
  await assertClean(page, 'line');
  await page.keyboard.press('End');
  await page.locator('#status', { hasText: 'move 3 of 3' }).waitFor();
  const { board } = await show(['c4', 'e3', 'f4']);
  const owners = (await position(page)).filter((label) => label?.includes('Black')).length;
  assert.equal(owners, board.extra.first);
  // Nothing is played meanwhile.
  await cell(page, 'd3').click();
  await page.locator('#note.shown', { hasText: 'Back to the game' }).waitFor();
  assert.deepEqual(await moves(page), []);
  await panel.getByRole('button', { name: 'c4' }).click();
  await page.locator('#status', { hasText: 'move 1 of 3' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#status', { hasText: 'Black to move' }).waitFor();
  await panel.waitFor({ state: 'hidden' });
  await page.locator('.board.open').waitFor();
  // So does a hint, which is one for the game.
  await page.locator('#lines td.line button').first().click();
  await page.locator('#status', { hasText: 'move 1 of 3' }).waitFor();
  await page.locator('#note.shown').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Hint' }).click();
  await page.locator('#note.shown', { hasText: 'Hint: c4' }).waitFor();
  await panel.waitFor({ state: 'hidden' });
  // Another position closes the line.
  await page.locator('#lines td.line button').nth(1).click();
  await page.locator('#status', { hasText: 'move 1 of 2' }).waitFor();
  await page.locator('#enter-move').focus();
  await panel.getByRole('button', { name: 'Back to the game' }).click();
  await cell(page, 'c4').click();
  await reached(page, 1);
  await panel.waitFor({ state: 'hidden' });
});

test('a line whose position comes too late is not shown over another position', async (t) => {
  const { opened, open } = gate();
  let held = 0;
  let answered = false;
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage(async (text) => {
        const { id, op, moves } = JSON.parse(String(text));
        if (op === 'think') return socket.send(JSON.stringify({ id, ok: report([[['c3'], 0.6]]) }));
        if (op === 'show' && moves.length === 3) {
          held = id;
          await opened;
        }
        server.send(text);
      });
      server.onMessage((text) => {
        socket.send(text);
        answered ||= JSON.parse(String(text)).id === held;
      });
    });
  const page = await visit(t, { prepare, kept: left(['f5', 'd6']) });
  await page.keyboard.press('a');
  await page.locator('#lines td.line button').first().click();
  await until(() => held);
  await page.keyboard.press(',');
  await page.locator('#moves [data-ply="1"][aria-current]').waitFor();
  open();
  await until(() => answered);
  assert.match((await page.locator('#status').textContent()) ?? '', /^Looking back: move 1/);
  assert.equal(await page.locator('#line').isVisible(), false);
});

test('a threat that could not be searched for is not said to be none', async (t) => {
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        const { id, op } = JSON.parse(String(text));
        if (op === 'think') socket.send(JSON.stringify({ id, error: { code: 'internal', message: 'it fails' } }));
        else server.send(text);
      });
    });
  const page = await visit(t, { prepare, kept: left(['f5', 'd6']) });
  await page.keyboard.press('x');
  await page.locator('#note.shown', { hasText: 'it fails' }).waitFor();
  await page.keyboard.press('f');
  await page.locator('#live p', { hasText: 'Board turned.' }).waitFor({ state: 'attached' });
  assert.deepEqual(await spoken(page, /other side/), []);
});

test('an estimate does not contradict exact values', async (t) => {
  const solution = { moves: [{ move: '1d1c', score: 1, distance: 5 }, { move: '2c2b', score: -1, distance: 8 }] };
  const prepare = answering(({ op }) => (op === 'solve' ? solution : op === 'think' ? report([[['2c2b', '2a2b'], 0.9], [['1d1c'], 0.3]]) : null));
  const page = await visit(t, { game: 'dobutsu', prepare, kept: left([]) });
  await page.keyboard.press('z');
  await page.locator('#exact tr').first().waitFor();
  await page.keyboard.press('a');
  await page.locator('#lines td').first().waitFor();
  assert.deepEqual(await page.locator('#lines td:first-child').allTextContents(), ['100 %', '0 %']);
  assert.deepEqual(await page.locator('#lines td.line b').allTextContents(), ['1d1c', '2c2b']);
  assert.match((await page.locator('#bar').getAttribute('aria-label')) ?? '', /^Sente 100 %/);
});

for (const locale of ['en-GB', 'ja-JP']) {
  test(`W22: the search log has a row for each depth and each best move: ${locale}`, async (t) => {
    /** @type {import('playwright-core').WebSocketRoute | null} */
    let socket = null;
    let id = 0;
    const prepare = (/** @type {import('playwright-core').Page} */ page) =>
      page.routeWebSocket(/\/ws$/, (route) => {
        const server = route.connectToServer();
        socket = route;
        route.onMessage((text) => {
          const request = JSON.parse(String(text));
          if (request.op === 'think') id = request.id;
          else if (request.op !== 'stop') server.send(text);
          else route.send(JSON.stringify({ id, ok: report([[['d3'], 0.5]]) }));
        });
        server.onMessage((text) => route.send(text));
      });
    const page = await visit(t, { locale, prepare, kept: left([]), viewport: { width: 320, height: 640 } });
    const send = (/** @type {object} */ info) => socket?.send(JSON.stringify({ id, info: { ...report([[['d3'], 0.5]]), ...info } }));
    await page.locator('#analyse').focus();
    await page.keyboard.press('Space');
    await until(() => id);
    send({ depth: 1, ms: 1 });
    await page.locator('.effort button').focus();
    await page.keyboard.press('Enter');
    await page.locator('#log td').first().waitFor();
    assert.equal(await page.locator('.effort button').getAttribute('aria-expanded'), 'true');
    send({ depth: 2, ms: 2 });
    send({ depth: 2, ms: 3, nodes: 1000 });
    // The lines change their shape, and the button keeps the focus.
    send({ ...report([[['c4'], 0.5], [['d3'], 0.4]]), depth: 2, ms: 40 });
    send({ ...report([[['c4'], 0.5], [['d3'], 0.4]]), depth: 3, ms: 1500, nodes: 2_500_000 });
    await page.locator('#log tbody tr:nth-child(4)').waitFor();
    assert.ok(await page.locator('.effort button:focus').count());
    const cells = await page.locator('#log tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].slice(0, 4).map((one) => one.textContent)));
    assert.deepEqual(cells, [['1', '50 %', 'd3', '9'], ['2', '50 %', 'd3', '1K'], ['2', '50 %', 'c4', '9'], ['3', '50 %', 'c4', '2.5M']]);
    assert.deepEqual(await page.locator('#log .other td:nth-child(3)').allTextContents(), ['d3', 'c4']);
    await assertClean(page, 'log');
    const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
    for (let i = 0; i < 205; i += 1) send({ depth: 4 + i, ms: 2000 + i });
    await page.waitForFunction(() => document.querySelector('#log tbody tr:last-child td')?.textContent === '208', null, { polling: 200 });
    assert.equal(await page.locator('#log tbody tr').count(), 200);
    // In another position the log begins anew.
    await page.locator('#enter-move').fill('d3');
    await page.keyboard.press('Enter');
    await page.locator('#log p').waitFor();
    await page.locator('#analyse').click();
  });
}

for (const [game, unit] of [['othello', '石'], ['golad', '%（セル）'], ['tubstap', 'HP']]) {
  test(`values in the unit of a game are in Japanese: ${game}`, async (t) => {
    const page = await visit(t, { game, kept: left([]), locale: 'ja-JP' });
    await page.locator('#analyse').click();
    await page.locator('#lines td').first().waitFor();
    assert.equal(await page.locator('#lines th').nth(1).textContent(), unit);
  });
}
