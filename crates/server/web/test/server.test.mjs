// The connection: what is sent again after it was lost, and what is not. Sockets and time are the test's own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchSlot, Server } from '../js/server.js';

/** Longer than any wait of the connection. */
const LONG_MS = 60_000;

/** What serves as a WebSocket: keeps what the page sends. */
class Socket {
  /** @type {any[]} */
  sent = [];
  onopen = () => {};
  onclose = () => {};
  onmessage = (/** @type {{data: string}} */ _event) => {};

  /** @param {string} text */
  send(text) {
    this.sent.push(JSON.parse(text));
  }

  /** @param {object} response */
  answer(response) {
    this.onmessage({ data: JSON.stringify(response) });
  }
}

/** A connection that is open. @param {import('node:test').TestContext} t */
function connected(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  /** @type {Socket[]} */
  const sockets = [];
  const server = new Server(() => {
    const socket = new Socket();
    sockets.push(socket);
    return /** @type {any} */ (socket);
  });
  sockets[0].onopen();
  /** Loses the connection, and opens the next one. */
  const reconnect = () => {
    sockets[0].onclose();
    t.mock.timers.tick(1000);
    assert.equal(sockets.length, 2);
    sockets[1].onopen();
    return sockets[1];
  };
  return { server, first: sockets[0], reconnect };
}

/** @param {Promise<unknown>} answer */
const refused = (answer) => answer.then(assert.fail, (why) => why.fault.code);

test('what is unanswered is sent again when the connection is restored', async (t) => {
  const { server, first, reconnect } = connected(t);
  const { id, answer } = server.request('show', { game: 'othello' });
  const second = reconnect();
  assert.deepEqual(second.sent, first.sent);
  second.answer({ id, ok: 1 });
  assert.equal(await answer, 1);
});

test('a search that was stopped does not begin again on another connection', async (t) => {
  const { server, first, reconnect } = connected(t);
  const slot = new SearchSlot(server, 'analyse');
  const search = slot.think({ depth: 1 }, () => {});
  await Promise.resolve();
  slot.drop();
  assert.deepEqual(first.sent.map(({ op }) => op), ['think', 'stop']);
  const second = reconnect();
  assert.equal(await search, null);
  // The next search need not wait for it.
  const next = slot.think({ depth: 2 }, () => {});
  for (let i = 0; i < 9; i += 1) await Promise.resolve();
  assert.deepEqual(second.sent.map(({ op, depth }) => [op, depth]), [['think', 2]]);
  second.answer({ id: second.sent[0].id, ok: { move: 'd3' } });
  assert.deepEqual(await next, { move: 'd3' });
});

test('a request that waits for a busy server is sent once, over a lost connection too', async (t) => {
  const { server, first, reconnect } = connected(t);
  const { id, answer } = server.request('think', {});
  // The wait after the fifth refusal is longer than that for the connection.
  for (let tries = 0; tries < 5; tries += 1) {
    first.answer({ id, error: { code: 'busy' } });
    if (tries < 4) t.mock.timers.tick(LONG_MS);
  }
  assert.equal(first.sent.length, 5);
  const second = reconnect();
  t.mock.timers.tick(LONG_MS);
  assert.equal(second.sent.length, 1);
  second.answer({ id, ok: 1 });
  assert.equal(await answer, 1);
});

test('a search that is stopped while the server is busy is refused', async (t) => {
  const { server, first } = connected(t);
  const early = server.request('think', {});
  server.stop(early.id);
  // The answer was on its way.
  first.answer({ id: early.id, error: { code: 'busy' } });
  assert.equal(await refused(early.answer), 'stopped');
  const late = server.request('think', {});
  first.answer({ id: late.id, error: { code: 'busy' } });
  server.stop(late.id);
  assert.equal(await refused(late.answer), 'stopped');
  t.mock.timers.tick(LONG_MS);
  assert.deepEqual(first.sent.map(({ op }) => op), ['think', 'stop', 'think']);
});
