// The tables that were built in this browser: kept between visits as far as it allows, else until the page is closed.

/** Not among the caches of the service worker, which drops those of other versions: a table outlives them. */
const CACHE = 'banmen.tables';

/** @param {string} name */
const keyOf = (name) => new URL(`../engines/tables/${name}`, import.meta.url).href;

export class Tables {
  /** By name; asked for once. A blob's bytes are not in the page's memory. @type {Promise<Map<string, Blob>> | null} */
  #known = null;

  /**
   * The tables of the games in a module, by name.
   * @param {string} module
   * @returns {Promise<Map<string, Blob>>}
   */
  async of(module) {
    this.#known ??= stored();
    return new Map([...(await this.#known)].filter(([name]) => name.startsWith(`${module}-`)));
  }

  /**
   * Takes a table, and stores it for the next visits.
   * @param {string} name
   * @param {Blob} bytes
   * @returns {Promise<boolean>} whether it is stored: a browser may have no room, or store nothing at all
   */
  async keep(name, bytes) {
    this.#known ??= stored();
    (await this.#known).set(name, bytes);
    try {
      await (await caches.open(CACHE)).put(keyOf(name), new Response(bytes));
      return true;
    } catch {
      return false;
    }
  }
}

/** @returns {Promise<Map<string, Blob>>} */
async function stored() {
  /** @type {Map<string, Blob>} */
  const known = new Map();
  try {
    // Opened only if it is there: a visitor who builds no table has none.
    if (!(await caches.has(CACHE))) return known;
    const cache = await caches.open(CACHE);
    for (const request of await cache.keys()) {
      const bytes = await (await cache.match(request))?.blob();
      if (bytes) known.set(request.url.split('/').at(-1) ?? '', bytes);
    }
  } catch {
    // A window that stores nothing, or a page on an unsafe connection.
  }
  return known;
}
