// The search tree: run, looked at by pointer and by keys, stepped through, and compared.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settings } from '../js/setting-ja.js';
import { address, assertClean, left, show, spoken, visit, withBrowser } from './browser.mjs';

withBrowser();

/** @typedef {import('playwright-core').Page} Page */

/**
 * The server's answer to `think`.
 * @param {Record<string, unknown>} body
 */
async function think(body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(new URL('api/think', address), { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  return answer.ok ?? assert.fail(JSON.stringify(answer));
}

/**
 * Opens the panel and runs a player.
 * @param {Page} page
 * @param {string} player
 * @param {number} playouts
 */
async function run(page, player, playouts) {
  if (!(await page.locator('.tree-form').isVisible())) await page.locator('[data-action=tree]').click();
  await page.locator('.tree-form select[name=player]').selectOption(player);
  await page.locator('.tree-form input[name=playouts]').fill(String(playouts));
  await page.locator('.tree-form button.main').click();
  await page.locator('.nodes [aria-level="2"]').first().waitFor();
  await page.locator('.tree-form button.main', { hasText: /Run|実行/ }).waitFor();
}

/** The rows of one level: name, visits, value. @param {Page} page @param {number} level */
const rows = (page, level) =>
  page.locator(`.nodes [aria-level="${level}"]`).evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll('.name, .number')].map((cell) => cell.firstChild?.textContent)),
  );

for (const locale of ['en-GB', 'ja-JP']) {
  test(`W22: the tree of a search is shown, and its lines on the board: ${locale}`, async (t) => {
    const page = await visit(t, { locale, kept: left(['f5']), viewport: { width: 320, height: 640 } });
    await run(page, 'mcts', 800);
    const tree = { depth: 1, visits: 0 };
    const { trees } = await think({ game: 'othello', moves: ['f5'], player: 'mcts', seed: 1, limits: { playouts: 800 }, tree });
    const expected = trees[0].nodes.slice(1).map((/** @type {any} */ node) => [node.move, String(node.visits), `${(node.value * 100).toFixed(1)} %`]);
    assert.deepEqual(await rows(page, 2), expected);
    // One node is in the tab order; arrows open, close and walk.
    const items = page.locator('.nodes [role=treeitem]');
    const focused = page.locator('.nodes [role=treeitem]:focus');
    assert.equal(await page.locator('.nodes [tabindex="0"]').count(), 1);
    await page.locator('.nodes [tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused.getAttribute('aria-level'), '2');
    assert.match((await focused.textContent()) ?? '', new RegExp(`${expected[0][0]}${expected[0][1]} (visits|回訪問).*${expected[0][2]} (score|期待得点)`));
    const closed = await items.count();
    await page.keyboard.press('ArrowRight');
    assert.equal(await focused.getAttribute('aria-expanded'), 'true');
    assert.ok((await items.count()) > closed);
    await page.keyboard.press('ArrowRight');
    assert.equal(await focused.getAttribute('aria-level'), '3');
    const line = await page.locator('.nodes [aria-level="3"] .name').first().textContent();
    await page.keyboard.press('Enter');
    await page.locator('#line [aria-current]', { hasText: String(line) }).waitFor();
    const { board } = await show(['f5', expected[0][0], String(line)]);
    await page.waitForFunction(
      (count) => document.querySelectorAll('.cell[aria-label*="Black"], .cell[aria-label*="黒"]').length === count,
      board.extra.first,
    );
    assert.equal(await focused.count(), 1, 'the focus stays in the tree');
    // The formula with the numbers of the node.
    const numbers = (await page.locator('.formula.numbers').textContent()) ?? '';
    const [, mean, exploration, sum] = /= ([\d.]+) \+ ([\d.]+) = ([\d.]+)$/.exec(numbers) ?? assert.fail(numbers);
    assert.ok(Math.abs(Number(mean) + Number(exploration) - Number(sum)) < 0.002, numbers);
    assert.match(numbers, /1\.414 √\(ln \d+ \/ \d+\)/);
    await assertClean(page, 'tree');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await items.count(), closed);
    await page.keyboard.press('End');
    assert.equal(await items.last().getAttribute('tabindex'), '0');
    await page.keyboard.press('Home');
    assert.equal(await focused.getAttribute('aria-level'), '1');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scroll');
  });
}

test('W22: closing the tree leads back to its button', async (t) => {
  const page = await visit(t);
  await page.locator('[data-action=tree]').click();
  await page.locator('.tree-card .quiet').press('Enter');
  await page.locator('.tree-card').waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-action')), 'tree');
});

