// TUBSTAP: units that are chosen, moved and sent to attack; reach, threats and damage as the server gives them; the end of the
// turn, and the choice of a map.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { view } from '../views/tubstap.js';
import { address, assertClean, cell, gate, left, moves, reached, show, spoken, visit, withBrowser } from './browser.mjs';

withBrowser();

const game = 'tubstap';
const { read } = view.units;
/** @typedef {import('playwright-core').Page} Page */

const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 320, height: 640 };

/** A turn and a half on map01, with attacks of both sides. */
const LINE = ['3@5,3>9', '2@1,6', '5@3,2', '4@1,5', '0@3,1', '1@1,1', '11@5,6>3', '9@2,6>2', '10@3,3>5'];

/**
 * A game as the page keeps it, with the sides that the server names.
 * @param {string[]} line
 * @param {{first: string | null, second: string | null}} [seats]
 * @param {string} [position]
 */
async function kept(line, seats, position) {
  const sides = [];
  for (let ply = 0; ply < line.length; ply += 1) sides.push({ text: line[ply], side: (await show(line.slice(0, ply), game, { position })).side });
  return { ...left([], seats), moves: sides, from: { position } };
}

/** @param {Page} page @param {string} name */
const button = (page, name) => page.locator(`[data-order="${name}"]`);

const prompt = (/** @type {Page} */ page) => page.locator('#draft-prompt').textContent();

/** @param {Page} page @param {number} ply */
const arrived = (page, ply) => page.locator(`#moves [data-ply="${ply}"][aria-current]`).waitFor();

/** The names of the cells whose label has some words. @param {Page} page @param {RegExp} words */
const labelled = async (page, words) =>
  (await page.locator('.cell').evaluateAll((cells) => cells.map((one) => [one.getAttribute('data-at') ?? '', one.getAttribute('aria-label') ?? ''])))
    .filter(([, label]) => words.test(label))
    .map(([at]) => at)
    .sort();

/** @param {string[]} names */
const unique = (names) => [...new Set(names)].sort();

/** @param {Page} page */
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('data-at') ?? '');

/**
 * Moves the focus to a cell by the arrow keys.
 * @param {Page} page
 * @param {string} at
 */
async function walk(page, at) {
  const [x, y] = at.split(',').map(Number);
  for (let here = await focused(page); here !== at; here = await focused(page)) {
    const [u, v] = here.split(',').map(Number);
    await page.keyboard.press(u < x ? 'ArrowRight' : u > x ? 'ArrowLeft' : v < y ? 'ArrowDown' : 'ArrowUp');
  }
}

for (const line of [[], LINE]) {
  test(`W1: the choices are the moves that the server lists: after ${line.length} plies`, async (t) => {
    const page = await visit(t, { game, kept: await kept(line) });
    const { legal, board, side } = await show(line, game);
    const actions = legal.map(read);
    const able = unique(actions.map(({ unit }) => unit));
    assert.deepEqual(await labelled(page, /, can move/), able.map((unit) => board.extra.units[unit]).sort());
    for (const unit of able) {
      await cell(page, board.extra.units[unit]).click();
      await page.locator('.held').waitFor();
      await page.mouse.move(0, 0);
      const own = actions.filter((action) => action.unit === unit);
      assert.deepEqual(await labelled(page, /, in reach/), unique(own.map(({ to }) => to)), unit);
      const targets = own.flatMap(({ target }) => (target ? board.extra.units[target] : []));
      assert.deepEqual(await labelled(page, /, can be attacked/), unique(targets), unit);
      assert.equal(await page.locator('.marks .goal').count(), unique(own.map(({ to }) => to)).length - 1, 'its own cell has a frame');
      assert.equal(await page.locator('.marks .target').count(), unique(targets).length);
      await page.keyboard.press('b');
      await page.keyboard.press('Escape');
    }
    // A unit of the other side shows its reach, and what it threatens, but cannot be chosen.
    const [other] = Object.keys(board.extra.units).filter((unit) => board.cells.some(({ at, owner }) => at === board.extra.units[unit] && owner !== side));
    await cell(page, board.extra.units[other]).hover();
    assert.equal(await page.locator('.marks .reach').count(), board.extra.reach[other].length);
    const threatened = Object.values(board.extra.threats).filter((/** @type {string[]} */ units) => units.includes(other));
    assert.equal(await page.locator('.marks .threat').count(), threatened.length);
    await cell(page, board.extra.units[other]).click();
    await page.locator('#note.shown', { hasText: 'no unit of yours' }).waitFor();
    assert.deepEqual(await moves(page, game), line);
  });
}

