// What was played for experiments in this browser: kept between visits as far as it allows, else until the page is closed.

/** Of this page: a host may have others, in other folders, whose modules are of other builds. */
const DATABASE = `banmen.experiments ${new URL('..', import.meta.url).pathname}`;
const DONE = 'done';

/**
 * What became of a task, as the operation `take` takes it: `body` is its request as JSON.
 * @typedef {{build: string, game: string, body: string}} Entry
 */

export class Kept {
  #build;
  /** @type {Promise<IDBDatabase | null>} */
  #database;

  /** @param {string} build of the modules: what another one played is not counted, and is dropped */
  constructor(build) {
    this.#build = build;
    this.#database = open();
  }

  /**
   * Everything that was kept, by the name of the module.
   * @returns {Promise<Map<string, string[]>>}
   */
  async read() {
    /** @type {Map<string, string[]>} */
    const found = new Map();
    const database = await this.#database;
    if (!database) return found;
    try {
      const done = database.transaction(DONE, 'readwrite').objectStore(DONE);
      /** @type {Entry[]} */
      const entries = await answer(done.getAll());
      if (entries.some(({ build }) => build !== this.#build)) {
        done.clear();
        for (const entry of entries) if (entry.build === this.#build) done.add(entry);
      }
      for (const { build, game, body } of entries) {
        if (build === this.#build) found.set(game, [...(found.get(game) ?? []), body]);
      }
    } catch {
      // A database that the browser has damaged: nothing was kept.
    }
    return found;
  }

  /**
   * @param {string} game the name of the module
   * @param {string} body
   */
  async add(game, body) {
    try {
      (await this.#database)?.transaction(DONE, 'readwrite').objectStore(DONE).add({ build: this.#build, game, body });
    } catch {
      // The quota is full: it is there until the page is closed.
    }
  }
}

/** @returns {Promise<IDBDatabase | null>} null where the browser stores nothing */
async function open() {
  try {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(DONE, { autoIncrement: true });
    return await answer(request);
  } catch {
    return null;
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const answer = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
