// Dobutsu shogi: pieces that are picked up and put down, hands and drops, exact values.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertClean, cell, gate, left, moves, pressAtOnce, random, reached, show, spoken, visit, withBrowser } from './browser.mjs';

withBrowser();

const game = 'dobutsu';
const KINDS = { C: 'chick', E: 'elephant', G: 'giraffe' };
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Locator} Locator */

/**
 * A random game to its end, with at least this number of drops.
 * @param {number} seed
 * @param {number} drops
 */
async function randomGame(seed, drops) {
  const below = random(seed);
  for (;;) {
    /** @type {string[]} */
    const line = [];
    let shown = await show(line, game);
    while (!shown.outcome) {
      const dropped = shown.legal.filter((move) => move.includes('*'));
      const choice = dropped.length && below(2) ? dropped : shown.legal;
      line.push(choice[below(choice.length)]);
      shown = await show(line, game);
    }
    if (line.filter((move) => move.includes('*')).length >= drops) return { line, outcome: shown.outcome };
  }
}

/**
 * Where a move starts and ends on the page.
 * @param {Page} page
 * @param {string} move
 * @param {number} ply
 */
function way(page, move, ply) {
  const [from, to] = move.includes('*') ? move.split('*') : [move.slice(0, 2), move.slice(2, 4)];
  return [KINDS[from] ? slot(page, ply % 2 ? 'second' : 'first', KINDS[from]) : cell(page, from), cell(page, to)];
}

/**
 * @param {Page} page
 * @param {'first' | 'second'} side
 * @param {string} piece
 */
const slot = (page, side, piece) => page.locator(`[data-hand="${side}"][data-piece="${piece}"]`);

/**
 * @param {Page} page
 * @param {string} sentence
 */
const said = (page, sentence) => page.locator('#live', { hasText: sentence }).waitFor({ state: 'attached' });

const ENDS = {
  catch: 'the lion is caught',
  try: 'the lion has come across',
  repetition: 'the same position three times',
};

/**
 * Waits for the result and compares it with the server's.
 * @param {Page} page
 * @param {{winner: string | null, by: string}} outcome
 */
async function assertResult(page, outcome) {
  await page.locator('.status.over').waitFor();
  const names = { first: 'Sente wins', second: 'Gote wins' };
  const verdict = outcome.winner ? names[outcome.winner] : 'A draw';
  assert.equal(await page.locator('#status').textContent(), `${verdict}: ${ENDS[outcome.by]}`);
}

test('a whole game by clicks, with drops', async (t) => {
  const { line, outcome } = await randomGame(1, 3);
  const page = await visit(t, { game, kept: left([]) });
  for (const [ply, move] of line.entries()) {
    const [from, to] = way(page, move, ply);
    await from.click();
    await to.click();
    await reached(page, ply + 1, game);
    await page.locator(`#moves [data-ply="${ply + 1}"][aria-current]`).waitFor();
  }
  assert.deepEqual(await moves(page, game), line);
  await assertResult(page, outcome);
});

/**
 * Moves the focus to a place by arrow keys.
 * @param {Page} page
 * @param {Locator} target
 */
async function walk(page, target) {
  for (let steps = 0; steps < 20; steps += 1) {
    const key = await target.evaluate((place) => {
      const here = document.activeElement;
      if (!here || here === place) return null;
      const [a, b] = [here.getBoundingClientRect(), place.getBoundingClientRect()];
      const [right, down] = [b.x + b.width / 2 - a.x - a.width / 2, b.y + b.height / 2 - a.y - a.height / 2];
      const together = here.getAttribute('role') === place.getAttribute('role');
      if (together && Math.abs(down) > a.height / 2) return down > 0 ? 'ArrowDown' : 'ArrowUp';
      return right > 0 ? 'ArrowRight' : 'ArrowLeft';
    });
    if (key === null) return;
    await page.keyboard.press(key);
  }
  assert.fail('the place was not reached');
}

