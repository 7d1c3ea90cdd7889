// The matches: from the list to a game and through its moves, live while they are played, and accessible.
//
// BANMEN names the program: these tests have a server of their own, with a store of their own.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { assertClean, gate, spoken, visit, withBrowser } from './browser.mjs';

withBrowser();

const banmen = process.env.BANMEN ?? assert.fail('BANMEN must name the program');
const folder = mkdtempSync(join(tmpdir(), 'banmen-matches-'));
const store = ['--store', join(folder, 'store.sqlite')];
/** @type {import('node:child_process').ChildProcess[]} */
const started = [];
let address = '';

/**
 * Runs the program on the store, without waiting for its end.
 * @param {string[]} args
 */
function start(...args) {
  const child = spawn(banmen, [...store, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  return child;
}

/** @param {string[]} args */
const play = (...args) => execFileSync(banmen, [...store, 'match', ...args], { stdio: 'ignore' });

/**
 * A visitor at an address of the matches.
 * @param {import('node:test').TestContext} t
 * @param {string} hash
 */
const visitAt = (t, hash, options = {}) => visit(t, { at: `${address}${hash}`, shown: '#arena h2', ...options });

before(async () => {
  play('othello', 'greedy', 'random', '--games', '20', '--nodes', '100', '--concurrency', '1');
  play('dobutsu', 'engine:level=4', 'random', '--sprt', '0,50', '--nodes', '200', '--concurrency', '1');
  const players = ['random', 'greedy', 'classic:depth=1'];
  execFileSync(banmen, [...store, 'tournament', 'othello', ...players, '--games', '6', '--nodes', '100'], { stdio: 'ignore' });
  const server = start('serve', '--listen', '127.0.0.1:0');
  for await (const line of createInterface({ input: server.stdout ?? assert.fail() })) {
    address = line.match(/http:\S+/)?.[0] ?? '';
    if (address) break;
  }
});

after(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** @param {string} op @param {object} body */
async function ask(op, body) {
  const answer = await (await fetch(new URL(`api/${op}`, address), { method: 'POST', body: JSON.stringify(body) })).json();
  return answer.ok ?? assert.fail(JSON.stringify(answer));
}

/**
 * Waits until a ply is on the board.
 * @param {import('playwright-core').Page} page
 * @param {number} ply
 */
const atPly = (page, ply) => page.locator(`#moves [aria-current][data-ply="${ply}"]`).waitFor();

test('W21: from the list to a match, to a game, and through it by keys', async (t) => {
  const page = await visit(t, { at: address });
  const own = await page.evaluate(() => localStorage.getItem('banmen.game.othello'));
  await page.getByRole('link', { name: 'Matches' }).press('Enter');
  await page.getByRole('link', { name: 'greedy against random' }).press('Enter');
  const score = page.getByRole('table', { name: 'Score' });
  await score.waitFor();
  assert.equal(await page.title(), 'greedy against random · Banmen');
  const { match } = await ask('standings', { match: 1 });
  assert.ok((await score.textContent())?.includes(`${match.wins} – ${match.draws} – ${match.losses}`));
  assert.equal(await page.getByRole('table', { name: 'Games' }).locator('tbody tr').count(), 20);

  await page.getByRole('link', { name: '3.1', exact: true }).press('Enter');
  await page.locator('.cell').first().waitFor();
  const { game } = await ask('record', { match: 1, pair: 3, game: 1 });
  assert.equal(await page.locator('#player-first .who span').textContent(), 'random');
  await atPly(page, 0);
  await page.keyboard.press('ArrowRight');
  await atPly(page, 1);
  await page.keyboard.press('End');
  await page.locator('.status.over').waitFor();
  await atPly(page, game.moves.length);
  const { outcome } = await ask('show', { game: 'othello', moves: game.moves });
  const names = { first: 'Black', second: 'White' };
  const verdict = outcome.winner ? `${names[outcome.winner]} wins by ${outcome.margin}` : 'A draw';
  assert.equal(await page.locator('#status').textContent(), verdict);
  await page.keyboard.press('ArrowLeft');
  await atPly(page, game.moves.length - 1);
  await page.keyboard.press('Home');
  await atPly(page, 0);

  // It can be analysed as any game, and nothing of the visitor's own game is lost by it.
  await page.locator('#analyse').click();
  await page.locator('#lines td').first().waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem('banmen.game.othello')), own);
  await page.getByRole('button', { name: 'Back to the match' }).click();
  await score.waitFor();
  assert.match(page.url(), /#match=1$/);
  await page.goBack();
  await page.locator('.cell').first().waitFor();
});

test('W21: a game of a match can be continued as the visitor’s own', async (t) => {
  const page = await visit(t, { at: `${address}#game=1.0.0` });
  for (let ply = 0; ply < 4; ply += 1) {
    await atPly(page, ply);
    await page.keyboard.press('ArrowRight');
  }
  await atPly(page, 4);
  await page.getByRole('button', { name: 'Play from here' }).click();
  await page.getByRole('button', { name: 'Back to the match' }).waitFor({ state: 'hidden' });
  assert.doesNotMatch(page.url(), /#game/);
  const { game } = await ask('record', { match: 1, pair: 0, game: 0 });
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('banmen.game.othello') ?? '{}').moves.map((move) => move.text));
  assert.deepEqual(kept.slice(0, 4), game.moves.slice(0, 4));
});

test('W21: the games of a match can be filtered, and the address contains the filter', async (t) => {
  const page = await visitAt(t, '#match=1');
  await page.getByLabel('Which games').selectOption('lost');
  const { total } = await ask('record', { match: 1, result: 'lost' });
  assert.ok(total > 0 && total < 20);
  const rows = page.getByRole('table', { name: 'Games' }).locator('tbody tr');
  await page.waitForFunction((total) => document.querySelectorAll('[aria-label="Games"] tbody tr').length === total, total);
  assert.match(page.url(), /#match=1&result=lost$/);
  await page.reload();
  await page.locator('#arena h2').waitFor();
  assert.equal(await rows.count(), total);
});

test('W21: a page number past the end leads back', async (t) => {
  for (const [hash, table] of [['#match=1', 'Games'], ['#matches', 'Matches'], ['#event=1', 'Matches']]) {
    const page = await visitAt(t, `${hash}&page=9`);
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.getByRole('table', { name: table }).locator('tbody tr').first().waitFor();
    assert.equal(new URL(page.url()).hash, hash);
  }
});

test('W12: the focus goes to the match that is opened', async (t) => {
  const page = await visit(t, { at: address });
  const focused = () => page.evaluate(() => document.activeElement?.id);
  for (const [hash, title] of [['#matches', 'Matches'], ['#match=1', 'greedy'], ['#match=99', 'Matches']]) {
    await page.evaluate(() => void (location.hash = '#start'));
    await page.locator('.start-game').first().waitFor();
    await page.evaluate((hash) => void (location.hash = hash), hash);
    await page.locator('#arena h2', { hasText: title }).waitFor();
    assert.equal(await focused(), 'arena', hash);
  }
});

test('what is refused is said once, however often it is asked for', async (t) => {
  let asked = 0;
  const prepare = async (/** @type {import('playwright-core').Page} */ page) => {
    await page.clock.install();
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => (asked += Number(JSON.parse(String(payload)).op === 'standings'))));
  };
  const page = await visitAt(t, '#match=99', { prepare });
  // Each is asked for once the one before is answered.
  while (asked < 3) await page.clock.runFor(10_000);
  assert.deepEqual(await spoken(page, /no match 99/), ['There is no match 99 here.']);
});