/** A position in which 0, a panzer, reaches 1, another, from several cells; 2 is far away. */
const DUEL = {
  position:
    'SIZE 8 6 LIMIT 9 THRESHOLD 0 TERRAIN 00000000/01113110/01111110/01141110/01111110/00000000 TURN 0 SIDE 0 UNITS 0:P:0:1,2:9:0 1:P:1:4,2:8:0 2:I:0:6,4:10:0',
};

test('an attack is previewed before it is confirmed, and has the previewed result', async (t) => {
  const page = await visit(t, { game, kept: await kept([], undefined, DUEL.position) });
  const { board } = await show([], game, DUEL);
  const [damage, counter] = board.extra.attacks['0@3,2>1'];
  assert.ok(damage > 0 && damage < 8 && counter > 0, 'the enemy survives and strikes back');
  await cell(page, '1,2').click();
  assert.equal(await prompt(page), 'panzer 0: choose a cell or an enemy.');
  assert.match((await page.locator('#facts').textContent()) ?? '', /^Turn 1 of 9 · /, 'the text of a position is not shown');
  // What is pointed at is shown at once: the unit there, and the damage.
  await cell(page, '3,2').hover();
  assert.equal(await page.locator('.ghost').count(), 1);
  assert.deepEqual(await page.locator('.plate.hit + text').allTextContents(), [`−${damage}`]);
  await cell(page, '3,2').click();
  assert.match((await prompt(page)) ?? '', /^panzer 0 to 3,2\. Choose an enemy/);
  assert.deepEqual(await moves(page, game), [], 'nothing is played yet');
  await cell(page, '4,2').click();
  const preview = `panzer 0 attacks panzer 1 from 3,2: ${damage} damage, counter ${counter}.`;
  assert.equal(await prompt(page), preview);
  assert.deepEqual(await page.locator('.plate.hit + text').allTextContents(), [`−${damage}`, `−${counter}`]);
  assert.match((await cell(page, '4,2').getAttribute('aria-label')) ?? '', /to be attacked.*: \d damage, counter \d/);
  assert.equal(await button(page, 'play').textContent(), 'Attack');
  assert.deepEqual(await moves(page, game), [], 'nothing is played yet');
  // Steps back, one by one.
  await button(page, 'back').click();
  assert.equal(await button(page, 'play').textContent(), 'Move');
  await cell(page, '4,2').click();
  await button(page, 'play').click();
  await arrived(page, 1);
  assert.deepEqual(await moves(page, game), ['0@3,2>1']);
  const done = `Red: panzer 0 from 3,2 attacks panzer 1: ${damage} damage, counter ${counter}.`;
  await page.locator('#said', { hasText: done }).waitFor();
  assert.equal((await spoken(page, new RegExp(done))).length, 1);
  const label = (/** @type {string} */ at) => cell(page, at).getAttribute('aria-label');
  assert.match((await label('4,2')) ?? '', new RegExp(`^4,2, Blue panzer, ${8 - damage} HP, plain, last move`));
  assert.match((await label('3,2')) ?? '', new RegExp(`^3,2, Red panzer, ${9 - counter} HP, plain, has acted, last move`));
  assert.deepEqual(await page.locator('.player-card .score').allTextContents(), [String(19 - counter), String(8 - damage)]);
  assert.deepEqual(await page.locator('.trail').count(), 2, 'the way and the attack');
});

