// A module of games that runs in this thread: in a worker of the page, or in Node.

/**
 * The functions that a module exports; addresses are unsigned numbers that JavaScript sees signed.
 * @typedef {{memory: WebAssembly.Memory, alloc: (length: number) => number, ask: () => void}} Exports
 */

export class Instance {
  #module;
  #stopped;
  /** @type {Exports} */
  #exports;
  /** Receives the responses to the request under way. @type {(response: string) => void} */
  #say = () => {};
  /** What a panic said, once there was one. */
  #panic = '';

  /**
   * @param {WebAssembly.Module} module
   * @param {() => boolean} stopped whether the search under way is asked to stop; called every few hundred positions
   */
  constructor(module, stopped) {
    this.#module = module;
    this.#stopped = stopped;
    this.#exports = this.#start();
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
      this.#exports = this.#start();
      say(refusal(request.id, 'internal', `internal error: ${why}`));
    }
  }

  /** @returns {Exports} */
  #start() {
    this.#panic = '';
    const decoder = new TextDecoder();
    const host = {
      now: () => performance.now(),
      stopped: () => Number(this.#stopped()),
      say: (/** @type {number} */ at, /** @type {number} */ length) => {
        const text = decoder.decode(new Uint8Array(exports.memory.buffer, at >>> 0, length));
        if (text.startsWith('{"panic":')) this.#panic = JSON.parse(text).panic;
        else this.#say(text);
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
