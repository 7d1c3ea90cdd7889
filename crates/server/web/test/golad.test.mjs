// GOLAD: moves built cell by cell with a preview, turns of two halves, what engines think, boards of other sizes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { view } from '../views/golad.js';
import { address, assertClean, cell, left, moves, random, reached, show, spoken, visit, withBrowser } from './browser.mjs';

withBrowser();

const game = 'golad';
const { build } = view;
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{rules?: string, position?: string}} From */

/** @param {any} board @returns {(string | null)[]} */
const owners = (board) => board.cells.map((one) => one.owner);

/** The owners in the next generation, from the tags of a board. @param {any} board @returns {(string | null)[]} */
const announced = (board) =>
  board.cells.map(({ owner, tags }) => (tags.includes('dies') ? null : owner ?? tags.find((tag) => tag.startsWith('born-'))?.slice(5) ?? null));

/** The tags of the next generation, and no others. @param {any} board */
const nextTags = (board) => board.cells.map(({ tags }) => tags.filter((tag) => /^(dies|born-)/.test(tag)).join());

/**
 * A random move of a kind, chosen from the board; a pass if there is none.
 * @param {any} shown
 * @param {'birth' | 'kill' | 'pass'} kind
 * @param {(below: number) => number} below
 */
function someMove({ board, side }, kind, below) {
  const draw = (/** @type {any[]} */ from) => from.splice(below(from.length), 1)[0]?.at;
  const [dead, living] = [board.cells.filter((one) => !one.owner), board.cells.filter((one) => one.owner)];
  const own = living.filter((one) => one.owner === side);
  if (kind === 'kill') return `kill ${draw(living)}`;
  if (kind === 'pass' || own.length < 2 || !dead.length) return 'pass';
  const given = [draw(own), draw(own)].sort((a, b) => board.cells.findIndex(({ at }) => at === a) - board.cells.findIndex(({ at }) => at === b));
  return `birth ${draw(dead)} ${given.join(' ')}`;
}

/**
 * A random game to its end, or up to a number of plies.
 * @param {number} seed
 * @param {From} from
 * @param {number} plies
 */
async function randomGame(seed, from, plies = 300) {
  const below = random(seed);
  /** @type {string[]} */
  const line = [];
  let shown = await show(line, game, from);
  while (!shown.outcome && line.length < plies) {
    line.push(someMove(shown, /** @type {const} */ (['birth', 'birth', 'kill', 'kill', 'pass'])[below(5)], below));
    shown = await show(line, game, from);
  }
  return { line, shown };
}

/**
 * A position of random cells, as text.
 * @param {number} seed
 * @param {number} width
 * @param {number} height
 */
function soup(seed, width, height) {
  const below = random(seed);
  const row = () => Array.from({ length: width }, () => '...01'[below(5)]).join('');
  return { position: `${Array.from({ length: height }, row).join('/')} 0 0` };
}

const WIDE = soup(1, 32, 32);
/** Small and lively: a random game on it is short. */
const SMALL = { position: '0.00..../.00.1.../...0.11./..0.1..1/....11.. 0 0' };

test('W1: the preview of a move equals the server’s result', async () => {
  const froms = [{}, { rules: 'mixed' }, SMALL, WIDE, soup(2, 1, 9), soup(3, 31, 2), { position: '10/01 1 7' }];
  let compared = 0;
  for (const [seed, from] of froms.entries()) {
    const { line } = await randomGame(seed, from, 24);
    let before = await show([], game, from);
    for (const [ply, move] of line.entries()) {
      const after = await show(line.slice(0, ply + 1), game, from);
      const placed = build.place(before.board, before.side, build.cells(move));
      assert.deepEqual(announced(placed), owners(after.board), `${JSON.stringify(from)} ${line.slice(0, ply + 1)}`);
      assert.deepEqual(build.count(placed), [after.board.extra.first, after.board.extra.second]);
      assert.deepEqual(nextTags(build.place(before.board, before.side, [])), nextTags(before.board));
      assert.deepEqual(build.count(before.board), [before.board.extra.first_next, before.board.extra.second_next]);
      before = after;
      compared += 1;
      if (after.outcome) break;
    }
  }
  assert.ok(compared > 60, String(compared));
});