test('an enemy that is pressed without choosing a cell is attacked from the best cell', async (t) => {
  const page = await visit(t, { game, kept: await kept([], undefined, DUEL.position) });
  const { extra } = (await show([], game, DUEL)).board;
  await cell(page, '1,2').click();
  await cell(page, '4,2').click();
  const from = /from (\d,\d)/.exec((await prompt(page)) ?? '')?.[1] ?? '';
  const worth = (/** @type {string} */ move) => extra.attacks[move][0] - extra.attacks[move][1];
  const best = Math.max(...Object.keys(extra.attacks).map(worth));
  assert.equal(worth(`0@${from}>1`), best);
  assert.ok(Object.keys(extra.attacks).some((move) => worth(move) < best), 'some cells are worse');
  await cell(page, '4,2').click();
  await arrived(page, 1);
  assert.deepEqual(await moves(page, game), [`0@${from}>1`]);
});

test('a unit moves at once to a cell without an enemy in range, and each action can be undone within the turn', async (t) => {
  const page = await visit(t, { game, kept: await kept([]) });
  for (const [ply, [from, to]] of [['2,1', '4,1'], ['2,2', '3,3']].entries()) {
    await cell(page, from).click();
    await cell(page, to).click();
    await arrived(page, ply + 1);
  }
  const { board } = await show([], game);
  const unit = (/** @type {string} */ at) => Object.keys(board.extra.units).find((number) => board.extra.units[number] === at);
  assert.deepEqual(await moves(page, game), [`${unit('2,1')}@4,1`, `${unit('2,2')}@3,3`]);
  assert.equal(await page.locator('.pieces .spent').count(), 2);
  assert.equal(await page.locator('.marks .done').count(), 2);
  assert.equal(await prompt(page), 'Red panzer 4, 4 HP, on 3,3 (forest, defence 3), 4 HP at risk', 'what the pointer is on');
  await page.mouse.move(0, 0);
  await page.keyboard.press('u');
  await arrived(page, 1);
  assert.equal(await page.locator('.pieces .spent').count(), 1);
  assert.match((await cell(page, '2,2').getAttribute('aria-label')) ?? '', /Red panzer, 4 HP, .*, can move/);
  await page.keyboard.press('u');
  await arrived(page, 0);
  assert.equal(await page.locator('.pieces .spent').count(), 0);
  assert.equal((await spoken(page, /Undone to move 0/)).length, 1);
});

test('a unit may stay, by a second press, and the turn may be ended', async (t) => {
  const page = await visit(t, { game, kept: await kept([]) });
  await cell(page, '1,1').click();
  await cell(page, '1,1').click();
  assert.equal(await button(page, 'play').textContent(), 'Stay');
  assert.deepEqual(await moves(page, game), []);
  await cell(page, '1,1').click();
  await arrived(page, 1);
  assert.deepEqual(await moves(page, game), ['0@1,1']);
  await page.locator('#facts', { hasText: 'Turn 1 of 29' }).waitFor();
  await button(page, 'end').click();
  await arrived(page, 2);
  await page.locator('#facts', { hasText: 'Turn 2 of 29' }).waitFor();
  assert.equal(await page.locator('#status').textContent(), 'Blue to move');
  assert.deepEqual(await moves(page, game), ['0@1,1', 'end']);
  await page.locator('#said', { hasText: 'Red: end of the turn.' }).waitFor();
  await page.keyboard.press('u');
  await page.locator('#facts', { hasText: 'Turn 1 of 29' }).waitFor();
});

test('W11: a whole game by keys alone', async (t) => {
  const page = await visit(t, { game, kept: await kept([], undefined, DUEL.position) });
  await page.keyboard.press('b');
  const over = () => page.locator('.status.over').count();
  // The first panzer goes to the other one; then each attacks where it stands, until the game is over.
  for (let from = '1,2', to = '3,2', enemy = '4,2', turn = 0; !(await over()); turn += 1) {
    const { length } = await moves(page, game);
    for (const at of [from, to, enemy, enemy].filter((at, i, all) => i === 0 || at !== all[0])) {
      await walk(page, at);
      await page.keyboard.press('Enter');
    }
    await reached(page, length + 1, game);
    if (await over()) break;
    await page.keyboard.press('o');
    await reached(page, length + 2, game);
    [from, to, enemy] = turn % 2 ? ['3,2', '3,2', '4,2'] : ['4,2', '4,2', '3,2'];
    assert.ok(turn < 60);
  }
  const { outcome } = await show(await moves(page, game), game, { position: DUEL.position });
  assert.ok(outcome);
});