test('W16: the language can be changed while another list is fetched', async (t) => {
  const { opened, open } = gate();
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage(async (text) => {
        if (JSON.parse(String(text)).op === 'matches') await opened;
        server.send(text);
      });
    });
  const page = await visitAt(t, '#match=1', { prepare });
  await page.getByRole('link', { name: 'All matches' }).click();
  await page.keyboard.press('l');
  await page.locator('#new', { hasText: '新しい対局' }).waitFor();
  open();
  await page.locator('#arena h2', { hasText: '対戦' }).waitFor();
  await page.getByRole('table', { name: '対戦' }).waitFor();
});

for (const [locale, control, measured] of [['en-GB', '10 s + 0.1 s / 20 s byoyomi 30 s', 'processor time'], ['ja-JP', '10 秒 + 0.1 秒 / 上限 20 秒 秒読み 30 秒', 'CPU 時間']]) {
  test(`the time control of a match is shown whole, and that it is measured: ${locale}`, async (t) => {
    const clock = { main_ms: 10_000, increment_ms: 100, cap_ms: 20_000, byoyomi_ms: 30_000 };
    const timed = { time_ms: null, nodes: null, playouts: null, depth: null, clock };
    const prepare = (/** @type {import('playwright-core').Page} */ page) =>
      page.routeWebSocket(/\/ws$/, (socket) => {
        const server = socket.connectToServer();
        server.onMessage((text) => {
          const answer = JSON.parse(String(text));
          if (answer.ok?.score) Object.assign(answer.ok.match.conditions, { clock: 'cpu', limits: [timed, timed] });
          socket.send(JSON.stringify(answer));
        });
      });
    const facts = (/** @type {import('playwright-core').Page} */ page) => page.locator('#arena > .dim').first().textContent();
    const page = await visitAt(t, '#match=1', { prepare, locale });
    assert.ok((await facts(page))?.includes(` · ${control} · ${measured} · `), (await facts(page)) ?? '');
    // A limit of nodes takes no time.
    const counted = await visitAt(t, '#match=1', { locale });
    assert.doesNotMatch((await facts(counted)) ?? '', /processor time|wall time|CPU 時間|実時間/);
  });
}