test('W11: a whole game by keys alone, with drops', async (t) => {
  const { line, outcome } = await randomGame(2, 3);
  const page = await visit(t, { game, kept: left([]) });
  await page.keyboard.press('b');
  for (const [ply, move] of line.entries()) {
    const [from, to] = way(page, move, ply);
    await walk(page, from);
    await page.keyboard.press(ply % 2 ? 'Enter' : 'Space');
    await walk(page, to);
    await page.keyboard.press('Enter');
    await page.locator(`#moves [data-ply="${ply + 1}"][aria-current]`).waitFor();
  }
  assert.deepEqual(await moves(page, game), line);
  await assertResult(page, outcome);
});

// After these Sente holds two chicks, and it is Sente's turn.
const TWO_CHICKS = ['2c2b', '1a2b', '1d1c', 'C*1b', '1c1b', '2a1b', '2d2c', 'G*3b'];

test('W15: tapping moves and drops on a phone', async (t) => {
  const page = await visit(t, { game, kept: left(TWO_CHICKS), viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
  const hand = slot(page, 'first', 'chick');
  for (const place of [hand, cell(page, '2c')]) {
    const box = await place.boundingBox();
    assert.ok(box && box.width >= 44 && box.height >= 44, JSON.stringify(box));
  }
  await hand.tap();
  await cell(page, '1a').tap();
  await reached(page, 9, game);
  await cell(page, '1b').tap();
  await cell(page, '2c').tap();
  await page.locator('.status.over').waitFor();
  assert.deepEqual(await moves(page, game), [...TWO_CHICKS, 'C*1a', '1b2c']);
  const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
});

test('pieces can be dragged, and return from illegal cells', async (t) => {
  const page = await visit(t, { game, kept: left(TWO_CHICKS), reducedMotion: 'no-preference' });
  const middle = async (/** @type {Locator} */ place) => {
    const { x, y, width, height } = (await place.boundingBox()) ?? assert.fail();
    return /** @type {const} */ ([x + width / 2, y + height / 2]);
  };
  const carried = page.locator('.board g[style*="px"]');
  const drag = async (/** @type {Locator} */ from, /** @type {Locator} */ to, count = 1) => {
    await page.mouse.move(...(await middle(from)));
    await page.mouse.down();
    await page.mouse.move(...(await middle(to)), { steps: 4 });
    assert.equal(await carried.count(), count);
    await page.mouse.up();
  };
  // The elephant cannot move, the lion not so far.
  await drag(cell(page, '3d'), cell(page, '2a'), 0);
  await drag(cell(page, '2c'), cell(page, '2a'));
  assert.equal(await carried.count(), 0);
  assert.equal(await page.locator('.marks .held').count(), 0);
  assert.deepEqual(await moves(page, game), TWO_CHICKS);
  await drag(slot(page, 'first', 'chick'), cell(page, '2a'));
  await reached(page, 9, game);
  await drag(cell(page, '3b'), cell(page, '3c'));
  await reached(page, 10, game);
  assert.deepEqual(await moves(page, game), [...TWO_CHICKS, 'C*2a', '3b3c']);
  assert.equal(await page.locator('.marks .held').count(), 0);
});

test('W12: names of places contain the piece, whether it can move, and what is in hand', async (t) => {
  const page = await visit(t, { game, kept: left(TWO_CHICKS) });
  const label = (/** @type {Locator} */ place) => place.getAttribute('aria-label');
  assert.equal(await page.getByRole('grid', { name: 'Dobutsu shogi board' }).getByRole('gridcell').count(), 12);
  assert.equal(await page.locator('.cell[tabindex="0"]').count(), 1);
  assert.equal(await label(cell(page, '3a')), '3a, Gote’s giraffe');
  assert.equal(await label(cell(page, '3b')), '3b, Gote’s giraffe, last move');
  assert.equal(await label(cell(page, '2c')), '2c, Sente’s lion, can move, in check');
  assert.equal(await label(cell(page, '3d')), '3d, Sente’s elephant');
  assert.equal(await label(cell(page, '2a')), '2a, empty');
  const hand = page.getByRole('group', { name: 'Sente’s hand' }).getByRole('button');
  assert.equal(await label(hand), 'chick in hand, 2, can move');
  assert.equal(await page.getByRole('group', { name: 'Gote’s hand, empty' }).count(), 1);
  await hand.focus();
  await page.keyboard.press('Enter');
  assert.equal(await label(hand), 'chick in hand, 2, picked up');
  assert.equal(await label(cell(page, '2a')), '2a, empty, legal');
  await said(page, 'chick in hand, 2, picked up. Possible moves: 2a, 1a, 3c, 1c, 2d, 1d.');
  await page.keyboard.press('l');
  await page.getByRole('group', { name: '先手の持ち駒' }).getByRole('button', { name: '持ち駒のひよこ、2 枚、選択中' }).waitFor();
  assert.equal(await label(cell(page, '2c')), '２三、先手のライオン、動かせる、王手');
});

test('a held piece can be put back, or exchanged for another', async (t) => {
  const page = await visit(t, { game, kept: left(TWO_CHICKS) });
  const held = page.locator('.marks .held');
  await cell(page, '2c').click();
  assert.equal(await held.count(), 1);
  await page.keyboard.press('Escape');
  assert.equal(await held.count(), 0);
  await said(page, 'Put back.');
  await cell(page, '2c').click();
  await cell(page, '2c').click();
  assert.equal(await held.count(), 0);
  await cell(page, '2c').click();
  await slot(page, 'first', 'chick').click();
  assert.equal(await page.locator('.marks .legal').count(), 6);
  await cell(page, '3a').click();
  await page.locator('#note.shown', { hasText: 'it cannot move there' }).waitFor();
  assert.equal(await held.count(), 1);
  await page.keyboard.press('Escape');
  for (const at of ['3a', '3d', '2a']) {
    await cell(page, at).click();
    await page.waitForFunction((at) => document.querySelector('#note.shown')?.textContent?.startsWith(`${at}, `), at);
  }
  assert.deepEqual(await moves(page, game), TWO_CHICKS);
  // In the past a piece may be looked at, and not moved.
  await page.keyboard.press(',');
  await page.keyboard.press(',');
  await page.locator('#moves [data-ply="6"][aria-current]').waitFor();
  await cell(page, '2d').click();
  await cell(page, '2c').click();
  await page.locator('#note.shown', { hasText: 'Play from here' }).waitFor();
  assert.deepEqual(await moves(page, game), TWO_CHICKS);
});

test('W1: the targets of all pieces are the server’s legal moves', async (t) => {
  for (let seed = 10; seed < 13; seed += 1) {
    const { line } = await randomGame(seed, 2);
    const page = await visit(t, { game, kept: left(line) });
    for (let ply = line.length - 1; ply > line.length - 8 && ply >= 0; ply -= 2) {
      await page.locator(`#moves [data-ply="${ply}"]`).click();
      await page.locator(`#moves [data-ply="${ply}"][aria-current]`).waitFor();
      const { legal, board } = await show(line.slice(0, ply), game);
      let count = 0;
      for (const start of await page.locator('.cell.can').all()) {
        await start.click();
        count += await page.locator('.marks .legal').count();
        await page.keyboard.press('Escape');
      }
      assert.equal(count, legal.length, line.slice(0, ply).join(' '));
      for (const [tag, mark] of [['last', '.last-cell'], ['check', '.check']]) {
        const tagged = board.cells.filter((one) => one.tags.includes(tag)).length;
        assert.equal(await page.locator(`.marks ${mark}`).count(), tagged, tag);
      }
    }
    await page.context().close();
  }
});

test('the board can be turned: hands, pieces and keys follow', async (t) => {
  const page = await visit(t, { game, kept: left(TWO_CHICKS) });
  const hand = async () => (await slot(page, 'first', 'chick').boundingBox()) ?? assert.fail();
  const [board, before] = [await page.locator('#board').boundingBox(), await hand()];
  assert.ok(board && before.x > board.x + board.width / 2 && before.y > board.y + board.height / 2);
  await page.keyboard.press('f');
  const after = await hand();
  assert.ok(after.x < board.x + board.width / 2 && after.y < board.y + board.height / 2);
  await page.keyboard.press('b');
  await walk(page, slot(page, 'first', 'chick'));
  await page.keyboard.press('Enter');
  await walk(page, cell(page, '1d'));
  await page.keyboard.press('Enter');
  await reached(page, 9, game);
  assert.equal((await moves(page, game))[8], 'C*1d');
});

test('W12: the focus stays on a piece in hand when the hands change', async (t) => {
  const page = await visit(t, { game, kept: left(['2c2b', '2a2b']) });
  await slot(page, 'first', 'chick').focus();
  // Back to where the other side has caught nothing, and on.
  for (const [key, count] of /** @type {const} */ ([[',', 0], ['.', 1]])) {
    await page.keyboard.press(key);
    await page.waitForFunction((count) => document.querySelectorAll('[data-hand="second"]').length === count, count);
    assert.deepEqual(await page.evaluate(() => ({ ...(document.activeElement instanceof HTMLElement ? document.activeElement.dataset : null) })), { hand: 'first', piece: 'chick' });
  }
});

/** What has a badge: two chicks in hand, and a lion in check. */
const BADGES = '1d1c 3a3b 1c1b 2a3a 1b2b 1a2b C*1b G*1c 2c2b 1c1d 2d2c 1d1c 2c1d 3b2b E*2d 2b1b'.split(' ');

test('counts in hand and the sign of check cover no part of a piece, on a telephone as on a wide screen', async (t) => {
  for (const viewport of [{ width: 320, height: 640 }, { width: 1280, height: 800 }]) {
    const page = await visit(t, { game, kept: left(BADGES), viewport });
    for (const turned of [false, true]) {
      if (turned) await page.keyboard.press('f');
      const covered = await page.evaluate(() => {
        const tiles = [...document.querySelectorAll('.wood')].map((wood) => /** @type {SVGGeometryElement} */ (wood));
        const inside = (/** @type {Element} */ badge) => {
          const { left, top, width, height } = badge.getBoundingClientRect();
          const grid = [...Array(81).keys()].map((i) => [((i % 9) + 0.5) / 9, (Math.floor(i / 9) + 0.5) / 9]);
          // The corners of the box around a disc or a triangle are free.
          const points = grid.map(([x, y]) => new DOMPoint(left + x * width, top + y * height));
          const within = (/** @type {SVGGeometryElement} */ shape, /** @type {DOMPoint} */ point) => shape.isPointInFill(point.matrixTransform(shape.getScreenCTM()?.inverse()));
          return points.filter((point) => within(/** @type {SVGGeometryElement} */ (badge), point)).flatMap((point) => tiles.filter((tile) => within(tile, point)));
        };
        const badges = [...document.querySelectorAll('.badge, .check')];
        return { badges: badges.length, covered: badges.flatMap(inside).length };
      });
      assert.deepEqual(covered, { badges: 2, covered: 0 }, `${viewport.width}, ${turned ? 'turned' : 'as usual'}`);
    }
    await page.context().close();
  }
});

/**
 * Answers `solve` in place of the server.
 * @param {(request: {moves: string[]}) => object | Promise<object>} answer
 */
const solving = (answer) => (/** @type {Page} */ page) =>
  page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const { ok, ...rest } = JSON.parse(String(text));
      for (const each of ok?.games ?? []) each.solvable = true;
      socket.send(JSON.stringify(ok ? { ok, ...rest } : rest));
    });
    socket.onMessage(async (text) => {
      const request = JSON.parse(String(text));
      if (request.op === 'solve') socket.send(JSON.stringify({ id: request.id, ...(await answer(request)) }));
      else server.send(text);
    });
  });

