// A module for several threads in Node: its helpers are worker threads, which run this file.

import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Instance, sharedMemory } from '../web/instance.js';

/**
 * An instance with helpers.
 * @param {WebAssembly.Module} module
 * @param {number} count of helpers
 */
export async function helped(module, count) {
  const memory = sharedMemory();
  const instance = new Instance(module, () => false, undefined, memory);
  const workers = Array.from({ length: count }, () => new Worker(new URL(import.meta.url), { workerData: { module, memory } }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return { instance, end: () => Promise.all(workers.map((worker) => worker.terminate())) };
}

if (!isMainThread && workerData?.memory) {
  const instance = new Instance(workerData.module, () => false, undefined, workerData.memory, true);
  parentPort?.postMessage('serving');
  instance.serve(() => {});
}
