// Accessibility: axe on both themes and languages, wide and narrow; names of cells; games without a view, and texts with markup.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertClean, cell, gate, left, pressAtOnce, randomLine, until, visit, withBrowser } from './browser.mjs';

withBrowser();

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  for (const locale of ['en-GB', 'ja-JP']) {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 320, height: 640 }]) {
      test(`W14, W16: axe finds nothing: ${colorScheme} ${locale} ${viewport.width}`, async (t) => {
        const page = await visit(t, { colorScheme, locale, viewport, kept: left(await randomLine(1, 20)) });
        assert.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2));
        await page.locator('#analyse').click();
        await page.locator('#lines td').first().waitFor();
        await assertClean(page, 'analysing');
        const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
        if (viewport.width > 320) return;
        await page.keyboard.press('n');
        await page.locator('#new-dialog[open]').waitFor();
        await assertClean(page, 'new game');
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await assertClean(page, 'help');
      });
    }
  }
}

test('buttons are as wide as their words, and the whole game fits a wide window', async (t) => {
  const page = await visit(t, { viewport: { width: 1280, height: 900 }, kept: left(['f5', 'd6']) });
  const tops = await page.locator('#actions button:visible').evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
  assert.ok(tops.length > 2);
  assert.equal(new Set(tops).size, 1, `the buttons are in one row: ${tops}`);
  const [tall, inside] = await page.evaluate(() => [document.documentElement.scrollHeight, innerHeight]);
  assert.ok(tall <= inside, `${tall} > ${inside}: the page scrolls`);
});

for (const game of ['othello', 'dobutsu', 'golad', 'blokus', 'tubstap']) {
  test(`W13: ${game} with forced colours, and at 200 % zoom`, async (t) => {
    const forced = await visit(t, { game, forcedColors: 'active', kept: left([]) });
    await assertClean(forced, 'forced colours');
    // Cells and the focus can be seen without the page's own colours.
    await forced.keyboard.press('b');
    const outline = await forced.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
    assert.notEqual(outline, 'none');
    // 200 % of a window of 1280 by 800.
    const page = await visit(t, { game, viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, kept: left([]) });
    const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
    const box = await page.locator('#board').boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 640, 'the whole width of the board is in sight');
    await assertClean(page, 'zoom');
  });
}

test('W4: the help is there on a telephone, fits its window, and has the switches', async (t) => {
  for (const viewport of [{ width: 320, height: 568 }, { width: 390, height: 844 }]) {
    const page = await visit(t, { viewport, game: 'blokus', hasTouch: true });
    await page.locator('[data-action="help"]').tap();
    const dialog = page.locator('#help-dialog[open]');
    await dialog.locator('#keys tr').first().waitFor();
    const box = await dialog.boundingBox();
    assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= viewport.width && box.y + box.height <= viewport.height, JSON.stringify(box));
    await dialog.locator('#sound').tap();
    assert.equal(await dialog.locator('#sound').isChecked(), true);
    await dialog.locator('button.main').tap();
    await dialog.waitFor({ state: 'hidden' });
  }
  const page = await visit(t, { viewport: { width: 1280, height: 800 }, game: 'blokus' });
  assert.equal(await page.locator('[data-action="help"]').isVisible(), false, 'it is in the bar there');
  await page.locator('#help').click();
  await page.locator('#keys tr').first().waitFor();
  const [inside, whole] = await page.locator('#help-dialog').evaluate((dialog) => [dialog.clientHeight, dialog.scrollHeight]);
  assert.ok(whole <= inside, `${whole} > ${inside}: the game with the most keys needs no scrolling`);
  await assertClean(page, 'help');
});

test('W14, W16: theme and language change at run time and are remembered', async (t) => {
  const page = await visit(t, { colorScheme: 'light' });
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await page.keyboard.press('t');
  assert.equal(await paper(), light, 'chosen light is the system’s light');
  await page.keyboard.press('t');
  assert.notEqual(await paper(), light);
  await page.keyboard.press('l');
  // The words are fetched when they are first needed.
  await page.locator('html[lang="ja"]').waitFor();
  assert.equal(await page.locator('#new').textContent(), '新しい対局');
  await page.reload();
  await page.locator('.cell').first().waitFor();
  assert.notEqual(await paper(), light);
  assert.equal(await page.locator('#new').textContent(), '新しい対局');
});