/** The last loses longest, the first wins. */
const START = [
  { move: '2d1c', score: -1, distance: 8 },
  { move: '1d1c', score: 0, distance: null },
  { move: '2c2b', score: -1, distance: 76 },
  { move: '2d3c', score: 1, distance: 13 },
];

test('exact values are shown on the targets and in a table', async (t) => {
  const prepare = solving(({ moves }) => ({ ok: { moves: moves.length ? [] : START } }));
  const page = await visit(t, { game, kept: left([]), prepare });
  assert.equal(await page.locator('#exact').isVisible(), false);
  await page.getByRole('switch', { name: 'Exact values' }).click();
  const rows = page.locator('#exact tr');
  await rows.first().waitFor();
  assert.deepEqual(
    (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim()),
    ['2d3c +13wins in 13', '1d1c =draw', '2c2b −76loses in 76', '2d1c −8loses in 8'],
  );
  const values = () => page.locator('.marks .value').allTextContents();
  assert.deepEqual((await values()).sort(), ['+13', '=', '−76'], 'each piece has the value of its best move');
  await cell(page, '2d').click();
  assert.deepEqual((await values()).sort(), ['+13', '−8']);
  assert.equal(await cell(page, '3c').getAttribute('aria-label'), '3c, empty, legal, wins in 13');
  await said(page, 'Possible moves: 3c wins in 13, 1c loses in 8.');
  await page.keyboard.press('l');
  await page.locator('#exact', { hasText: '13 手で勝ち' }).waitFor();
  assert.equal(await cell(page, '1c').getAttribute('aria-label'), '１三、空き、合法手、8 手で負け');
  await page.keyboard.press('h');
  await page.locator('#note.shown', { hasText: '２四→３三' }).waitFor();
  assert.equal(await page.locator('.marks .hint').count(), 2);
  // Beside an analysis they stay, and go before its percentages.
  await page.keyboard.press('a');
  await page.locator('#lines td').first().waitFor();
  await rows.first().waitFor();
  assert.deepEqual((await values()).sort(), ['+13', '−8']);
  await page.keyboard.press('a');
  await rows.first().waitFor();
  await page.keyboard.press('z');
  await page.locator('.marks .value').first().waitFor({ state: 'detached' });
  assert.equal(await page.locator('#exact').isVisible(), false);
});