test('W22: a playout is stepped through phase by phase', async (t) => {
  const page = await visit(t, { kept: left([]) });
  await run(page, 'mcts', 20);
  const ask = (/** @type {number} */ playouts) =>
    think({ game: 'othello', player: 'mcts', seed: 1, limits: { playouts }, tree: { depth: 100, visits: 0, nodes: 500, last: true } });
  const after = (await ask(21)).trees[0];
  const before = await rows(page, 2);
  const did = page.locator('.did');
  await page.locator('[data-act=select]').click();
  await did.filter({ hasText: after.last.line.join(' → ') }).waitFor();
  assert.deepEqual(await rows(page, 2), before, 'the tree is that before the playout');
  assert.equal(await page.locator('.nodes .marked[aria-level="2"] .name').textContent(), after.last.line[0]);
  await page.locator('[data-act=expand]').click();
  await did.filter({ hasText: after.last.expanded === null ? 'not expanded' : `${after.last.new_children} moves` }).waitFor();
  await page.locator('[data-act=simulate]').click();
  await did.filter({ hasText: `Random play of ${after.last.plies} moves` }).waitFor();
  assert.ok((await spoken(page, /Random play/)).length > 0);
  await page.locator('[data-act=watch]').click();
  await page.locator('#status', { hasText: new RegExp(`move (\\d+) of ${after.last.line.length + after.last.playout.length}$`) }).waitFor();
  assert.deepEqual(await rows(page, 2), before);
  await page.locator('[data-act=backUp]').click();
  await did.filter({ hasText: `${after.last.line.length + 1} nodes` }).waitFor();
  const visits = after.nodes.filter((/** @type {any} */ node) => node.parent === 0).map((/** @type {any} */ node) => [node.move, String(node.visits)]);
  assert.deepEqual((await rows(page, 2)).map(([name, count]) => [name, count]), visits);
  assert.equal(await page.locator('.tree-form input[name=playouts]').inputValue(), '21');
  // A phase beyond the end of this playout is that of the next one.
  await page.locator('[data-act=simulate]').click();
  await did.filter({ hasText: `Random play of ${(await ask(22)).trees[0].last.plies} moves` }).waitFor();
  await page.locator('[data-act=before]').click();
  await page.locator('.nodes .row').first().filter({ hasText: '20' }).waitFor();
  assert.deepEqual(await rows(page, 2), before);
  await assertClean(page, 'steps');
});

test('W22: settings are those of the player, and two runs are compared', async (t) => {
  const page = await visit(t, { kept: left([]) });
  await run(page, 'mcts', 300);
  await page.locator('[data-act=compare]').click();
  await page.locator('.tree-settings summary').click();
  await page.locator('.tree-settings input[name=c]').fill('0.2');
  await page.locator('.tree-form button.main').click();
  await page.locator('.looked table').waitFor();
  const tree = { depth: 1, visits: 0 };
  const both = await Promise.all(['mcts', 'mcts:c=0.2'].map((player) => think({ game: 'othello', player, seed: 1, limits: { playouts: 300 }, tree })));
  const table = await page.locator('.looked tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  for (const [move, a, , b] of table) {
    const [x, y] = both.map(({ trees }) => trees[0].nodes.find((/** @type {any} */ node) => node.parent === 0 && node.move === move));
    assert.deepEqual([a, b], [String(x.visits), String(y.visits)]);
  }
  assert.equal(table.length, 4);
  await page.locator('.looked p', { hasText: 'c 0.2' }).waitFor();
  // What the player refuses is said in words, and the tree stays.
  await page.locator('.tree-settings input[name=rave]').fill('10');
  await page.locator('.tree-settings input[name=rave-bias]').fill('1');
  await page.locator('.tree-form button.main').click();
  await page.locator('#note.shown').waitFor();
  assert.equal(await page.locator('.nodes [aria-level="2"]').count(), 4);
  // Another position has another tree.
  await page.locator('.cell.can').first().click();
  await page.locator('.nodes').waitFor({ state: 'hidden' });
});