test('a turn by keys alone', async (t) => {
  const page = await visit(t, { game, kept: await kept([], undefined, DUEL.position) });
  await page.keyboard.press('b');
  await page.keyboard.press('k');
  assert.equal(await focused(page), '1,2');
  await page.keyboard.press('k');
  assert.equal(await focused(page), '6,4');
  await page.keyboard.press('j');
  assert.equal(await focused(page), '1,2');
  assert.equal(await prompt(page), 'panzer 0: choose a cell or an enemy.');
  assert.ok((await spoken(page, /^panzer 0: choose a cell or an enemy\.$/)).length > 0);
  await page.keyboard.press('d');
  assert.match((await cell(page, await focused(page)).getAttribute('aria-label')) ?? '', /, in reach/);
  await walk(page, '3,2');
  await page.keyboard.press('Enter');
  await walk(page, '4,2');
  await page.keyboard.press('Space');
  assert.match((await prompt(page)) ?? '', /^panzer 0 attacks panzer 1 from 3,2/);
  await page.keyboard.press('Escape');
  assert.match((await prompt(page)) ?? '', /^panzer 0 to 3,2/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.held').count(), 0);
  for (const at of ['1,2', '3,2', '4,2', '4,2']) {
    await walk(page, at);
    await page.keyboard.press('Enter');
  }
  await arrived(page, 1);
  await page.keyboard.press('o');
  await arrived(page, 2);
  assert.deepEqual(await moves(page, game), ['0@3,2>1', 'end']);
  // The keys are listed.
  await page.keyboard.press('?');
  await page.locator('#help-dialog tr', { hasText: 'End the turn' }).waitFor();
});

test('W15: touches play on a phone', async (t) => {
  const page = await visit(t, { game, kept: await kept([], undefined, DUEL.position), viewport: NARROW, hasTouch: true });
  for (const at of ['1,2', '3,2', '4,2']) await cell(page, at).tap();
  assert.match((await prompt(page)) ?? '', /^panzer 0 attacks panzer 1 from 3,2/);
  assert.deepEqual(await moves(page, game), []);
  await button(page, 'play').tap();
  await arrived(page, 1);
  await button(page, 'end').tap();
  await arrived(page, 2);
  assert.deepEqual(await moves(page, game), ['0@3,2>1', 'end']);
  const { width, height } = (await cell(page, '1,1').boundingBox()) ?? assert.fail();
  assert.ok(width >= 36 && height >= 36, `${width} × ${height}`);
});

test('threats are those of the server, and can be shown and hidden', async (t) => {
  const page = await visit(t, { game, kept: await kept(LINE) });
  const { board, side } = await show(LINE, game);
  assert.equal(await page.locator('.marks .threat').count(), 0);
  await page.keyboard.press('v');
  assert.equal(await button(page, 'threat').getAttribute('aria-pressed'), 'true');
  const cells = Object.keys(board.extra.threats).sort();
  assert.deepEqual(await labelled(page, /, threatened/), cells);
  assert.equal(await page.locator('.marks .threat').count(), cells.length);
  // Where a unit stands, what it would lose.
  const losses = Object.entries(board.extra.units).flatMap(([unit, at]) => board.extra.danger[unit]?.[at] ?? []);
  assert.ok(losses.length > 0);
  assert.deepEqual((await page.locator('.plate.risk + text').allTextContents()).sort(), losses.map((n) => `−${n}`).sort());
  // Of a chosen unit, what it would lose on each cell of its reach.
  const unit = Object.keys(board.extra.danger).find((number) => {
    const one = board.cells.find(({ at }) => at === board.extra.units[number]);
    return one.owner === side && !one.tags.includes('acted') && Object.keys(board.extra.danger[number]).length > 1;
  });
  await cell(page, board.extra.units[unit ?? '']).click();
  await page.mouse.move(0, 0);
  const own = board.extra.danger[unit ?? ''];
  assert.deepEqual((await page.locator('.plate.risk + text').allTextContents()).sort(), Object.values(own).map((n) => `−${n}`).sort());
  for (const at of Object.keys(own)) {
    const names = board.extra.threats[at].length;
    const label = (await cell(page, at).getAttribute('aria-label')) ?? '';
    assert.match(label, new RegExp(`threatened by ([a-z]+ \\d+(, )?){${names}}, ${own[at]} HP at risk$`));
  }
  await button(page, 'threat').click();
  assert.equal(await page.locator('.marks .threat').count(), 0);
  assert.equal((await spoken(page, /Threats are (shown|hidden)/)).length, 2);
});

test('W2: illegal actions are explained', async (t) => {
  const page = await visit(t, { game, kept: await kept(['0@1,1']) });
  const note = (/** @type {string} */ words) => page.locator('#note.shown', { hasText: words }).waitFor();
  await cell(page, '1,1').click();
  await note('1,1: that unit has acted.');
  await cell(page, '4,1').click();
  await note('4,1: no unit of yours that can act.');
  await cell(page, '1,2').click();
  await cell(page, '6,1').click();
  await note('6,1: out of reach.');
  await cell(page, '6,4').click();
  await note('6,4: that unit cannot be attacked now.');
  for (const [move, why] of [['0@1,1', 'has acted'], ['1@6,1', 'cannot get there'], ['1@2,2', 'another unit is there'], ['7@5,4', 'other side'], ['30@1,1', 'no such unit']]) {
    await page.locator('#enter-move').fill(move);
    await page.keyboard.press('Enter');
    await note(why);
  }
  assert.deepEqual(await moves(page, game), ['0@1,1']);
});

test('W12: cells are named with coordinates, unit, colour, hit points and terrain', async (t) => {
  const page = await visit(t, { game, kept: await kept([]) });
  const label = (/** @type {string} */ at) => cell(page, at).getAttribute('aria-label');
  assert.equal(await label('1,1'), '1,1, Red infantry, 10 HP, plain, can move, infantry 0, reaches 5 cells');
  assert.equal(await label('5,6'), '5,6, Blue cannon, 10 HP, plain, cannon 11, reaches 14 cells');
  assert.equal(await label('4,2'), '4,2, empty, mountain');
  assert.equal(await label('4,1'), '4,1, empty, plain');
  await page.keyboard.press('g');
  const [said] = await spoken(page, /Red to move/);
  assert.match(said, /Red 48, Blue 48\. Turn 1 of 29/);
});

for (const position of ['map02', 'map05']) {
  test(`W13: sides differ by shape, kinds by sign, and terrains by pattern: ${position}`, async (t) => {
    const page = await visit(t, { game, kept: await kept([], undefined, position) });
    const { cells } = (await show([], game, { position })).board;
    const count = (/** @type {string} */ owner) => cells.filter((/** @type {any} */ one) => one.owner === owner).length;
    assert.equal(await page.locator('.pieces .unit.first rect.body').count(), count('first'));
    assert.equal(await page.locator('.pieces .unit.second circle.body').count(), count('second'));
    const terrains = unique(cells.map((/** @type {any} */ one) => one.terrain));
    const drawn = await page.locator('g.terrain').evaluateAll((all) => all.map((one) => [one.getAttribute('data-terrain') ?? '', one.querySelector('.pattern')?.getAttribute('d') ?? 'road']));
    assert.equal(drawn.length, cells.length);
    // The square ends of roads lead to the edges of their cells, and no further.
    const ways = await page.locator('.way').evaluateAll((all) => all.map((way) => [way.getAttribute('d') ?? '', getComputedStyle(way).strokeWidth]));
    for (const [d, width] of ways) for (const n of d.match(/\d+/g) ?? []) assert.ok([0, 50].includes(n === '0' ? 0 : Number(n) + parseFloat(width) / 2), d);
    const patterns = new Map(drawn.map(([name, d]) => [name, d]));
    assert.deepEqual(unique([...patterns.keys()]), terrains);
    assert.equal(new Set(patterns.values()).size, terrains.length);
    const signs = await page.locator('.pieces .unit .sign').evaluateAll((all) => all.map((one) => one.innerHTML));
    assert.equal(new Set(signs).size, unique(cells.flatMap((/** @type {any} */ one) => one.piece ?? [])).length);
  });
}

test('hit points, and the arrows of the engine’s moves, cover no sign of a unit', async (t) => {
  const page = await visit(t, { game, kept: await kept([]), prepare: thinking });
  const covered = () =>
    page.evaluate(() => {
      const signs = [...document.querySelectorAll('.pieces .sign')].map((sign) => sign.getBoundingClientRect());
      const pen = document.createElement('canvas').getContext('2d');
      const digits = [...document.querySelectorAll('.cell-label')].map((each) => {
        const label = /** @type {SVGTextElement} */ (each);
        const { fontWeight, fontSize, fontFamily } = getComputedStyle(label);
        if (pen) pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
        const [scale, { left, right, bottom }] = [label.getScreenCTM()?.d ?? 1, label.getBoundingClientRect()];
        // The box of a text is as high as its font; digits are lower, and stand on the line.
        const line = bottom - (label.getBBox().y + label.getBBox().height - Number(label.getAttribute('y'))) * scale;
        return { left, right, top: line - (pen?.measureText(label.textContent ?? '').actualBoundingBoxAscent ?? 0) * scale, bottom: line };
      });
      const starts = [...document.querySelectorAll('.arrow.idea path:first-child')].map((each) => {
        const path = /** @type {SVGPathElement} */ (each);
        const { x, y } = path.getPointAtLength(0).matrixTransform(path.getScreenCTM() ?? undefined);
        return { left: x, right: x, top: y, bottom: y };
      });
      const over = (/** @type {{left: number, right: number, top: number, bottom: number}} */ a) =>
        signs.some((b) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top);
      return { digits: digits.length, starts: starts.length, covered: [...digits, ...starts].filter(over).length };
    });
  const units = await page.locator('.pieces .unit').count();
  assert.deepEqual(await covered(), { digits: units, starts: 0, covered: 0 });
  await page.locator('#analyse').click();
  await page.locator('.arrow.idea').first().waitFor();
  const { starts, covered: some } = await covered();
  assert.ok(starts > 0 && some === 0, `${some} of ${starts}`);
});

test('the actions of an engine are shown one by one', async (t) => {
  const count = 6;
  /** @type {{asked: number, used: number, ms: number}[]} The time used in the turn that each request contained, and the time that the search took. */
  const searches = [];
  const answers = Array.from({ length: count }, gate);
  const prepare = async (/** @type {Page} */ page) => {
    await page.clock.install();
    await page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        const { id, op, limits } = JSON.parse(String(text));
        if (op === 'think') searches.push({ asked: id, used: limits.turn_used_ms, ms: 0 });
        server.send(text);
      });
      server.onMessage((text) => {
        socket.send(text);
        const { id, ok } = JSON.parse(String(text));
        const index = searches.findIndex(({ asked }) => asked === id);
        if (!ok || index < 0) return;
        searches[index].ms = ok.ms;
        answers[index].open();
      });
    });
  };
  const page = await visit(t, { game, prepare, kept: await kept([], { first: null, second: 'm-uct:playouts=0' }) });
  // The page's clock is moved by hand.
  await page.clock.pauseAt(Date.now() + 60_000);
  await button(page, 'end').click();
  // The first action is shown at once, the others a second after the one before, also if the search ends earlier.
  for (let shown = 1; shown < count; shown += 1) {
    await arrived(page, 1 + shown);
    await answers[shown].opened;
    await page.clock.runFor(999);
    await page.evaluate(() => fetch('/healthz'));
    assert.equal((await moves(page, game)).length, 1 + shown);
    await page.clock.runFor(1);
  }
  await page.clock.resume();
  await page.locator('#status', { hasText: 'Red to move' }).waitFor();
  await page.locator('#facts', { hasText: 'Turn 3 of 29' }).waitFor();
  assert.equal((await spoken(page, /^Blue: /)).length, count);
  // The time of 200 ms holds for the turn: each request contains the time that the earlier searches used.
  searches.forEach(({ used }, i) => assert.equal(used, searches.slice(0, i).reduce((sum, { ms }) => sum + ms, 0)));
  assert.ok(searches[count - 1].used > 60, JSON.stringify(searches));
  // The whole turn of the engine is taken back, and the end of the own.
  await page.keyboard.press('u');
  await page.locator('#facts', { hasText: 'Turn 1 of 29' }).waitFor();
  assert.deepEqual(await moves(page, game), []);
});

