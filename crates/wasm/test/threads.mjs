// How fast the modules search on two threads, beside one: wall time of the same searches on one instance, interleaved, the median of
// some runs. For a machine that does nothing else.
//
// MODULES names the folder of the modules for several threads. Arguments are the games; all without.

import { readFileSync } from 'node:fs';
import { helped } from './helper.mjs';

const { MODULES = 'target/site/engines/threads' } = process.env;
const RUNS = 9;

/** Searches by game, each with so much time on one thread, in milliseconds. */
const MS = 1000;
const PLAYERS = { othello: ['engine', 'mcts'], dobutsu: ['engine', 'mcts'], golad: ['mcts'], blokus: ['engine', 'mcts'], tubstap: ['mcts'] };

/** @param {number[]} values */
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

const wanted = process.argv.slice(2);
for (const [game, players] of Object.entries(PLAYERS)) {
  if (wanted.length && !wanted.includes(game)) continue;
  const { instance, end } = await helped(await WebAssembly.compile(readFileSync(`${MODULES}/${game}.wasm`)), 1);
  for (const player of players) {
    /** Nodes of a search, in that time. @param {number} threads */
    const nodes = (threads) => {
      /** @type {any} */
      let answer;
      const request = { id: 1, op: 'think', game, player, seed: 1, threads, limits: { time_ms: MS } };
      instance.ask(request, (response) => (answer = JSON.parse(response)));
      return answer.ok.nodes;
    };
    const ratios = Array.from({ length: RUNS }, () => {
      const alone = nodes(1);
      return nodes(2) / alone;
    });
    console.log(`${game} ${player}: ${median(ratios).toFixed(2)} times the nodes of one thread in ${MS} ms`);
  }
  await end();
}