test('W16: the language that was chosen last is that of the whole page, however long its words take', async (t) => {
  const hold = async (/** @type {import('playwright-core').Page} */ page, /** @type {string} */ file) => {
    const { opened, open } = gate();
    let held = false;
    await page.route(`**/${file}`, async (route) => {
      held = true;
      await opened;
      await route.continue();
    });
    return { open, asked: () => until(() => held) };
  };
  const language = (/** @type {import('playwright-core').Page} */ page) => page.evaluate(() => [document.documentElement.lang, document.querySelector('#new')?.textContent]);
  const page = await visit(t);
  // Back before the words were there.
  const words = await hold(page, 'words/ja.js');
  await pressAtOnce(page, 'l', 'l');
  await words.asked();
  const fetched = page.waitForResponse(/words\/ja\.js$/);
  words.open();
  await (await fetched).finished();
  await page.keyboard.press('f');
  await page.locator('#live p', { hasText: 'Board turned.' }).waitFor({ state: 'attached' });
  assert.deepEqual(await language(page), ['en', 'New game']);
  // A part of the page whose words are still fetched in the language before.
  const help = await hold(page, 'help/en.js');
  await page.keyboard.press('?');
  await help.asked();
  await page.keyboard.press('l');
  await page.locator('html[lang="ja"]').waitFor({ state: 'attached' });
  help.open();
  await page.getByRole('heading', { name: 'キー操作' }).waitFor();
  assert.deepEqual(await language(page), ['ja', '新しい対局']);
  // A part that is opened while the words of another language are fetched.
  const later = await visit(t);
  const japanese = await hold(later, 'words/ja.js');
  await later.keyboard.press('l');
  await japanese.asked();
  await later.keyboard.press('?');
  japanese.open();
  await later.getByRole('heading', { name: 'キー操作' }).waitFor();
  assert.deepEqual(await language(later), ['ja', '新しい対局']);
});

test('W16: without a storage the language is the browser’s', async (t) => {
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.addInitScript(() => {
      Object.defineProperty(globalThis, 'localStorage', { get: () => { throw new Error('no storage'); } });
    });
  const page = await visit(t, { prepare, locale: 'ja-JP', shown: '.start-game' });
  assert.equal(await page.locator('html').getAttribute('lang'), 'ja');
  assert.equal(await page.locator('#new').textContent(), '新しい対局');
});

test('W12: the board is a grid with one tab stop and named cells', async (t) => {
  const page = await visit(t, { kept: left(['f5']) });
  const grid = page.getByRole('grid', { name: 'Othello board' });
  assert.equal(await grid.getByRole('row').count(), 8);
  assert.equal(await grid.getByRole('gridcell').count(), 64);
  assert.equal(await page.locator('.cell[tabindex="0"]').count(), 1);
  const label = (/** @type {string} */ at) => cell(page, at).getAttribute('aria-label');
  assert.equal(await label('a1'), 'a1, empty');
  assert.equal(await label('d6'), 'd6, empty, legal');
  assert.equal(await label('f5'), 'f5, Black disc, last move');
  assert.equal(await label('e5'), 'e5, Black disc, just flipped');
  assert.equal(await label('d4'), 'd4, White disc');
});

test('W4: the board can be turned, and the arrow keys turn with it', async (t) => {
  const page = await visit(t, { kept: left(['f5']) });
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-at'));
  await cell(page, 'h8').focus();
  await page.keyboard.press('f');
  assert.equal(await focused(), 'h8', 'the focus stays');
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(), 'g8');
  const [a1, h8] = [await cell(page, 'a1').boundingBox(), await cell(page, 'h8').boundingBox()];
  assert.ok(a1 && h8 && a1.x > h8.x && a1.y > h8.y);
});

