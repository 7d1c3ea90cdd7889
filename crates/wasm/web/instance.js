// A module of games that runs in this thread: in a worker of the page, or in Node.

/**
 * The functions that a module exports; addresses are unsigned numbers that JavaScript sees signed.
 * @typedef {{memory: WebAssembly.Memory, alloc: (length: number) => number, ask: () => void}} Exports
 */

/**
 * Where tables are kept that solve a game: `load` gives the bytes of one, null if there is none; `keep` receives one that was
 * built, in memory that the call alone may read.
 * @typedef {{load: (name: string) => Uint8Array | null, keep: (name: string, bytes: Uint8Array<ArrayBuffer>) => void}} TableStore
 */

/** @type {TableStore} */
const NOWHERE = { load: () => null, keep: () => {} };

export class Instance {
  #module;
  #stopped;
  #tables;
  /** @type {Exports} */
  #exports;
  /** Receives the responses to the request under way. @type {(response: string) => void} */
  #say = () => {};
  /** What a panic said, once there was one. */
  #panic = '';

  /**
   * @param {WebAssembly.Module} module
   * @param {() => boolean} stopped whether the search under way is asked to stop; called every few hundred positions
   * @param {TableStore} [tables]
   */
  constructor(module, stopped, tables = NOWHERE) {
    this.#module = module;
    this.#stopped = stopped;
    this.#tables = tables;
    this.#exports = this.#start();
  }

  /** The size of the module's memory, which never shrinks. */
  get bytes() {
    return this.#exports.memory.buffer.byteLength;
  }

  /**
   * Answers a request. It returns when the answer was given.
   * @param {{id: unknown, op: string}} request
   * @param {(response: string) => void} say receives each report, and then the answer, as JSON
   */
  ask(request, say) {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    this.#say = say;
    try {
      const at = this.#exports.alloc(bytes.length) >>> 0;
      if (at === 0) return say(refusal(request.id, 'too_large', 'the request is too large'));
      new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
      this.#exports.ask();
    } catch (error) {
      // A bug, or no memory: the instance cannot be used any more, and a new one keeps nothing of it.
      const why = this.#panic || String(error);
      // Without a panic only a refused allocation ends the module by itself.
      const refused = !this.#panic && error instanceof WebAssembly.RuntimeError && /unreachable/i.test(error.message);
      this.#exports = this.#start();
      if (refused) say(refusal(request.id, 'no_memory', 'there is not enough memory'));
      else say(refusal(request.id, 'internal', `internal error: ${why}`));
    }
  }

  /** @returns {Exports} */
  #start() {
    this.#panic = '';
    const decoder = new TextDecoder();
    /** @type {(at: number, length: number) => Uint8Array<ArrayBuffer>} */
    const bytes = (at, length) => new Uint8Array(/** @type {ArrayBuffer} */ (exports.memory.buffer), at >>> 0, length >>> 0);
    /** The table that the module asked the size of, until it has it. @type {{name: string, table: Uint8Array} | null} */
    let loading = null;
    const host = {
      now: () => performance.timeOrigin + performance.now(),
      stopped: () => Number(this.#stopped()),
      say: (/** @type {number} */ at, /** @type {number} */ length) => {
        const text = decoder.decode(bytes(at, length));
        if (text.startsWith('{"panic":')) this.#panic = JSON.parse(text).panic;
        else this.#say(text);
      },
      load_table: (/** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ to) => {
        const name = decoder.decode(bytes(at, length));
        const table = loading?.name === name ? loading.table : this.#tables.load(name);
        loading = to === 0 && table ? { name, table } : null;
        if (to !== 0 && table) bytes(to, table.length).set(table);
        return table?.length ?? 0;
      },
      keep_table: (/** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ from, /** @type {number} */ size) => {
        this.#tables.keep(decoder.decode(bytes(at, length)), bytes(from, size));
      },
    };
    const exports = /** @type {Exports} */ (/** @type {unknown} */ (new WebAssembly.Instance(this.#module, { host }).exports));
    return exports;
  }
}

/**
 * An error as the answer to a request.
 * @param {unknown} id
 * @param {string} code
 * @param {string} message
 */
export const refusal = (id, code, message) => JSON.stringify({ id, error: { code, message } });