test('the curve of a test has its result as a label', async (t) => {
  const page = await visitAt(t, '#match=2');
  const { test: found } = (await ask('standings', { match: 2 })).score;
  const curve = page.locator('svg.curve');
  assert.match((await curve.getAttribute('aria-label')) ?? '', /nElo \[0, 50\]: 50 accepted/);
  const points = (await curve.locator('.ratio').getAttribute('d'))?.split('L').length;
  assert.equal(points, found.curve.length + 1);
  assert.ok(await page.getByRole('cell', { name: /^the lion/ }).count(), 'games end in words of their own');
});

for (const [locale, terms, llr] of /** @type {const} */ ([
  ['en-GB', ['64 % of the points', 'how many games are needed', 'how probable it is that engine:level=4 is the stronger', 'sides exchanged'], 'a difference of 50 nElo is accepted'],
  ['ja-JP', ['得点率 64 %', '何局要るか', 'engine:level=4 の方が強い確率', '先後を替えて'], '50 nElo の差を'],
])) {
  test(`W21: a match page explains its terms where they stand: ${locale}`, async (t) => {
    const page = await visitAt(t, '#match=2', { locale });
    const rows = page.locator('.facts-table tr');
    for (const [i, name] of ['Elo', 'nElo', 'LOS'].entries()) {
      const said = await rows.filter({ has: page.getByRole('rowheader', { name, exact: true }) }).locator('.term').textContent();
      assert.ok(said?.includes(terms[i]), said ?? '');
    }
    await rows.locator('.term', { hasText: terms[3] }).waitFor();
    await page.locator('#arena .term', { hasText: llr }).waitFor();
  });
}

test('W21: a running match is updated until it ends', async (t) => {
  const running = start('match', 'dobutsu', 'engine:level=10', 'random', '--games', '4000', '--time', '20ms', '--concurrency', '1');
  const { matches } = await (async () => {
    for (;;) {
      const list = await ask('matches', { game: 'dobutsu' });
      if (list.matches[0].running && list.matches[0].games > 0) return list;
    }
  })();
  const page = await visitAt(t, `#match=${matches[0].id}`);
  await page.locator('.live').waitFor();
  const games = () => page.locator('.facts-table td').first().textContent();
  const first = await games();
  await page.getByLabel('Which games').focus();
  await page.waitForFunction((first) => document.querySelector('.facts-table td')?.textContent !== first, first);
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'SELECT', 'the focus stays');
  running.kill('SIGKILL');
  await page.locator('.live').waitFor({ state: 'detached' });
  assert.equal((await spoken(page, /Ended\./)).length, 1);
});

