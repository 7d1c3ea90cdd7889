// The experiments of a page without a server. They are played in this page's workers, by modules that have the laboratory.
//
// For each game whose experiments are asked for one worker has the results, the keeper: it gives out the tasks of a run, and
// takes what became of them. Others, the players, do one task after the other. Only what became of tasks is kept between
// visits: a keeper that is made anew takes it again.

import { Kept } from './kept.js';

/**
 * @typedef {import('../../server/web/js/server.js').Words} Words
 * @typedef {import('../../server/web/js/server.js').Fault} Fault
 * @typedef {{id: string, game: string, planned: number | null, stored: number, running: boolean}} Summary
 * @typedef {{experiments: Summary[], kept: Kept, keepers: Map<string, Keeper>}} Contents `experiments`: the answer to `experiments`, as the
 *   program gave it; `keepers` by the name of the module
 * @typedef {{name: string, task: string}} Task the task is JSON that is passed on as it is: its seeds have more digits than a number here
 * @typedef {{of: number, message: object, resolve: (answer: any) => void, reject: (why: Error) => void}} Asked a request to a
 *   worker: `of` is the request of the page for which it is asked
 * @typedef {{id: number, op: string, experiment?: string, seed?: number, match?: number, event?: number, scale?: number, plan?: number}} Request
 * @typedef {{module: (name: string) => Promise<WebAssembly.Module>, index: URL, respond: (response: object) => void, said: (key: string) => string}} Page
 */

/** Players at most: each has the memory of two searches. */
const MOST_PLAYERS = 6;
/** Tasks that are given out ahead, for each player. */
const AHEAD = 3;
/** Numbers of matches are those of the keeper times this, plus the number of its module. */
const NUMBERS = 16;

/** How an experiment is run here. @type {(players: number) => Words} */
const about = (players) => ({
  en: `It is run by this page, in ${players} of the browser’s ${players === 1 ? 'worker' : 'workers'}, and stops when the page is closed. What was played is kept in this browser as far as it allows, so that it can be continued. Times are measured by the browser’s clock.`,
  ja: `このページが、ブラウザーのワーカー ${players} 個で実行します。ページを閉じると止まります。対局の結果はブラウザーが許すかぎり保存され、あとで続けられます。時間はブラウザーの時計で測ります。`,
});

/** An answer that is no result. */
class Refused extends Error {
  /**
   * @param {Fault} fault
   * @param {number} [of] the request of the page for whose sake it was stopped
   */
  constructor(fault, of) {
    super(fault.message || fault.code);
    this.fault = fault;
    this.of = of;
  }
}

/** Whether a module was aborted. @param {unknown} error */
const isBroken = (error) => error instanceof Refused && ['internal', 'no_memory'].includes(error.fault.code);

/** @param {number} [of] */
const stopped = (of) => new Refused({ code: 'stopped', message: 'it was stopped' }, of);

/** A worker with a module, which gets one request after the other, so that what is stopped is the one under way. */
class Hand {
  #worker;
  #lastId = 0;
  /** What is under way. @type {Asked | null} */
  #asked = null;
  /** What comes after it. @type {Asked[]} */
  #waiting = [];
  /** Not 0 when what is under way is to stop; null where no memory is shared. */
  #flag = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
  ended = false;

  /**
   * @param {WebAssembly.Module} module
   * @param {string} broken what is said when the worker cannot be started
   */
  constructor(module, broken) {
    this.#worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => {
      const { ok, error, info } = JSON.parse(data);
      if (info) return;
      const asked = this.#asked;
      this.#asked = null;
      if (this.#flag) Atomics.store(this.#flag, 0, 0);
      if (error) asked?.reject(new Refused(error));
      else asked?.resolve(ok);
      this.#next();
    };
    this.#worker.onerror = () => this.end(new Refused({ code: 'page', message: broken }));
    this.#worker.postMessage({ module, flag: this.#flag?.buffer ?? null, memory: null, helper: false });
  }