/**
 * The next state of each cell, from its name for screen readers.
 * @param {Page} page
 */
const nextStates = (page) =>
  page.locator('.cell').evaluateAll((cells) =>
    cells.map((one) => {
      const label = one.getAttribute('aria-label') ?? '';
      if (label.includes('will die')) return null;
      return { Red: 'first', Blue: 'second', red: 'first', blue: 'second' }[/(Red|Blue) cell|a (red|blue) one/.exec(label)?.slice(1).find(Boolean) ?? ''] ?? null;
    }),
  );

/** @param {Page} page @param {number} ply */
const arrived = (page, ply) => page.locator(`#moves [data-ply="${ply}"][aria-current]`).waitFor();

/** @param {Page} page @param {string} name */
const button = (page, name) => page.locator(`[data-draft="${name}"]`);

const prompt = (/** @type {Page} */ page) => page.locator('#draft-prompt').textContent();

const VERDICTS = { first: 'Red wins', second: 'Blue wins', none: 'A draw' };

/**
 * Waits for the result and compares it with the server's.
 * @param {Page} page
 * @param {any} shown
 */
async function assertResult(page, { outcome, board }) {
  await page.locator('.status.over').waitFor();
  assert.equal(outcome.by, 'extinction');
  assert.equal(await page.locator('#status').textContent(), `${VERDICTS[outcome.winner ?? 'none']}: the other colour is extinct`);
  assert.deepEqual(await page.locator('.player-card .score').allTextContents(), [String(board.extra.first), String(board.extra.second)]);
}

/**
 * A random game to its end with moves of every kind.
 * @param {number} seed
 * @param {number} most plies
 */
async function variedGame(seed, most) {
  for (;;) {
    const played = await randomGame(seed, SMALL);
    const { line } = played;
    if (line.length <= most && ['birth', 'kill', 'pass'].every((verb) => line.some((move) => move.startsWith(verb)))) return played;
    seed += 1;
  }
}

test('a whole game by clicks, each move as it was previewed', async (t) => {
  const { line, shown } = await variedGame(6, 24);
  const page = await visit(t, { game, kept: left([], undefined, { from: SMALL }) });
  for (const [ply, move] of line.entries()) {
    for (const at of build.cells(move) ?? []) await cell(page, at).click();
    const next = await nextStates(page);
    if (move === 'pass') await button(page, 'pass').click();
    // The last cell once more plays too.
    else if (ply % 2) await cell(page, build.cells(move)?.at(-1) ?? '').click();
    else await button(page, 'play').click();
    await arrived(page, ply + 1);
    assert.deepEqual(next, owners((await show(line.slice(0, ply + 1), game, SMALL)).board), move);
  }
  assert.deepEqual(await moves(page, game), line);
  await assertResult(page, shown);
});

test('W11: a whole game by keys alone', async (t) => {
  const { line, shown } = await variedGame(20, 24);
  const page = await visit(t, { game, kept: left([], undefined, { from: SMALL }) });
  const walk = async (/** @type {string} */ at) => {
    const here = await page.evaluate(() => document.activeElement?.getAttribute('data-at') ?? '');
    assert.match(here, /^\d+,\d+$/, 'the board has the focus');
    const [[x, y], [toX, toY]] = [here, at].map((name) => name.split(',').map(Number));
    for (let i = Math.abs(toX - x); i > 0; i -= 1) await page.keyboard.press(toX > x ? 'ArrowRight' : 'ArrowLeft');
    for (let i = Math.abs(toY - y); i > 0; i -= 1) await page.keyboard.press(toY > y ? 'ArrowDown' : 'ArrowUp');
  };
  await page.keyboard.press('b');
  for (const [ply, move] of line.entries()) {
    for (const at of build.cells(move) ?? []) {
      await walk(at);
      await page.keyboard.press(ply % 2 ? 'Enter' : 'Space');
    }
    if (move === 'pass') while (!(await page.locator('[data-draft="pass"]:focus').count())) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await arrived(page, ply + 1);
    if (move === 'pass') await page.keyboard.press('b');
  }
  assert.deepEqual(await moves(page, game), line);
  await assertResult(page, shown);
});

