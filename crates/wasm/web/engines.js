// The games of a page without a server. To the page this is a connection like a WebSocket: it takes requests as text and
// gives the same responses, but they come from workers that run the modules of the games.
//
// Each game that is played has a worker for the operations that take no time, and up to two for searches, as a server allows
// two to a connection. A table is built in a worker of its own, which ends with it, and is handed to the others. Where the page
// is isolated (see `offline.js`) workers share memory: a search has helper workers, and is stopped by a flag. Elsewhere its worker
// is ended, and its last report is the answer.

import { refusal, sharedMemory } from './instance.js';
import { serveOffline } from './offline.js';
import { Tables } from './tables.js';

/** @typedef {{id: number, op: string, game?: string, session?: string, target?: number, moves?: string[]}} Request */
/** @typedef {import('../../server/web/js/server.js').Words} Words */

/** What a worker is for: operations that take no noticeable time, searches, or building a table. @typedef {'short' | 'search' | 'build'} Work */

/** The operations that take time. @type {Record<string, Work | undefined>} */
const WORK = { think: 'search', solve: 'search', perft: 'search', build: 'build' };
/** The operations on experiments, and on the games that were played for them. */
const LABORATORY = ['experiments', 'experiment', 'reproduce', 'interrupt', 'report', 'standings', 'record', 'rerun'];
/** Workers of one game at once. @type {Record<Work, number>} */
const MOST = { short: 1, search: 2, build: 1 };

/** @type {Record<string, Words>} */
const WORDS = {
  engine: {
    en: 'The engine of this game could not be loaded. Check the connection and try again.',
    ja: 'このゲームのエンジンを読み込めませんでした。接続を確かめて、もう一度お試しください。',
  },
  browser: {
    en: 'This browser has no WebAssembly, which the engines need.',
    ja: 'このブラウザーには、エンジンに必要な WebAssembly がありません。',
  },
  /** What building a table takes. */
  table: {
    en: '“Perfect play” needs the table of all positions. This browser builds it, once, in one to three minutes; that takes 300 MB of memory, and then 60 MB of its storage.',
    ja: '「完全プレイ」には全局面の表が必要です。このブラウザーで一度だけ、一分から三分で作れます。作る間に 300 MB のメモリー、作ったあとは 60 MB の保存領域を使います。',
  },
  unkept: {
    en: 'The table is built, and ready until this page is closed: the browser has no room to store it.',
    ja: '表ができました。保存する領域がブラウザーにないため、このページを閉じるまで使えます。',
  },
  memory: {
    en: 'The browser refused the memory that this needs. Closing other pages may help.',
    ja: '必要なメモリーをブラウザーから得られませんでした。ほかのページを閉じると、得られることがあります。',
  },
  server: {
    en: 'This page runs without a server, so it has no matches. “banmen serve” shows those that were played on a machine.',
    ja: 'このページはサーバーなしで動いているため、対戦記録はありません。「banmen serve」なら、その機械で行われた対戦を見られます。',
  },
};

/** @param {string} key */
const said = (key) => WORDS[key][document.documentElement.lang] ?? WORDS[key].en;

/** @param {string} path in the folder of the modules */
const at = (path) => new URL(`../engines/${path}`, import.meta.url);

/** A module that only a browser with vector instructions accepts: a function that makes a vector and drops it. */
const VECTORS = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11,
]);

const CORES = navigator.hardwareConcurrency || 1;
/** The most threads of a search. One core is left for the page where there are more than two. */
const THREADS = Math.min(8, Math.max(CORES - 1, Math.min(CORES, 2)));

/** The kinds of modules on the host: `plain`, `simd` for browsers with vector instructions, `threads` where they share memory too. @type {string[]} */
let kinds = [];

/** The kind of module for this browser, for a page that is isolated or is not. @param {boolean} isolated */
const kindFor = (isolated) => (!WebAssembly.validate(VECTORS) ? 'plain' : isolated && kinds.includes('threads') ? 'threads' : 'simd');

/** Whether the modules of this page are those for several threads: not where a browser refuses the memory. */
const threaded = (() => {
  /** @type {boolean | undefined} */
  let known;
  return () => (known ??= kindFor(globalThis.crossOriginIsolated) === 'threads' && memory() !== null);
})();

/** Memory that workers share; null where it is refused. */
function memory() {
  try {
    return sharedMemory();
  } catch {
    return null;
  }
}