test('undecided moves are listed between wins and losses', async (t) => {
  const open = { move: '1d1c', score: null, distance: null };
  const [loss, , , win] = START;
  const prepare = solving(() => ({ ok: { moves: [loss, open, win] } }));
  const page = await visit(t, { game: 'dobutsu-article', kept: left([]), prepare });
  await page.keyboard.press('z');
  const rows = page.locator('#exact tr');
  await rows.first().waitFor();
  assert.deepEqual(
    (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim()),
    ['2d3c +13wins in 13', '1d1c ?not decided', '2d1c −8loses in 8'],
  );
});

const WITHOUT = {
  table_missing: { en: 'table is missing', ja: '表がありません' },
  table_refused: { en: 'is damaged', ja: '表が壊れている' },
};

for (const [code, words] of Object.entries(WITHOUT)) {
  test(`without a table the panel says so, and nothing else is shown: ${code}`, async (t) => {
    const prepare = solving(() => ({ error: { code, message: 'the server’s own words' } }));
    const page = await visit(t, { game, kept: left([]), prepare });
    const panel = page.locator('#exact');
    await page.keyboard.press('z');
    await panel.filter({ hasText: words.en }).waitFor();
    await cell(page, '2d').click();
    assert.equal(await page.locator('.marks .legal').count(), 2);
    assert.equal(await page.locator('.marks .value').count(), 0);
    assert.equal(await page.locator('#note.shown').count(), 0);
    await page.keyboard.press('l');
    await panel.filter({ hasText: words.ja }).waitFor();
    // The engine analyses all the same.
    await page.locator('#analyse').click();
    await page.locator('#lines td').first().waitFor();
  });
}