  /**
   * @param {string} op
   * @param {object} body
   * @param {number} [of] the request of the page for which it is asked
   * @returns {Promise<any>}
   */
  ask(op, body, of = -1) {
    if (this.ended) return Promise.reject(stopped(of));
    const message = { id: ++this.#lastId, op, ...body };
    const answer = new Promise((resolve, reject) => this.#waiting.push({ of, message, resolve, reject }));
    this.#next();
    return answer;
  }

  #next() {
    if (this.#asked || !this.#waiting.length) return;
    this.#asked = this.#waiting.shift() ?? null;
    this.#worker.postMessage(this.#asked?.message);
  }

  /**
   * Stops what was asked for a request of the page; where no memory is shared the worker ends, if it is under way.
   * @param {number} of
   */
  stop(of) {
    for (const { reject } of this.#waiting.filter((asked) => asked.of === of)) reject(stopped(of));
    this.#waiting = this.#waiting.filter((asked) => asked.of !== of);
    if (this.#asked?.of !== of) return;
    if (this.#flag) Atomics.store(this.#flag, 0, 1);
    else this.end(stopped(of));
  }

  /** @param {Refused} [why] */
  end(why = stopped()) {
    this.ended = true;
    this.#worker.terminate();
    this.#asked?.reject(why);
    for (const { reject } of this.#waiting) reject(why);
    this.#asked = null;
    this.#waiting = [];
  }
}

/** The results of a game's experiments. */
class Keeper {
  /** @type {Promise<Hand> | null} */
  #hand = null;
  #make;
  /** What was taken, as bodies of `take`. @type {string[]} */
  #taken = [];
  /** By experiment, of the usual seed: the share that is planned, and what is stored. @type {Map<string, {planned: number | null, done: Set<string>}>} */
  #counts = new Map();
  /** Sent again to a new worker, while a run goes on. @type {object | null} */
  run = null;

  /**
   * @param {() => Promise<Hand>} make
   * @param {string[]} taken
   */
  constructor(make, taken) {
    this.#make = make;
    for (const body of taken) this.add(body);
  }

  /**
   * Remembers what was taken.
   * @param {string} body
   * @returns {boolean} whether it is new
   */
  add(body) {
    const { experiment, seed, done: text } = JSON.parse(body);
    const done = JSON.parse(text);
    const count = this.#counts.get(`${experiment} ${seed}`) ?? { planned: null, done: new Set() };
    this.#counts.set(`${experiment} ${seed}`, count);
    if (done.plan ? count.planned !== null : count.done.has(nameOf(done))) return false;
    if (done.plan) count.planned = done.plan.scale;
    else count.done.add(nameOf(done));
    this.#taken.push(body);
    return true;
  }

  /** What it has of an experiment with the usual seed. @param {string} experiment */
  count(experiment) {
    const count = this.#counts.get(`${experiment} 1`);
    return { stored: count?.done.size ?? 0, planned: count?.planned ?? null };
  }

  async #open() {
    const hand = await this.#make();
    // What does not fit is left out: another tab may have run the experiment with another plan.
    const leaveOut = (/** @type {unknown} */ error) => {
      if (isBroken(error) || hand.ended) throw error;
    };
    const before = this.#taken.map((body) => hand.ask('take', JSON.parse(body)).catch(leaveOut));
    if (this.run) before.push(hand.ask('reproduce', this.run));
    try {
      await Promise.all(before);
    } catch (error) {
      hand.end();
      throw error;
    }
    return hand;
  }

  /**
   * @param {string} op
   * @param {object} body
   * @param {number} [of] the request of the page for which it is asked
   * @returns {Promise<any>}
   */
  async ask(op, body, of) {
    const opened = (this.#hand ??= this.#open());
    let hand;
    try {
      hand = await opened;
      return await hand.ask(op, body, of);
    } catch (error) {
      // A module that was aborted has lost what it had, and a worker that was ended is no more: another one is made.
      const lost = !hand || hand.ended || isBroken(error);
      if (lost && this.#hand === opened) {
        this.#hand = null;
        hand?.end();
      }
      // It was ended for the sake of another request.
      const ended = error instanceof Refused && error.fault.code === 'stopped' && hand?.ended;
      if (ended && (of === undefined || error.of !== of)) return this.ask(op, body, of);
      throw error;
    }
  }

  /** Stops a request of the page. @param {number} of */
  async stop(of) {
    (await this.#hand)?.stop(of);
  }
}

/**
 * The name of a task that was done, in its run.
 * @param {{game?: {cell: number, record: {pair: number, game: number}}, sample?: {cell: number, number: number}}} done
 */
const nameOf = ({ game, sample }) => (game ? `${game.cell}.${game.record.pair}.${game.record.game}` : `${sample?.cell}.${sample?.number}`);

/** A run of an experiment. */
class Run {
  experiment;
  seed;
  #keeper;
  #took;
  #ended;
  /** @type {Hand[]} */
  #players = [];
  /** Tasks that no player has begun. @type {Task[]} */
  #tasks = [];
  /** The names of the tasks that were given out and are not stored. @type {Set<string>} */
  #out = new Set();
  /** @type {Promise<void> | null} */
  #fetching = null;
  over = false;

  /**
   * @param {Keeper} keeper
   * @param {{experiment: string, seed: number}} of
   * @param {(body: object) => void} took called with what became of each task
   * @param {(fault: Fault | null) => void} ended
   */
  constructor(keeper, { experiment, seed }, took, ended) {
    this.experiment = experiment;
    this.seed = seed;
    this.#keeper = keeper;
    this.#took = took;
    this.#ended = ended;
  }

  /** @param {Hand[]} players */
  begin(players) {
    this.#players = players;
    void Promise.all(players.map((player) => this.#work(player))).then(
      () => this.end(null),
      (error) => this.end(error instanceof Refused ? error.fault : { code: 'internal', message: String(error) }),
    );
  }

  /** @param {Fault | null} fault */
  end(fault) {
    if (this.over) return;
    this.over = true;
    for (const player of this.#players) player.end();
    this.#ended(fault);
  }

  /** @param {Hand} player */
  async #work(player) {
    for (;;) {
      const next = await this.#next();
      if (!next || this.over) return;
      const { done } = await player.ask('work', { task: next.task });
      const body = { experiment: this.experiment, seed: this.seed, done };
      await this.#keeper.ask('take', body);
      this.#took(body);
      this.#out.delete(next.name);
    }
  }

  async #next() {
    if (!this.#tasks.length) await (this.#fetching ??= this.#fetch().finally(() => (this.#fetching = null)));
    return this.#tasks.shift();
  }

  async #fetch() {
    const count = AHEAD * this.#players.length;
    const { tasks } = await this.#keeper.ask('tasks', { experiment: this.experiment, count, skip: [...this.#out] });
    for (const task of tasks) this.#out.add(task.name);
    this.#tasks.push(...tasks);
  }
}

export class Laboratory {
  #page;
  /** What it has, once it was asked for something. @type {Promise<Contents> | null} */
  #opened = null;
  /** @type {Run | null} */
  #run = null;
  /** Why the last run ended early. @type {{experiment: string, seed: number, fault: Fault} | null} */
  #failed = null;
  /** The keepers that are asked for something that can be stopped, by request. @type {Map<number, Keeper>} */
  #stoppable = new Map();

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
  }

  /** Opens it once. */
  #open() {
    if (this.#opened) return this.#opened;
    const opened = this.#fetch();
    this.#opened = opened;
    // Whoever asks learns of a failure, and the next one tries again.
    opened.catch(() => (this.#opened = null));
    return opened;
  }

  /** @returns {Promise<Contents>} */
  async #fetch() {
    const response = await fetch(this.#page.index);
    if (!response.ok) throw new Error(`${response.status}`);
    /** @type {{experiments: Summary[], build: string}} */
    const { experiments, build } = await response.json();
    const kept = new Kept(build);
    const taken = await kept.read();
    const names = [...new Set(experiments.map(({ game }) => moduleOf(game)))];
    const keepers = new Map(names.map((name) => [name, new Keeper(() => this.#hand(name), taken.get(name) ?? [])]));
    return { experiments, kept, keepers };
  }

  /** @param {string} name of a module */
  async #hand(name) {
    return new Hand(await this.#page.module(name), this.#page.said('engine'));
  }

  /**
   * Answers a request.
   * @param {Request} request
   */
  async ask(request) {
    const { id } = request;
    try {
      this.#page.respond({ id, ok: await this.#answer(request) });
    } catch (error) {
      const fault = error instanceof Refused ? error.fault : { code: 'page', message: this.#page.said(globalThis.WebAssembly ? 'engine' : 'browser') };
      this.#page.respond({ id, error: fault.code === 'no_memory' ? { code: 'page', message: this.#page.said('memory') } : fault });
    } finally {
      this.#stoppable.delete(id);
    }
  }

  /**
   * Stops a request, if it is one of these; returns whether it is.
   * @param {number} id
   */
  stop(id) {
    const keeper = this.#stoppable.get(id);
    void keeper?.stop(id);
    return keeper !== undefined;
  }

  /** @param {Request} request */
  async #answer({ id, op, ...body }) {
    const { experiments, keepers } = await this.#open();
    if (op === 'experiments') return { experiments: await this.#counted(experiments), allowed: true };
    const names = [...keepers.keys()];
    const number = body.match;
    const known = experiments.find((one) => one.id === body.experiment);
    const name = number === undefined ? moduleOf(known?.game ?? '') : names[number % NUMBERS];
    const keeper = keepers.get(name);
    if (!keeper) throw new Refused(number === undefined ? unknown(body.experiment) : { code: 'unknown_match', message: `there is no match ${number}`, args: { match: number } });
    if (number !== undefined) body.match = Math.floor(number / NUMBERS);
    if (op === 'reproduce') return this.#begin(keeper, name, body);
    if (op === 'interrupt') return { interrupted: this.#interrupt(body.experiment) };
    const long = op === 'rerun' || op === 'report';
    if (long) this.#stoppable.set(id, keeper);
    const answer = await keeper.ask(op, body, long ? id : undefined);
    const outside = (/** @type {number} */ match) => match * NUMBERS + names.indexOf(name);
    if (answer.match) answer.match.id = outside(answer.match.id);
    if (op === 'experiment') this.#complete(answer, outside);
    return answer;
  }

  /**
   * The list with what was played here.
   * @param {Summary[]} experiments
   */
  async #counted(experiments) {
    const { keepers } = await this.#open();
    const count = (/** @type {Summary} */ { id, game }) => keepers.get(moduleOf(game))?.count(id);
    return experiments.map((one) => ({ ...one, ...count(one), running: this.#run?.experiment === one.id }));
  }

  /**
   * What the keeper does not know of an experiment.
   * @param {any} answer to `experiment`
   * @param {(match: number) => number} outside
   */
  #complete(answer, outside) {
    for (const cell of answer.cells) cell.match &&= outside(cell.match);
    answer.about = about(players());
    const failed = this.#failed;
    if (failed && failed.experiment === answer.experiment.id && failed.seed === answer.seed) answer.failed = failed.fault;
  }

  /**
   * Begins a run, or continues one.
   * @param {Keeper} keeper
   * @param {string} name of its module
   * @param {{experiment?: string, seed?: number, scale?: number, plan?: number}} body
   */
  async #begin(keeper, name, { experiment = '', seed = 1, ...size }) {
    if (this.#run) {
      const running = this.#run.experiment;
      throw new Refused({ code: 'match_busy', reason: 'here', message: `${running} is being run`, args: { experiment: running } });
    }
    const of = { experiment, seed };
    /** @param {object} took */
    const keep = async (took) => {
      const text = JSON.stringify(took);
      if (keeper.add(text)) await (await this.#open()).kept.add(name, text);
    };
    const run = new Run(keeper, of, (took) => void keep(took), (fault) => {
      if (this.#run === run) this.#run = null;
      keeper.run = null;
      this.#failed = fault && { ...of, fault };
      void keeper.ask('interrupt', { experiment }).catch(() => {});
    });
    this.#run = run;
    this.#failed = null;
    try {
      const begun = await keeper.ask('reproduce', { ...of, ...size });
      // It may have been interrupted meanwhile.
      if (!run.over) keeper.run = { ...of, scale: size.scale };
      const { plan } = await keeper.ask('experiment', of);
      await keep({ ...of, done: JSON.stringify({ plan: { scale: plan.scale, written: plan.written } }) });
      const hands = await Promise.all(Array.from({ length: players() }, () => this.#hand(name)));
      if (run.over) hands.forEach((hand) => hand.end());
      else run.begin(hands);
      return begun;
    } catch (error) {
      run.over = true;
      this.#run = null;
      keeper.run = null;
      throw error;
    }
  }

  /** @param {string} [experiment] */
  #interrupt(experiment) {
    const run = this.#run;
    if (!run || run.experiment !== experiment) return false;
    run.end(null);
    return true;
  }
}

/** The players of a run: one core is left for the page and the keeper. */
const players = () => Math.max(1, Math.min(MOST_PLAYERS, (navigator.hardwareConcurrency || 2) - 1));

/** The name of the module of a game. @param {string} game */
const moduleOf = (game) => game.split('-')[0];

/** @param {string} [experiment] */
const unknown = (experiment) => ({ code: 'unknown_experiment', message: `there is no experiment \`${experiment}\``, args: { name: experiment } });
