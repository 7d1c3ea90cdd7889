// The modules answer as the program does: with the same seed and limits every field but the time is equal.
//
// MODULES names the folder of the modules, BANMEN the program.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { Instance, sharedMemory } from '../web/instance.js';
import { helped } from './helper.mjs';
import { uniform } from './table.mjs';

const folder = process.env.MODULES ?? assert.fail('MODULES must name the folder of the modules');
const banmen = process.env.BANMEN ?? assert.fail('BANMEN must name the program');

/** The code of a module may be so large, in bytes, as a server sends it: compressed, without the game's data. */
const CODE_BUDGET = 500_000;
/** The same of a module with the experiments, which the laboratory alone loads. */
const LAB_BUDGET = 900_000;

/** Positions in which a game is solved within a moment, where it can be without a table. */
const ENDINGS = {
  // Eight squares are empty.
  othello: 'XXXXXXX-XXXOOXOOXXOXOXOOXXOOXXOOXXOXXXOOXXXXOXO-XXXXX---XXXXX--- O',
};

/** Games in one module beside the one that gives it its name. */
const ALSO = { dobutsu: ['dobutsu-article'] };

/** The modules for several threads are there if the sources of the standard library are. */
const kinds = (await readdir(folder)).filter((kind) => kind !== 'plain').sort();
assert.ok(kinds.includes('simd'));
const names = ['blokus', 'dobutsu', 'golad', 'othello', 'tubstap'];
for (const kind of kinds) assert.deepEqual((await readdir(`${folder}/${kind}`)).filter((name) => name !== 'lab').sort(), names.map((name) => `${name}.wasm`));

/** @param {string} name @param {string} [kind] */
const read = (name, kind = 'simd') => readFile(`${folder}/${kind}/${name}.wasm`);