for (const analysed of [false, true]) {
  for (const built of [true, false]) {
    const name = `a hint and the exact values do not replace each other: ${built ? 'with' : 'without'} a table`;
    test(analysed ? `${name}, analysed` : name, async (t) => {
      const { opened, open } = gate();
      let asked = 0;
      const prepare = solving(async () => {
        asked += 1;
        await opened;
        return built ? { ok: { moves: START } } : { error: { code: 'table_missing', message: 'no table' } };
      });
      const page = await visit(t, { game, kept: left([]), prepare });
      if (analysed) await page.keyboard.press('a');
      await pressAtOnce(page, 'z', 'h');
      // The answer to this comes after all that the page has asked for.
      await page.keyboard.press('g');
      await page.locator('#live', { hasText: 'Legal moves: ' }).waitFor({ state: 'attached' });
      assert.deepEqual(await spoken(page, /hint/i), []);
      open();
      await page.locator('.marks .hint').first().waitFor();
      const [hint, ...more] = await spoken(page, /hint/i);
      assert.deepEqual(more, []);
      if (built) {
        assert.equal(hint, 'Hint: 2d3c.');
        await page.locator('#exact tr').nth(START.length - 1).waitFor();
      } else {
        assert.ok((await show([], game)).legal.includes(hint.match(/^Hint: (\w+)\.$/)?.[1] ?? ''), hint);
        await page.locator('#exact', { hasText: 'table is missing' }).waitFor();
      }
      if (analysed) await page.locator('#lines td').first().waitFor();
      assert.equal(asked, 1);
    });
  }
}

