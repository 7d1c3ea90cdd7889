// Games as text: what is pasted is played, what is wrong with it is said, and what is written can be read again.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { address, assertClean, gate, left, moves, random, randomLine, reached, show, visit, withBrowser } from './browser.mjs';

withBrowser();

/** @param {import('playwright-core').Page} page */
async function open(page) {
  await page.locator('[data-action="load"]').click();
  const dialog = page.locator('dialog.ask[open]');
  await dialog.waitFor();
  return dialog;
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} text
 */
async function paste(page, text) {
  const dialog = await open(page);
  await dialog.locator('#load-text').fill(text);
  await dialog.locator('.main').click();
  return dialog;
}

const KIF = ['先手：甲', '後手：乙', '手数----指手---------', '   1 B2ひよこ(B3) (0:01/00:00:01)', '   2 B2ライオン(B1)'].join('\n');
const START = '8 ---------------------------O*------*O--------------------------- *';

/** @type {[game: string, name: string, text: string, moves: string[]][]} */
const TEXTS = [
  ['othello', 'a run of moves', 'F5D6C3', ['f5', 'd6', 'c3']],
  ['othello', 'numbered moves', '1. f5 d6 2. c3', ['f5', 'd6', 'c3']],
  ['othello', 'GGF', `(;GM[Othello]PB[x]PW[y]TY[8]BO[${START}]B[F5//1.2]W[D6/-3.0]B[C3];)`, ['f5', 'd6', 'c3']],
  ['othello', 'a position', '---------------------------OX------XO--------------------------- X', []],
  ['dobutsu', 'a Japanese record', KIF, ['2c2b', '2a2b']],
  ['dobutsu', 'SFEN', 'g1e/1l1/3/ELG b Cc 1', []],
  ['golad', 'turns', 'pass\npass', ['pass', 'pass']],
  ['blokus', 'blksgf', '(;GM[Blokus Duo];B[e9,f9,e10,f10,g10])', ['e9,f9,e10,f10,g10']],
  ['tubstap', 'a map by name', 'map03', []],
];

for (const [game, name, text, expected] of TEXTS) {
  test(`W8: ${game}: ${name} is loaded`, async (t) => {
    const page = await visit(t, { game });
    const dialog = await paste(page, text);
    await dialog.waitFor({ state: 'detached' });
    await page.locator('#note.shown', { hasText: 'Loaded' }).waitFor();
    await page.waitForFunction((count) => document.querySelectorAll('#moves li').length === count, expected.length + 1);
    const played = await moves(page, game);
    if (game === 'blokus') assert.equal(played[0].split(',').length, 5);
    else assert.deepEqual(played, expected);
    assert.ok(await page.locator('.board.open').count(), 'ready to continue');
  });
}

test('W8, W20: a text that cannot be read is explained with its place', async (t) => {
  for (const [locale, said] of /** @type {const} */ ([['en-GB', /^Move 3: a1 would flip nothing/], ['ja-JP', /^3 手目: a1 /]])) {
    const page = await visit(t, { locale, kept: left(['f5']) });
    const dialog = await paste(page, 'f5d6a1');
    await dialog.locator('#load-fault', { hasText: said }).waitFor();
    await assertClean(page, 'fault');
    await dialog.locator('#load-text').fill('<img src=x onerror=alert(1)>');
    await dialog.locator('.main').click();
    await dialog.locator('#load-fault', { hasNotText: said }).waitFor();
    assert.deepEqual(await moves(page), ['f5']);
  }
});

test('a record of the moves on the board brings its result', async (t) => {
  const page = await visit(t, { kept: left(['f5', 'd6', 'c3']) });
  await paste(page, `(;GM[Othello]PB[x]PW[y]TY[8]RE[+64:r]BO[${START}]B[F5]W[D6]B[C3];)`);
  await page.locator('#status.over').waitFor();
  assert.deepEqual(await moves(page), ['f5', 'd6', 'c3']);
});

