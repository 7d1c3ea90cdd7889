// The review of a game: the graph, the marks, the turning points, and trying again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertClean, cell, gate, left, moves, randomLine, reached, show, visit, withBrowser } from './browser.mjs';

withBrowser();

const AGAINST = { first: null, second: 'engine:level=1' };

/**
 * Answers the searches of the review in place of the server, and records them.
 * @param {(request: any) => object | Promise<object>} answer
 * @param {any[]} asked
 */
const judging = (answer, asked = []) => (/** @type {import('playwright-core').Page} */ page) =>
  page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage(async (text) => {
      const request = JSON.parse(String(text));
      if (request.session === 'review' || request.op === 'solve') {
        asked.push(request);
        const answered = await answer(request);
        socket.send(JSON.stringify({ id: request.id, ...answered }));
      } else server.send(text);
    });
    server.onMessage((text) => socket.send(text));
  });

/** Black's expected score by ply: Black's fifth move, at ply 9, loses most. */
const BLACK = [0.5, 0.5, 0.5, 0.5, 0.7, 0.7, 0.7, 0.6, 0.65, 0.2, 0.2, 0.2, 0.2];

/** @param {any} request */
function values({ moves }) {
  const ply = moves.length;
  const value = ply % 2 ? 1 - BLACK[ply] : BLACK[ply];
  return { ok: { move: 'a1', value, eval: { n: (value - 0.5) * 20, unit: 'discs' }, lines: [], nodes: 1, playouts: null, depth: 1, ms: 1, proven: false } };
}

for (const [game, line] of /** @type {const} */ ([
  ['golad', ['birth 2,10 4,2 5,2', 'kill 1,9', 'pass']],
  ['blokus', ['f9,e10,f10,g10,f11', 'i4,h5,i5,j5,i6']],
  ['dobutsu', ['2c2b', '2a2b', '3d2c']],
])) {
  for (const locale of ['en-GB', 'ja-JP']) {
    test(`moves with marks are whole in the list: ${game}, ${locale}`, async (t) => {
      const blunder = (/** @type {any} */ { moves }) => ({ ok: { ...values({ moves: [] }).ok, value: moves.length % 2 ? 0.9 : 0.8 } });
      const page = await visit(t, { game, locale, kept: left([...line]), prepare: judging(blunder) });
      await page.keyboard.press('y');
      await page.locator('#moves [class^="sign-"]').first().waitFor();
      const cut = await page.locator('#moves button').evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent));
      assert.deepEqual(cut, []);
    });
  }
}

test('W6: the review shows the value over the game, marks the moves, and names the turning points', async (t) => {
  const line = await randomLine(8, 12);
  /** @type {any[]} */
  const asked = [];
  const page = await visit(t, { kept: left(line, AGAINST), prepare: judging(values, asked) });
  await page.locator('[data-action="review"]').click();
  const review = page.locator('#review');
  await review.locator('.turns').waitFor();
  await review.locator('[data-key="stop"]').waitFor({ state: 'detached' });
  assert.equal(asked.length, 13);
  for (const request of asked) assert.equal(request.player, 'engine', 'at full strength');

  const turn = review.locator('.turns li').filter({ hasText: `9. Black ${line[8]}` });
  assert.equal(await turn.locator('.quiet').textContent(), `9. Black ${line[8]} ?? blunder: lost 9.0 discs (65 % → 20 %). Best: a1.`);
  const mark = page.locator('#moves [data-ply="9"]');
  assert.match((await mark.textContent()) ?? '', /\?\?, blunder/);
  assert.match((await page.locator('#moves [data-ply="4"]').textContent()) ?? '', /\?, mistake/);
  assert.equal(await page.locator('#moves [class^="sign-"]').count(), 3);
  assert.match((await page.locator('#review-summary').textContent()) ?? '', /^Expected score of Black: 50 % at move 0, .*20 % at move 12/);
  await assertClean(page, 'review');

  const graph = page.getByRole('slider', { name: 'Value over the game' });
  await graph.focus();
  await page.keyboard.press('Home');
  await page.locator('#moves [data-ply="0"][aria-current]').waitFor();
  for (let i = 0; i < 9; i += 1) await page.keyboard.press('ArrowRight');
  await page.locator('#moves [data-ply="9"][aria-current]').waitFor();
  assert.equal(await graph.getAttribute('aria-valuetext'), `9. Black ${line[8]}: Black 20 %`);
  assert.equal(await graph.evaluate((one) => one === document.activeElement), true);
  await graph.click();
  await page.locator('#moves [data-ply="6"][aria-current]').waitFor();

  await review.locator('summary').click();
  assert.equal(await review.locator('tbody tr').count(), 12);
  await page.keyboard.press('l');
  await review.getByText('勝負の分かれ目').waitFor();
  assert.match((await turn.count()) ? '' : ((await review.locator('.turns').textContent()) ?? ''), /大悪手: 9.0 石の損/);
  await assertClean(page, 'review in Japanese');

  await review.locator('[data-key="again 9"]').click();
  await page.waitForFunction(() => document.querySelectorAll('#moves li').length === 9);
  assert.deepEqual(await moves(page), line.slice(0, 8));
  assert.ok(await page.locator('.board.open').count());
  assert.equal(await page.locator('#review').isVisible(), false);
  // The whole game is still there.
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('banmen.games') ?? '[]')[0].kept.moves.length);
  assert.equal(kept, 12);
});