test('games that are slow to solve have no exact values', async (t) => {
  const page = await visit(t, { prepare: solving(() => assert.fail('nobody asked')) });
  assert.equal(await page.getByRole('switch', { name: 'Exact values' }).count(), 0);
  await page.keyboard.press('z');
  await page.locator('#game').selectOption(game);
  await page.getByRole('switch', { name: 'Exact values' }).waitFor();
  await page.locator('#game').selectOption('othello');
  await page.getByRole('grid', { name: 'Othello board' }).waitFor();
  assert.equal(await page.getByRole('switch', { name: 'Exact values' }).count(), 0);
  assert.equal(await page.locator('rect.felt').count(), 1);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  for (const viewport of [{ width: 1280, height: 800 }, { width: 320, height: 640 }]) {
    test(`W14: axe finds nothing: ${colorScheme} ${viewport.width}`, async (t) => {
      const { legal } = await show(TWO_CHICKS, game);
      const solved = legal.map((move, i) => ({ move, score: (i % 3) - 1, distance: i % 3 === 1 ? null : i }));
      const page = await visit(t, { game, colorScheme, viewport, kept: left(TWO_CHICKS), prepare: solving(() => ({ ok: { moves: solved } })) });
      await page.keyboard.press('z');
      await page.locator('#exact tr').first().waitFor();
      await slot(page, 'first', 'chick').click();
      await assertClean(page);
      const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
    });
  }
}

test('W13: pieces slide only without reduced motion, and sides differ by more than colour', async (t) => {
  for (const reducedMotion of /** @type {const} */ (['no-preference', 'reduce'])) {
    // A slide is short: it is recorded when it begins, so that a slow machine does not miss it.
    const prepare = (/** @type {Page} */ page) =>
      page.addInitScript(() => {
        const { animate } = Element.prototype;
        Element.prototype.animate = function (...how) {
          if (this.closest('.pieces')) document.body.dataset.slid = 'yes';
          return animate.apply(this, how);
        };
      });
    const page = await visit(t, { game, reducedMotion, kept: left([]), prepare });
    await cell(page, '2c').click();
    await cell(page, '2b').click();
    await page.locator('.marks .last-cell').first().waitFor();
    const slid = await page.evaluate(() => document.body.dataset.slid === 'yes');
    assert.equal(slid, reducedMotion === 'no-preference');
  }
  const page = await visit(t, { game, kept: left([]) });
  const turned = (/** @type {string} */ side) => page.locator(`.pieces [transform*="rotate(180)"] > .${side}`).count();
  assert.deepEqual([await turned('first'), await turned('second')], [0, 4]);
  await page.keyboard.press('f');
  assert.deepEqual([await turned('first'), await turned('second')], [4, 0]);
});

test('the article’s hen has its own steps on the tile', async (t) => {
  const caught = left(['2c2b', '3a3b', '2b2a']);
  for (const [name, steps] of /** @type {const} */ ([[game, 6], ['dobutsu-article', 5]])) {
    const page = await visit(t, { game: name, kept: caught });
    await page.locator('.status.over', { hasText: 'Sente wins: the lion is caught' }).waitFor();
    const dots = await page.locator('.pieces .tile:has(.red) .dots').getAttribute('d');
    assert.equal(dots?.match(/M/g)?.length, steps);
  }
});

/**
 * Routes requests to the server, whose answers about tables are made up.
 * @param {(socket: import('playwright-core').WebSocketRoute, request: any) => boolean} answer whether it has answered
 * @param {boolean} [able] whether the server builds tables, if not as it says
 */
const withTables = (answer, able = undefined) => (/** @type {import('playwright-core').Page} */ page) =>
  page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const message = JSON.parse(String(text));
      if (message.ok?.games) message.ok.builds_tables = able ?? message.ok.builds_tables;
      socket.send(JSON.stringify(message));
    });
    socket.onMessage((text) => {
      if (!answer(socket, JSON.parse(String(text)))) server.send(text);
    });
  });

