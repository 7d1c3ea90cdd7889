// What holds in every game alike, from the first press to the result: by the numbers of the checklist in checklist.test.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GAMES } from '../start/games.js';
import { address, assertClean, cell, left, moves, random, show, spoken, visit, withBrowser } from './browser.mjs';

withBrowser();

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{text: string, side: string}} Move */

/** Games between two people, with moves of both, and of each unit of an army. */
const LINES = Object.entries(GAMES).map(([game, { moves }]) => /** @type {[string, string[]]} */ ([game, moves.split(';')]));

const EVERY = LINES.map(([game]) => game);

/** What else a game needs to be over soon. @type {Record<string, {rules?: string, position?: string}>} */
const SHORT = {
  golad: { position: '0.00..../.00.1.../...0.11./..0.1..1/....11.. 0 0' },
  tubstap: {
    position: 'SIZE 8 6 LIMIT 9 THRESHOLD 0 TERRAIN 00000000/01113110/01111110/01141110/01111110/00000000 TURN 0 SIDE 0 UNITS 0:P:0:1,2:9:0 1:P:1:4,2:8:0 2:I:0:6,4:10:0',
  },
};

/**
 * A game as the page keeps it, with the sides that the server names.
 * @param {string} game
 * @param {string[]} line
 */
async function kept(game, line, more = {}) {
  /** @type {Move[]} */
  const played = [];
  for (const [i, text] of line.entries()) played.push({ text, side: (await show(line.slice(0, i), game)).side });
  return { ...left([]), moves: played, ...more };
}

/**
 * A random move. Those of a game whose moves are too many to be listed are built from the board.
 * @param {any} shown
 * @param {(below: number) => number} below
 */
function someMove({ legal, board, side }, below) {
  if (legal) return legal[below(legal.length)];
  const draw = (/** @type {any[]} */ from) => from.splice(below(from.length), 1)[0].at;
  const [dead, living] = [board.cells.filter((one) => !one.owner), board.cells.filter((one) => one.owner)];
  const own = living.filter((one) => one.owner === side);
  if (below(3) === 0 && living.length) return `kill ${draw(living)}`;
  if (own.length < 2 || !dead.length) return 'pass';
  const given = [draw(own), draw(own)].sort((a, b) => board.cells.findIndex(({ at }) => at === a) - board.cells.findIndex(({ at }) => at === b));
  return `birth ${draw(dead)} ${given.join(' ')}`;
}

/**
 * A random game of at most this many plies that is not over.
 * @param {string} game
 * @param {number} seed
 * @param {number} plies
 */
async function randomGame(game, seed, plies) {
  const below = random(seed);
  /** @type {string[]} */
  const line = [];
  let shown = await show(line, game);
  while (line.length < plies) {
    const move = someMove(shown, below);
    shown = await show([...line, move], game);
    if (shown.outcome) break;
    line.push(move);
  }
  return line;
}

/** @param {Page} page @param {number} ply */
const arrived = (page, ply) => page.locator(`#moves [data-ply="${ply}"][aria-current]`).waitFor();

/** @param {Page} page @param {string} move */
async function type(page, move) {
  await page.locator('#enter-move').fill(move);
  await page.locator('#enter-move').press('Enter');
}

/**
 * How many moves the page offers, as its marks and the names of its places say it; in TUBSTAP, how many units have one.
 * @param {Page} page
 * @param {string} game
 * @param {any} shown
 */
async function offered(page, game, shown) {
  const can = await page.locator('.cell.can:not(.slot)').count();
  if (game === 'tubstap') return can;
  if (game === 'othello') return (await page.locator('.marks .legal').count()) === can ? can : NaN;
  if (game === 'golad') {
    // Any living cell may die; any dead one is born of two cells of the mover's; and there is the pass.
    const living = shown.board.cells.filter((one) => one.owner).length;
    const own = shown.board.cells.filter((one) => one.owner === shown.side).length;
    const dead = own > 1 ? shown.board.cells.length - living : 0;
    assert.equal(can, living + dead);
    return living + (dead * own * (own - 1)) / 2 + 1;
  }
  if (game === 'blokus') {
    const labels = await page.locator(`[data-owner="${shown.side}"][data-held]`).evaluateAll((slots) => slots.map((slot) => slot.getAttribute('aria-label') ?? ''));
    return labels.reduce((sum, label) => sum + Number(/placements: (\d+)$/.exec(label)?.[1] ?? 0), 0);
  }
  let count = 0;
  for (const start of await page.locator('.cell.can').all()) {
    await start.click();
    count += await page.locator('.marks .legal').count();
    await page.keyboard.press('Escape');
  }
  return count;
}

