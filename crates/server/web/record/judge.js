// What the moves of a game were worth: the value of each position as the strongest player sees it, or exactly where the game is
// solved, and what each move lost.

import { Refusal } from '../js/server.js';

/**
 * @typedef {import('../js/server.js').Report} Report
 * @typedef {import('../js/server.js').Side} Side
 * @typedef {import('../js/exact.js').SolvedMove} SolvedMove
 * @typedef {{side: Side, value: number, eval: import('../js/server.js').Evaluation | null, best: string | null,
 *   solved: SolvedMove[] | null}} Judged a position: `value` is the expected score of its side to move, 0 to 1, `best` the
 *   best move, and `solved` all moves with exact scores, the best first
 * @typedef {'blunder' | 'mistake' | 'inaccuracy'} Kind
 * @typedef {{ply: number, side: Side, move: string, before: number, after: number, lost: number, units: {n: number,
 *   unit: string} | null, best: string | null, missed: SolvedMove | null, kind: Kind | null}} Verdict on a move: `before` and
 *   `after` are the expected scores of the side that moved, `units` what was lost in the game's unit, `missed` the best
 *   move where exact values say that the move changed the result
 */

/** Time for a position: short, because a game has many. */
const MS = 300;
/** As many threads as the server grants: the most that a request may ask for. */
const THREADS = 256;
/** From this loss of expected score on a move is a kind of mistake. @type {[number, Kind][]} */
const KINDS = [[0.3, 'blunder'], [0.15, 'mistake'], [0.07, 'inaccuracy']];
export const SIGNS = { blunder: '??', mistake: '?', inaccuracy: '?!' };

/**
 * Judges a position; null if the search was dropped.
 * @param {import('../js/server.js').SearchSlot} slot
 * @param {Record<string, unknown>} place
 * @param {Side} side to move
 * @param {boolean} exact whether exact values may be had quickly
 * @returns {Promise<Judged | null>}
 */
export async function judge(slot, place, side, exact) {
  if (exact) {
    const solved = await solve(slot, place);
    if (solved) return { side, value: (Number(solved[0].score) + 1) / 2, eval: null, best: solved[0].move, solved };
  }
  /** @type {Report | null} */
  const report = await slot.think({ ...place, player: 'engine', seed: 1, threads: THREADS, limits: { time_ms: MS }, lines: 1 }, () => {});
  if (!report || report.value === null) return null;
  return { side, value: report.value, eval: report.eval ?? null, best: report.move, solved: null };
}

/**
 * The exact values of all moves, the best first; null where some are not known.
 * @param {import('../js/server.js').SearchSlot} slot
 * @param {Record<string, unknown>} place
 * @returns {Promise<SolvedMove[] | null>}
 */
async function solve(slot, place) {
  try {
    const solution = await slot.ask('solve', { ...place, all: true });
    /** @type {SolvedMove[]} */
    const moves = solution?.moves ?? [];
    if (!moves.length || moves.some(({ score }) => score === null)) return null;
    const known = moves.map((move) => ({ ...move, score: Math.sign(Number(move.score)) }));
    return known.sort((a, b) => b.score - a.score || b.score * (Number(a.distance) - Number(b.distance)));
  } catch (refusal) {
    // Without its table the game is judged by the engine.
    if (!(refusal instanceof Refusal) || refusal.fault.code === 'busy') throw refusal;
    return null;
  }
}

/**
 * @param {{text: string, side: Side}} move
 * @param {number} ply after the move
 * @param {Judged} from the position before the move
 * @param {Judged} to the one after it
 * @returns {Verdict}
 */
export function weigh({ text, side }, ply, from, to) {
  const turn = to.side === side ? 1 : -1;
  const after = turn > 0 ? to.value : 1 - to.value;
  const played = from.solved?.find((one) => one.move === text);
  const verdict = { ply, side, move: text, before: from.value, after, best: from.best };
  if (played && from.solved) {
    const [top] = from.solved;
    const lost = (Number(top.score) - Number(played.score)) / 2;
    const kind = lost === 0 ? null : lost === 1 || Number(top.score) === 1 ? 'blunder' : 'mistake';
    return { ...verdict, after: (Number(played.score) + 1) / 2, lost, units: null, missed: lost ? top : null, kind };
  }
  const lost = text === from.best ? 0 : Math.max(0, from.value - after);
  const units = from.eval && to.eval && from.eval.unit === to.eval.unit && lost ? { n: Math.max(0, from.eval.n - turn * to.eval.n), unit: from.eval.unit } : null;
  const kind = KINDS.find(([least]) => lost >= least)?.[1] ?? null;
  return { ...verdict, lost, units, missed: null, kind };
}