test('a move is asked for step by step, and every step can be taken back', async (t) => {
  const page = await visit(t, { game, kept: left([]) });
  const eye = async () => [await page.locator('.marks .placed').count(), await page.locator('.marks .cross').count()];
  const said = (/** @type {string} */ sentence) => page.locator('#live p', { hasText: sentence }).last().waitFor({ state: 'attached' });
  assert.equal(await prompt(page), 'Choose a dead cell for a birth, or a living cell to kill.');
  assert.equal(await button(page, 'play').getAttribute('aria-disabled'), 'true');
  assert.equal(await button(page, 'back').getAttribute('aria-disabled'), 'true');
  await cell(page, '2,10').click();
  await said('Birth at 2,10. Choose two living cells of yours to give up.');
  assert.equal(await cell(page, '2,10').getAttribute('aria-label'), '2,10, Red cell, chosen');
  assert.ok((await page.locator('.pieces .aside').count()) >= 40, 'cells that cannot be chosen are faded');
  await cell(page, '4,2').click();
  await said('Birth at 2,10, giving up 4,2. Choose one more of your cells.');
  await cell(page, '1,9').click();
  await page.locator('#note.shown', { hasText: '1,9: only living cells of yours can be given up.' }).waitFor();
  await cell(page, '5,2').click();
  await said('Birth at 2,10, giving up 4,2 and 5,2. Play it, or take a choice back.');
  assert.deepEqual(await eye(), [3, 2]);
  assert.equal(await page.locator('.pieces .aside').count(), 0);
  const [first, second] = build.count(build.place((await show([], game)).board, 'first', ['2,10', '4,2', '5,2']));
  assert.equal((await page.locator('.counts').textContent())?.replace(/\s+/g, ' ').trim(), `Red 40 → ${first}Blue 40 → ${second}`);
  await cell(page, '5,2').focus();
  await page.keyboard.press('Escape');
  assert.deepEqual(await eye(), [2, 1]);
  await button(page, 'back').click();
  assert.deepEqual(await eye(), [1, 0]);
  // Another dead cell takes the place of the first; what was chosen is given back by a second press.
  await cell(page, '0,0').click();
  await said('Birth at 0,0. Choose two living cells of yours to give up.');
  assert.equal(await cell(page, '2,10').getAttribute('aria-label'), '2,10, empty, a blue one will be born');
  await cell(page, '0,0').click();
  assert.deepEqual(await eye(), [0, 0]);
  // A kill may change its mind, too, of either side.
  await cell(page, '4,2').click();
  await said('Kill 4,2. Play it, or take a choice back.');
  await cell(page, '1,9').click();
  await said('Kill 1,9. Play it, or take a choice back.');
  assert.deepEqual(await eye(), [1, 1]);
  await cell(page, '1,9').click();
  await reached(page, 1, game);
  assert.deepEqual(await moves(page, game), ['kill 1,9']);
  const { extra } = (await show(['kill 1,9'], game)).board;
  await said(`Red: Kill 1,9. Red ${extra.first}, Blue ${extra.second}.`);
  await page.locator('#enter-move').fill('birth 0,0 1,1 2,2');
  await page.keyboard.press('Enter');
  await page.locator('#note.shown', { hasText: 'only living cells of yours can be given up.' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[data-action="undo"]').click();
  await arrived(page, 0);
  assert.deepEqual(await moves(page, game), []);
});

test('a pass is a choice, and taken back alone', async (t) => {
  const page = await visit(t, { game, kept: left(['kill 1,9', 'pass']) });
  await arrived(page, 2);
  await page.keyboard.press('u');
  await arrived(page, 1);
  assert.deepEqual(await moves(page, game), ['kill 1,9']);
  await page.keyboard.press('r');
  await arrived(page, 2);
  assert.deepEqual(await moves(page, game), ['kill 1,9', 'pass']);
  // Against an engine too, as the first move.
  const against = await visit(t, { game, kept: left(['pass', 'kill 1,9'], { first: null, second: 'engine:level=1' }) });
  await arrived(against, 2);
  await against.keyboard.press('u');
  await arrived(against, 0);
});

test('moves are built on the board where few are left, too', async (t) => {
  const [block, empty] = [(/** @type {string} */ at) => at.repeat(2), '.'.repeat(18)];
  const rows = [...Array(2).fill(block('0') + empty.slice(2)), ...Array(12).fill(empty), ...Array(2).fill(empty.slice(2) + block('1'))];
  const from = { position: `${rows.join('/')} 0 0` };
  assert.ok((await show([], game, from)).legal.length > 1000);
  const page = await visit(t, { game, kept: left([], undefined, { from }) });
  assert.equal(await page.locator('#others').isVisible(), false);
  await cell(page, '0,0').click();
  await button(page, 'play').click();
  await arrived(page, 1);
});

test('pointing at a cell previews it without choosing it', async (t) => {
  const page = await visit(t, { game, kept: left([]) });
  const { board } = await show([], game);
  const counts = async () => (await page.locator('.counts b').allTextContents()).map(Number);
  const labels = await nextStates(page);
  for (const at of ['4,2', '2,10', '8,8']) {
    await cell(page, at).hover();
    const placed = build.place(board, 'first', [at]);
    assert.deepEqual(await counts(), build.count(placed), at);
    const seen = { hollow: await page.locator('.marks .hollow').count(), born: await page.locator('.marks .life').count() };
    const tagged = (/** @type {RegExp} */ tag) => placed.cells.filter(({ tags }) => tags.some((each) => tag.test(each))).length;
    assert.deepEqual(seen, { hollow: tagged(/^dies/), born: tagged(/^born/) });
    // The names for screen readers do not change.
    assert.deepEqual(await nextStates(page), labels);
  }
  await page.mouse.move(2, 2);
  assert.deepEqual(await counts(), build.count(board));
  await page.keyboard.press('b');
  await page.keyboard.press('ArrowDown');
  assert.deepEqual(await counts(), build.count(build.place(board, 'first', ['0,1'])));
  assert.equal(await prompt(page), 'Choose a dead cell for a birth, or a living cell to kill.');
  assert.deepEqual(await moves(page, game), []);
});

const LINE = ['birth 0,4 10,2 8,3', 'kill 8,6', 'pass'];

test('turns are stepped by halves: the cells placed, then the generation', async (t) => {
  const page = await visit(t, { game, kept: left(LINE) });
  const status = () => page.locator('#status').textContent();
  const scores = () => page.locator('.player-card .score').allTextContents();
  const placed = () => page.locator('.marks .placed').count();
  await page.keyboard.press('Home');
  await arrived(page, 0);
  for (let ply = 0; ply < LINE.length; ply += 1) {
    const [before, after] = [await show(LINE.slice(0, ply), game), await show(LINE.slice(0, ply + 1), game)];
    const cells = build.cells(LINE[ply]) ?? [];
    const half = build.place(before.board, before.side, cells);
    await page.keyboard.press('.');
    await page.locator('#status', { hasText: `Move ${ply + 1} of 3: placed, before the generation` }).waitFor();
    assert.equal(await placed(), cells.length);
    assert.deepEqual(await scores(), [String(half.extra.first), String(half.extra.second)]);
    assert.deepEqual(await nextStates(page), owners(after.board), 'the marks say what comes');
    await page.locator('#to-next').click();
    await page.locator('#status', { hasNotText: 'placed' }).waitFor();
    assert.equal(await page.locator('.marks .last-cell').count(), cells.length);
    assert.deepEqual(await scores(), [String(after.board.extra.first), String(after.board.extra.second)]);
  }
  assert.equal(await status(), 'Blue to move');
  await page.keyboard.press('.');
  assert.equal(await status(), 'Blue to move');
  // Back the same way; a position that was not asked for yet is.
  const again = await visit(t, { game, kept: left(LINE) });
  for (const words of ['Move 3 of 3: placed', 'move 2 of 3', 'Move 2 of 3: placed', 'move 1 of 3', 'Move 1 of 3: placed', 'move 0 of 3']) {
    await again.locator('#to-previous').click();
    await again.locator('#status', { hasText: words }).waitFor();
  }
  await cell(again, '2,10').click();
  await again.locator('#note.shown', { hasText: 'Play from here' }).waitFor();
});

test('another player’s move is shown before the generation, without reduced motion', async (t) => {
  for (const reducedMotion of /** @type {const} */ (['no-preference', 'reduce'])) {
    const page = await visit(t, { game, reducedMotion, kept: left([], { first: null, second: 'random' }) });
    await page.evaluate(() => {
      Object.assign(globalThis, { halves: 0 });
      new MutationObserver(() => document.querySelector('.marks .placed') && !document.querySelector('.board.open') && (globalThis.halves += 1)).observe(
        document.querySelector('#board'),
        { subtree: true, childList: true },
      );
    });
    await button(page, 'pass').click();
    await arrived(page, 2);
    await page.locator('.board.open').waitFor();
    assert.ok((await moves(page, game))[1] !== 'pass', 'a random move is hardly a pass');
    assert.equal((await page.evaluate(() => globalThis.halves)) > 0, reducedMotion === 'no-preference');
    assert.equal(await page.locator('.marks .placed').count(), 0);
  }
});

const LINES = [
  { moves: ['birth 7,11 9,8 15,12', 'kill 4,6'], value: 0.62, eval: { n: 7.5, unit: 'cells' } },
  { moves: ['kill 4,6', 'pass'], value: 0.58, eval: { n: 6, unit: 'cells' } },
  { moves: ['pass'], value: 0.5, eval: { n: 0, unit: 'cells' } },
];

/** Answers `think` in place of the server. @param {Page} page */
const thinking = (page) =>
  page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const { id, op } = JSON.parse(String(text));
      const report = { move: LINES[0].moves[0], value: 0.62, lines: LINES, nodes: 162321, playouts: null, depth: 2, ms: 97 };
      if (op === 'think') socket.send(JSON.stringify({ id, ok: report }));
      else server.send(text);
    });
  });

