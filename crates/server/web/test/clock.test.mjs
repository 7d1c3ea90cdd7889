// W10: clocks. Time is simulated: it passes only where a test lets it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertClean, cell, heldBack, left, legalCells, moves, PEOPLE, reached, spoken, until, visit, withBrowser } from './browser.mjs';

withBrowser();

const SUDDEN = { mainMs: 120_000, incrementMs: 0, byoyomiMs: 0, casual: false };
const ENGINE = { first: null, second: 'engine:level=1' };

/** @param {import('playwright-core').Page} page */
const still = (page) => page.clock.install({ time: new Date('2026-01-01T10:00:00Z') });

/** @param {import('playwright-core').Page} page @param {number} seconds */
const wait = (page, seconds) => page.clock.runFor(seconds * 1000);

/** @param {import('playwright-core').Page} page */
const faces = (page) => page.locator('.clock').allTextContents();

/** @param {import('playwright-core').Page} page @param {string[]} expected to the second: time passes while the test itself runs */
async function assertFaces(page, ...expected) {
  const seconds = (/** @type {string} */ face) => face.replace('−', '').split(':').reduce((sum, part) => 60 * sum + Number(part), 0) * (face.startsWith('−') ? -1 : 1);
  const shown = await faces(page);
  shown.forEach((face, i) => assert.ok(Math.abs(seconds(face) - seconds(expected[i])) <= 1.5, `${shown}, expected ${expected}`));
  assert.equal(shown.length, 2);
}

/** Plays the first legal move. @param {import('playwright-core').Page} page */
async function move(page) {
  const { length } = await moves(page);
  await cell(page, (await legalCells(page))[0]).click();
  await reached(page, length + 1);
}

/** The limits of all requests to think for the game. @param {import('playwright-core').Page} page @param {any[]} limits */
const watchLimits = async (page, limits) => {
  await still(page);
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const request = JSON.parse(String(payload));
      if (request.op === 'think' && request.session === 'play') limits.push(request.limits);
    }),
  );
};

test('W10: a Fischer clock chosen in the dialog runs for the side to move; undo gives the time back', async (t) => {
  const page = await visit(t, { prepare: still });
  await page.keyboard.press('n');
  for (const side of ['first', 'second']) await page.locator(`select[name="${side}"]`).selectOption('');
  await page.getByRole('switch', { name: 'Play with clocks' }).click();
  await page.getByLabel('Time control').selectOption({ label: 'Fischer: each move adds time' });
  assert.equal(await page.locator('select[name="time"]').isVisible(), false);
  await assertClean(page, 'dialog');
  await page.getByLabel('Minutes for each side').fill('4');
  await page.getByLabel('Seconds added by each move').fill('5');
  await page.locator('#new-form button[type="submit"]').click();
  await page.locator('.clock').first().waitFor();
  await wait(page, 60);
  await assertFaces(page, '4:00', '4:00');
  await move(page);
  await wait(page, 20);
  await assertFaces(page, '4:05', '3:40');
  assert.equal(await page.locator('#player-second .clock.runs').count(), 1);
  await move(page);
  await wait(page, 65);
  await assertFaces(page, '3:00', '3:45');
  assert.deepEqual(await spoken(page, / left\./), [], 'time is not said every second');
  await move(page);
  await assertFaces(page, '3:05', '3:45');
  // Looking back does not stop the clock, and shows what is left now.
  await page.keyboard.press('Home');
  await wait(page, 10);
  await assertFaces(page, '3:05', '3:35');
  await page.keyboard.press('End');
  for (const expected of [['4:05', '3:45'], ['4:05', '4:00'], ['4:00', '4:00']]) {
    await page.keyboard.press('u');
    await page.waitForFunction((face) => document.querySelector('.clock')?.textContent?.startsWith(face.slice(0, 3)), expected[0]);
    await assertFaces(page, ...expected);
  }
  await page.keyboard.press('r');
  await reached(page, 1);
  await page.keyboard.press('n');
  assert.equal(await page.getByLabel('Minutes for each side').inputValue(), '4', 'the dialog remembers the clock');
});