test('a text that is still read when the dialog is left changes nothing', async (t) => {
  const { opened, open: answer } = gate();
  /** @type {() => void} */
  let asked = () => {};
  const reading = new Promise((resolve) => (asked = () => resolve(undefined)));
  const prepare = (/** @type {import('playwright-core').Page} */ page) =>
    page.routeWebSocket(/\/ws$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage(async (text) => {
        if (JSON.parse(String(text)).op === 'import') {
          asked();
          await opened;
        }
        server.send(text);
      });
      server.onMessage((text) => socket.send(text));
    });
  const page = await visit(t, { kept: left(['f5']), prepare });
  const dialog = await paste(page, 'c4c3d3');
  await reading;
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  answer();
  await page.waitForTimeout(500);
  assert.equal(await page.locator('dialog[open]').count(), 0, 'nothing is asked');
  assert.deepEqual(await moves(page), ['f5']);
});

/** What is typed in Japanese, and the move. @type {[game: string, typed: string, move: string][]} */
const TYPED = [
  ['othello', 'ｆ５', 'f5'],
  ['dobutsu', '2三→2二', '2c2b'],
  ['dobutsu', '２四→１三', '2d1c'],
  ['tubstap', '０＠４，１', '0@4,1'],
  ['golad', 'パス', 'pass'],
  ['golad', '殺す 4,0', 'kill 4,0'],
  ['golad', '誕生0,0　4,0 5,0', 'birth 0,0 4,0 5,0'],
];

for (const [game, typed, move] of TYPED) {
  test(`W16: a move is typed in the notation of the page: ${typed}`, async (t) => {
    const page = await visit(t, { game, locale: 'ja-JP', kept: { ...left([]), ...(game === 'golad' && { from: { position: 'start:banmen-7' } }) } });
    const entry = page.locator('#enter-move');
    if (game === 'dobutsu') assert.match((await entry.getAttribute('placeholder')) ?? '', /^例: [１２３][一二三四]→/);
    await entry.fill(typed);
    await page.keyboard.press('Enter');
    await page.locator('#moves [data-ply="1"]').waitFor();
    assert.deepEqual(await moves(page, game), [move]);
  });
}

for (const [game, shown, inJapanese = shown] of [['othello', 'd3'], ['golad', 'birth 2,10 11,6 6,7', '誕生 2,10 11,6 6,7'], ['blokus', 'e9,e10'], ['tubstap', '7@6,2']]) {
  test(`W20: what is typed and is no move is answered with how moves are written: ${game}`, async (t) => {
    const page = await visit(t, { game });
    for (const [said, move] of /** @type {const} */ ([[/^A move /, shown], [/書(きます|いてください)。$/, inJapanese]])) {
      await page.locator('#enter-move').fill('what');
      await page.keyboard.press('Enter');
      const note = page.locator('#note.shown', { hasText: said });
      await note.waitFor();
      assert.ok((await note.textContent())?.includes(move));
      await page.keyboard.press('Escape');
      await page.locator('#board').focus();
      await page.locator('#language').click();
    }
  });
}

