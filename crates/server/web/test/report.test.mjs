// Reports of experiments: what the first screen shows, the games of each cell without a server, their links to the page, and the
// search for a move again.
//
// BANMEN names the program: these tests have a store of their own, and a server that reads it.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { assertClean, visit, withBrowser } from './browser.mjs';

withBrowser();

const banmen = process.env.BANMEN ?? assert.fail('BANMEN must name the program');
const folder = mkdtempSync(join(tmpdir(), 'banmen-report-'));
const store = ['--store', join(folder, 'store.sqlite')];
const GAMES = 12;
/** @type {import('node:child_process').ChildProcess} */
let server;
let address = '';

const EXPERIMENT = [
  'title = "A report"',
  'question = "Who wins?"',
  'kind = "match"',
  'player = "engine:level={level}"',
  'opponent = "mcts"',
  'openings = "random:4"',
  `games = ${GAMES}`,
  'margin = 10',
  'minutes = 1',
  '[source]',
  'text = "Nobody, A test"',
  'claim = "The first."',
  '[[factors]]',
  'name = "level"',
  'values = [1, 4]',
  '[[budgets]]',
  'playouts = 40',
  '[[published]]',
  'at = { level = 1 }',
  'won = 30',
  'drawn = 2',
  'lost = 8',
];

/** The address of a game's report. @param {string} game @param {string} hash */
const report = (game, hash = '') => `${pathToFileURL(join(folder, game, 'index.html'))}${hash}`;

before(async () => {
  server = spawn(banmen, [...store, 'serve', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: server.stdout ?? assert.fail() })) {
    address = line.match(/http:\S+/)?.[0] ?? '';
    if (address) break;
  }
  for (const game of ['othello', 'dobutsu']) {
    const file = join(folder, `${game}.toml`);
    writeFileSync(file, [`id = "${game}-report"`, `game = "${game}"`, ...EXPERIMENT].join('\n'));
    const where = ['--report', join(folder, game), '--site', address, '--machine', 'a processor'];
    execFileSync(banmen, [...store, 'reproduce', file, ...where], { stdio: 'ignore' });
  }
});

after(() => {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/**
 * A reader of a report.
 * @param {import('node:test').TestContext} t
 * @param {string} at
 */
const read = (t, at, options = {}) => visit(t, { at, shown: '.results', ...options });

/** @param {string} op @param {object} body */
async function ask(op, body) {
  const answer = await (await fetch(new URL(`api/${op}`, address), { method: 'POST', body: JSON.stringify(body) })).json();
  return answer.ok ?? assert.fail(JSON.stringify(answer));
}

for (const [device, viewport] of /** @type {const} */ ([
  ['a screen of 1,400 pixels', { width: 1400, height: 900 }],
  ['a telephone', { width: 390, height: 844 }],
])) {
  test(`${device} shows every result with its games and interval at once`, async (t) => {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const page = await read(t, report('othello'), { viewport, colorScheme });
      const facts = await page.locator('.facts').innerText();
      for (const fact of [/date\s+\d{4}-\d\d-\d\d \d\d:\d\d UTC/, /machine\s+a processor/, /build\s+\d+\.\d+\.\d+/, /seed\s+1/]) {
        assert.match(facts, fact);
      }
      const rows = page.locator('.results').first().locator('tbody tr');
      assert.equal(await rows.count(), 2);
      for (const row of await rows.all()) {
        const count = row.locator('a[href^="#games-"]');
        const sum = (await count.innerText()).split('-').reduce((all, games) => all + Number(games), 0);
        assert.equal(sum, GAMES);
        const interval = row.locator('[data-head="95 % interval"]');
        assert.match(await interval.innerText(), /\d+\.\d+ to \d+\.\d+/);
        for (const shown of [count, interval, row.locator('[data-head="score, %"]')]) {
          const box = (await shown.boundingBox()) ?? assert.fail('it is drawn');
          assert.ok(box.x >= 0 && box.x + box.width <= viewport.width, 'beside the screen');
          assert.ok(box.y >= 0 && box.y + box.height <= viewport.height, 'below the first screen');
        }
      }
      // The published figure has its own error bar.
      const bar = page.locator('svg .stated').filter({ visible: true });
      assert.equal(await bar.count(), 1);
      // Its picture's letters are as large as others on a small screen.
      const scale = await page.locator('figure svg').filter({ visible: true }).evaluate((svg) => {
        const { width } = svg.getBoundingClientRect();
        return svg instanceof SVGSVGElement ? width / svg.viewBox.baseVal.width : 0;
      });
      assert.ok(scale > 0.9, `drawn at ${scale} of its size`);
      assert.ok(((await bar.boundingBox())?.width ?? 0) > 10, 'an interval');
      for (const summary of await page.locator('summary').all()) await summary.click();
      await page.locator('.board').nth(1).waitFor();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= viewport.width, `${width} pixels wide`);
      await assertClean(page, `${device}, ${colorScheme}`);
    }
  });
}