test('W6: a review can be stopped and continued, and another game ends it', async (t) => {
  let open = () => {};
  const opened = new Promise((resolve) => (open = () => resolve(undefined)));
  const prepare = judging(async (request) => {
    if (request.moves.length === 9) await opened;
    return values(request);
  });
  const page = await visit(t, { kept: left(await randomLine(8, 12)), prepare });
  await page.keyboard.press('y');
  const review = page.locator('#review');
  await review.getByText('3 of 13').waitFor();
  await review.getByRole('button', { name: 'Stop' }).click();
  open();
  await review.getByRole('button', { name: 'Continue' }).click();
  await review.locator('.turns').waitFor();
  await review.getByText('of 13').waitFor({ state: 'detached' });
  await cell(page, (await page.locator('.cell.can').first().getAttribute('data-at')) ?? '').click();
  await reached(page, 13);
  await review.waitFor({ state: 'hidden' });
  assert.equal(await page.locator('#moves [class^="sign-"]').count(), 0);
});

test('W6: who gave up a game is judged by the position, and closing the review keeps the focus', async (t) => {
  /** @type {any[]} */
  const asked = [];
  const kept = left(await randomLine(8, 12), undefined, { ended: { winner: 'first', by: 'resignation' } });
  const page = await visit(t, { kept, prepare: judging(values, asked) });
  await page.locator('.status.over').waitFor();
  await page.keyboard.press('y');
  const review = page.locator('#review');
  await review.locator('.turns').waitFor();
  await review.getByText('of 13').waitFor({ state: 'detached' });
  assert.equal(asked.length, 13);
  assert.doesNotMatch((await page.locator('#moves [data-ply="12"]').textContent()) ?? '', /\?/);
  await review.locator('[data-key="close"]').press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-action')), 'review');
});

test('W6: where exact values are known, the review says what was thrown away', async (t) => {
  const line = ['2c2b', '2a2b'];
  const solved = ({ moves }) => {
    // The first move throws away a win in 12; everything after it is lost.
    const scores = moves.length === 0 ? { '1d1c': 1, '2c2b': -1 } : { '2a2b': 1, '1a2b': 1 };
    return { ok: { moves: Object.entries(scores).map(([move, score]) => ({ move, score, bounds: [score, score], distance: 12 })) } };
  };
  const page = await visit(t, { game: 'dobutsu', kept: left(line), prepare: judging(solved) });
  await page.keyboard.press('y');
  const review = page.locator('#review');
  await review.locator('.turns').waitFor();
  assert.equal(await review.locator('.turns .quiet').textContent(), '1. Sente 2c2b ?? blunder: threw away a win in 12. Best: 1d1c.');
});

test('W6: the engine reviews a whole game', async (t) => {
  const page = await visit(t, { kept: left(await randomLine(2, 5)) });
  await page.keyboard.press('y');
  await page.waitForFunction(() => document.querySelector('#review .curve')?.getAttribute('d')?.split('L').length === 6);
});

