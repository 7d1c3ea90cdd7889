// Blokus Duo: pieces that are chosen, turned, mirrored and placed; corners, placements and engines' moves on the board.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { view } from '../views/blokus.js';
import { assertClean, cell, left, moves, random, reached, show, spoken, visit, withBrowser } from './browser.mjs';

withBrowser();

const game = 'blokus';
const { cells: cellsOf, shapes } = view.pieces;
/** @typedef {import('playwright-core').Page} Page */

const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 320, height: 640 };
/** Six placements of five squares by each side. */
const LINE = [
  'e10,f10,d11,e11,e12', 'i5,j5,i6,j6,j7', 'b11,b12,c12,c13,d13', 'h7,h8,f9,g9,h9', 'f13,f14,g14,h14,i14', 'i10,j10,h11,i11,h12',
  'b8,a9,b9,c9,d9', 'e4,e5,f5,g5,g6', 'k11,j12,k12,j13,k13', 'b2,c2,d2,b3,d3', 'c5,a6,b6,c6,c7', 'j2,i3,j3,k3,k4',
];

/** @param {string} move */
const sorted = (move) => move.split(',').sort().join();

/** @param {Page} page @param {string} side @param {string} piece */
const inHand = (page, side, piece) => page.locator(`[data-owner="${side}"][data-held="${piece}"]`);

/** @param {Page} page @param {string} name */
const button = (page, name) => page.locator(`[data-hold="${name}"]`);

/** @param {Page} page @param {number} ply */
const arrived = (page, ply) => page.locator(`#moves [data-ply="${ply}"][aria-current]`).waitFor();

const prompt = (/** @type {Page} */ page) => page.locator('#draft-prompt').textContent();

/**
 * The placements of the held piece that the page offers: for each cell that can be pressed, the cells that it says it covers.
 * @param {Page} page
 * @returns {Promise<Map<string, string>>}
 */
const offered = async (page) =>
  new Map(
    await page.locator('.cell.can').evaluateAll((cells) =>
      cells.map((one) => {
        const covered = /covers (.*)$/.exec(one.getAttribute('aria-label') ?? '')?.[1] ?? '';
        return /** @type {[string, string]} */ ([covered.split(', ').sort().join(), one.getAttribute('data-at') ?? '']);
      }),
    ),
  );

/** The keys that lead through all ways to turn and mirror a piece. */
const TURNS = ['w', 'w', 'w', 'v', 'w', 'w', 'w'];

/**
 * Turns the held piece until it can be placed on the cells of a move.
 * @param {Page} page
 * @param {string} move
 * @param {(key: string) => Promise<void>} turn
 * @returns {Promise<string>} the cell to press
 */
async function turnTo(page, move, turn) {
  for (const key of [...TURNS, '']) {
    const at = (await offered(page)).get(sorted(move));
    if (at) return at;
    if (key) await turn(key);
  }
  return assert.fail(`${move} is not offered`);
}

/** The same for a shape in all its turns. @param {number[][]} shape */
function canonical(shape) {
  const texts = [];
  for (let turn = 0; turn < 8; turn += 1) {
    shape = turn === 4 ? shape.map(([x, y]) => [-x, y]) : shape.map(([x, y]) => [-y, x]);
    const [left, top] = [0, 1].map((i) => Math.min(...shape.map((at) => at[i])));
    texts.push(shape.map(([x, y]) => `${x - left} ${y - top}`).sort().join());
  }
  return texts.sort()[0];
}

const pieceNames = new Map(Object.keys(shapes).map((piece) => [canonical(shapes[piece]), piece]));

/** @param {string} move */
const pieceOf = (move) => pieceNames.get(canonical(cellsOf(move)?.map((at) => [at.charCodeAt(0), Number(at.slice(1))]) ?? [])) ?? '';

test('the pieces are the server’s', async () => {
  const { board } = await show([], game);
  for (const hand of board.hands) assert.deepEqual([...hand].sort(), Object.keys(shapes).sort());
  const squares = Object.values(shapes).map((shape) => shape.length);
  assert.equal(squares.reduce((a, b) => a + b), 89);
  // Each of the 414 first moves is of a piece, and all pieces have one.
  const { legal } = await show([], game);
  assert.equal(legal.length, 414);
  assert.deepEqual([...new Set(legal.map(pieceOf))].sort(), Object.keys(shapes).sort());
  assert.deepEqual(cellsOf('pass'), []);
  assert.equal(cellsOf('z99'), null);
});

