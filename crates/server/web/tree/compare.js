// Two runs side by side: the moves of the root in both.

import { el } from '../js/elements.js';
import { playerLabel } from '../js/players.js';
import { short, text } from '../js/strings.js';
import { nameOf, percent } from './nodes.js';

/** @typedef {import('./tree.js').Run} Run */
/** @typedef {import('./nodes.js').TreeNode} TreeNode */

/** The most rows. */
const ROWS = 12;

/**
 * The moves of the root of the last tree of a run, by name.
 * @param {Run} run
 */
function rootMoves({ report }) {
  const nodes = report.trees?.at(-1)?.nodes ?? [];
  return new Map(nodes.filter(({ parent }) => parent === 0).map((node) => [nameOf(node), node]));
}

/**
 * The table of the two runs, and the button that begins and ends the comparison.
 * @param {Run | null} kept
 * @param {Run} run
 * @param {(keep: boolean) => void} change
 */
export function compare(kept, run, change) {
  const button = el('button', { 'type': 'button', 'class': 'quiet', 'data-act': 'compare' }, text(kept ? 'tree.drop' : 'tree.keep'));
  button.addEventListener('click', () => change(!kept));
  if (!kept || kept === run) return [button];
  const both = [rootMoves(kept), rootMoves(run)];
  const visits = (/** @type {string} */ move) => Math.max(...both.map((moves) => moves.get(move)?.visits ?? 0));
  const moves = [...new Set(both.flatMap((moves) => [...moves.keys()]))].sort((a, b) => visits(b) - visits(a)).slice(0, ROWS);
  const cells = (/** @type {TreeNode | undefined} */ node) => [
    el('td', {}, node ? short(node.visits) : '·'),
    el('td', {}, node && node.value !== null ? percent(node.value) : '·'),
  ];
  const heads = ['A', 'B'].flatMap((name) => ['tree.visitsOf', 'tree.scoreOf'].map((key) => el('th', { scope: 'col' }, text(key, { run: name }))));
  const label = (/** @type {string} */ key, /** @type {Run} */ { player, playouts }) =>
    el('p', {}, `${text(key, { player: playerLabel(player) })}, ${text('tree.playouts')} ${short(playouts)}`);
  return [
    el('h3', {}, text('tree.compare')),
    label('tree.runA', kept),
    label('tree.runB', run),
    el(
      'table',
      {},
      el('caption', { class: 'unseen' }, text('tree.compare')),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, text('tree.move')), ...heads)),
      el('tbody', {}, ...moves.map((move) => el('tr', {}, el('th', { scope: 'row' }, move), ...both.flatMap((run) => cells(run.get(move)))))),
    ),
    button,
  ];
}
