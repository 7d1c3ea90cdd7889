// A static host of the page without a server.
//
// SITE names the folder of the page.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import { join } from 'node:path';

export const site = process.env.SITE ?? assert.fail('SITE must name the folder of the page');

/** The types of files by their endings. */
export const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
};

/**
 * A static host below a path, as many hosts have it.
 * @param {import('node:test').TestContext | null} t
 * @param {{headers?: Record<string, string>, types?: Record<string, string>, files?: Record<string, Buffer>, program?: string}} [options]
 *   `files`: more files, by path; `program`: a server that answers what tests themselves ask, the page asks nothing
 */
export async function host(t, { headers = {}, types = TYPES, files = {}, program } = {}) {
  /** @type {string[]} */
  const asked = [];
  /** Files whose requests end without an answer, by the ends of their paths. @type {Set<string>} */
  const broken = new Set();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://host');
    asked.push(pathname);
    if ([...broken].some((end) => pathname.endsWith(end))) return void request.socket.destroy();
    if (program && pathname.startsWith('/banmen/api/')) {
      const to = new URL(pathname.slice('/banmen/'.length), program);
      const forwarded = send(to, { method: request.method, headers: { ...request.headers, host: to.host } }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      return void request.pipe(forwarded);
    }
    const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    try {
      const path = name.replace(/^\/banmen\//, '');
      const body = files[path] ?? (await readFile(join(site, path)));
      response.writeHead(200, { 'content-type': types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream', ...headers });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  t?.after(close);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  /** The modules that were fetched. */
  const modules = () => [...new Set(asked.filter((path) => path.endsWith('.wasm')).map((path) => path.split('/').at(-1)?.slice(0, -5)))];
  return { url: `http://127.0.0.1:${port}/banmen/`, asked, broken, modules, close };
}