test('W12: the live region is in the dialog that is open, and what its closing cuts off is announced again', async (t) => {
  const page = await visit(t, { kept: left(['f5']) });
  const outside = page.locator('body > #live');
  await page.locator('[data-action="load"]').click();
  const dialog = page.getByRole('dialog', { name: 'Load and save' });
  const inside = dialog.locator('#live[aria-live="polite"]');
  // It is there before anything is announced.
  await inside.waitFor({ state: 'attached' });
  assert.equal(await outside.count(), 0);
  await page.context().grantPermissions(['clipboard-write']);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await inside.locator('p', { hasText: 'Copied.' }).waitFor({ state: 'attached' });
  await assertClean(page, 'live region of a dialog');

  // The dialog closes with the announcement: it is added to the region once more, outside.
  await page.evaluate(() => {
    const added = (/** @type {MutationRecord[]} */ records) => records.flatMap((record) => [...record.addedNodes].map((node) => node.textContent));
    new MutationObserver((records) => added(records).forEach((text) => ((globalThis.heard ??= []).push(`${document.querySelector('#live')?.parentElement?.tagName}: ${text}`))))
      .observe(document.querySelector('#live') ?? document.body, { childList: true });
  });
  await dialog.locator('#load-text').fill('f5d6');
  await dialog.locator('.main').click();
  await dialog.waitFor({ state: 'detached' });
  await outside.locator('p', { hasText: 'Loaded. Moves: 2.' }).waitFor({ state: 'attached' });
  assert.ok((await page.evaluate(() => globalThis.heard)).includes('BODY: Loaded. Moves: 2.'));

  // A dialog over a dialog, and a dialog that stays in the page.
  await page.keyboard.press('n');
  await page.locator('#new-dialog[open] #live').waitFor({ state: 'attached' });
  await page.locator('#new-dialog button[type="submit"]').click();
  await page.getByRole('dialog', { name: 'Start a new game?' }).locator('#live').waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await outside.waitFor({ state: 'attached' });
});

test('shortcuts can be switched off', async (t) => {
  const page = await visit(t);
  await page.keyboard.press('?');
  await page.locator('#shortcuts').click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  // The dialog is fetched when it is first opened.
  await page.waitForTimeout(500);
  assert.equal(await page.locator('dialog[open]').count(), 0);
});

test('W13: discs turn only without reduced motion, and differ by more than colour', async (t) => {
  const turning = () => document.getAnimations().filter((one) => one.animationName?.startsWith('turns')).length;
  for (const reducedMotion of /** @type {const} */ (['no-preference', 'reduce'])) {
    const page = await visit(t, { reducedMotion, kept: left([]) });
    await cell(page, 'f5').click();
    await page.locator('.marks .last').waitFor();
    assert.equal((await page.evaluate(turning)) > 0, reducedMotion === 'no-preference');
  }
  const page = await visit(t, { kept: left(['f5']) });
  assert.equal(await page.locator('.disc.second').count(), 1);
  assert.equal(await page.locator('.disc.second .ring').count(), 1);
  assert.equal(await page.locator('.disc.first .ring').count(), 0);
});

test('W13: animations can be switched off, and stay off', async (t) => {
  const turning = () => document.getAnimations().filter((one) => one.animationName?.startsWith('turns')).length;
  const page = await visit(t, { reducedMotion: 'no-preference', kept: left([]) });
  await page.keyboard.press('?');
  const animation = page.getByRole('switch', { name: 'Animation' });
  assert.ok(await animation.isChecked());
  await animation.click();
  await page.keyboard.press('Escape');
  await cell(page, 'f5').click();
  await page.locator('.marks .last').waitFor();
  assert.equal(await page.evaluate(turning), 0);
  await page.reload();
  await page.locator('#moves [data-ply="1"]').waitFor();
  await cell(page, 'd6').click();
  await page.locator('#moves [data-ply="2"]').waitFor();
  assert.equal(await page.evaluate(turning), 0);
  assert.equal(await page.locator('.cell[aria-label*="Black disc"]').count() + await page.locator('.cell[aria-label*="White disc"]').count(), 6);
});