test('W20, W21: unknown addresses show an error', async (t) => {
  const japanese = await visitAt(t, '#match=99', { locale: 'ja-JP' });
  assert.ok((await japanese.locator('#arena').textContent())?.includes('対戦 99 はここにありません。'));
  for (const [hash, words] of [['#match=99', 'no match 99'], ['#event=9', 'no event 9'], ['#game=1.99.0', 'no such game']]) {
    const page = await visitAt(t, hash);
    assert.ok((await page.locator('#arena').textContent())?.includes(words), hash);
    await page.getByRole('link', { name: 'All matches' }).click();
    await page.getByRole('link', { name: 'greedy against random' }).waitFor();
  }
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  for (const [locale, width] of /** @type {const} */ ([['en-GB', 1280], ['ja-JP', 320]])) {
    test(`axe finds nothing in the matches: ${colorScheme} ${locale} ${width}`, async (t) => {
      const page = await visitAt(t, '#matches', { colorScheme, locale, viewport: { width, height: 700 } });
      for (const hash of ['#matches', '#match=1', '#match=2', '#match=99', '#game=2.0.0']) {
        await page.evaluate((hash) => void (location.hash = hash), hash);
        await page.locator(hash.startsWith('#game') ? '.cell' : '#arena h2').first().waitFor();
        if (hash.startsWith('#match=') && hash.length === 8) await page.locator('.facts-table').waitFor();
        await assertClean(page, hash);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${hash}: ${wide} > ${width}: the page scrolls sideways`);
      }
    });
  }
}

test('W21: a tournament leads from its table to its games', async (t) => {
  const page = await visitAt(t, '#matches');
  await page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'othello' }).click();
  const rows = page.getByRole('table', { name: 'Standings' }).locator('tbody tr');
  await rows.first().waitFor();
  const { players, cells } = await ask('standings', { event: 1 });
  assert.deepEqual(await rows.locator('td:nth-child(2)').allTextContents(), players.map(({ name }) => name));
  const [a, b] = players;
  const cell = cells.find(({ players }) => players.includes(a.id) && players.includes(b.id));
  await page.getByRole('table', { name: 'Cross-table' }).getByRole('link', { name: `${a.name} against ${b.name}` }).click();
  await page.locator('.facts-table').waitFor();
  assert.match(page.url(), new RegExp(`#match=${cell.matches[0]}$`));
  await page.getByRole('link', { name: 'The event of this match' }).click();
  await rows.first().waitFor();
});

const HOSTILE = '<img src=x onerror="globalThis.broken=1">';

test('W21: an event has standings and a cross-table, and names are not markup', async (t) => {
  const players = [HOSTILE, 'b', 'c'].map((name, i) => ({
    id: i + 1, name, player: name, version: '1', state: i === 2 ? 'retired' : 'playing', rank: i === 2 ? null : i + 1, faults: i,
    elo: { value: 100 - 100 * i, low: 10 - 100 * i, high: 190 - 100 * i }, games: 4, wins: 3 - i, draws: 1, losses: i, score: 0.875 - i / 4,
  }));
  const cells = [[1, 2], [1, 3], [2, 3]].map((players, i) => ({ players, wins: 2, draws: 1, losses: i, matches: i ? [i] : [7, 8] }));
  const event = { id: 1, kind: 'tournament', name: HOSTILE, created: 1, game: 'othello', matches: 4, games: 12, planned: 20, running: true };
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        const { id, op } = JSON.parse(String(text));
        if (op === 'standings') socket.send(JSON.stringify({ id, ok: { event, players, cells, advantage: { value: 5, low: -5, high: 15 }, separate: [[1], [2, 3]] } }));
        else if (op === 'matches') socket.send(JSON.stringify({ id, ok: { matches: [], total: 0, events: [event] } }));
        else server.send(text);
      });
      server.onMessage((text) => socket.send(text));
    });
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const page = await visitAt(t, '#event=1', { prepare, colorScheme, viewport: { width: 320, height: 640 } });
    assert.equal(await page.locator('#arena h2').textContent(), HOSTILE);
    const standings = page.getByRole('table', { name: 'Standings' });
    assert.deepEqual(await standings.locator('tbody tr').first().locator('th, td').allTextContents(), ['1', HOSTILE, '+100.0 ± 90.0', '87.5 %', '4', '3 – 1 – 0', '0', '']);
    await page.getByText('Between groups of players points went one way only, or no games were played').waitFor();
    const cross = page.getByRole('table', { name: 'Cross-table' });
    assert.equal(await cross.getByRole('link', { name: '2 – 1 – 2 b against c' }).getAttribute('href'), '#match=2');
    assert.equal(await cross.getByRole('link', { name: '2 – 1 – 2 c against b' }).getAttribute('href'), '#match=2');
    assert.equal(await cross.getByRole('link', { name: '#8' }).first().getAttribute('href'), '#match=8');
    await assertClean(page, 'event');
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320, 'the page scrolls sideways');
    await page.getByRole('link', { name: 'All matches' }).click();
    await page.getByRole('link', { name: HOSTILE, exact: true }).waitFor();
    assert.equal(await page.locator('img:not([src="icon.svg"])').count(), 0);
    assert.equal(await page.evaluate(() => 'broken' in globalThis), false);
  }
});