/** The address of a module of this page. @param {string} name */
const addressOf = (name) => at(`${kindFor(threaded())}/${name}.wasm`);

/** The address of a module with the experiments, which are played on one thread. @param {string} name */
const labAddressOf = (name) => at(`${kindFor(false)}/lab/${name}.wasm`);

/** The name of the module of a game: that of the game of which it is a variant. @param {string} game */
const moduleOf = (game) => game.split('-')[0];

/** The modules that were asked for, by address. @type {Map<string, Promise<WebAssembly.Module>>} */
const modules = new Map();

/**
 * The module at this address, fetched once.
 * @param {URL} url
 */
function fetchModule(url) {
  const known = modules.get(url.href);
  if (known) return known;
  const module = compile(url);
  modules.set(url.href, module);
  // A broken download is tried again when the game is asked for again.
  module.catch(() => modules.delete(url.href));
  return module;
}

/** @param {URL} url */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status}`);
  // Some hosts do not know the type of a module.
  if (response.headers.get('content-type') === 'application/wasm') return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** A worker with one module, which answers one request after the other, and its helpers. */
class Engine {
  name;
  work;
  /** The session that it searched for last: it has that player's memory. @type {string | undefined} */
  session;
  /** The requests that it has not answered, the one under way first. @type {Request[]} */
  waiting = [];
  #module;
  /** The first one answers, the others help it. @type {Worker[]} */
  #workers = [];
  /** Helpers that have not begun to serve: until then nothing is asked. @type {Set<Worker>} */
  #starting = new Set();
  /** Not 0 when the search under way is to stop; null where no memory is shared. */
  #flag = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
  /** The last report of the search under way; that of a build is no answer. @type {any} */
  #report = null;
  /** Whether the worker ends with the next report that has a move. */
  #stopping = false;
  #respond;
  #gone;
  #built;
  /** By name. @type {Map<string, Blob>} */
  #tables = new Map();

  /**
   * @param {string} name of the module
   * @param {Work} work
   * @param {WebAssembly.Module} module
   * @param {(response: string) => void} respond
   * @param {(engine: Engine) => void} gone called when the worker has ended
   * @param {(table: string, bytes: Blob) => void} built called with a table that was built
   */
  constructor(name, work, module, respond, gone, built) {
    this.name = name;
    this.work = work;
    this.#module = module;
    this.#respond = respond;
    this.#gone = gone;
    this.#built = built;
    this.#launch();
  }

  /** Starts the workers. */
  #launch() {
    for (const worker of this.#workers.splice(0)) worker.terminate();
    this.#starting.clear();
    const shared = threaded() ? memory() : null;
    this.#add(shared, false);
    if (shared && this.work !== 'short') for (let i = 1; i < THREADS; i++) this.#starting.add(this.#add(shared, true));
    // Where memory was refused this time.
    else if (threaded() && !shared) setTimeout(() => this.end('page', said('memory')));
    this.give(this.#tables);
  }

  /**
   * @param {WebAssembly.Memory | null} memory
   * @param {boolean} helper
   */
  #add(memory, helper) {
    const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#receive(data);
      else if (data.serving) this.#started(worker);
      else if (data.lost) this.#restart();
      else this.#built(data.table, data.bytes);
    };
    worker.onerror = ({ message }) => {
      // A helper that cannot be started is not missed; for one that has begun the others may wait.
      if (this.#starting.has(worker)) this.#started(worker);
      else if (helper) this.end('internal', message);
      else this.end('page', said('engine'));
    };
    worker.postMessage({ module: this.#module, flag: this.#flag?.buffer ?? null, memory, helper });
    this.#workers.push(worker);
    return worker;
  }

  /** @param {Worker} helper */
  #started(helper) {
    this.#starting.delete(helper);
    if (!this.#starting.size && this.waiting.length) this.#send();
  }

  /** After a fault, which was the answer to the request under way. */
  #restart() {
    this.#launch();
    if (this.waiting.length) this.#begin();
  }

  /**
   * Hands tables to the worker, which reads them when they are needed.
   * @param {Map<string, Blob>} tables by name
   */
  give(tables) {
    this.#tables = tables;
    if (tables.size) this.#workers[0].postMessage({ tables });
  }

  /** @param {Request} request */
  ask(request) {
    this.waiting.push(request);
    if (this.waiting.length === 1) this.#begin();
  }

  /**
   * Stops a request: a search under way answers with what it has.
   * @param {number} id
   */
  stop(id) {
    const index = this.waiting.findIndex((request) => request.id === id);
    if (index > 0) {
      this.waiting.splice(index, 1);
      this.#respond(stopped(id));
    } else if (this.#flag && this.work !== 'build') {
      Atomics.store(this.#flag, 0, 1);
    } else if (this.waiting[0].op === 'think' && !this.#report?.move) {
      // A player always has a move, but may not have reported one yet.
      this.#stopping = true;
    } else {
      this.end();
    }
  }

  /**
   * Ends the worker. A search under way is answered with its last report; what has none, or waits, is refused.
   * @param {string} [code] of the refusal
   * @param {string} [message]
   */
  end(code = 'stopped', message = 'the search was stopped') {
    for (const worker of this.#workers) worker.terminate();
    this.#gone(this);
    for (const { id } of this.waiting.splice(0)) {
      this.#respond(this.#report ? JSON.stringify({ id, ok: this.#report }) : refusal(id, code, message));
      this.#report = null;
    }
  }

  #begin() {
    this.#report = null;
    this.#stopping = false;
    if (this.#flag) Atomics.store(this.#flag, 0, 0);
    if (!this.#starting.size) this.#send();
  }

  #send() {
    this.#workers[0].postMessage(this.waiting[0]);
  }

  /** @param {string} response */
  #receive(response) {
    const { id, info, error } = JSON.parse(response);
    if (!info) this.waiting.shift();
    this.#respond(error?.code === 'no_memory' ? refusal(id, 'page', said('memory')) : response);
    if (!info && this.waiting.length) this.#begin();
    else if (info && this.work === 'search') this.#report = info;
    if (info?.move && this.#stopping) this.end();
  }
}

/** @param {number} id */
const stopped = (id) => refusal(id, 'stopped', 'the search was stopped');

/** The connection, as far as the page uses a WebSocket. */
class Connection {
  /** @type {(() => void) | null} */
  onopen = null;
  /** @type {((event: {data: string}) => void) | null} */
  onmessage = null;
  /** @type {(() => void) | null} */
  onclose = null;
  /** The answer to `games`. @type {{games: {name: string}[], builds_tables: Words}} */
  #games = { games: [], builds_tables: WORDS.table };
  /** @type {Set<Engine>} */
  #engines = new Set();
  /** The requests whose module is being fetched. @type {Set<number>} */
  #loading = new Set();
  #tables = new Tables();
  /** The experiments, once they were asked for. @type {import('./laboratory.js').Laboratory | null} */
  #laboratory = null;
  /** Whether the table that was built last is stored. @type {Promise<boolean>} */
  #keeping = Promise.resolve(false);

  constructor() {
    void this.#open();
  }

  async #open() {
    try {
      const answer = await (await fetch(at('games.json'))).json();
      kinds = answer.kinds;
      this.#games = { games: answer.ok.games, builds_tables: WORDS.table };
      this.onopen?.();
      // Each request is then refused with the reason.
      if (!globalThis.WebAssembly) return;
      const names = [...new Set(this.#games.games.map(({ name }) => moduleOf(name)))];
      // With a service worker the next visit is isolated.
      const next = kindFor(true);
      void serveOffline(names.flatMap((name) => [at(`${next}/${name}.wasm`).href, labAddressOf(name).href]));
    } catch {
      // Tried again, like a lost connection.
      this.onclose?.();
    }
  }

  /** @param {string} text */
  send(text) {
    const request = JSON.parse(text);
    const { id, op, game, target } = request;
    if (op === 'games') return this.#respond(JSON.stringify({ id, ok: this.#games }));
    if (op === 'stop') return this.#stop(target);
    if (LABORATORY.includes(op) && !request.event) return void this.#askLaboratory(request);
    if (['matches', 'standings'].includes(op)) return this.#respond(refusal(id, 'no_server', said('server')));
    if (!this.#games.games.some(({ name }) => name === game)) {
      return this.#respond(refusal(id, 'unknown_game', `there is no game \`${game}\``));
    }
    void this.#ask(request, moduleOf(game));
  }

  /** @param {any} request */
  async #askLaboratory(request) {
    try {
      const { Laboratory } = await import('./laboratory.js');
      this.#laboratory ??= new Laboratory({
        // In modules of their own, which have the experiments.
        module: (name) => fetchModule(labAddressOf(name)),
        index: at('experiments.json'),
        respond: (response) => this.#respond(JSON.stringify(response)),
        said,
      });
    } catch {
      return this.#respond(refusal(request.id, 'page', said('engine')));
    }
    void this.#laboratory.ask(request);
  }

  /**
   * @param {Request} request
   * @param {string} name of the module
   */
  async #ask(request, name) {
    const { id, op, session } = request;
    const work = WORK[op] ?? 'short';
    let module;
    /** @type {Map<string, Blob>} */
    let tables;
    this.#loading.add(id);
    try {
      [module, tables] = await Promise.all([fetchModule(addressOf(name)), this.#tables.of(name)]);
    } catch {
      if (this.#loading.delete(id)) this.#respond(refusal(id, 'page', said(globalThis.WebAssembly ? 'engine' : 'browser')));
      return;
    }
    if (!this.#loading.delete(id)) return;
    const searches = work === 'search';
    // The memory of the game that was played before is given back.
    if (searches) for (const other of this.#engines) if (other.work === work && other.name !== name && !other.waiting.length) other.end();
    const own = [...this.#engines].filter((engine) => engine.name === name && engine.work === work);
    const free = work === 'short' ? own : own.filter((engine) => !engine.waiting.length);
    let engine = free.find((engine) => engine.session === session) ?? (own.length < MOST[work] ? null : free[0]);
    if (engine === undefined) return this.#respond(refusal(id, 'busy', searches ? 'two searches are running' : 'a table is being built'));
    if (!engine) {
      engine = this.#start(name, work, module);
      // What is built anew may replace a table that is damaged.
      if (work !== 'build') engine.give(tables);
    }
    if (searches) engine.session = session;
    engine.ask(request);
  }

  /**
   * @param {string} name
   * @param {Work} work
   * @param {WebAssembly.Module} module
   */
  #start(name, work, module) {
    /** @param {string} response */
    const respond = (response) => {
      if (work === 'build' && !JSON.parse(response).info) void this.#endBuild(engine, response);
      else this.#respond(response);
    };
    /** @type {(table: string, bytes: Blob) => void} */
    const built = (table, bytes) => {
      this.#keeping = this.#tables.keep(table, bytes);
    };
    const engine = new Engine(name, work, module, respond, (gone) => this.#engines.delete(gone), built);
    this.#engines.add(engine);
    return engine;
  }

  /**
   * Hands the table that was built to the other workers, and answers when it is stored, or when it is known that it cannot be.
   * @param {Engine} builder
   * @param {string} response
   */
  async #endBuild(builder, response) {
    // Its memory, five times that of the table, is given back.
    builder.end();
    const { id, ok } = JSON.parse(response);
    if (!ok) return this.#respond(response);
    const note = (await this.#keeping) ? {} : { note: WORDS.unkept };
    const tables = await this.#tables.of(builder.name);
    for (const engine of this.#engines) if (engine.name === builder.name) engine.give(tables);
    this.#respond(JSON.stringify({ id, ok: { ...ok, ...note } }));
  }

  /** @param {number} id of a request */
  #stop(id) {
    if (this.#laboratory?.stop(id)) return;
    if (this.#loading.delete(id)) this.#respond(stopped(id));
    else [...this.#engines].find((engine) => engine.waiting.some((request) => request.id === id))?.stop(id);
  }

  /** @param {string} data */
  #respond(data) {
    this.onmessage?.({ data });
  }
}

/** Opens the connection. */
export const connect = () => new Connection();

/** By game: the positions of the game on the start page, by ply. @type {Map<string, Promise<any[]>>} */
const recordings = new Map();

/**
 * A position of the game that the start page shows, for which no module is fetched.
 * @param {string} game
 * @param {number} ply
 */
export async function recorded(game, ply) {
  let recording = recordings.get(game);
  if (!recording) {
    recording = fetchRecording(game);
    recordings.set(game, recording);
    // What failed is tried again.
    recording.catch(() => recordings.delete(game));
  }
  return (await recording)[ply];
}

/** @param {string} game */
async function fetchRecording(game) {
  const response = await fetch(at(`start/${game}.json`));
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}