for (const game of EVERY) {
  test(`W1: ${game}: the marks are the server’s legal moves at 20 random positions, and the last move is marked`, async (t) => {
    let line = await randomGame(game, 1, 40);
    for (let seed = 2; line.length < 21; seed += 1) line = await randomGame(game, seed, 40);
    const page = await visit(t, { game, kept: await kept(game, line), shown: `#moves [data-ply="${line.length}"][aria-current]` });
    await page.locator('.board.open').waitFor();
    for (let ply = line.length - 1; ply >= line.length - 20; ply -= 1) {
      const shown = await show(line.slice(0, ply), game);
      // What is taken back ends where there is a choice, not at a forced pass.
      if (['pass', 'pa'].includes(shown.legal?.join())) continue;
      await page.keyboard.press('u');
      await arrived(page, ply);
      await page.locator('.board.open').waitFor();
      const units = new Set(shown.legal?.filter((/** @type {string} */ move) => move !== 'end').map((/** @type {string} */ move) => move.split('@')[0]));
      const passes = shown.legal?.includes('pass') ? 1 : 0;
      const expected = game === 'tubstap' ? units.size : game === 'blokus' ? shown.legal_count - passes : shown.legal_count;
      assert.equal(await offered(page, game, shown), expected, line.slice(0, ply).join(' '));
      const tagged = shown.board.cells.filter((/** @type {any} */ one) => one.tags.includes('last')).length;
      assert.equal(await page.locator('.cell[aria-label*="last move"]').count(), tagged, line.slice(0, ply).join(' '));
    }
  });

  test(`W2: ${game}: a press on any cell that is no move changes nothing, and says why`, async (t) => {
    const line = (GAMES[game].moves.split(';')).slice(0, 6);
    const page = await visit(t, { game, kept: await kept(game, line), shown: `#moves [data-ply="${line.length}"][aria-current]` });
    await page.locator('.board.open').waitFor();
    const cannot = await page.locator('.cell:not(.can)').evaluateAll((cells) => cells.map((one, i) => (one.setAttribute('data-test', String(i)), i)));
    // In the Game of Life and Death every cell may be killed or born.
    assert.equal(cannot.length > 0, game !== 'golad');
    for (const i of cannot) {
      await page.evaluate(() => document.querySelector('#note')?.classList.remove('shown'));
      await page.locator(`[data-test="${i}"]`).click();
      await page.locator('#note.shown:not(:empty)').waitFor();
    }
    if (game === 'golad') await type(page, 'kill 0,0');
    else await type(page, 'hello');
    await page.locator('#note.shown:not(:empty)').waitFor();
    assert.deepEqual(await moves(page, game), line);
    assert.ok((await spoken(page, /./)).length, 'it is announced');
  });

  test(`W3, W4: ${game}: moves are typed, taken back and played again, stepped through, and looked at by keys`, async (t) => {
    const line = GAMES[game].moves.split(';').slice(0, 6);
    const page = await visit(t, { game, kept: left([]) });
    for (const [i, move] of line.entries()) {
      await type(page, move);
      await arrived(page, i + 1);
    }
    const same = async (/** @type {number} */ plies) => assert.equal((await show(await moves(page, game), game)).position, (await show(line.slice(0, plies), game)).position);
    await same(6);
    await page.locator('#title').evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('u');
    await arrived(page, 3);
    await same(3);
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('r');
    await arrived(page, 6);
    await same(6);

    const press = async (/** @type {string} */ key, /** @type {number} */ ply) => {
      await page.keyboard.press(key);
      await arrived(page, ply);
    };
    await press('Home', 0);
    await press('ArrowRight', 1);
    if (game === 'golad') await press('ArrowRight', 1);
    await press('ArrowRight', 2);
    await press('End', 6);
    if (game === 'golad') await press('ArrowLeft', 6);
    await press('ArrowLeft', 5);
    await press('End', 6);
    const corner = cell(page, (await show([], game)).board.cells[0].at);
    const before = await corner.boundingBox();
    await page.keyboard.press('f');
    assert.notDeepEqual(await corner.boundingBox(), before, 'the board is turned');
    await page.keyboard.press('f');
    await page.keyboard.press('Space');
    await page.locator('#note.shown', { hasText: /^Hint: / }).waitFor();
    await page.keyboard.press('x');
    await page.locator('#note.shown', { hasText: /^The other side would play / }).waitFor();
    await page.keyboard.press('?');
    await page.locator('#help-dialog[open]').waitFor();
    assert.deepEqual(await moves(page, game), line, 'a hint is not played');
  });

  test(`W12: ${game}: the board is a grid of named cells with one tab stop, and moves are announced`, async (t) => {
    const page = await visit(t, { game, kept: left([]) });
    const { board } = await show([], game);
    const grid = page.getByRole('grid');
    assert.equal(await grid.getByRole('row').count(), board.height);
    const cells = await grid.getByRole('gridcell').evaluateAll((all) => all.map((one) => [one.getAttribute('data-at') ?? '', one.getAttribute('aria-label') ?? '']));
    assert.equal(cells.length, board.cells.length);
    for (const [at, label] of cells) assert.ok(label.startsWith(`${at}, `), `${at}: ${label}`);
    for (const { at, piece } of board.cells) assert.equal(/, empty/.test(Object.fromEntries(cells)[at]), piece === null, at);
    assert.equal(await page.locator('.cell[tabindex="0"]').count(), 1);
    assert.equal(await page.locator('#live').getAttribute('aria-live'), 'polite');
    await page.getByLabel('Type a move').fill(GAMES[game].moves.split(';')[0]);
    await page.keyboard.press('Enter');
    await arrived(page, 1);
    const side = await page.locator('.player-card b').first().textContent();
    assert.ok((await spoken(page, new RegExp(`^${side}: `))).length, 'the move is announced');
    await assertClean(page, game);
  });

  test(`W5: ${game}: engine against engine, with pause, a single step and “move now”, to the result`, async (t) => {
    const seats = { first: 'random', second: 'engine:level=1' };
    const line = SHORT[game] ? [] : await randomGame(game, 3, 200);
    // A few moves before the end.
    const near = line.slice(0, Math.max(0, line.length - 4));
    const page = await visit(t, { game, kept: { ...(await kept(game, near)), seats, from: SHORT[game] ?? {}, paused: true } });
    await page.getByRole('button', { name: 'One move', exact: true }).click();
    await arrived(page, near.length + 1);
    await page.keyboard.press('p');
    await page.locator('.status.over').waitFor({ timeout: 60_000 });
    const { outcome } = await show(await moves(page, game), game, SHORT[game]);
    assert.ok(outcome);
    assert.match((await page.locator('#status').textContent()) ?? '', /wins|draw/);
  });

  test(`W9: ${game}: a link holds the whole game, and opens it in a fresh browser`, async (t) => {
    const line = GAMES[game].moves.split(';').slice(0, 12);
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await visit(t, { game, permissions, kept: await kept(game, line), shown: `#moves [data-ply="${line.length}"][aria-current]` });
    await page.keyboard.press('c');
    await page.locator('#note.shown', { hasText: 'Link copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(link.startsWith(new URL('#play=', address).href), link);
    const other = await visit(t, { at: link, shown: `#moves [data-ply="${line.length}"][aria-current]` });
    assert.equal((await show(await moves(other, game), game)).position, (await show(line, game)).position);
  });

  test(`W15: ${game}: 320 × 640 is enough, fingers find the controls, and the page may be zoomed`, async (t) => {
    const viewport = { width: 320, height: 640 };
    const page = await visit(t, { game, viewport, hasTouch: true, isMobile: true, kept: await kept(game, GAMES[game].moves.split(';').slice(0, 8)) });
    await arrived(page, 8);
    const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
    assert.doesNotMatch((await page.locator('meta[name="viewport"]').getAttribute('content')) ?? '', /user-scalable|maximum-scale/);
    const small = await page.locator('button:visible:not(.held-piece:not(.can)), a:visible, select:visible, .switch:visible, .panel input[type="text"]:visible').evaluateAll((all) =>
      all.filter((one) => !one.closest('.skip') && one.getBoundingClientRect().height < 43.5).map((one) => `${one.outerHTML.slice(0, 80)} ${one.getBoundingClientRect().height}`),
    );
    assert.deepEqual(small, []);
  });
}

test('W20: an error is explained, and what a report needs can be copied', async (t) => {
  const page = await visit(t, { permissions: ['clipboard-read', 'clipboard-write'], kept: left(['f5']) });
  await type(page, 'a1');
  await page.locator('#note.shown', { hasText: 'a1 would flip nothing.' }).waitFor();
  await page.locator('[data-action="help"], #help').locator('visible=true').click();
  const dialog = page.locator('#help-dialog[open]');
  await dialog.getByRole('button', { name: 'Copy diagnostics' }).click();
  await page.locator('#note.shown', { hasText: 'Copied' }).waitFor();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(copied.game, 'othello');
  assert.deepEqual(copied.moves.map((/** @type {Move} */ move) => move.text), ['f5']);
  assert.equal(copied.faults.at(-1).reason, 'turns_nothing');
  assert.match(copied.userAgent, /Chrome/);
  await assertClean(page, 'help');
  // Without the permission the words are there to be copied by hand.
  const locked = await visit(t, { locale: 'ja-JP', prepare: (page) => page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined })) });
  await locked.keyboard.press('?');
  await locked.getByRole('button', { name: '診断情報をコピー' }).click();
  assert.match(await locked.locator('#diagnostics').inputValue(), /"game": "othello"/);
  await assertClean(locked, 'diagnostics');
});

test('W19: a new game begins with the last choices, and nothing is kept in cookies', async (t) => {
  const page = await visit(t);
  await page.keyboard.press('n');
  await page.locator('select[name="first"]').selectOption('random');
  await page.locator('select[name="second"]').selectOption('');
  await page.locator('select[name="time"]').selectOption('3000');
  await page.locator('#new-dialog button[type="submit"]').click();
  await page.locator('#new-dialog').waitFor({ state: 'hidden' });
  await page.reload();
  await page.locator('.cell').first().waitFor();
  await page.keyboard.press('n');
  await page.locator('#new-dialog[open]').waitFor();
  const chosen = await page.locator('#new-dialog select').evaluateAll((all) => all.map((one) => [one.getAttribute('name'), /** @type {HTMLSelectElement} */ (one).value]));
  assert.deepEqual(Object.fromEntries(chosen), { first: 'random', second: '', time: '3000' });
  assert.deepEqual(await page.context().cookies(), []);
});