for (const locale of ['en-GB', 'ja-JP']) {
  test(`the tables of a match are whole in a window of 1200 px: ${locale}`, async (t) => {
    const page = await visitAt(t, '#match=1', { locale, viewport: { width: 1200, height: 800 } });
    await page.locator('.wide td').first().waitFor();
    const cut = await page.evaluate(() => [...document.querySelectorAll('#arena .wide')].filter((wide) => wide.scrollWidth > wide.clientWidth).map((wide) => wide.getAttribute('aria-label')));
    assert.deepEqual(cut, []);
  });
}

test('the search for a move of a game is made again with the same seed', async (t) => {
  const page = await visit(t, { at: `${address}#game=1.3.1` });
  const { game } = await ask('record', { match: 1, pair: 3, game: 1 });
  const again = page.getByRole('button', { name: 'Search again' });
  await atPly(page, 0);
  assert.equal(await again.isVisible(), false, 'no player chose the moves of the opening');
  for (let ply = 1; ply <= game.opening + 3; ply += 1) {
    await page.keyboard.press('ArrowRight');
    await atPly(page, ply);
  }
  const said = page.locator('#said');
  for (let ply = game.opening + 3; ply > game.opening; ply -= 1) {
    await again.click();
    await said.filter({ hasText: `Searched again with the same seed: ${game.moves[ply]}, as in the game.` }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await atPly(page, ply - 1);
    assert.doesNotMatch((await said.textContent()) ?? '', /Searched/, 'what was found stays at its position');
  }
  await assertClean(page, 'a game');
  // It is there again, and in the language of the page.
  await page.keyboard.press('ArrowRight');
  await said.filter({ hasText: 'as in the game' }).waitFor();
  await page.keyboard.press('l');
  await said.filter({ hasText: '対局と同じ' }).waitFor();
  await page.keyboard.press('End');
  await page.locator('.status.over').waitFor();
  assert.equal(await page.locator('[data-action="search"]').isVisible(), false, 'nothing was searched at the end');
});

test('a match shows what plays it on other machines', async (t) => {
  const worker = (/** @type {number} */ i) => ({ name: i ? `worker-${i}` : HOSTILE, machine: `host-${i}, a processor with a long name`, threads: 8, running: i, games: 1000 + i, speed: i ? 1234567.8 : null });
  const fleet = { waiting: 12, running: 6, hourly: 54321, workers: [0, 1, 2].map(worker), others: 7 };
  for (const [locale, colorScheme, width] of /** @type {const} */ ([['en-GB', 'light', 1280], ['ja-JP', 'dark', 320]])) {
    const prepare = (/** @type {import('playwright-core').Page} */ page) =>
      page.routeWebSocket(/\/ws$/, (socket) => {
        const server = socket.connectToServer();
        server.onMessage((text) => {
          const answer = JSON.parse(String(text));
          if (answer.ok?.score) Object.assign(answer.ok, { fleet });
          socket.send(JSON.stringify(answer));
        });
      });
    const page = await visitAt(t, '#match=1', { prepare, locale, colorScheme, viewport: { width, height: 800 } });
    const rows = page.getByRole('table', { name: locale === 'ja-JP' ? '他の機械のワーカー' : 'Workers on other machines' }).locator('tbody tr');
    await rows.first().waitFor();
    assert.equal(await rows.count(), 3);
    const text = (await page.locator('#arena').textContent()) ?? '';
    for (const part of ['12', '54,321', 'worker-2', '1,234,568', HOSTILE]) assert.ok(text.includes(part), part);
    if (locale === 'en-GB') assert.ok(text.includes('Games waiting: 12, being played: 6, in an hour: 54,321.') && text.includes('And 7 more.'), text);
    await assertClean(page, 'a match on other machines');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} > ${width}: the page scrolls sideways`);
    assert.equal(await page.evaluate(() => 'broken' in globalThis), false);
  }
});