test('a game against a fast player, to its end', async (t) => {
  const position = 'map01 LIMIT 4 THRESHOLD 0';
  const page = await visit(t, { game, kept: await kept([], { first: null, second: 'smaef' }, position) });
  for (;;) {
    await page.locator('.status.over, .board.open').first().waitFor({ timeout: 30_000 });
    if (await page.locator('.status.over').count()) break;
    const line = await moves(page, game);
    await page.keyboard.press('b');
    await page.keyboard.press('k');
    // The nearest thing that can be done: an attack if there is one.
    const target = page.locator('.marks .target');
    const [enemy] = (await target.count()) ? await labelled(page, /, can be attacked/) : [];
    if (enemy) {
      await cell(page, enemy).click();
      await button(page, 'play').click();
    } else {
      await cell(page, (await labelled(page, /, picked up/))[0]).click();
      await button(page, 'play').click();
    }
    await page.waitForFunction((count) => JSON.parse(localStorage.getItem('banmen.game.tubstap') ?? '{}').moves?.length > count, line.length);
    if (line.length > 60) assert.fail('the game does not end');
  }
  const { outcome, board } = await show(await moves(page, game), game, { position });
  const words = outcome.winner === null ? 'A draw' : `${outcome.winner === 'first' ? 'Red' : 'Blue'} wins`;
  assert.match((await page.locator('#status').textContent()) ?? '', new RegExp(`^${words}`));
  assert.deepEqual(await page.locator('.player-card .score').allTextContents(), [String(board.extra.first), String(board.extra.second)]);
  assert.equal(await button(page, 'end').getAttribute('aria-disabled'), 'true');
});

