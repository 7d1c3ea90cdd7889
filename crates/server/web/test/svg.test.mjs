// `banmen show GAME --svg` draws the same shapes in the same colours as the page.
//
// BANMEN names the program.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { GAMES } from '../start/games.js';
import { left, show, visit, withBrowser } from './browser.mjs';

withBrowser();

const banmen = process.env.BANMEN ?? assert.fail('BANMEN must name the program');

/** @param {string} game @param {number} plies */
const engines = (game, plies) => GAMES[game].moves.split(';').slice(0, plies);

/** Positions with captures, deaths, hands, check and units that have acted, and a map with every terrain. @type {[string, string[], string?][]} */
const POSITIONS = [
  ['othello', engines('othello', 14)],
  ['dobutsu', engines('dobutsu', 11)],
  ['dobutsu', '1d1c 3a3b 1c1b 2a3a 1b2b 1a2b C*1b G*1c 2c2b 1c1d 2d2c 1d1c 2c1d 3b2b E*2d 2b1b'.split(' ')],
  ['dobutsu-article', []],
  ['golad', engines('golad', 12)],
  ['blokus', engines('blokus', 12)],
  ['tubstap', engines('tubstap', 7)],
  ['tubstap', [], 'map05'],
];

/**
 * The shapes of a picture with their colours, each once, in the order of the alphabet.
 * @param {import('playwright-core').Page} page
 * @param {string} picture
 */
const shapes = (page, picture) =>
  page.evaluate((picture) => {
    const parts = [...document.querySelectorAll(`${picture} :is(path, rect, circle)`)];
    const drawn = parts.filter((part) => getComputedStyle(part).opacity !== '0' && !part.matches('.frame, .sketches *'));
    const said = drawn.map((part) => {
      const { fill, stroke, strokeWidth } = getComputedStyle(part);
      const form = ['d', 'r', 'cx', 'cy', 'x', 'y', 'width', 'height', 'rx'].flatMap((name) => {
        const value = part.getAttribute(name);
        // The places of the trays are rounded in the file.
        return value === null || value === '' ? [] : [`${name}=${name === 'd' ? value : Math.round(Number(value) * 10) / 10}`];
      });
      const colour = `${fill.replace(/.*(#[\w-]+).*/, '$1')} ${stroke === 'none' ? '' : `${stroke} ${strokeWidth}`}`;
      return `${part.tagName} ${form.filter((each) => !/^[xy]=-?0$/.test(each)).join(' ')} ${colour.trim()}`;
    });
    return [...new Set(said)].sort();
  }, picture);

for (const [game, line, position] of POSITIONS) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    test(`the picture of the command line is that of the page: ${game} ${position ?? line.length} ${colorScheme}`, async (t) => {
      const from = position === undefined ? {} : { position };
      const sides = await Promise.all(line.map(async (_, i) => (await show(line.slice(0, i), game, from)).side));
      const moves = line.map((text, i) => ({ text, side: sides[i] }));
      const page = await visit(t, { game, colorScheme, kept: { ...left([]), moves, from } });
      await page.locator(`#moves [data-ply="${line.length}"][aria-current]`).waitFor();
      const there = await shapes(page, '#board svg');
      const played = line.length ? ['--moves', line.join(' ')] : [];
      const picture = execFileSync(banmen, ['show', game, ...played, ...(position === undefined ? [] : ['--position', position]), '--svg'], { encoding: 'utf8' });
      const alone = (await page.context().browser()) ?? assert.fail();
      const paper = await alone.newPage({ colorScheme });
      await paper.setContent(picture);
      const here = await shapes(paper, 'svg');
      await paper.close();
      assert.ok(here.length > 8);
      assert.deepEqual(here, there);
    });
  }
}