test('W6: the engine’s best moves are drawn on the board', async (t) => {
  const page = await visit(t, { game, kept: left(LINE.slice(0, 1)), prepare: thinking });
  await page.keyboard.press('a');
  const best = page.locator('.sketches .best');
  await best.waitFor();
  assert.equal(await page.locator('.sketches .sketch').count(), 3);
  const parts = async (/** @type {import('playwright-core').Locator} */ sketch) =>
    [await sketch.locator('.way').count(), await sketch.locator('.cross').count(), await sketch.locator('.ring').count(), await sketch.locator('.value').allTextContents()];
  assert.deepEqual(await parts(best), [2, 2, 1, ['62']]);
  // The best is drawn over the others.
  assert.deepEqual(await parts(page.locator('.sketches .sketch').nth(1)), [0, 1, 0, ['58']]);
  const middle = async (/** @type {import('playwright-core').Locator} */ place) => {
    const { x, y, width, height } = (await place.boundingBox()) ?? assert.fail();
    return [x + width / 2, y + height / 2];
  };
  const [ring, born] = [await middle(best.locator('.ring')), await middle(cell(page, '7,11'))];
  assert.ok(Math.hypot(ring[0] - born[0], ring[1] - born[1]) < 2, `${ring} ${born}`);
  assert.match((await page.locator('#lines td.line').first().textContent()) ?? '', /^birth 7,11 9,8 15,12 · kill 4,6$/);
  // While a move is being built they are hidden.
  await cell(page, '7,11').click();
  assert.equal(await page.locator('.sketches .sketch').count(), 0);
  await page.keyboard.press('Escape');
  await page.mouse.move(2, 2);
  assert.equal(await page.locator('.sketches .sketch').count(), 3);
  await page.keyboard.press('a');
  assert.equal(await page.locator('.sketches .sketch').count(), 0);
  await page.keyboard.press('h');
  await page.locator('#note.shown', { hasText: 'Hint: birth 7,11 9,8 15,12.' }).waitFor();
  assert.deepEqual(await parts(best), [2, 2, 1, []]);
  assert.match((await cell(page, '7,11').getAttribute('aria-label')) ?? '', /hint$/);
});