for (const line of [[], LINE]) {
  test(`W1: the placements that the page shows are the server’s legal moves: after ${line.length} plies`, async (t) => {
    const page = await visit(t, { game, kept: left(line) });
    const { legal, board } = await show(line, game);
    assert.equal(await page.locator('.cell.can').count(), 0, 'nothing is held');
    /** @type {Set<string>} */
    const found = new Set();
    for (const piece of board.hands[0]) {
      const slot = inHand(page, 'first', piece);
      const own = legal.filter((/** @type {string} */ move) => pieceOf(move) === piece);
      assert.match((await slot.getAttribute('aria-label')) ?? '', new RegExp(`, placements: ${own.length}$`));
      assert.equal(await slot.getAttribute('aria-disabled'), String(own.length === 0));
      if (!own.length) continue;
      await slot.click();
      const before = found.size;
      for (const key of [...TURNS, '']) {
        const here = await offered(page);
        for (const covered of here.keys()) found.add(covered);
        assert.match((await prompt(page)) ?? '', new RegExp(`^${piece}\\. Placements as it lies: ${here.size}; turned and mirrored: ${own.length}\\.$`));
        assert.equal(await page.locator('.marks .legal').count(), here.size);
        if (key) await page.keyboard.press(key);
      }
      assert.equal(found.size - before, own.length, piece);
      await slot.click();
    }
    assert.deepEqual([...found].sort(), legal.map(sorted).sort());
  });
}

test('a sequence by clicks, with the buttons that turn', async (t) => {
  const page = await visit(t, { game, kept: left([]) });
  for (const [ply, move] of LINE.entries()) {
    const side = ply % 2 ? 'second' : 'first';
    await inHand(page, side, pieceOf(move)).click();
    const at = await turnTo(page, move, (key) => button(page, key === 'v' ? 'mirror' : 'right').click());
    await cell(page, at).hover();
    assert.equal(await page.locator('.marks .ghost').count(), cellsOf(move)?.length);
    await cell(page, at).click();
    await arrived(page, ply + 1);
    await page.locator('#said', { hasText: `: ${pieceOf(move)} on ` }).waitFor();
    const { board } = await show(LINE.slice(0, ply + 1), game);
    assert.deepEqual(await page.locator('.player-card .score').allTextContents(), [String(board.extra.first), String(board.extra.second)]);
    assert.equal(await inHand(page, side, pieceOf(move)).isVisible(), false, 'the piece has left the hand');
    for (const owner of ['first', 'second']) {
      assert.equal(await page.locator(`.pieces .square.${owner}`).count(), board.cells.filter((one) => one.owner === owner).length);
      const corners = board.cells.filter(({ tags }) => tags.includes(`corner-${owner}`)).length;
      assert.equal(await page.locator(`.marks .corner.${owner}`).count(), corners);
    }
  }
  assert.deepEqual((await moves(page, game)).map(sorted), LINE.map(sorted));
});

test('W11: a whole game by keys alone', async (t) => {
  const page = await visit(t, { game: 'blokus', kept: left([]) });
  await page.keyboard.press('b');
  while (!(await page.locator('.status.over').count())) {
    const { length } = await moves(page, 'blokus');
    // The last piece that can be placed, the next cell where it fits, and there.
    await page.waitForFunction(() => document.querySelector('.board.open, .status.over'));
    for (const key of ['j', 'd', 'Enter']) await page.keyboard.press(key);
    await reached(page, length + 1, 'blokus');
  }
  const { outcome, board } = await show(await moves(page, 'blokus'), 'blokus');
  assert.ok(outcome);
  assert.deepEqual(await page.locator('.player-card .score').allTextContents(), [String(board.extra.first), String(board.extra.second)]);
});

