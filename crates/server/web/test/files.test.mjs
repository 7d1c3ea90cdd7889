// The files of the page: words, and what the server sends them as. Their size is in size.test.mjs: a browser measures it.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';

const web = new URL('../', import.meta.url);
const address = process.env.BANMEN_URL ?? assert.fail('BANMEN_URL must name a running server');

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** @returns {Promise<string[]>} */
async function files() {
  const folders = ['clock', 'editor', 'help', 'js', 'lab', 'lesson', 'log', 'matches', 'openings', 'record', 'record/faults', 'rules', 'start', 'tree', 'views', 'views/words', 'words'];
  const found = folders.map(async (folder) => {
    const names = (await readdir(new URL(`${folder}/`, web))).filter((name) => name.includes('.'));
    return names.map((name) => `${folder}/${name}`);
  });
  return ['index.html', 'style.css', 'icon.svg', ...(await Promise.all(found)).flat()];
}

/** The words of the page, of its parts and of each view, by language. @type {Record<string, Record<string, Record<string, string>>>} */
const tables = { page: {}, clock: {}, editor: {}, help: {}, lab: {}, log: {}, matches: {}, record: {}, 'record/faults': {}, tree: {} };
for (const file of await files()) {
  const [, folder, name] = /^(.+)\/(\w+)\.js$/.exec(file) ?? [];
  if (folder === 'words') tables.page[name] = (await import(`../${file}`)).words;
  if (['clock', 'editor', 'help', 'lab', 'log', 'matches', 'record', 'record/faults', 'tree'].includes(folder) && name.length === 2) tables[folder][name] = (await import(`../${file}`)).words;
  if (folder === 'views/words') tables[name] = (await import(`../${file}`)).words;
}

test('the page preloads the modules that main.js imports, and no others', async () => {
  /** @type {Set<string>} */
  const imported = new Set();
  const follow = async (/** @type {string} */ name) => {
    const source = await readFile(new URL(`js/${name}`, web), 'utf8');
    for (const [, next] of source.matchAll(/^(?:import|export) [^;]*?'\.\/([\w-]+\.js)';/gm)) {
      if (imported.has(next)) continue;
      imported.add(next);
      await follow(next);
    }
  };
  await follow('main.js');
  const page = await readFile(new URL('index.html', web), 'utf8');
  const preloaded = [...page.matchAll(/<link rel="modulepreload" href="js\/([\w-]+\.js)">/g)].map(([, name]) => name);
  assert.deepEqual(preloaded, [...imported].sort());
});

test('W16: every language has the same keys with the same placeholders', () => {
  const gaps = (/** @type {string} */ words) => (words.match(/\{\w+\}/g) ?? []).sort();
  for (const [owner, languages] of Object.entries(tables)) {
    for (const [language, table] of Object.entries(languages)) {
      assert.deepEqual(Object.keys(table).sort(), Object.keys(languages.en).sort(), `${owner} ${language}`);
      for (const [key, words] of Object.entries(table)) {
        if (key !== 'joinSentences') assert.ok(words.trim(), `${owner} ${language} ${key}`);
        assert.deepEqual(gaps(words), gaps(languages.en[key]), `${owner} ${language} ${key}`);
      }
    }
    assert.ok(Object.keys(languages).every((language) => language in tables.page), owner);
  }
  assert.deepEqual(Object.keys(tables.page).sort(), ['en', 'ja']);
});

test('W16: every key that the page uses is in the table', async () => {
  for (const file of await files()) {
    const source = await readFile(new URL(file, web), 'utf8');
    const [folder, name] = file.split(/[/.]/);
    // The shortcuts in `js` are named by the words of the help that lists them.
    const part = { clock: tables.clock, editor: tables.editor, help: tables.help, js: tables.help, lab: { en: { ...tables.matches.en, ...tables.lab.en } }, log: tables.log, matches: tables.matches, record: tables.record, tree: tables.tree, views: tables[name] }[folder];
    const known = { ...tables.page.en, ...part?.en };
    for (const [, key] of source.matchAll(/(?:\btext\(|data-text=|data-label=|label: )['"]([\w.]+)['"]/g)) {
      // Few words are beside the code that uses them, in each language.
      const beside = source.split(`'${key}': `).length - 1;
      assert.ok(Object.hasOwn(known, key) || beside === Object.keys(tables.page).length, `${file}: ${key}`);
    }
  }
});

/**
 * What is sent is the file on disk, but for white space, comments and the zeros of style sheets.
 * @param {string} sent
 * @param {string} source
 * @param {string} name
 */
function assertCompact(sent, source, name) {
  const code = source.replace(/^ *\/\*.*?\*\/|^ *\/\/[^\n]*$|\/\*\* @.*?\*\//gms, '');
  // Numbers of style sheets begin with their point.
  const short = name.endsWith('.css') ? code.replace(/(?<=[\s(])0(?=\.\d)/g, '') : code;
  const bare = (/** @type {string} */ text) => text.replace(/\s+/g, '').replace(/;(?=\})|,(?=[)\]}])/g, '');
  assert.equal(bare(sent), bare(short), name);
  assert.ok(sent.length < 0.97 * source.length, `${name}: ${sent.length} of ${source.length} bytes`);
}

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
    const source = await readFile(new URL(local, web), 'utf8');
    if (end === 'js' || end === 'css') assertCompact(body, source, local);
    else if (end === 'html') assert.equal(body, source.trimEnd().replace(/^ +/gm, ''), local);
    else assert.equal(body, source, `${local} is the one on disk`);
    // A view comes with the sheet of its name; other sheets are named where they are fetched.
    const named = { js: /(?:from |import\()'(.+?)'/g, html: /(?:src|href)="([^#"]+)"/g }[end];
    const names = named ? [...body.matchAll(named)].map(([, name]) => new URL(name, new URL(path, address)).pathname.slice(1)) : [];
    if (/^views\/\w+\.js$/.test(path)) names.push(path.replace(/js$/, 'css'));
    names.push(...[...body.matchAll(/fetchSheet\('(.+?)'/g)].map(([, name]) => name));
    for (const next of names) {
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