test('a map is chosen by its picture', async (t) => {
  const page = await visit(t, { game, kept: await kept([]) });
  const { games } = (await (await fetch(new URL('api/games', address), { method: 'POST', body: '{}' })).json()).ok;
  const { positions, seeded_positions: seeded } = games.find((/** @type {any} */ one) => one.name === game);
  const open = () => page.keyboard.press('n');
  const card = (/** @type {string} */ name) => page.locator(`.start[data-position="${name}"]`);
  await open();
  await page.locator('.start').first().waitFor();
  assert.equal(await page.locator('.start').count(), positions.length + 1);
  assert.equal(await page.getByRole('radio', { name: 'map01 6×6, 29 turns' }).isChecked(), true);
  await page.getByRole('group', { name: 'Map' }).waitFor();
  await page.getByRole('combobox', { name: 'Time per turn' }).waitFor();
  // A picture shows the terrain and the units of its map.
  const { board } = await show([], game, { position: 'map03' });
  await card('map03').scrollIntoViewIfNeeded();
  await card('map03').locator('.unit').first().waitFor();
  assert.equal(await card('map03').locator('.terrain').count(), board.cells.length);
  assert.equal(await card('map03').locator('.unit').count(), Object.keys(board.extra.units).length);
  // Those out of sight are not asked for.
  assert.equal(await card(positions.at(-1)).locator('.unit').count(), 0);
  await assertClean(page, 'new game');
  await card('map03').click();
  await page.locator('#new-form button[type="submit"]').click();
  await page.locator('#facts', { hasText: 'map03 · Turn 1 of' }).waitFor();
  assert.equal(await page.locator('.cell').count(), board.cells.length);
  // The choice is kept, also over a reload, and so is the game.
  await page.reload();
  await page.locator('#facts', { hasText: 'map03 · Turn 1 of' }).waitFor();
  await open();
  await page.locator('.start').first().waitFor();
  assert.equal(await page.locator('.start input:checked').inputValue(), 'map03');
  // By keys: the arrows go through the cards.
  await page.locator('.start input:checked').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('.start input:checked').inputValue(), 'map04');
  // Random maps, another at each press.
  const random = page.locator('.start-random');
  const drawn = await random.locator('input').inputValue();
  assert.ok(drawn.startsWith(seeded));
  await random.getByRole('button').click();
  const chosen = await page.locator('.start input:checked').inputValue();
  assert.ok(chosen.startsWith(seeded) && chosen !== drawn);
  await random.locator('.unit').first().waitFor();
  await page.locator('#new-form button[type="submit"]').click();
  await page.locator('#facts', { hasText: `${chosen} · Turn 1 of` }).waitFor();
  const shown = await show([], game, { position: chosen });
  assert.equal(await page.locator('.cell').count(), shown.board.cells.length);
});