test('a sequence by keys alone', async (t) => {
  const page = await visit(t, { game, kept: left([]) });
  const focused = (/** @type {string} */ name) => page.evaluate((name) => document.activeElement?.getAttribute(name) ?? '', name);
  for (const [ply, move] of LINE.slice(0, 6).entries()) {
    if (ply % 2) {
      // From the hand: arrows to the piece, Enter takes it and goes to the board.
      await page.locator('.held-pieces.mine [tabindex="0"]').focus();
      while ((await focused('data-held')) !== pieceOf(move)) await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
    } else {
      await page.keyboard.press('b');
      do await page.keyboard.press(ply % 4 ? 'j' : 'k');
      while (!(await prompt(page))?.startsWith(`${pieceOf(move)}.`));
    }
    const at = await turnTo(page, move, (key) => page.keyboard.press(key));
    if (ply < 3) while ((await focused('data-at')) !== at) await page.keyboard.press('d');
    else {
      const step = async (/** @type {string} */ plus, /** @type {string} */ minus, /** @type {(at: string) => number} */ of) => {
        while (of(await focused('data-at')) !== of(at)) await page.keyboard.press(of(await focused('data-at')) < of(at) ? plus : minus);
      };
      await step('ArrowRight', 'ArrowLeft', (name) => name.charCodeAt(0));
      await step('ArrowUp', 'ArrowDown', (name) => Number(name.slice(1)));
    }
    await page.keyboard.press(ply % 2 ? 'Enter' : 'Space');
    await arrived(page, ply + 1);
  }
  assert.deepEqual((await moves(page, game)).map(sorted), LINE.slice(0, 6).map(sorted));
});

test('W15: the first touch shows a placement, the buttons turn it, and a second touch or the button plays it', async (t) => {
  const page = await visit(t, { game, kept: left(LINE.slice(0, 2)), viewport: NARROW, hasTouch: true });
  for (const [ply, move] of LINE.slice(2, 4).entries()) {
    await inHand(page, ply ? 'second' : 'first', pieceOf(move)).tap();
    const at = await turnTo(page, move, (key) => button(page, key === 'v' ? 'mirror' : 'left').tap());
    assert.equal(await button(page, 'play').getAttribute('aria-disabled'), 'true');
    await cell(page, at).tap();
    assert.equal(await page.locator('.marks .ghost').count(), cellsOf(move)?.length);
    assert.equal((await moves(page, game)).length, 2 + ply, 'nothing is played yet');
    await (ply ? button(page, 'play') : cell(page, at)).tap();
    await arrived(page, 3 + ply);
  }
  assert.deepEqual((await moves(page, game)).map(sorted), LINE.slice(0, 4).map(sorted));
});

test('W2: placements that do not fit are shown and announced, and a piece can be put back', async (t) => {
  const page = await visit(t, { game, kept: left(LINE) });
  const note = (/** @type {string} */ words) => page.locator('#note.shown', { hasText: words }).waitFor();
  assert.equal(await prompt(page), 'Choose a piece.');
  await cell(page, 'n1').click();
  await note('Choose a piece.');
  await inHand(page, 'first', '2').click();
  assert.equal(await inHand(page, 'first', '2').getAttribute('aria-pressed'), 'true');
  await cell(page, 'n1').hover();
  const misfits = await page.locator('.marks .misfit').count();
  assert.ok(misfits === 1 || misfits === 2, 'a part may be off the board');
  await cell(page, 'n1').click();
  await note('n1: the piece does not fit there.');
  await page.keyboard.press('Escape');
  assert.equal(await prompt(page), 'Choose a piece.');
  assert.equal(await page.locator('.marks .misfit, .marks .legal').count(), 0);
  // The other side's hand is not the mover's to play from.
  await inHand(page, 'second', '1').focus();
  await page.keyboard.press('Enter');
  assert.equal(await prompt(page), 'Choose a piece.');
  // Typed moves are refused with the reason.
  for (const [move, why] of [['n1', 'touch a corner'], ['e9', 'share an edge'], ['e10', 'is taken']]) {
    await page.locator('#enter-move').fill(move);
    await page.keyboard.press('Enter');
    await note(why);
  }
  assert.deepEqual(await moves(page, game), LINE);
});

test('a piece that fits nowhere cannot be picked up', async (t) => {
  const below = random(5);
  const line = [...LINE];
  /** @type {string[]} */
  let stuck = [];
  /** @type {any} */
  let shown;
  // Two plies at a time, so that Violet is to move.
  for (let plies = 0; !stuck.length; plies += 1) {
    shown = await show(line, game);
    assert.ok(shown.legal[0] !== 'pass', 'some piece fits');
    const placed = new Set(shown.legal.map(pieceOf));
    if (plies % 2 === 0) stuck = shown.board.hands[0].filter((/** @type {string} */ piece) => !placed.has(piece));
    if (!stuck.length) line.push(shown.legal[below(shown.legal.length)]);
  }
  const page = await visit(t, { game, kept: left(line) });
  assert.equal(await page.locator('.held-pieces.first [aria-disabled="true"]:not(.gone)').count(), stuck.length);
  await inHand(page, 'first', stuck[0]).focus();
  await page.keyboard.press('Enter');
  await page.locator('#note.shown', { hasText: `${stuck[0]} fits nowhere now.` }).waitFor();
  assert.equal(await prompt(page), 'Choose a piece.');
});

