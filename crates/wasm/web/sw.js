// The service worker: answers the page's requests from what it stored, and marks every response so that the page is isolated.
//
// `files.js`, which is written with the page, has its files and their version. A new version is stored beside the old one,
// and takes over when no page of the old one is open.

const worker = /** @type {ServiceWorkerGlobalScope & {VERSION: string, FILES: string[]}} */ (/** @type {unknown} */ (self));

importScripts('files.js');

/** What the names of this page's caches begin with: a host may have other pages of Banmen, in other folders. */
const OWN = `banmen ${worker.registration.scope} `;
const NAME = OWN + worker.VERSION;

worker.addEventListener('install', (event) => event.waitUntil(store(worker.FILES)));
worker.addEventListener('activate', (event) => event.waitUntil(begin()));
worker.addEventListener('message', (event) => event.waitUntil(storeModules(event.data)));
worker.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  if (method === 'GET' && url.startsWith(worker.registration.scope)) event.respondWith(answer(event.request));
});

/**
 * A request for what the host has now: not for what the browser has kept of another version.
 * @param {Request | string} request
 */
const fresh = (request) => new Request(request, { cache: 'no-cache' });

/** @param {string[]} files */
async function store(files) {
  const cache = await caches.open(NAME);
  await cache.addAll(files.map(fresh));
}

/** Drops what earlier versions stored, and serves the pages that are open. */
async function begin() {
  const names = (await caches.keys()).filter((name) => name.startsWith(OWN) && name !== NAME);
  await Promise.all(names.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** @param {string[]} modules the addresses of modules, stored one after the other where they are missing */
async function storeModules(modules) {
  const cache = await caches.open(NAME);
  // A full disk or a lost network ends it: a module is then stored when its game is played.
  for (const module of modules) if (!(await cache.match(module))) await cache.add(fresh(module));
}

/** @param {Request} request */
async function answer(request) {
  const cache = await caches.open(NAME);
  const known = await cache.match(request, { ignoreSearch: true });
  if (known) return isolated(known);
  const isModule = request.url.endsWith('.wasm');
  const response = await fetch(isModule ? fresh(request) : request);
  if (response.ok && isModule) {
    const copy = response.clone();
    // Where the quota is full the game is played all the same.
    await cache.put(request, copy).catch(() => {});
  }
  return isolated(response);
}

/**
 * A response with the headers by which a page, and its workers, may share memory.
 * @param {Response} response
 */
function isolated(response) {
  const headers = new Headers(response.headers);
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-embedder-policy', 'require-corp');
  headers.set('cross-origin-resource-policy', 'same-origin');
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