test('W10: fields of a clock that is no longer wanted do not hold up the game', async (t) => {
  const page = await visit(t, { kept: left([]) });
  await page.keyboard.press('n');
  const wants = page.getByRole('switch', { name: 'Play with clocks' });
  await wants.click();
  await page.getByLabel('Minutes for each side').fill('');
  await wants.click();
  await page.locator('#new-form button[type="submit"]').click();
  await page.locator('#new-dialog').waitFor({ state: 'hidden' });
  assert.equal(await page.locator('.clock').count(), 0);
});

test('W10: the clock is kept over a reload, and waits there, on other pages and in a pause', async (t) => {
  const page = await visit(t, { prepare: still, kept: left(['f5'], PEOPLE, { clock: SUDDEN }) });
  await page.locator('.status', { hasText: 'Paused' }).waitFor();
  await wait(page, 60);
  await assertFaces(page, '2:00', '2:00');
  await page.getByRole('button', { name: 'Resume' }).click();
  await wait(page, 30);
  await assertFaces(page, '2:00', '1:30');
  await page.reload();
  await page.locator('.clock').first().waitFor();
  await wait(page, 30);
  await assertFaces(page, '2:00', '1:30');
  await move(page);
  await wait(page, 10);
  await assertFaces(page, '1:50', '1:30');
  await page.getByRole('button', { name: 'Pause' }).click();
  await wait(page, 60);
  await assertFaces(page, '1:50', '1:30');
  await page.keyboard.press('p');
  await page.evaluate(() => void (location.hash = '#rules=othello'));
  await page.locator('#rules h2, #rules h1').first().waitFor();
  await wait(page, 60);
  await page.goBack();
  await page.locator('.status', { hasText: 'Paused' }).waitFor();
  await assertFaces(page, '1:50', '1:30');
});

test('W10: what is left is said at a few times, and whose time is up has lost', async (t) => {
  const page = await visit(t, { prepare: still, kept: left(['f5'], PEOPLE, { clock: SUDDEN }) });
  await page.keyboard.press('p');
  await page.locator('.clock.runs').waitFor();
  await wait(page, 100);
  assert.deepEqual(await spoken(page, / left\./), ['White has 1 minute left.', 'White has 30 seconds left.']);
  assert.match((await page.locator('#player-second .clock').getAttribute('aria-label')) ?? '', /^White’s clock: (19|20) seconds\.$/);
  await page.keyboard.press('g');
  await page.locator('#note', { hasText: 'Black’s clock: 2 minutes. White’s clock:' }).waitFor();
  await wait(page, 15);
  assert.match((await faces(page))[1], /^0:0\d\.\d$/);
  assert.equal(await page.locator('#player-second .clock.low').count(), 1);
  await wait(page, 10);
  await page.locator('.status.over', { hasText: 'Black wins: the other side’s time is up' }).waitFor();
  assert.equal((await spoken(page, /^Black wins: the other side’s time is up$/)).length, 1);
  await cell(page, 'd6').click();
  assert.equal((await moves(page)).length, 1);
  await page.reload();
  await page.locator('.status.over', { hasText: 'Black wins' }).waitFor();
});

test('W10: a move in time counts, however late the server answers', async (t) => {
  const answers = heldBack();
  const page = await visit(t, {
    prepare: async (page) => {
      await still(page);
      await answers.prepare(page);
    },
    kept: left(['f5'], PEOPLE, { clock: SUDDEN }),
  });
  /** Sends a move and has its answer held back for so long. @param {() => Promise<void>} send @param {number} seconds */
  const answeredAfter = async (send, seconds) => {
    answers.hold();
    await send();
    await until(answers.count);
    await wait(page, seconds);
    answers.release();
  };
  await page.getByRole('button', { name: 'Resume' }).click();
  await wait(page, 115);
  await assertFaces(page, '2:00', '0:05');
  const [at] = await legalCells(page);
  await answeredAfter(() => cell(page, at).click(), 20);
  await reached(page, 2);
  await wait(page, 10);
  await assertFaces(page, '1:50', '0:05');
  // Nor does the answer to a move that is refused cost time.
  await answeredAfter(async () => {
    await page.locator('#enter-move').fill('a1');
    await page.keyboard.press('Enter');
  }, 200);
  await page.locator('#note.shown', { hasText: 'a1' }).waitFor();
  await wait(page, 10);
  await assertFaces(page, '1:40', '0:05');
});

