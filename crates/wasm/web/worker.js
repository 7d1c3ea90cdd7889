// A worker with one module of games: it answers one request after the other, and every response is a message.

import { Instance } from './instance.js';

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

addEventListener('message', ({ data }) => {
  if (data.module) {
    const flag = data.flag ? new Int32Array(data.flag) : null;
    instance = new Instance(data.module, () => flag !== null && Atomics.load(flag, 0) !== 0, tables);
  } else if (data.tables) {
    known = data.tables;
  } else {
    instance.ask(data, (response) => postMessage(response));
  }
});