test('a board of 32 by 32 from a text', async (t) => {
  for (const viewport of [{ width: 1280, height: 800 }, { width: 320, height: 640 }]) {
    const page = await visit(t, { game, kept: left([], undefined, { from: WIDE }), viewport });
    assert.equal(await page.getByRole('gridcell').count(), 1024);
    const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
    const boxes = await page.locator('.board .label').evaluateAll((labels) =>
      labels.filter((label) => Number(label.getAttribute('y')) < 0).map((label) => label.getBoundingClientRect()).map(({ left, right }) => [left, right]),
    );
    assert.ok(boxes.length >= 16);
    for (let i = 1; i < boxes.length; i += 1) assert.ok(boxes[i - 1][1] < boxes[i][0], 'labels do not touch');
    const move = someMove(await show([], game, WIDE), 'birth', random(4));
    for (const at of build.cells(move) ?? []) await cell(page, at).click();
    await button(page, 'play').click();
    await arrived(page, 1);
    assert.deepEqual(await moves(page, game), [move]);
  }
});

test('W13: sides differ by shape, and births and deaths by more than colour', async (t) => {
  const page = await visit(t, { game, kept: left(LINE) });
  const count = (/** @type {string} */ what) => page.locator(`.board ${what}`).count();
  const { board } = await show(LINE, game);
  const tagged = (/** @type {string} */ tag) => board.cells.filter(({ tags }) => tags.includes(tag)).length;
  assert.equal(await count('.pieces circle.life.first'), board.extra.first);
  assert.equal(await count('.pieces rect.life.second'), board.extra.second);
  assert.equal(await count('.pieces .life'), board.extra.first + board.extra.second);
  assert.equal(await count('.marks .hollow'), tagged('dies'));
  assert.equal(await count('.marks circle.life.first'), tagged('born-first'));
  assert.equal(await count('.marks rect.life.second'), tagged('born-second'));
  assert.ok(tagged('dies') && tagged('born-first') && tagged('born-second'));
});

