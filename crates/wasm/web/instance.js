// A module of games that runs in this thread: in a worker of the page, or in Node.

/**
 * What a module exports; addresses are unsigned numbers that JavaScript sees signed. A module for several threads imports its
 * memory, and exports what each thread needs.
 * @typedef {{memory: WebAssembly.Memory, alloc: (length: number) => number, ask: () => void}} Exports
 * @typedef {{serve: () => void, __stack_pointer: WebAssembly.Global, __wasm_init_tls: (at: number) => void, __tls_size: WebAssembly.Global}} ThreadExports
 */

/**
 * Where tables are kept that solve a game: `load` gives the bytes of one, null if there is none; `keep` receives one that was
 * built, in memory that the call alone may read.
 * @typedef {{load: (name: string) => Uint8Array | null, keep: (name: string, bytes: Uint8Array<ArrayBuffer>) => void}} TableStore
 */

/** @type {TableStore} */
const NOWHERE = { load: () => null, keep: () => {} };

const PAGE_BYTES = 1 << 16;
/** The stack of a helper thread, as large as that of the module. */
const STACK_BYTES = 8 << 20;

/**
 * A memory for a module for several threads, as `xtask/src/modules.rs` links it: 32 MiB at first, 1 GiB at most.
 * @throws {RangeError} where it is refused
 */
export const sharedMemory = () => new WebAssembly.Memory({ initial: 512, maximum: 16_384, shared: true });

export class Instance {
  #module;
  #stopped;
  #tables;
  /** Where several threads share it; a fault of one of them is the end of all. */
  #shared;
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
   * @param {WebAssembly.Memory | null} [shared] the memory, for a module for several threads
   * @param {boolean} [helper] whether the thread is to `serve` another instance that has the same memory
   */
  constructor(module, stopped, tables = NOWHERE, shared = null, helper = false) {
    this.#module = module;
    this.#stopped = stopped;
    this.#tables = tables;
    this.#shared = shared;
    this.#exports = this.#start();
    if (shared) this.#makeRoom(shared, helper ? STACK_BYTES : 0);
  }

  /** Whether a fault has ended it: it shares its memory with other threads, and all of them are of no more use. */
  lost = false;

  /** The size of the module's memory, which never shrinks. */
  get bytes() {
    return (this.#shared ?? this.#exports.memory).buffer.byteLength;
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
      new Uint8Array((this.#shared ?? this.#exports.memory).buffer, at, bytes.length).set(bytes);
      this.#exports.ask();
    } catch (error) {
      // A bug, or no memory: the instance cannot be used any more, and a new one keeps nothing of it.
      const why = this.#panic || String(error);
      // Without a panic only a refused allocation ends the module by itself.
      const refused = !this.#panic && error instanceof WebAssembly.RuntimeError && /unreachable/i.test(error.message);
      if (this.#shared) this.lost = true;
      else this.#exports = this.#start();
      if (refused) say(refusal(request.id, 'no_memory', 'there is not enough memory'));
      else say(refusal(request.id, 'internal', `internal error: ${why}`));
    }
  }

  /**
   * Lends the calling thread to the searches of the instance that has the same memory. It ends only by a fault, which it throws.
   * @param {(response: string) => void} say receives reports
   */
  serve(say) {
    this.#say = say;
    try {
      this.#threadExports().serve();
    } catch (error) {
      throw new Error(this.#panic || String(error));
    }
  }

  #threadExports() {
    return /** @type {ThreadExports} */ (/** @type {unknown} */ (this.#exports));
  }

  /**
   * Gives the thread variables of its own, and a stack if it is not the first one, in memory of which the module's allocator does
   * not know.
   * @param {WebAssembly.Memory} shared
   * @param {number} stack its size in bytes, whole pages
   */
  #makeRoom(shared, stack) {
    const exports = this.#threadExports();
    const at = shared.grow(Math.ceil((stack + exports.__tls_size.value) / PAGE_BYTES)) * PAGE_BYTES;
    exports.__wasm_init_tls(at + stack);
    if (stack > 0) exports.__stack_pointer.value = at + stack;
  }

  /** @returns {Exports} */
  #start() {
    this.#panic = '';
    const decoder = new TextDecoder();
    const shared = this.#shared;
    /** @type {(at: number, length: number) => Uint8Array<ArrayBuffer>} */
    const view = (at, length) => new Uint8Array(/** @type {ArrayBuffer} */ ((shared ?? exports.memory).buffer), at >>> 0, length >>> 0);
    /** The same to be read: most functions of browsers do not take shared memory. @type {typeof view} */
    const bytes = (at, length) => (shared ? view(at, length).slice() : view(at, length));
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
        if (to !== 0 && table) view(to, table.length).set(table);
        return table?.length ?? 0;
      },
      keep_table: (/** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ from, /** @type {number} */ size) => {
        this.#tables.keep(decoder.decode(bytes(at, length)), bytes(from, size));
      },
    };
    const exports = /** @type {Exports} */ (/** @type {unknown} */ (new WebAssembly.Instance(this.#module, shared ? { host, env: { memory: shared } } : { host }).exports));
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
