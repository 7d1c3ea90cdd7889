// Experiments that are played by modules give the games and the table of the program.
//
// MODULES names the folder of the modules, BANMEN the program.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { Instance } from '../web/instance.js';

const folder = process.env.MODULES ?? assert.fail('MODULES must name the folder of the modules');
const banmen = process.env.BANMEN ?? assert.fail('BANMEN must name the program');

/** By the name of the module: an experiment without limits of time, a share of it that is quick, and whether it plays matches. */
const EXPERIMENTS = /** @type {const} */ ({
  othello: ['othello-budget', 0.02, false],
  dobutsu: ['dobutsu-first', 0.02, false],
  golad: ['golad-fig5', 0.02, true],
  blokus: ['blokus-table2', 0.004, true],
  tubstap: ['tubstap-begun', 0.005, true],
});

/** What is measured by a clock. */
const TIMES = /^(ms|seconds?|time|speed)\b|\bms\b|million\/s/;

/** Nine digits of every number: statistics use functions of the platform, whose last digits differ. @param {any} value @returns {any} */
function rounded(value) {
  if (typeof value === 'number') return Number(value.toPrecision(9));
  if (Array.isArray(value)) return value.map(rounded);
  return value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rounded(one)])) : value;
}

/** What differs between two runs of an experiment is left out. @param {any} answer to `experiment` */
function withoutTimes({ experiment, size, planned, stored, preliminary, pictures, rows, cells }) {
  const kept = rows.map(({ others, ...row }) => ({ ...row, others: others.filter(([name]) => !TIMES.test(name)) }));
  return rounded({ experiment, size, planned, stored, preliminary, pictures, rows: kept, cells });
}

/** Of a game, without its times. @param {any} answer to `record` */
const gameOf = ({ game: { moves, opening, score, margin, by, pair, game, position } }) => ({ moves, opening, score, margin, by, pair, game, position });

/**
 * `banmen rpc` with a store of its own.
 * @param {import('node:test').TestContext} t
 */
async function program(t) {
  const store = await mkdtemp(join(tmpdir(), 'banmen-lab-'));
  const rpc = spawn(banmen, ['rpc', '--store', join(store, 'store.sqlite')], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(async () => {
    rpc.kill();
    await rm(store, { recursive: true, force: true });
  });
  const lines = createInterface({ input: rpc.stdout })[Symbol.asyncIterator]();
  return async (/** @type {string} */ op, /** @type {object} */ body) => {
    rpc.stdin.write(`${JSON.stringify({ id: 1, op, ...body })}\n`);
    const { value, done } = await lines.next();
    assert.ok(!done, 'banmen rpc ended');
    const answer = JSON.parse(value);
    assert.ok(answer.ok, value);
    return answer.ok;
  };
}

/** A module that answers at once. @param {WebAssembly.Module} module */
function local(module) {
  const instance = new Instance(module, () => false);
  return async (/** @type {string} */ op, /** @type {object} */ body) => {
    /** @type {any[]} */
    const said = [];
    instance.ask({ id: 1, op, ...body }, (response) => said.push(JSON.parse(response)));
    assert.equal(said.length, 1);
    assert.ok(said[0].ok, JSON.stringify(said[0]));
    return said[0].ok;
  };
}

for (const [name, [experiment, scale, match]] of Object.entries(EXPERIMENTS)) {
  test(`${name}: an experiment gives the games and the table of the program`, async (t) => {
    const native = await program(t);
    const size = { experiment, scale, plan: scale };
    await native('reproduce', size);
    let expected;
    do {
      await new Promise((resolve) => setTimeout(resolve, 100));
      expected = await native('experiment', { experiment });
    } while (expected.running);
    assert.equal(expected.preliminary, false, JSON.stringify(expected.failed));

    const module = await WebAssembly.compile(await readFile(join(folder, 'simd', 'lab', `${name}.wasm`)));
    const [keeper, player, other] = [local(module), local(module), local(module)];
    const listed = await keeper('experiments', {});
    assert.ok(listed.experiments.some(({ id }) => id === experiment) && listed.allowed);
    assert.equal((await keeper('reproduce', size)).target, expected.stored);
    /** @type {object[]} */
    const taken = [];
    for (;;) {
      const { tasks } = await keeper('tasks', { experiment, count: 5 });
      if (!tasks.length) break;
      // Two players, and the last task is done first.
      for (const [i, { task }] of tasks.reverse().entries()) {
        const { done } = await (i % 2 ? player : other)('work', { task });
        taken.push({ experiment, seed: 1, done });
        await keeper('take', taken.at(-1) ?? {});
      }
    }
    const found = await keeper('experiment', { experiment });
    assert.equal(found.running, false);
    assert.deepEqual(withoutTimes(found), withoutTimes(expected));
    for (const [cell, { match: id }] of found.cells.entries()) {
      assert.equal(id !== null, match);
      if (id === null) continue;
      const { games } = await keeper('record', { match: id });
      assert.equal(games.length, found.cells[cell].stored);
      for (const { pair, game } of games) {
        const one = { pair, game };
        const ours = await keeper('record', { match: id, ...one });
        assert.deepEqual(gameOf(ours), gameOf(await native('record', { match: expected.cells[cell].match, ...one })));
        assert.equal(ours.match.experiment, experiment);
      }
    }
    assert.match((await keeper('report', { experiment })).html, /<!doctype html>/);

    // A module that is given what became of the tasks has the same.
    const again = local(module);
    const { written } = found.plan;
    await again('take', { experiment, seed: 1, done: JSON.stringify({ plan: { scale, written } }) });
    for (const body of taken) await again('take', body);
    assert.deepEqual(await again('experiment', { experiment }), { ...found, run: null });
    if (!match) return;
    // A search is made again, with the player of then.
    const { game: first } = await again('record', { match: found.cells[0].match, pair: 0, game: 0 });
    const searched = await again('rerun', { match: found.cells[0].match, pair: 0, game: 0, ply: first.opening });
    assert.deepEqual([searched.same, searched.played], [true, first.moves[first.opening]]);
  });
}