test('W12: cells and hands are named', async (t) => {
  const page = await visit(t, { game, kept: left(LINE) });
  const label = (/** @type {string} */ at) => cell(page, at).getAttribute('aria-label');
  assert.equal(await label('e10'), 'e10, Violet square');
  assert.equal(await label('k4'), 'k4, Orange square, last move');
  assert.equal(await label('b14'), 'b14, empty, corner of Violet');
  assert.equal(await label('n14'), 'n14, empty');
  await inHand(page, 'first', '1').click();
  assert.equal(await label('b14'), 'b14, empty, fits, corner of Violet, covers b14');
  assert.equal(await page.getByRole('group', { name: 'Violet’s hand' }).getByRole('button').count(), 15);
  assert.equal(await page.getByRole('group', { name: 'Orange’s hand' }).getByRole('button').count(), 15);
  assert.equal(await inHand(page, 'second', 'X').getAttribute('aria-label'), 'X, squares: 5');
  assert.match((await page.locator('#said').textContent()) ?? '', /^Orange: F on j2, i3, j3, k3, k4\. Legal moves: 107\.$/);
  await page.keyboard.press('g');
  const [said] = await spoken(page, /Violet to move/);
  assert.match(said, /Violet 30, Orange 30\. Violet’s hand, 1, 2, I3, .*Legal moves: 107\.$/);
});

test('on a turned board a piece keeps its look and fits in the same ways', async (t) => {
  const page = await visit(t, { game, kept: left(LINE) });
  await inHand(page, 'first', 'L4').click();
  const all = async () => {
    /** @type {string[]} */
    const found = [];
    for (const key of [...TURNS, 'v']) {
      found.push(...(await offered(page)).keys());
      await page.keyboard.press(key);
    }
    return [...new Set(found)].sort();
  };
  const straight = await all();
  assert.ok(straight.length > 0);
  await page.keyboard.press('f');
  assert.deepEqual(await all(), straight);
});

test('a game is played to its end, with automatic passes', async (t) => {
  const below = random(3);
  /** @type {string[]} */
  const line = [];
  let shown = await show(line, game);
  while (!shown.outcome) {
    line.push(shown.legal[below(shown.legal.length)]);
    shown = await show(line, game);
  }
  const last = line.findLastIndex((move) => move !== 'pass');
  assert.ok(line.includes('pass'));
  const sides = [];
  for (let ply = 0; ply < last; ply += 1) sides.push({ text: line[ply], side: (await show(line.slice(0, ply), game)).side });
  const page = await visit(t, { game, kept: { ...left([]), moves: sides } });
  await page.locator('.held-piece.can').first().waitFor();
  await inHand(page, (await show(line.slice(0, last), game)).side, pieceOf(line[last])).click();
  await cell(page, await turnTo(page, line[last], (key) => page.keyboard.press(key))).click();
  await page.locator('.status.over').waitFor();
  assert.equal((await moves(page, game)).length, line.length);
  const { winner, margin } = shown.outcome;
  const words = winner === null ? 'A draw' : `${winner === 'first' ? 'Violet' : 'Orange'} wins by ${margin}`;
  assert.equal(await page.locator('#status').textContent(), words);
  assert.deepEqual(await page.locator('.player-card .score').allTextContents(), [String(shown.board.extra.first), String(shown.board.extra.second)]);
});

/** What an engine thinks of the position after `LINE`. */
const THOUGHT = [
  { moves: ['l10,m10,n10', 'n14'], value: 0.62, eval: { n: 3, unit: 'points' } },
  { moves: ['l14,m14,n14'], value: 0.58, eval: { n: 2, unit: 'points' } },
  { moves: ['b14'], value: 0.4, eval: { n: -1, unit: 'points' } },
];

