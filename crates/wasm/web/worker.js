// A worker with one module of games: it answers one request after the other, and every response is a message. With memory that
// it shares it can also be a helper, which works for the searches of another worker.

import { Instance } from './instance.js';

/**
 * What the page sends first. `flag` and `memory` are null where no memory is shared.
 * @typedef {{module: WebAssembly.Module, flag: SharedArrayBuffer | null, memory: WebAssembly.Memory | null, helper: boolean}} Start
 */

/** @type {Instance} */
let instance;
/** The tables that the page has, by name. @type {Map<string, Blob>} */
let known = new Map();

/** @type {import('./instance.js').TableStore} */
const tables = {
  load(name) {
    const blob = known.get(name);
    if (!blob) return null;
    try {
      // Only workers have it, and the types are those of pages.
      return new Uint8Array(new (/** @type {any} */ (globalThis).FileReaderSync)().readAsArrayBuffer(blob));
    } catch {
      // The browser has dropped it.
      return null;
    }
  },
  keep: (name, bytes) => postMessage({ table: name, bytes: new Blob([bytes]) }),
};

/** @param {string} response */
const say = (response) => postMessage(response);

/** @param {Start} start */
function begin({ module, flag, memory, helper }) {
  const flags = flag && new Int32Array(flag);
  instance = new Instance(module, () => flags !== null && Atomics.load(flags, 0) !== 0, tables, memory, helper);
  if (!helper) return;
  postMessage({ serving: true });
  instance.serve(say);
}

addEventListener('message', ({ data }) => {
  if (data.module) {
    begin(data);
  } else if (data.tables) {
    known = data.tables;
  } else if (!instance.lost) {
    instance.ask(data, say);
    // What is asked from now on the page asks anew.
    if (instance.lost) postMessage({ lost: true });
  }
});