for (const [locale, option, about] of [
  ['en-GB', 'Perfect play: its table is missing', '“banmen solve dobutsu” builds it'],
  ['ja-JP', '完全プレイ（表がありません）', '「banmen solve dobutsu」で数分で作れます'],
]) {
  for (const built of [false, true]) {
    test(`the perfect player is ${built ? 'offered with' : 'not offered without'} its table: ${locale}`, async (t) => {
      const prepare = withTables((socket, { id, op, player }) => {
        if (op !== 'think' || player !== 'perfect') return false;
        socket.send(JSON.stringify(built ? { id, ok: { move: '2c2b', value: 0 } } : { id, error: { code: 'table_missing', message: 'no table' } }));
        return true;
      }, false);
      const page = await visit(t, { game: 'dobutsu', locale, prepare });
      await page.evaluate(() => localStorage.setItem('banmen.setup.dobutsu', JSON.stringify({ seats: { first: null, second: 'perfect' }, timeMs: 1000 })));
      await page.keyboard.press('n');
      const perfect = page.locator('select[name="second"] option[value="perfect"]');
      if (built) {
        await page.waitForTimeout(300);
        assert.equal(await perfect.isEnabled(), true);
        assert.equal(await page.locator('select[name="second"]').inputValue(), 'perfect');
        return;
      }
      await page.locator('.tables', { hasText: about }).waitFor();
      assert.equal(await perfect.textContent(), option);
      assert.equal(await perfect.isDisabled(), true);
      assert.equal(await page.locator('select[name="second"]').inputValue(), 'engine');
      await assertClean(page, 'dialog');
      await page.locator('#swap').click();
      await page.locator('.tables').waitFor();
      assert.equal(await page.locator('.tables').count(), 1);
    });
  }
}

test('a missing table is built from the dialog, with progress, and can be stopped', async (t) => {
  let built = false;
  let asked = 0;
  let running = 0;
  /** @type {(message: object) => void} */
  let send = () => {};
  const prepare = withTables((socket, { id, op, player, target }) => {
    send = (message) => socket.send(JSON.stringify(message));
    const missing = { id, error: { code: 'table_missing', message: 'no table' } };
    if (op === 'think' && player === 'perfect') send(built ? { id, ok: { move: '2c2b', value: 0 } } : missing);
    else if (op === 'solve') send(built ? { id, ok: { moves: START } } : missing);
    else if (op === 'build') {
      asked += 1;
      running = id;
      send({ id, info: { building: 0 } });
    } else if (op === 'stop' && target === running) send({ id: running, error: { code: 'stopped', message: 'stopped' } });
    else return false;
    return true;
  }, true);
  const page = await visit(t, { game: 'dobutsu', prepare });
  await page.keyboard.press('z');
  await page.locator('#exact', { hasText: 'table is missing' }).waitFor();
  const perfect = page.locator('select[name="second"] option[value="perfect"]');
  const tables = page.locator('.tables');
  await page.keyboard.press('n');
  await tables.getByRole('button', { name: 'Build the table' }).click();
  await tables.getByText('Building the table: 0 %').waitFor();
  send({ id: running, info: { building: 0.42 } });
  await tables.getByText('Building the table: 42 %').waitFor();
  assert.equal(await tables.getByRole('progressbar').evaluate((/** @type {HTMLProgressElement} */ bar) => bar.value), 42);
  await assertClean(page, 'while it is built');
  await tables.getByRole('button', { name: 'Stop' }).click();
  await tables.getByRole('button', { name: 'Build the table' }).click();
  // The build goes on while the dialog is closed.
  await page.keyboard.press('Escape');
  send({ id: running, info: { building: 0.9 } });
  await page.keyboard.press('n');
  await tables.getByText('Building the table: 90 %').waitFor();
  assert.equal(await perfect.isDisabled(), true);
  built = true;
  send({ id: running, ok: { table: 'dobutsu-catch', bytes: 1 } });
  await page.locator('#note.shown', { hasText: 'The table is built' }).waitFor();
  assert.equal(await tables.count(), 0);
  assert.equal(await perfect.isEnabled(), true);
  assert.equal(await perfect.textContent(), 'Perfect play');
  assert.equal(asked, 2);
  // What was refused without it is there now.
  await page.locator('#exact tbody tr').first().waitFor();
});