test('the terrain and the label of a cell are drawn and named', async (t) => {
  const grounds = ['plain', 'wood', 'plain', HOSTILE];
  const board = (/** @type {string[]} */ played) => ({
    width: 2,
    height: 2,
    cells: ['a2', 'b2', 'a1', 'b1'].map((at, i) => ({
      at,
      piece: i === 1 ? 'tank' : null,
      owner: i === 1 ? 'first' : null,
      tags: i === 0 && !played.length ? ['legal'] : [],
      terrain: grounds[i],
      ...(i === 1 && { label: played.length ? '7' : '10' }),
      ...(i === 3 && { label: HOSTILE }),
    })),
    hands: [],
    extra: {},
  });
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => {
        const answer = JSON.parse(String(text));
        for (const game of answer.ok?.games ?? []) delete game.view;
        if (answer.ok?.board) Object.assign(answer.ok, { board: board(answer.ok.moves) });
        socket.send(JSON.stringify(answer));
      });
    });
  const page = await visit(t, { prepare, kept: left([]) });
  const names = () => page.getByRole('gridcell').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  assert.deepEqual(await names(), ['a2, empty, plain, legal', 'b2, Black tank, 10, wood', 'a1, empty, plain', `b1, empty, ${HOSTILE}, ${HOSTILE}`]);
  assert.deepEqual(await page.locator('.terrain text').allTextContents(), grounds);
  const shades = await page.locator('.terrain rect').evaluateAll((all) => all.map((one) => one.getAttribute('fill-opacity')));
  assert.equal(shades[0], shades[2]);
  assert.equal(new Set(shades).size, 3);
  assert.deepEqual(await page.locator('.cell-label').allTextContents(), ['10', HOSTILE]);
  await assertClean(page, 'terrain');
  await page.locator('#enter-move').fill('d3');
  await page.keyboard.press('Enter');
  await page.locator('.cell-label', { hasText: /^7$/ }).waitFor();
  assert.deepEqual((await names())[1], 'b2, Black tank, 7, wood');
  assert.equal(await page.locator('.terrain').count(), 4);
});

const HOSTILE = '<img src=x onerror="globalThis.broken=1">';

test('S15, W20: a game without a view is drawn plainly, and its texts are not markup', async (t) => {
  const cells = (/** @type {string[]} */ played) =>
    ['p', 'q', 'r', 's'].map((at) => ({
      at,
      piece: played.includes(at) ? HOSTILE : null,
      owner: played.includes(at) ? 'first' : null,
      tags: played.includes(at) ? ['last'] : ['legal'],
    }));
  /** @type {Record<string, (request: any) => object>} */
  const answers = {
    games: () => ({
      games: [{ name: 'quad', title: { en: HOSTILE, ja: HOSTILE }, summary: HOSTILE, view: 'quad', rules: [HOSTILE],
        sides: { first: { en: HOSTILE, ja: HOSTILE }, second: { en: 'B', ja: 'B' } } }],
    }),
    players: () => ({ players: [{ name: HOSTILE, summary: HOSTILE, keys: [
      { name: HOSTILE, kind: 'text', min: null, max: null, default: HOSTILE, values: null, summary: HOSTILE },
    ] }] }),
    show: ({ moves }) => ({
      position: '', side: 'first', outcome: null, legal_count: 5, legal: ['p', 'q', 'r', 's', HOSTILE].slice(moves.length), moves,
      board: { width: 2, height: 2, cells: cells(moves), hands: [[HOSTILE], []], extra: { note: HOSTILE } },
    }),
    think: () => ({ move: 'p', value: 0.5, eval: { n: 1, unit: HOSTILE }, lines: [{ moves: [HOSTILE], value: 0.5, eval: { n: 1, unit: HOSTILE } }],
      nodes: 1, playouts: null, depth: 1, ms: 1 }),
    stop: () => ({}),
  };
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) =>
      socket.onMessage((text) => {
        const request = JSON.parse(String(text));
        socket.send(JSON.stringify({ id: request.id, ok: answers[request.op](request) }));
      }),
    );
  const page = await visit(t, { prepare });
  assert.equal(await page.getByRole('gridcell').count(), 4);
  assert.equal(await page.locator('#title').textContent(), HOSTILE);
  await cell(page, 'p').click();
  await page.locator('.pieces .letter', { hasText: '<' }).waitFor();
  await page.getByRole('group', { name: 'Moves off the board' }).getByRole('button', { name: HOSTILE }).waitFor();
  await page.locator('#analyse').click();
  await page.locator('#lines td.line', { hasText: HOSTILE }).waitFor();
  await page.keyboard.press('n');
  await page.locator('select[name="first"]').selectOption(HOSTILE);
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  assert.equal(await page.locator('img:not([src="icon.svg"])').count(), 0);
  assert.equal(await page.evaluate(() => 'broken' in globalThis), false);
});