test('W8, W20: the place in a damaged field of the Game of Life and Death is said', async (t) => {
  const page = await visit(t, { game: 'golad' });
  for (const [cells, said] of /** @type {const} */ ([[287, /^Character 574: The text does not have as many cells/], [288, /^Character 575: /]])) {
    const dialog = await paste(page, `${Array.from({ length: cells - 1 }, () => '.').join()},${cells === 288 ? 'q' : '.'}`);
    await dialog.locator('#load-fault', { hasText: said }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
  }
});

test('W8: a file is read, also one of older Japanese programs', async (t) => {
  const page = await visit(t, { game: 'dobutsu' });
  const dialog = await open(page);
  // "手数" and a move in Shift-JIS.
  const lines = '8ee89094 0a 31204232 82d082e682b1 28423329 0a'.replaceAll(' ', '');
  await dialog.locator('#load-file').setInputFiles({ name: 'game.kif', mimeType: 'text/plain', buffer: Buffer.from(lines, 'hex') });
  await page.waitForFunction(() => /** @type {HTMLTextAreaElement} */ (document.querySelector('#load-text')).value.includes('ひよこ'));
  await dialog.locator('.main').click();
  await dialog.waitFor({ state: 'detached' });
  await reached(page, 1, 'dobutsu');
  assert.deepEqual(await moves(page, 'dobutsu'), ['2c2b']);
});

test('W8: what is written can be read again, and the board is saved as a picture', async (t) => {
  const line = await randomLine(4, 14);
  const page = await visit(t, { kept: left(line) });
  const dialog = await open(page);
  const output = dialog.locator('#save-text');
  const value = () => output.inputValue();
  await page.waitForFunction((text) => /** @type {HTMLTextAreaElement} */ (document.querySelector('#save-text')).value === text, line.join(' '));
  await dialog.locator('#save-as').selectOption('position text');
  await page.waitForFunction(() => /** @type {HTMLTextAreaElement} */ (document.querySelector('#save-text')).value.length > 60);
  assert.equal((await show([], 'othello', { position: await value() })).position, (await show(line)).position);
  const [file] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Save the board as SVG' }).click()]);
  const picture = await readFile(await file.path(), 'utf8');
  assert.match(picture, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.ok(picture.length < 30_000, String(picture.length));
  assert.ok(!/class=|var\(|style=/.test(picture), 'it needs no style sheet');
  assert.match(file.suggestedFilename(), /^banmen-othello-.*\.svg$/);
});

test('W8: the record of a game that was resigned is over, and a record of another game is opened as that game', async (t) => {
  const page = await visit(t, { locale: 'ja-JP' });
  await paste(page, `${KIF}\n   3 投了\n`);
  await page.locator('#note.shown', { hasText: 'どうぶつしょうぎを読み込みました。2 手。' }).waitFor();
  await page.locator('#status', { hasText: '後手の勝ち' }).waitFor();
  assert.deepEqual(await moves(page, 'dobutsu'), ['2c2b', '2a2b']);
});

test('W8: of several games in a text the visitor chooses one, and a record that breaks off names the line', async (t) => {
  const page = await visit(t);
  const [one, other] = ['f5', 'd6'].map((move) => `(;GM[Othello]PB[x]PW[y]TY[8]BO[${START}]B[F5]${move === 'd6' ? 'W[D6]' : ''};)`);
  await paste(page, `${other}\n${one}\n`);
  const choice = page.getByRole('dialog', { name: 'The text has 2 games. Which one?' });
  await choice.waitFor();
  assert.deepEqual(await choice.locator('option').allTextContents(), ['1. x – y · moves: 2', '2. x – y · moves: 1']);
  await assertClean(page, 'several games');
  // Without a choice the text stays.
  await choice.getByRole('button', { name: 'Cancel' }).click();
  const first = page.getByRole('dialog', { name: 'Load and save' });
  assert.equal(await first.locator('#load-text').inputValue(), `${other}\n${one}\n`);
  await first.locator('.main').click();
  await choice.locator('select').focus();
  await page.keyboard.press('ArrowDown');
  await choice.getByRole('button', { name: 'Load' }).click();
  await page.locator('#note.shown', { hasText: 'Loaded. Moves: 1.' }).waitFor();
  await first.waitFor({ state: 'detached' });
  await reached(page, 1);
  assert.deepEqual(await moves(page), ['f5']);
  const dialog = await paste(page, `${one}\n${other.replace('W[D6]', 'W[A1]')}\n`);
  await dialog.locator('#load-fault', { hasText: /^Line 2, character \d+: A1 would flip nothing\.$/ }).waitFor();
});

/** Records with a fault, and what is said about it. @type {[game: string, text: string, en: RegExp, ja: RegExp][]} */
const FAULTY = [
  ['othello', `(;GM[Othello]PB[x]PW[y]TY[8]BO[${START}]B[F5]B[D6];)`, /^Line 1, character \d+, “B\[D6\]”: This is a move of the side/, /^1 行目の \d+ 文字目「B\[D6\]」: 手番でない側の手です。$/],
  ['othello', `(;GM[Othello]PB[x]PW[y]TY[8]BO[${START}]B[F5]W[A1];)`, /: A1 would flip nothing\.$/, /^1 行目の \d+ 文字目: A1 では石を返せません。$/],
  ['othello', `(;GM[Othello]PB[x]PW[y]TY[8]BO[${START}]B[F5]`, /The text ends within a game/, /対局の途中で終わっています/],
  ['dobutsu', KIF.replace('ライオン(B1)', 'ライオン(A1)'), /^Line 5, character 6: B2ライオン: the piece does not move like that\.$/, /^5 行目の 6 文字目: B2ライオン: その駒はそこへ動けません。$/],
  ['dobutsu', `${KIF}\n   9 A1きりん(A2)`, /^Line 6, .*numbered one after the other/, /^6 行目の .*手の番号が続いていません/],
  ['blokus', '(;GM[Blokus Duo];B[e9,f9,e10,f10,g10];B[a1])', /^Line 1, .*side that is not to move/, /^1 行目の .*手番でない側の手です/],
  ['blokus', '(;GM[Blokus Duo];B[e9,f9,e10,f10,zz])', /^Line 1, /, /^1 行目の /],
  ['golad', '{"settings": [', /^Line 1, .*not JSON/, /^1 行目の .*riddles\.io のログの形式/],
];

for (const [locale, column] of /** @type {const} */ ([['en-GB', 2], ['ja-JP', 3]])) {
  test(`W8, W20: what is wrong with a record is said in words of the page, with its place: ${locale}`, async (t) => {
    for (const faulty of FAULTY) {
      const page = await visit(t, { game: faulty[0], locale });
      const dialog = await paste(page, faulty[1]);
      await page.waitForFunction(() => document.querySelector('#load-fault')?.textContent);
      assert.match((await dialog.locator('#load-fault').textContent()) ?? '', faulty[column], faulty[1]);
      await page.context().close();
    }
  });
}

/** A random game, with moves that the server lists. @param {string} game @param {number} plies */
async function randomGame(game, plies) {
  const below = random(7);
  /** @type {string[]} */
  const line = [];
  for (let shown = await show(line, game); line.length < plies && !shown.outcome; shown = await show(line, game)) {
    line.push(shown.legal ? shown.legal[below(shown.legal.length)] : 'pass');
  }
  return line;
}

for (const [game, format, end, plies] of /** @type {const} */ ([
  ['othello', 'ggf', 'ggf', 30],
  ['othello', 'transcript', 'txt', 30],
  ['dobutsu', 'kif', 'kif', 8],
  ['golad', 'riddles', 'json', 200],
  ['blokus', 'blksgf', 'blksgf', 8],
  ['tubstap', 'tbsmap', 'tbsmap', 12],
])) {
  test(`W8: ${game}: a record in ${format} is written, and loaded again`, async (t) => {
    const line = await randomGame(game, plies);
    const sides = await Promise.all(line.map(async (_, i) => (await show(line.slice(0, i), game)).side));
    const kept = { ...left([]), moves: line.map((text, i) => ({ text, side: sides[i] })) };
    const page = await visit(t, { game, kept, shown: `#moves [data-ply="${line.length}"]` });
    const dialog = await open(page);
    const output = dialog.locator('#save-text');
    await page.waitForFunction(() => /** @type {HTMLTextAreaElement} */ (document.querySelector('#save-text')).value);
    const before = await output.inputValue();
    await dialog.locator('#save-as').selectOption(`record ${format}`);
    await page.waitForFunction((before) => /** @type {HTMLTextAreaElement} */ (document.querySelector('#save-text')).value !== before, before);
    const [file] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Save as a file' }).click()]);
    assert.ok(file.suggestedFilename().endsWith(`.${end}`), file.suggestedFilename());
    const written = await file.path();
    await page.keyboard.press('Escape');

    // Another visitor, whose board has another game.
    const other = await visit(t, { game: game === 'othello' ? 'dobutsu' : 'othello' });
    const again = await open(other);
    await again.locator('#load-file').setInputFiles(written);
    await other.waitForFunction(() => /** @type {HTMLTextAreaElement} */ (document.querySelector('#load-text')).value);
    await again.locator('.main').click();
    await other.locator(`#moves [data-ply="${line.length}"][aria-current]`).waitFor();
    const loaded = await moves(other, game);
    assert.equal((await show(loaded, game)).position, (await show(line, game)).position);
    assert.equal(loaded.length, line.length);
  });
}

test('a text as long as the log of a whole game is accepted by the server', async () => {
  const text = ' '.repeat(400_000);
  const response = await fetch(new URL('api/import', address), { method: 'POST', body: JSON.stringify({ game: 'golad', text }) });
  assert.equal((await response.json()).error.code, 'bad_record');
});