test('W22: each setting says what it means, in Japanese too', async (t) => {
  for (const game of ['othello', 'dobutsu', 'dobutsu-article', 'golad', 'blokus', 'tubstap']) {
    const response = await fetch(new URL('api/players', address), { method: 'POST', body: JSON.stringify({ game }), headers: { 'content-type': 'application/json' } });
    const { players } = (await response.json()).ok;
    for (const { name, keys } of players) for (const key of keys) assert.ok(settings[key.summary], `${game} ${name} ${key.name}: ${key.summary}`);
  }
  const page = await visit(t, { kept: left([]), locale: 'ja-JP' });
  const about = page.locator('.tree-settings .setting', { has: page.locator('[name=c]') }).locator('.about');
  await page.locator('[data-action="tree"]').click();
  await page.locator('.tree-settings summary').click();
  await about.filter({ hasText: '探索の重み' }).waitFor();
  assert.match((await page.locator('.tree-settings .about').allTextContents()).join(''), /^[^]*[ぁ-ん]/);
  await assertClean(page, 'settings');
  // A value stays when the language changes.
  await page.locator('.tree-settings [name=c]').fill('0.5');
  await page.locator('#language').click();
  await about.filter({ hasText: 'weight of exploration' }).waitFor();
  assert.equal(await page.locator('.tree-settings [name=c]').inputValue(), '0.5');
  // The dialog of a new game has the same words.
  await page.locator('#language').click();
  await page.locator('#new').click();
  await page.locator('select[name="second"]').selectOption('mcts');
  await page.locator('#new-dialog summary').click();
  await page.locator('#new-dialog .about').filter({ hasText: '子の選び方' }).waitFor();
  await page.locator('#new-dialog [name="second c"]').fill('0.7');
  await page.locator('#new-dialog button.main').click();
  await page.waitForFunction(() => JSON.parse(localStorage.getItem('banmen.game.othello') ?? '{}').seats?.second === 'mcts:c=0.7');
});

test('W22: each stage of a search by stages has its tree', async (t) => {
  const page = await visit(t, { game: 'tubstap', kept: left([]) });
  await run(page, 's-uct', 400);
  const stages = page.locator('.tree-card > select');
  assert.match((await stages.locator('option').allTextContents()).join(), /^Stage: first,Stage: after \d+@…$/);
  await stages.selectOption('0');
  assert.match((await rows(page, 2))[0][0] ?? '', /^\d+@…$/);
  assert.equal(await page.locator('.tree-steps').count(), 0);
  await assertClean(page, 'stages');
});

test('W22: what is below a node is fetched when it is opened', async (t) => {
  const page = await visit(t, { game: 'dobutsu', kept: left([]) });
  // So many playouts that not every node fits into the first answer.
  await run(page, 'mcts', 4000);
  const partly = page.locator('.nodes [role=treeitem]', { has: page.locator('.notes', { hasText: /\d+ more/ }) });
  const focused = page.locator('.nodes [role=treeitem]:focus');
  await page.locator('.nodes [tabindex="0"]').focus();
  // By keys: down the most visited line, to a node whose children are not all there.
  for (let plies = 0; plies < 40 && (await focused.filter({ hasText: /\d+ more/ }).count()) === 0; plies++) {
    if ((await focused.getAttribute('aria-expanded')) === 'false') await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
  }
  assert.ok((await partly.count()) > 0);
  const level = Number(await focused.getAttribute('aria-level'));
  const line = await page.evaluate(() => {
    const rows = [...document.querySelectorAll('.nodes [role=treeitem]')];
    /** @type {string[]} */
    const line = [];
    let level = Infinity;
    for (const row of rows.slice(0, rows.indexOf(/** @type {Element} */ (document.activeElement)) + 1).reverse()) {
      const own = Number(row.getAttribute('aria-level'));
      if (own < level && own > 1) line.unshift(row.querySelector('.name')?.textContent ?? '');
      level = Math.min(level, own);
    }
    return line;
  });
  assert.equal(line.length, level - 1);
  await page.keyboard.press('ArrowRight');
  await focused.filter({ hasNotText: /\d+ more/ }).waitFor();
  const tree = { at: line, depth: 1, visits: 0, nodes: 500 };
  const { nodes } = (await think({ game: 'dobutsu', player: 'mcts', seed: 1, limits: { playouts: 4000 }, tree })).trees[0];
  const expected = nodes.filter((/** @type {any} */ node) => node.parent === line.length).map((/** @type {any} */ node) => node.move);
  assert.ok(expected.length > 0);
  const shown = await page.evaluate((level) => {
    /** @type {(string | undefined)[]} */
    const names = [];
    for (let row = document.activeElement?.nextElementSibling; row && Number(row.getAttribute('aria-level')) > level; row = row.nextElementSibling) {
      if (Number(row.getAttribute('aria-level')) === level + 1) names.push(row.querySelector('.name')?.textContent ?? '');
    }
    return names;
  }, level);
  assert.deepEqual(shown, expected);
  assert.equal(await focused.count(), 1, 'the focus stays');
});