for (const [locale, words] of /** @type {const} */ ([
  ['en-GB', { try: 'Try the turning points as puzzles', wrong: '65 % → 20 %. There is something better.', right: ' is the best move.', good: / keeps 6\d %\. The engine/, count: 'Puzzle 2 of 3' }],
  ['ja-JP', { try: '分かれ目を問題として解く', wrong: '65 % → 20 %。もっと良い手があります。', right: ' が最善手です。', good: /なら 6\d % を保ちます/, count: '3 問中 2 問目' }],
])) {
  test(`the turning points become puzzles, and the engine says what is right: ${locale}`, async (t) => {
    const line = await randomLine(8, 12);
    const legal = [3, 6, 8].map(async (ply) => (await show(line.slice(0, ply))).legal.filter((move) => move !== line[ply]));
    const options = await Promise.all(legal);
    // The best move is the last one; the last but one keeps the value; what was played, and the others, lose it.
    const best = (/** @type {string[]} */ of) => of.at(-1);
    const answer = (/** @type {any} */ request) => {
      const reviewed = values(request);
      if (request.position === undefined) {
        const at = [3, 6, 8].indexOf(request.moves.length);
        if (at >= 0) reviewed.ok.move = best(options[at]) ?? '';
        return reviewed;
      }
      const good = options[2].at(-2) === request.moves[0];
      return { ok: { ...reviewed.ok, value: good ? 0.34 : 0.8 } };
    };
    const page = await visit(t, { locale, kept: left(line, AGAINST), prepare: judging(answer) });
    await page.locator('[data-action="review"]').click();
    await page.locator('#review').getByRole('button', { name: words.try }).click();
    await page.locator('.lesson-dots').waitFor();
    await assertClean(page, 'puzzle');
    for (const name of ['show', 'next']) {
      await page.locator(`[data-puzzle="${name}"]`).click();
      if (name === 'show') await page.locator('.lesson-done').waitFor();
    }
    await page.locator(`.lesson-dots[aria-label="${words.count}"]`).waitFor();
    await page.locator('[data-puzzle="next"]').click();
    // The third is Black's fifth move: a bad move, then a good one, then the best.
    const [bad] = options[2];
    await page.waitForFunction(() => document.querySelectorAll('[data-puzzle="next"]').length === 0 && document.querySelector('.board.open'));
    await cell(page, bad).click();
    await page.locator('#note.shown', { hasText: `${bad}: 65 % → 20 %` }).waitFor();
    assert.equal(await page.locator('.lesson-done').count(), 0);
    await cell(page, options[2].at(-2)).click();
    assert.match((await page.locator('.lesson-done').textContent()) ?? '', words.good);
    await page.locator('[data-puzzle="again"]').click();
    await page.waitForFunction(() => !document.querySelector('.lesson-done') && document.querySelector('.board.open'));
    await cell(page, options[2].at(-1)).click();
    assert.ok((await page.locator('.lesson-done').textContent())?.includes(words.right));
    // Back at the game, with its review.
    await page.locator('[data-puzzle="back"]').click();
    await page.locator('#review .turns').waitFor();
    assert.equal(await page.locator('.lesson').count(), 0);
    assert.deepEqual(await moves(page), line);
  });
}

test('a verdict that comes late is not one on the next puzzle, and a lesson ends the puzzles', async (t) => {
  const late = gate();
  const judged = gate();
  const page = await visit(t, {
    kept: left(await randomLine(8, 12), AGAINST),
    prepare: judging(async (request) => {
      if (request.position === undefined) return values(request);
      judged.open();
      await late.opened;
      const { ok } = values({ moves: [] });
      return { ok: { ...ok, value: 0.1 } };
    }),
  });
  await page.locator('[data-action="review"]').click();
  await page.locator('#review').getByRole('button', { name: 'Try the turning points' }).click();
  const play = async (/** @type {string} */ puzzle) => {
    await page.locator(`.lesson-dots[aria-label="${puzzle} of 3"]`).waitFor();
    await page.waitForFunction(() => document.querySelector('.board.open'));
    await page.locator('.cell.can').first().click();
  };
  await play('Puzzle 1');
  await judged.opened;
  await page.locator('[data-puzzle="next"]').click();
  await page.locator('.lesson-dots[aria-label="Puzzle 2 of 3"]').waitFor();
  await page.waitForFunction(() => document.querySelector('.board.open'));
  late.open();
  await page.waitForTimeout(100);
  await play('Puzzle 2');
  await page.locator('.lesson-done').waitFor();

  await page.evaluate(() => void (location.hash = '#lesson=othello'));
  await page.locator('#lesson-title').waitFor();
  await page.locator('#puzzles-title').waitFor({ state: 'detached' });
  assert.equal(await page.locator('#play.learning').count(), 1);
});