/** Answers `think` in place of the server. @param {Page} page */
const thinking = (page) =>
  page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const { id, op } = JSON.parse(String(text));
      const report = { move: THOUGHT[0].moves[0], value: 0.62, lines: THOUGHT, nodes: 162321, playouts: null, depth: 2, ms: 97 };
      if (op === 'think') socket.send(JSON.stringify({ id, ok: report }));
      else server.send(text);
    });
  });

test('W6: the engine’s best placements are drawn on the board', async (t) => {
  const page = await visit(t, { game, kept: left(LINE), prepare: thinking });
  await page.keyboard.press('a');
  const best = page.locator('.sketches .best');
  await best.waitFor();
  const sketches = page.locator('.sketches .sketch');
  // The best is drawn over the others.
  assert.deepEqual(await sketches.locator('.value').allTextContents(), ['40', '58', '62']);
  assert.equal(await best.locator('.idea').count(), 3);
  const middle = async (/** @type {import('playwright-core').Locator} */ place) => {
    const { x, y, width, height } = (await place.boundingBox()) ?? assert.fail();
    return [x + width / 2, y + height / 2];
  };
  for (const [i, at] of ['l10', 'm10', 'n10'].entries()) {
    const [drawn, wanted] = [await middle(best.locator('.idea').nth(i)), await middle(cell(page, at))];
    assert.ok(Math.hypot(drawn[0] - wanted[0], drawn[1] - wanted[1]) < 2, at);
  }
  // While a piece is held they are not drawn.
  await inHand(page, 'first', '1').click();
  assert.equal(await sketches.count(), 0);
  await page.keyboard.press('b');
  await page.keyboard.press('Escape');
  assert.equal(await sketches.count(), 3);
  await page.keyboard.press('a');
  assert.equal(await sketches.count(), 0);
  await page.keyboard.press('h');
  await page.locator('#note.shown', { hasText: 'Hint: l10,m10,n10.' }).waitFor();
  assert.equal(await best.locator('.idea').count(), 3);
  assert.match((await cell(page, 'm10').getAttribute('aria-label')) ?? '', /hint$/);
});

test('W13: colours differ by pattern too', async (t) => {
  const page = await visit(t, { game, kept: left(LINE) });
  assert.equal(await page.locator('.pieces .square.first path.pattern').count(), 30);
  assert.equal(await page.locator('.pieces .square.second circle.pattern').count(), 30);
  assert.equal(await page.locator('.pieces .pattern').count(), 60);
  assert.ok((await page.locator('.held-pieces.first path.pattern').count()) > 0);
  assert.equal(await page.locator('.held-pieces.first circle.pattern').count(), 0);
});

test('W16: everything is in Japanese, and another game hides the hands', async (t) => {
  const page = await visit(t, { game, locale: 'ja-JP', kept: left(LINE) });
  assert.equal(await prompt(page), 'ピースを選んでください。');
  await inHand(page, 'first', '1').click();
  assert.equal(await cell(page, 'b14').getAttribute('aria-label'), 'b14、空き、置ける、紫の角、b14 を覆う');
  const help = page.locator('#help-dialog[open]');
  const key = help.locator('tr', { hasText: 'ピースを裏返す' });
  await page.keyboard.press('?');
  await key.waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#game').selectOption('othello');
  await page.getByRole('grid', { name: 'オセロの盤' }).waitFor();
  assert.equal(await page.locator('#draft').isVisible(), false);
  await page.keyboard.press('?');
  await help.locator('tr', { hasText: '盤上: 着手' }).waitFor();
  assert.equal(await key.count(), 0);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  for (const viewport of [WIDE, NARROW]) {
    test(`W14: axe finds nothing: ${colorScheme} ${viewport.width}`, async (t) => {
      const page = await visit(t, { game, colorScheme, viewport, kept: left(LINE), prepare: thinking });
      await page.keyboard.press('a');
      await page.locator('.sketches .best').waitFor();
      await assertClean(page, 'analysing');
      await inHand(page, 'first', 'L4').click();
      await page.locator('.cell.can').first().hover();
      await assertClean(page, 'a piece is held');
      const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
      if (viewport !== WIDE) return;
      const [hand, board] = [await page.locator('.held-pieces.first').boundingBox(), await page.locator('#board').boundingBox()];
      assert.ok(hand && board && hand.x + hand.width <= board.x && Math.abs(hand.height - board.height) < 2, 'the hand is beside the board');
      assert.ok(((await page.locator('.draft .actions').boundingBox())?.y ?? 999) < 760, 'the buttons are in sight');
    });
  }
}