/** What an engine thinks of the start. */
const THOUGHT = [
  { moves: ['5@4,1'], value: 0.62 },
  { moves: ['3@3,3'], value: 0.58 },
];

/** Answers `think` in place of the server. @param {Page} page */
const thinking = (page) =>
  page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const { id, op } = JSON.parse(String(text));
      const report = { move: THOUGHT[0].moves[0], value: 0.62, lines: THOUGHT, nodes: 1000, playouts: null, depth: 2, ms: 97 };
      if (op === 'think') socket.send(JSON.stringify({ id, ok: report }));
      else server.send(text);
    });
  });

test('the engine’s moves are drawn, and a hint is announced in words', async (t) => {
  const page = await visit(t, { game, kept: await kept([]), prepare: thinking });
  await page.keyboard.press('h');
  await page.locator('#note.shown', { hasText: 'Hint: cannon 5 to 4,1.' }).waitFor();
  assert.deepEqual(await labelled(page, /, hint/), ['2,1', '4,1']);
  assert.equal(await page.locator('.sketches .idea.best').count(), 1);
  await page.keyboard.press('a');
  await page.locator('.sketches .idea').nth(1).waitFor();
  assert.deepEqual(await page.locator('.sketches .value').allTextContents(), ['62', '58']);
});

test('on a turned board units are drawn where their cells are', async (t) => {
  const page = await visit(t, { game, kept: await kept(LINE) });
  const middle = async (/** @type {import('playwright-core').Locator} */ place) => {
    const { x, y, width, height } = (await place.boundingBox()) ?? assert.fail();
    return [x + width / 2, y + height / 2];
  };
  await page.keyboard.press('f');
  const [a, b] = [await middle(cell(page, '1,1')), await middle(cell(page, '6,6'))];
  assert.ok(a[0] > b[0] && a[1] > b[1]);
  const { extra } = (await show(LINE, game)).board;
  await cell(page, extra.units['6']).click();
  const to = extra.reach['6'].find((/** @type {string} */ at) => at !== extra.units['6']);
  await cell(page, to).hover();
  const [ghost, wanted] = [await middle(page.locator('.ghost')), await middle(cell(page, to))];
  assert.ok(Math.hypot(ghost[0] - wanted[0], ghost[1] - wanted[1]) < 2);
});