test('a table that cannot be built says why', async (t) => {
  const prepare = withTables((socket, { id, op, player }) => {
    if (op !== 'build' && (op !== 'think' || player !== 'perfect')) return false;
    socket.send(JSON.stringify({ id, error: { code: op === 'build' ? 'data_folder' : 'table_missing', message: 'the disk is full' } }));
    return true;
  });
  const page = await visit(t, { game: 'dobutsu', locale: 'ja-JP', prepare });
  await page.keyboard.press('n');
  await page.getByRole('button', { name: '表を作る' }).click();
  await page.locator('.tables .fault', { hasText: 'データのフォルダーに書き込めません。' }).waitFor();
  assert.ok(await page.getByRole('button', { name: '表を作る' }).isVisible());
});

test('W16: squares and moves are in Japanese notation where the page is Japanese', async (t) => {
  const page = await visit(t, { game: 'dobutsu', locale: 'ja-JP', kept: left(['2c2b']) });
  const move = page.locator('#moves [data-ply="1"]');
  const labels = () => page.locator('.board .label').allTextContents();
  assert.match((await move.textContent()) ?? '', /２三→２二$/);
  assert.equal(await page.locator('#said').textContent().then((said) => said?.startsWith('先手 ２二ひよこ。')), true);
  assert.match((await cell(page, '2b').getAttribute('aria-label')) ?? '', /^２二、先手のひよこ/);
  assert.deepEqual((await labels()).sort(), ['1', '2', '3', '一', '二', '三', '四'].sort());
  // Taking the chick, then dropping it.
  for (const [i, played] of ['2a2b', '1d1c', 'C*2c'].entries()) {
    await page.locator('#enter-move').fill(played);
    await page.keyboard.press('Enter');
    await page.locator(`#moves [data-ply="${i + 2}"]`).waitFor();
  }
  assert.match((await page.locator('#moves [data-ply="4"]').textContent()) ?? '', /２三ひよこ打$/);
  assert.deepEqual((await spoken(page, /ひよこ打/)).length, 1);
  await page.locator('#analyse').click();
  await page.locator('#lines td.line', { hasText: /^[１２３][一二三四]/ }).first().waitFor();
  await page.locator('#analyse').click();
  await page.keyboard.press('Escape');
  await page.locator('#language').click();
  await page.locator('html[lang="en"]').waitFor();
  await page.locator('#moves [data-ply="4"]', { hasText: 'C*2c' }).waitFor();
  assert.deepEqual((await labels()).sort(), ['1', '2', '3', 'a', 'b', 'c', 'd']);
  assert.match((await cell(page, '2c').getAttribute('aria-label')) ?? '', /^2c, /);
  assert.match((await page.locator('#said').textContent()) ?? '', /^Gote: C\*2c\./);
});

test('W16, W20: what is wrong with a move is said with squares in Japanese notation where the page is Japanese', async (t) => {
  const page = await visit(t, { game: 'dobutsu', locale: 'ja-JP', kept: left(['2c2b']) });
  for (const [move, said] of [
    ['2a2c', '２一→２三: その駒はそこへ動けません。'],
    ['2c2b', '２三→２二: そこに駒がありません。'],
    ['２一→２三', '２一→２三: その駒はそこへ動けません。'],
    ['１二→１一成', '１二→１一成: そこに駒がありません。'],
    ['C*2c', '２三ひよこ打: その駒を持っていません。'],
  ]) {
    await page.locator('#enter-move').fill(move);
    await page.keyboard.press('Enter');
    await page.locator('#note.shown').getByText(said, { exact: true }).waitFor();
  }
  await page.locator('[data-action="edit"]').click();
  await page.getByRole('radio', { name: '先手のライオン' }).check({ force: true });
  await cell(page, '2c').click();
  await page.locator('#editor-verdict', { hasText: /^２四: / }).waitFor();
  assert.match((await spoken(page, /ライオン/)).at(-1) ?? '', /^２三, |^２三、/);
});
