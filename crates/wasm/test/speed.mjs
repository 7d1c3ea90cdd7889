// How fast the modules search, beside the program: processor time for the same searches, interleaved, the least of some runs.
//
// MODULES names the folder of the modules, BANMEN the program: for a fair comparison one for x86-64-v2 that does not choose
// vectors at run time (RUSTFLAGS='-C target-cpu=x86-64-v2 --cfg banmen_portable'). Arguments are the games; all without.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Instance } from '../web/instance.js';

const { MODULES = 'target/site/engines/simd', BANMEN = 'target/release/banmen' } = process.env;
const RUNS = 5;

/** By game: positions for the engine, and playouts for the tree search. */
const SEARCHES = {
  othello: [1_000_000, 20_000],
  dobutsu: [1_000_000, 50_000],
  golad: [1_000_000, 20_000],
  blokus: [8_000, 10_000],
  tubstap: [2_000, 5_000],
};

/** @typedef {{nodes: number, move: string, ms: number}} Searched `ms` of processor time */

/**
 * @param {Instance} instance
 * @param {string} game
 * @param {string} player
 * @param {number} playouts which are positions for players without playouts
 * @returns {Searched}
 */
function inModule(instance, game, player, playouts) {
  const before = process.cpuUsage();
  /** @type {any} */
  let answer;
  instance.ask({ id: 1, op: 'think', game, player, seed: 1, limits: { playouts } }, (response) => (answer = JSON.parse(response)));
  const { user, system } = process.cpuUsage(before);
  return { nodes: answer.ok.nodes, move: answer.ok.move, ms: (user + system) / 1000 };
}

/** @type {(game: string, player: string, playouts: number) => Searched} */
function inProgram(game, player, playouts) {
  const options = ['--player', player, '--playouts', String(playouts), '--seed', '1', '--clock', 'cpu', '--json'];
  const lines = execFileSync(BANMEN, ['think', game, ...options], { encoding: 'utf8' }).trim().split('\n');
  const { nodes, move, ms } = JSON.parse(lines.at(-1) ?? '');
  return { nodes, move, ms };
}

const wanted = process.argv.slice(2);
for (const [game, [engine, tree]] of Object.entries(SEARCHES)) {
  if (wanted.length && !wanted.includes(game)) continue;
  const instance = new Instance(await WebAssembly.compile(readFileSync(`${MODULES}/${game}.wasm`)), () => false);
  for (const [player, playouts] of /** @type {const} */ ([['engine', engine], ['mcts', tree]])) {
    let [module, program] = [Infinity, Infinity];
    let nodes = 0;
    for (let run = 0; run < RUNS; run++) {
      const [ours, theirs] = [inModule(instance, game, player, playouts), inProgram(game, player, playouts)];
      if (ours.nodes !== theirs.nodes || ours.move !== theirs.move) throw new Error(`${game} ${player}: another search`);
      [module, program, nodes] = [Math.min(module, ours.ms), Math.min(program, theirs.ms), ours.nodes];
    }
    const rate = (/** @type {number} */ ms) => Math.round(nodes / ms).toLocaleString('en');
    console.log(`${game} ${player}: ${nodes} nodes, module ${module.toFixed(0)} ms, program ${program.toFixed(0)} ms, ${rate(module)} of ${rate(program)} a ms, ${Math.round((100 * program) / module)} %`);
  }
}
