// The files of the page: words, size, and what the server sends them as.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { strings } from '../js/strings.js';

const web = new URL('../', import.meta.url);
const address = process.env.BANMEN_URL ?? assert.fail('BANMEN_URL must name a running server');

const SIZE_BUDGET = 40 * 1024;
const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** @returns {Promise<string[]>} */
async function files() {
  const modules = (await readdir(new URL('js/', web))).map((name) => `js/${name}`);
  return ['index.html', 'style.css', 'icon.svg', ...modules];
}

test('every language has the same words with the same gaps', () => {
  const gaps = (/** @type {string} */ words) => (words.match(/\{\w+\}/g) ?? []).sort();
  for (const [language, table] of Object.entries(strings)) {
    assert.deepEqual(Object.keys(table).sort(), Object.keys(strings.en).sort(), language);
    for (const [key, words] of Object.entries(table)) {
      if (key !== 'joinSentences') assert.ok(words.trim(), `${language} ${key}`);
      assert.deepEqual(gaps(words), gaps(strings.en[key]), `${language} ${key}`);
    }
  }
});

test('every word that the page asks for is in the table', async () => {
  for (const file of await files()) {
    const source = await readFile(new URL(file, web), 'utf8');
    for (const [, key] of source.matchAll(/(?:\btext\(|data-text=|data-label=|label: )['"]([\w.]+)['"]/g)) {
      assert.ok(Object.hasOwn(strings.en, key), `${file}: ${key}`);
    }
  }
});

test('the page stays within its size', async (t) => {
  let sum = 0;
  for (const file of await files()) sum += gzipSync(await readFile(new URL(file, web)), { level: 9 }).length;
  t.diagnostic(`${sum} bytes with gzip -9, of ${SIZE_BUDGET}`);
  assert.ok(sum <= SIZE_BUDGET, String(sum));
});

test('everything the page names is served with its type', async () => {
  const open = [''];
  const seen = new Set(open);
  while (open.length) {
    const path = String(open.pop());
    const response = await fetch(new URL(path, address));
    assert.equal(response.status, 200, path);
    const end = path === '' ? 'html' : path.replace(/.*\./, '');
    assert.equal(response.headers.get('content-type'), TYPES[/** @type {keyof TYPES} */ (end)], path);
    const body = await response.text();
    const local = path === '' ? 'index.html' : path;
    assert.equal(body, await readFile(new URL(local, web), 'utf8'), `${local} is the one on disk`);
    const named = end === 'js' ? body.matchAll(/from '(.+)'/g) : end === 'html' ? body.matchAll(/(?:src|href)="([^#"]+)"/g) : [];
    for (const [, name] of named) {
      const next = new URL(name, new URL(path, address)).pathname.slice(1);
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
  }
  assert.deepEqual([...seen].filter(Boolean).sort(), (await files()).filter((name) => name !== 'index.html').sort());
});

test('the page may run nothing but its own files', async () => {
  const { headers } = await fetch(address);
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(part), part);
  }
  assert.ok(!policy.includes("'unsafe-inline'") && !policy.includes("'unsafe-eval'"));
});