for (const locale of ['en-GB', 'ja-JP']) {
  test(`W22: a search runs to a number of playouts, and to a node: ${locale}`, async (t) => {
    const page = await visit(t, { game: 'dobutsu', kept: left([]), locale });
    await run(page, 'mcts', 60);
    const playouts = page.locator('.tree-form input[name=playouts]');
    await page.locator('[data-act=more10]').click();
    await page.locator('.nodes .row').first().filter({ hasText: '70' }).waitFor();
    assert.equal(await playouts.inputValue(), '70');
    // The least visited move.
    await page.locator('.nodes [aria-level="2"]').last().click();
    const move = (await page.locator('.nodes [aria-selected="true"] .name').textContent()) ?? '';
    const children = async (/** @type {number} */ playouts) => {
      const { trees } = await think({ game: 'dobutsu', player: 'mcts', seed: 1, limits: { playouts }, tree: { depth: 1, visits: 0 } });
      return trees[0].nodes.filter((/** @type {any} */ node) => node.parent === 0);
    };
    const least = (await children(70)).at(-1).move;
    const simulations = async (/** @type {number} */ playouts) => (await children(playouts)).find((/** @type {any} */ node) => node.move === least).simulations;
    const before = await simulations(70);
    let next = 71;
    while ((await simulations(next)) === before) next++;
    await page.locator('[data-act=until]').focus();
    await page.keyboard.press('Enter');
    await page.locator('.did', { hasText: new RegExp(`\\b${next}`) }).waitFor();
    assert.equal(await playouts.inputValue(), String(next - 1));
    assert.equal(await page.locator('[data-act=select]').getAttribute('aria-pressed'), 'true');
    assert.equal(await page.locator('.nodes .marked[aria-level="2"] .name').textContent(), move);
    assert.ok((await spoken(page, /./)).some((said) => said.includes(move)));
    // Again: to the playout after this one that comes here.
    let after = next + 1;
    while ((await simulations(after)) === before + 1) after++;
    await page.locator('[data-act=until]').click();
    await page.locator('.did', { hasText: new RegExp(`\\b${after}`) }).waitFor();
    await assertClean(page, 'run to here');
  });

  test(`W22: an alpha-beta search shows its windows and cuts: ${locale}`, async (t) => {
    const page = await visit(t, { game: 'dobutsu', kept: left([]), locale, viewport: { width: 320, height: 640 } });
    await page.locator('[data-action=tree]').click();
    await page.locator('.tree-form select[name=player]').selectOption('engine');
    await page.locator('.tree-form input[name=depth]').fill('6');
    await page.locator('.tree-form button.main').click();
    const visits = page.locator('.visit');
    await visits.first().waitFor();
    const ask = (/** @type {string[]} */ at) =>
      think({ game: 'dobutsu', player: 'engine', seed: 1, limits: { depth: 6 }, windows: { at, depth: 2, nodes: 500 } });
    const { windows, nodes } = await ask([]);
    assert.equal(await visits.count(), windows.visits.length);
    const cuts = windows.visits.filter((/** @type {any} */ visit) => visit.end === 'cut');
    assert.ok(cuts.length > 0);
    assert.equal(await page.locator('.visit.cut').count(), cuts.length);
    assert.ok(nodes > 0);
    // The first cut: opened by keys, with the moves that were not searched.
    const cut = page.locator('.visit.cut').first();
    await cut.evaluate((element) => {
      for (let up = element.parentElement?.closest('details'); up; up = up.parentElement?.closest('details')) up.open = true;
    });
    await cut.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    const spared = (await cut.locator('s').first().textContent()) ?? '';
    assert.equal(spared.split(' ').length, cuts[0].cut.length);
    assert.match((await cut.locator('summary').first().textContent()) ?? '', locale === 'en-GB' ? /window .* to .*, value [≤≥=] .*, cut off/ : /窓 .* から .*値 [≤≥=] .*枝刈り/);
    await assertClean(page, 'windows');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scroll');
    // Deeper: below the first line that is not shown further.
    const below = page.locator('[data-act=below]').first();
    await below.evaluate((element) => {
      for (let up = element.closest('details'); up; up = up.parentElement?.closest('details') ?? null) up.open = true;
    });
    await below.click();
    await page.locator('.visits nav').waitFor();
    assert.ok((await page.locator('.visits nav button').count()) > 2);
    await page.locator('[data-act=top]').click();
    await page.locator('.visits nav').waitFor({ state: 'detached' });
    assert.equal(await visits.count(), windows.visits.length);
    // On the board.
    await page.locator('.visit .visit summary').first().click();
    await page.locator('.visit [data-act=look]').first().click();
    await page.locator('#line [aria-current]').waitFor();
    // Another player has a tree again.
    await page.locator('.tree-form select[name=player]').selectOption('mcts');
    assert.equal(await visits.count(), 0);
    await page.locator('.tree-form input[name=playouts]').waitFor();
  });
}
