// A worker with one module of games: it answers one request after the other, and every response is a message.

import { Instance } from './instance.js';

/** @type {Instance} */
let instance;

addEventListener('message', ({ data }) => {
  if (data.module) {
    const flag = data.flag ? new Int32Array(data.flag) : null;
    instance = new Instance(data.module, () => flag !== null && Atomics.load(flag, 0) !== 0);
  } else {
    instance.ask(data, (response) => postMessage(response));
  }
});