test('W16: everything is in Japanese', async (t) => {
  const page = await visit(t, { game, locale: 'ja-JP', kept: left([]) });
  await page.getByRole('grid', { name: 'ライフゲーム対戦の盤' }).waitFor();
  assert.equal(await prompt(page), '誕生させる死んだセルか、殺す生きたセルを選んでください。');
  assert.equal(await button(page, 'pass').textContent(), 'パス');
  await cell(page, '2,10').click();
  assert.equal(await cell(page, '2,10').getAttribute('aria-label'), '2,10、赤のセル、選択中');
  await cell(page, '4,2').click();
  await cell(page, '5,2').click();
  assert.deepEqual((await spoken(page, /誕生/)).slice(-3), [
    '2,10 に誕生。犠牲にする自分のセルを 2 つ選んでください。',
    '2,10 に誕生、4,2 が犠牲。自分のセルをもう 1 つ選んでください。',
    '2,10 に誕生（4,2 と 5,2 が犠牲）。着手するか、選択を戻してください。',
  ]);
  await button(page, 'play').click();
  await arrived(page, 1);
  await page.locator('#said', { hasText: '赤 2,10 に誕生（4,2 と 5,2 が犠牲）。' }).waitFor();
  await page.locator('#facts', { hasText: '第 1 ラウンド（全 100）' }).waitFor();
  await page.keyboard.press('l');
  await page.locator('#draft-prompt', { hasText: 'Choose a dead cell' }).waitFor();
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  for (const viewport of [{ width: 1280, height: 800 }, { width: 320, height: 640 }]) {
    test(`W14: axe finds nothing: ${colorScheme} ${viewport.width}`, async (t) => {
      const page = await visit(t, { game, colorScheme, viewport, kept: left(LINE), prepare: thinking });
      await page.keyboard.press('a');
      await page.locator('.sketches .best').waitFor();
      await assertClean(page, 'analysing');
      await cell(page, '2,10').click();
      await assertClean(page, 'building');
      const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
    });
  }
}

test('another game hides the draft', async (t) => {
  const page = await visit(t, { game, kept: left([]) });
  await cell(page, '2,10').click();
  await page.locator('#game').selectOption('othello');
  await page.getByRole('grid', { name: 'Othello board' }).waitFor();
  await page.mouse.move(2, 2);
  assert.equal(await page.locator('#draft').isVisible(), false);
  await page.locator('#game').selectOption(game);
  await page.locator('#draft-prompt', { hasText: 'Choose a dead cell' }).waitFor();
  assert.equal(await page.locator('.marks .placed').count(), 0);
});

test('a game that is over offers no moves', async (t) => {
  // Red kills its own cells one after the other.
  /** @type {string[]} */
  const line = [];
  for (let shown = await show([], 'golad'); !shown.outcome; shown = await show(line, 'golad')) {
    const own = shown.board.cells.find(({ owner }) => owner === 'first');
    line.push(shown.side === 'first' ? `kill ${own.at}` : 'pass');
  }
  const page = await visit(t, { game: 'golad', kept: left(line) });
  await page.locator('.status.over').waitFor();
  for (const offer of ['#draft', '#enter', '.board.open']) assert.equal(await page.locator(offer).isVisible(), false, offer);
  assert.equal(await page.locator('.cell.can').count(), 0);
  await page.keyboard.press('u');
  await page.locator('#draft').waitFor();
  assert.ok(await page.locator('#enter').isVisible());
});

for (const width of [320, 360]) {
  test(`W15: on a telephone of ${width} px the board is enlarged so that a finger can touch each cell`, async (t) => {
    const page = await visit(t, { game, viewport: { width, height: 640 }, hasTouch: true, isMobile: true, kept: left([]) });
    const size = async (/** @type {string} */ at) => (await cell(page, at).boundingBox())?.width ?? 0;
    assert.ok((await size('2,10')) < 24);
    const enlarge = page.getByRole('button', { name: 'Enlarge the board' });
    await enlarge.tap();
    assert.ok((await size('2,10')) >= 43.5, `${await size('2,10')} px`);
    assert.equal(await enlarge.getAttribute('aria-pressed'), 'true');
    const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
    await assertClean(page, 'enlarged');
    // The whole move by touch; the board scrolls to each cell.
    for (const at of ['2,10', '4,2', '5,2']) await cell(page, at).tap();
    await button(page, 'play').tap();
    await arrived(page, 1);
    // The focus of the keyboard is always in sight.
    await cell(page, '0,0').focus();
    for (let i = 0; i < 17; i += 1) await page.keyboard.press('ArrowRight');
    const [x, right] = await page.evaluate(() => {
      const frame = document.querySelector('.board-frame')?.getBoundingClientRect();
      const at = document.activeElement?.getBoundingClientRect();
      return [at?.right ?? 999, frame?.right ?? 0];
    });
    assert.ok(x <= right + 1, `${x} > ${right}`);
    await enlarge.tap();
    assert.ok((await size('2,10')) < 24);
    await enlarge.tap();
    await page.locator('#game').selectOption('othello');
    await page.getByRole('grid', { name: 'Othello board' }).waitFor();
    assert.equal(await page.locator('.board-frame, .zoom').count(), 0);
  });
}

test('the small board of the lesson needs not be enlarged where its cells are large', async (t) => {
  const page = await visit(t, { game, at: new URL('#lesson=golad', address).href, viewport: { width: 1280, height: 800 }, shown: '[data-at="6,6"]' });
  await page.getByRole('button', { name: 'Pass' }).waitFor();
  assert.ok((await page.evaluate(() => document.querySelector('.stage')?.getBoundingClientRect().width ?? 0)) < 480, 'narrow enough to offer it');
  assert.equal(await page.locator('.zoom:visible').count(), 0);
});