test('W10: in a casual game the clock goes on below zero', async (t) => {
  const page = await visit(t, { prepare: still, kept: left(['f5'], PEOPLE, { clock: { ...SUDDEN, mainMs: 60_000, casual: true } }) });
  await page.keyboard.press('p');
  await page.locator('.clock.runs').waitFor();
  await wait(page, 75);
  await assertFaces(page, '1:00', '−0:15');
  await move(page);
  assert.equal(await page.locator('.status.over').count(), 0);
});

test('W10: byo-yomi begins when the main time is used up, and each move has it anew', async (t) => {
  const kept = left(['f5', 'd6', 'c3'], PEOPLE, { clock: { mainMs: 30_000, incrementMs: 0, byoyomiMs: 20_000, casual: false } });
  kept.moves[1].ms = 35_000;
  const page = await visit(t, { prepare: still, kept });
  await page.keyboard.press('p');
  await page.locator('.clock.runs').waitFor();
  await assertFaces(page, '0:30', '0:20');
  await wait(page, 12);
  await move(page);
  await assertFaces(page, '0:30', '0:20');
  await move(page);
  await wait(page, 22);
  await page.locator('.status.over', { hasText: 'Black wins' }).waitFor();
});

test('W10: an engine thinks within its clock, and only its thinking is counted', async (t) => {
  /** @type {any[]} */
  const limits = [];
  const clock = { mainMs: 60_000, incrementMs: 2000, byoyomiMs: 0, casual: false };
  const page = await visit(t, { prepare: (page) => watchLimits(page, limits), kept: left([], ENGINE, { clock }) });
  await move(page);
  await wait(page, 5);
  await reached(page, 2);
  assert.deepEqual(limits, [{ clock: { main_ms: 59_900, increment_ms: 2000, byoyomi_ms: 0 }, turn_used_ms: 0 }]);
  const [, white] = await faces(page);
  assert.match(white, /^1:0[12]$/, 'the engine’s time is that of its search, and the increment is added');
  const [, answer] = await page.evaluate(() => JSON.parse(localStorage.getItem('banmen.game.othello') ?? '').moves);
  assert.ok(answer.ms < 2000);
});

test('W10: a time for each move bounds the engine’s turn', async (t) => {
  /** @type {any[]} */
  const limits = [];
  const clock = { mainMs: 0, incrementMs: 0, byoyomiMs: 10_000, casual: false };
  const page = await visit(t, { prepare: (page) => watchLimits(page, limits), kept: left([], ENGINE, { clock }) });
  await move(page);
  while ((await moves(page)).length < 2) await wait(page, 0.2);
  assert.deepEqual(limits[0], { clock: { main_ms: 0, increment_ms: 0, byoyomi_ms: 9900 }, turn_used_ms: 0 });
  assert.equal(await page.locator('.status.over').count(), 0);
});

for (const locale of ['en-GB', 'ja-JP']) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    test(`W10: clocks fit a telephone and pass axe: ${locale} ${colorScheme}`, async (t) => {
      const kept = left(['f5'], ENGINE, { clock: { ...SUDDEN, mainMs: 10_800_000 } });
      const page = await visit(t, { locale, colorScheme, viewport: { width: 320, height: 640 }, kept });
      await page.locator('.clock').first().waitFor();
      await assertClean(page);
      const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
      await page.keyboard.press('n');
      await page.locator('input[name="clocks"]').click();
      await page.locator('select[name="clock"]').selectOption('byoyomi');
      await assertClean(page, 'dialog');
    });
  }
}