/** `banmen rpc`, which answers in the order of the requests, since only one is under way. */
const program = spawn(banmen, ['rpc'], { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
after(() => program.kill());

/**
 * The final answer of the program.
 * @param {object} request
 */
async function native(request) {
  program.stdin.write(`${JSON.stringify({ id: 1, ...request })}\n`);
  for (;;) {
    const { value, done } = await lines.next();
    assert.ok(!done, 'banmen rpc ended');
    const answer = JSON.parse(value);
    if (!answer.info) return withoutTime(answer);
  }
}

/**
 * The final answer of a module.
 * @param {Instance} instance
 * @param {object} request
 */
function ours(instance, request) {
  /** @type {any[]} */
  const said = [];
  instance.ask({ id: 1, ...request }, (response) => said.push(JSON.parse(response)));
  const [answer, ...more] = said.filter((response) => !response.info);
  assert.deepEqual(more, []);
  return withoutTime(answer);
}

/** @param {any} answer */
function withoutTime(answer) {
  if (answer.ok) delete answer.ok.ms;
  return answer;
}

for (const [name, kind] of names.flatMap((name) => kinds.map((kind) => [name, kind]))) {
  test(`${name}: the answers are those of the program: ${kind}`, async () => {
    const memory = kind === 'threads' ? sharedMemory() : null;
    const instance = new Instance(await WebAssembly.compile(await read(name, kind)), () => false, undefined, memory);
    /** @param {object} request */
    const same = async (request) => {
      const answer = ours(instance, request);
      assert.deepEqual(answer, await native(request), JSON.stringify(request));
      assert.ok(answer.ok, JSON.stringify([request, answer]));
      return answer;
    };
    const { games } = ours(instance, { op: 'games' }).ok;
    assert.deepEqual(games.map((game) => game.name), [name, ...(ALSO[name] ?? [])]);
    for (const { name: game } of games) {
      const { players } = (await same({ op: 'players', game })).ok;
      await same({ op: 'perft', game, depth: game === 'golad' ? 1 : 2 });
      /** @type {string[]} */
      const moves = [];
      // The code of both kinds is the same: a few plies show that the other kind is built and started well.
      const plies = kind === 'simd' ? 8 : 3;
      for (let ply = 0; ply < plies; ply++) {
        const shown = (await same({ op: 'show', game, moves })).ok;
        if (shown.outcome) break;
        await same({ op: 'legal', game, moves, prefix: '', limit: 5 });
        // The engine plays, with its memory; all players are asked at some of the positions.
        const session = { session: 'play', player: 'engine', limits: { nodes: 3000 }, seed: 7 };
        const report = (await same({ op: 'think', game, moves, ...session, lines: 2 })).ok;
        const asked = ply % 4 === 2 ? players.filter((player) => player.name !== 'perfect') : [];
        for (const { name: player } of asked) {
          await same({ op: 'think', game, moves, player, limits: { playouts: 300 }, seed: ply });
        }
        moves.push(report.move);
      }
      assert.ok(moves.length >= Math.min(6, plies), `${moves}`);
    }
    if (ENDINGS[name]) {
      const { ok } = await same({ op: 'solve', game: name, position: ENDINGS[name], all: true });
      assert.notEqual(ok.score, null);
    }
  });

  test(`${name}: the code is within its size: ${kind}`, async () => {
    /** @param {string} path @param {number} budget */
    const hold = async (path, budget) => {
      const size = gzipSync(withoutData(await read(path, kind)), { level: 9 }).length;
      assert.ok(size <= budget, `${size} bytes compressed, the budget is ${budget}`);
      console.log(`${kind}/${path}: ${size} bytes of code, compressed`);
    };
    await hold(name, CODE_BUDGET);
    if (kind === 'simd') await hold(`lab/${name}`, LAB_BUDGET);
  });
}

for (const name of names) {
  test(`${name}: bad input is answered, and the next request too`, async () => {
    const instance = new Instance(await WebAssembly.compile(await read(name)), () => false);
    for (const [request, code] of /** @type {const} */ ([
      [{ op: 'nothing' }, 'unknown_op'],
      [{}, 'bad_request'],
      [{ op: 'show', game: 'nothing' }, 'unknown_game'],
      [{ op: 'show', game: name, position: '\u{1f600}'.repeat(100) }, 'bad_position'],
      [{ op: 'show', game: name, moves: ['\0'] }, 'bad_move'],
      [{ op: 'think', game: name, player: 'engine:level=99' }, 'out_of_range'],
      [{ op: 'think', game: name, player: 'gtp:"program"' }, 'unknown_player'],
      [{ op: 'think', game: name, limits: { nodes: -1 } }, 'bad_request'],
      [{ op: 'show', game: name, position: ' '.repeat(2 << 20) }, 'too_large'],
    ])) {
      assert.equal(ours(instance, request).error?.code, code, JSON.stringify(request).slice(0, 200));
    }
    assert.equal(ours(instance, { op: 'show', game: name }).ok.outcome, null);
  });

  test(`${name}: a search stops when it is asked to, with its best move so far`, async () => {
    let asked = 0;
    const instance = new Instance(await WebAssembly.compile(await read(name)), () => ++asked > 40);
    /** @type {any[]} */
    const said = [];
    instance.ask({ id: 2, op: 'think', game: name, player: 'mcts', limits: { playouts: 1e9 } }, (response) => said.push(JSON.parse(response)));
    const { id, ok } = said.at(-1);
    assert.equal(id, 2);
    assert.ok(ok.move && ok.playouts > 0 && ok.playouts < 1e6, JSON.stringify(ok));
    // Time limits hold by the host's clock.
    asked = -Infinity;
    const start = performance.now();
    assert.ok(ours(instance, { op: 'think', game: name, limits: { time_ms: 50 } }).ok.move);
    assert.ok(performance.now() - start < 2000);
  });
}

test('a table of the host solves the game, and no other one is taken for it', async () => {
  const module = await WebAssembly.compile(await read('dobutsu'));
  /** @type {string[]} */
  const wanted = [];
  const host = (/** @type {Record<string, Uint8Array>} */ tables) => ({
    load: (/** @type {string} */ name) => (wanted.push(name), tables[name] ?? null),
    keep: () => assert.fail('nothing is built'),
  });
  const instance = new Instance(module, () => false, host({ 'dobutsu-catch': uniform(40), 'dobutsu-any-try': uniform(40) }));
  const { ok } = ours(instance, { op: 'solve', game: 'dobutsu', all: true });
  assert.deepEqual([ok.score, ok.distance, ok.moves.length], [1, 41, 4]);
  assert.ok(ours(instance, { op: 'think', game: 'dobutsu', player: 'perfect' }).ok.proven);
  assert.deepEqual(wanted, ['dobutsu-catch'], 'it is opened once');
  const code = (/** @type {object} */ request) => ours(instance, { op: 'solve', ...request }).error.code;
  assert.equal(code({ game: 'dobutsu', rules: 'any-try' }), 'table_refused');
  assert.equal(code({ game: 'dobutsu-article' }), 'table_missing');
  assert.deepEqual(wanted.slice(1), ['dobutsu-any-try', 'dobutsu-article']);
});

test('without a table the perfect player plays from the start, and says what it lacks elsewhere', async () => {
  const instance = new Instance(await WebAssembly.compile(await read('dobutsu')), () => false);
  const request = (/** @type {string[]} */ moves) => ({ op: 'think', game: 'dobutsu', moves, player: 'perfect', session: 'play' });
  const show = (/** @type {string[]} */ moves) => ours(instance, { op: 'show', game: 'dobutsu', moves }).ok;
  for (const side of [0, 1]) {
    for (let game = 0; game < 4; game++) {
      /** @type {string[]} */
      const moves = [];
      let shown = show(moves);
      for (let ply = 0; !shown.outcome; ply++) {
        if (ply % 2 === side) {
          const answer = ours(instance, request(moves));
          assert.ok(answer.ok && (side === 0 || (answer.ok.proven && answer.ok.depth <= 78 - ply)), `${moves} ${JSON.stringify(answer)}`);
          assert.deepEqual(answer, await native(request(moves)));
          moves.push(answer.ok.move);
        } else {
          moves.push(shown.legal[(7 * ply + game) % shown.legal.length]);
        }
        shown = show(moves);
      }
      if (side === 1) assert.equal(shown.outcome.winner, 'second', `${moves}`);
    }
  }
  // Off its own way the first side lacks the table.
  const own = ours(instance, request([])).ok.move;
  const other = show([]).legal.find((/** @type {string} */ move) => move !== own);
  const reply = show([other]).legal[0];
  assert.equal(ours(instance, request([other, reply])).error.code, 'table_missing');
});

test('memory that the host refuses is an error, and the next request is answered', async () => {
  // A table takes 240 MiB at least, and a module begins with less than 16.
  setFlagsFromString('--wasm-max-mem-pages=1600');
  const instance = new Instance(await WebAssembly.compile(await read('dobutsu')), () => false);
  assert.equal(ours(instance, { op: 'build', game: 'dobutsu' }).error.code, 'no_memory');
  assert.equal(ours(instance, { op: 'show', game: 'dobutsu' }).ok.outcome, null);
  setFlagsFromString('--wasm-max-mem-pages=65536');
});

test('a module for several threads is lost with the memory that is refused', { skip: !kinds.includes('threads') }, async () => {
  setFlagsFromString('--wasm-max-mem-pages=1600');
  const instance = new Instance(await WebAssembly.compile(await read('dobutsu', 'threads')), () => false, undefined, sharedMemory());
  assert.equal(ours(instance, { op: 'show', game: 'dobutsu' }).ok.outcome, null);
  assert.equal(instance.lost, false);
  assert.equal(ours(instance, { op: 'build', game: 'dobutsu' }).error.code, 'no_memory');
  assert.equal(instance.lost, true);
  setFlagsFromString('--wasm-max-mem-pages=65536');
});

for (const [name, player] of /** @type {const} */ ([['othello', 'mcts'], ['othello', 'engine'], ['dobutsu', 'engine'], ['blokus', 'engine'], ['golad', 'mcts']])) {
  test(`${name}: helpers search with ${player}`, { skip: !kinds.includes('threads') }, async () => {
    const { instance, end } = await helped(await WebAssembly.compile(await read(name, 'threads')), 2);
    const think = (/** @type {number} */ threads) => ours(instance, { op: 'think', game: name, player, seed: 1, threads, limits: { playouts: 4000, nodes: 100_000 } }).ok;
    const alone = think(1);
    assert.deepEqual(think(1), alone);
    // Whatever helpers find first changes the search.
    let searches = 0;
    for (let same = true; same; searches++) {
      assert.ok(searches < 20, 'no helper has done anything');
      const together = think(3);
      assert.ok(together.move);
      same = JSON.stringify(together) === JSON.stringify(alone);
    }
    if (ENDINGS[name]) {
      const solve = (/** @type {number} */ threads) => ours(instance, { op: 'solve', game: name, position: ENDINGS[name], threads }).ok;
      assert.deepEqual(solve(3).bounds, solve(1).bounds);
    }
    assert.deepEqual(think(1), alone, 'and leaves nothing behind');
    await end();
  });
}

/**
 * A module without its data section.
 * @param {Buffer} bytes
 */
function withoutData(bytes) {
  const DATA = 11;
  let at = 8;
  const kept = [bytes.subarray(0, at)];
  while (at < bytes.length) {
    const start = at;
    const section = bytes[at++];
    let [length, shift] = [0, 0];
    for (let more = true; more; shift += 7) {
      more = (bytes[at] & 0x80) !== 0;
      length |= (bytes[at++] & 0x7f) << shift;
    }
    at += length;
    if (section !== DATA) kept.push(bytes.subarray(start, at));
  }
  return Buffer.concat(kept);
}