test('W16: everything is in Japanese, and another game hides the buttons', async (t) => {
  const page = await visit(t, { game, locale: 'ja-JP', kept: await kept([]) });
  assert.equal(await prompt(page), 'ユニットを選んでください。残り 6。');
  assert.equal(await cell(page, '1,1').getAttribute('aria-label'), '1,1、赤の歩兵、HP 10、平地、動かせる、歩兵0、移動範囲 5 マス');
  await page.keyboard.press('v');
  assert.equal(await button(page, 'threat').textContent(), '脅威');
  await page.locator('#game').selectOption('othello');
  await page.getByRole('grid', { name: 'オセロの盤' }).waitFor();
  assert.equal(await page.locator('#draft').isVisible(), false);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  for (const viewport of [WIDE, NARROW]) {
    test(`W14: axe finds nothing: ${colorScheme} ${viewport.width}`, async (t) => {
      const page = await visit(t, { game, colorScheme, viewport, kept: await kept(LINE), prepare: thinking });
      await page.keyboard.press('v');
      await assertClean(page, 'threats');
      await cell(page, (await show(LINE, game)).board.extra.units['6']).click();
      await page.locator('.held').waitFor();
      await assertClean(page, 'a unit is chosen');
      await page.keyboard.press('a');
      await assertClean(page, 'analysing');
      const [wide, inside] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= inside, `${wide} > ${inside}: the page scrolls sideways`);
      if (viewport === WIDE) assert.ok(((await page.locator('.draft .actions').boundingBox())?.y ?? 999) < 760, 'the buttons are in sight');
    });
  }
}
