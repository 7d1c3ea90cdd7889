// The service worker of a page without a server: it keeps the page's files, so that the page starts and plays without a
// network, and makes the page isolated, so that its workers may share memory.

/** How long the page has loaded before the modules of games that were not played are fetched, in milliseconds. */
const CALM_MS = 4000;

/**
 * Starts the service worker, and lets it store the modules of all games, unless the visitor saves data.
 * @param {string[]} modules their addresses
 */
export async function serveOffline(modules) {
  // Browsers offer it only on safe connections, and some not in private windows.
  if (!navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register(new URL('../sw.js', import.meta.url), { updateViaCache: 'none' });
    const { active } = await navigator.serviceWorker.ready;
    const { connection } = /** @type {{connection?: {saveData?: boolean}}} */ (navigator);
    if (!connection?.saveData) setTimeout(() => active?.postMessage(modules), CALM_MS);
  } catch {
    // Without it the page works while its host is within reach.
  }
}