for (const game of ['othello', 'dobutsu']) {
  test(`a cell opens its games of ${game}, each is stepped to the position that the server has`, async (t) => {
    const page = await read(t, report(game));
    await page.locator('.results a[href^="#games-"]').last().click();
    const cell = page.locator('details[open]');
    const choice = cell.getByLabel('game');
    await choice.waitFor();
    assert.equal(await cell.count(), 1);
    assert.equal(await choice.locator('option').count(), GAMES, 'all games');
    for (const index of [0, 5, GAMES - 1]) {
      await choice.selectOption({ index });
      const command = (await cell.locator('.again code').first().innerText()).split(' ');
      const [match, pair, number] = `${command[3]}.${command[4]}`.split('.').map(Number);
      const { game: record, match: found } = await ask('record', { match, pair, game: number });
      assert.equal(found.players[0], 'engine:level=4');
      await cell.getByLabel('start').click();
      for (const ply of record.moves.keys()) {
        await cell.getByLabel('forward').click();
        assert.ok((await cell.locator('.move').innerText()).startsWith(`${ply + 1}. ${record.moves[ply]}`));
      }
      const shown = await cell.locator('.board span').evaluateAll((cells) =>
        cells.map(({ className, title }) => (title ? `${title.split(',')[0]} ${className.split(' ')[0]}` : '')),
      );
      const { board } = await ask('show', { game, rules: found.rules, moves: record.moves });
      /** @param {{piece?: string, owner?: string}} cell */
      const words = ({ piece, owner }) => (piece ? `${piece} ${owner ?? 'nobody'}` : '');
      assert.deepEqual(shown, board.cells.map(words));
      const ended = board.hands?.length ? (await cell.locator('.move').innerText()).split('in hand ')[1] ?? ' | ' : '';
      assert.deepEqual(ended.split('|').map((hand) => hand.trim()), (board.hands?.length ? board.hands : [[]]).map((/** @type {string[]} */ hand) => hand.join(' ')));
    }
  });
}

test('the search for a move of a game, again, chooses the same move', async (t) => {
  const page = await read(t, report('othello', '#games-othello-report-0'));
  await page.locator('.board').waitFor();
  // Every seventh move: those of both players.
  for (let step = 0; step < 5; step++) {
    const [program, ...command] = (await page.locator('.again code').first().innerText()).split(' ');
    assert.equal(program, 'banmen');
    const { rerun } = JSON.parse(execFileSync(banmen, [...store, ...command, '--json'], { encoding: 'utf8' }));
    assert.equal(rerun.chosen, rerun.played);
    await page.getByLabel('forward').click();
    // The move that was searched for is the next one of the game.
    assert.ok((await page.locator('.move').innerText()).includes(`. ${rerun.played} `), rerun.played);
    for (let more = 0; more < 6; more++) await page.getByLabel('forward').click();
  }
});

test('a game of the report leads to the same game on the page', async (t) => {
  const page = await read(t, report('othello', '#games-othello-report-1'));
  const links = page.locator('details[open] a');
  await links.last().waitFor();
  const [all, one] = await links.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  assert.ok(one.startsWith(`${address}#game=`), one);
  const board = await visit(t, { at: one });
  const [match, pair, game] = one.split('=')[1].split('.').map(Number);
  const { game: record } = await ask('record', { match, pair, game });
  await board.locator(`#moves [data-ply="${record.moves.length}"]`).waitFor();
  const list = await visit(t, { at: all, shown: '#arena h2' });
  assert.equal(await list.title(), 'engine:level=4 against mcts · Banmen');
});
