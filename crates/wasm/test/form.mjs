// The page's browser tests that depend on no server, on the page without one.
//
// SITE names the folder of the page, BANMEN_URL a running server of the same program, which answers what the tests compare with;
// CHROMIUM, where it is not at the usual place, the browser.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { host } from './host.mjs';

/** Files of `crates/server/web/test`. Others watch the connection, or have the server answer otherwise than it does. */
const FILES = ['edit', 'every', 'lesson', 'openings', 'own', 'play', 'rules', 'share', 'start', 'tree'];

const program = process.env.BANMEN_URL ?? assert.fail('BANMEN_URL must name a running server');
const { url, modules, close } = await host(null, { program });
const files = FILES.map((name) => new URL(`../../server/web/test/${name}.test.mjs`, import.meta.url).pathname);
const tests = spawn(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=900000', ...files], { stdio: 'inherit', env: { ...process.env, BANMEN_URL: url } });
const code = await new Promise((resolve) => tests.on('exit', resolve));
close();
assert.equal(code, 0);
// The page was that without a server.
assert.equal(modules().length, 5, `${modules()}`);
