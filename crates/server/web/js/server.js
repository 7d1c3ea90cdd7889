// The connection to the server: one WebSocket, requests matched to answers by id.
//
// Requests that a lost connection left unanswered are sent again on the next one, so that the page survives a restart of the
// server. Most change nothing there: the page holds the game. Of `build`, `reproduce` and `interrupt`, which do, a second one
// finds the work done, under way or ended.

/**
 * Words in several languages.
 * @typedef {{en: string, [language: string]: string}} Words
 * @typedef {'first' | 'second'} Side
 * @typedef {{name: string, title: Words, summary: string, view?: string, dialects?: string[], formats?: string[], solvable?: boolean, positions?: string[],
 *   seeded_positions?: string, rules: string[], sides: Record<Side, Words>}} GameInfo `positions` to begin with by name, the usual one first; a
 *   number behind `seeded_positions` makes a random one; `rules`: the variants, the usual one first
 * @typedef {{name: string, kind: string, min: number | null, max: number | null, default: string,
 *   values: string[] | null, summary: string}} Key a setting of a player; summaries are in English
 * @typedef {{name: string, summary: string, keys: Key[]}} PlayerInfo
 * @typedef {{at: string, piece: string | null, owner: Side | null, tags: string[], terrain?: string | null,
 *   label?: string | null}} Cell `terrain` and `label` where the game has them
 * @typedef {{width: number, height: number, cells: Cell[], hands: string[][], extra: Record<string, unknown>}} Board
 *   `cells` row by row from the top left, `hands` the first side's first
 * @typedef {{winner: Side | null, margin: number | null, by: string}} Outcome
 * @typedef {{position: string, side: Side, outcome: Outcome | null, legal_count: number, legal: string[] | null,
 *   moves: string[], board: Board}} Shown the answer to `show`
 * @typedef {{n: number, unit: string}} Evaluation from the view of the side to move
 * @typedef {{moves: string[], value: number | null, eval?: Evaluation | null}} Line
 * @typedef {{move: string | null, value: number | null, eval?: Evaluation | null, lines?: Line[],
 *   nodes: number | null, playouts: number | null, depth: number | null, ms: number, proven?: boolean,
 *   confidence?: number | null}} Report of a search, so far or final; `value` is the expected score of the side to move, 0 to 1,
 *   and final if `proven`; `confidence` is that of a selective search, in percent
 * @typedef {{id: number, event: number | null, game: string, rules: string, players: string[], versions: string[],
 *   planned: number | null, games: number, wins: number, draws: number, losses: number, created: number,
 *   running: boolean, experiment: string | null, conditions: Record<string, any>}} MatchInfo results are those of the first player
 * @typedef {{code: string, reason?: string | null, args?: Record<string, unknown>, message?: string, at?: number}} Fault
 */

/** An error answer. */
export class Refusal extends Error {
  /** @param {Fault} fault */
  constructor(fault) {
    super(fault.message || fault.code);
    this.fault = fault;
  }
}

/**
 * A request under way; `timer` while it waits for its next try, `stopped` once it is no longer wanted to the end.
 * @typedef {{text: string, tries: number, timer: number, stopped?: boolean, info: (report: any) => void,
 *   resolve: (answer: any) => void, reject: (why: Refusal) => void}} Pending
 */

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 8000;
const BUSY_TRIES = 8;

export class Server extends EventTarget {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #lastId = 0;
  #wait = FIRST_WAIT_MS;
  #open;

  /** Whether the connection is open. A change dispatches the event `state`. */
  online = false;

  /**
   * @param {() => WebSocket} open makes a WebSocket, or what serves as one on a page without a server
   * @param {(game: string, ply: number) => Promise<Shown>} [recorded] the positions of the start page, where they are stored
   */
  constructor(open, recorded) {
    super();
    this.#open = open;
    this.recorded = recorded;
    this.#connect();
  }

  /**
   * Asks for an operation. The promise is rejected with a `Refusal` when the server answers with an error; a lost
   * connection only delays it.
   * @param {string} op
   * @param {Record<string, unknown>} body
   * @param {(report: any) => void} [info] receives the progress reports
   * @returns {{id: number, answer: Promise<any>}}
   */
  request(op, body, info = () => {}) {
    const id = ++this.#lastId;
    const text = JSON.stringify({ id, op, ...body });
    const answer = new Promise((resolve, reject) => {
      this.#pending.set(id, { text, tries: 0, timer: 0, info, resolve, reject });
    });
    if (this.online) this.#socket?.send(text);
    return { id, answer };
  }

  /**
   * Asks and waits for the final answer.
   * @param {string} op
   * @param {Record<string, unknown>} body
   * @returns {Promise<any>}
   */
  ask(op, body) {
    return this.request(op, body).answer;
  }

  /**
   * Ends a search early: its request is then answered with what the search has. A search that has not begun, because
   * the server is full or out of reach, is refused as `stopped`, and so is one that a lost connection has ended.
   * @param {number} id of the request
   */
  stop(id) {
    const pending = this.#pending.get(id);
    if (!pending) return;
    pending.stopped = true;
    if (this.online && !pending.timer) {
      this.#socket?.send(JSON.stringify({ id: ++this.#lastId, op: 'stop', target: id }));
    } else {
      clearTimeout(pending.timer);
      this.#pending.delete(id);
      pending.reject(new Refusal({ code: 'stopped' }));
    }
  }

  #connect() {
    const socket = this.#open();
    this.#socket = socket;
    socket.onopen = () => {
      this.#wait = FIRST_WAIT_MS;
      this.#turn(true);
      for (const pending of this.#pending.values()) if (!pending.timer) socket.send(pending.text);
    };
    socket.onmessage = (event) => this.#receive(String(event.data));
    socket.onclose = () => {
      this.#turn(false);
      for (const [id, { stopped }] of this.#pending) if (stopped) this.stop(id);
      const wait = this.#wait * (0.75 + Math.random() / 2);
      this.#wait = Math.min(this.#wait * 2, MAX_WAIT_MS);
      setTimeout(() => this.#connect(), wait);
    };
  }

  /** @param {boolean} online */
  #turn(online) {
    if (this.online === online) return;
    this.online = online;
    this.dispatchEvent(new Event('state'));
  }

  /** @param {string} text */
  #receive(text) {
    const message = JSON.parse(text);
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    if (message.info) return pending.info(message.info);
    if (message.error?.code === 'busy' && pending.tries < BUSY_TRIES) return this.#retry(message.id, pending);
    this.#pending.delete(message.id);
    if (message.error) pending.reject(new Refusal(message.error));
    else pending.resolve(message.ok);
  }

  /**
   * Retries later, because the server is busy.
   * @param {number} id
   * @param {Pending} pending
   */
  #retry(id, pending) {
    const wait = FIRST_WAIT_MS * 2 ** Math.min(pending.tries, 4);
    pending.tries += 1;
    pending.timer = setTimeout(() => {
      pending.timer = 0;
      if (this.online && this.#pending.has(id)) this.#socket?.send(pending.text);
    }, wait);
    if (pending.stopped) this.stop(id);
  }
}

/**
 * A slot for one search at a time: the server allows each connection two searches, one that plays and one that analyses. A
 * new search stops the previous one and waits until it has answered.
 */
export class SearchSlot {
  #server;
  #session;
  #turn = 0;
  #id = 0;
  /** @type {Promise<unknown>} */
  #ended = Promise.resolve();

  /**
   * @param {Server} server
   * @param {string} session under which the server keeps the player between searches
   */
  constructor(server, session) {
    this.#server = server;
    this.#session = session;
  }

  /**
   * Thinks, and answers with the final report; null if the search was dropped or replaced.
   * @param {Record<string, unknown>} body of `think`
   * @param {(report: Report) => void} info
   * @returns {Promise<Report | null>}
   */
  think(body, info) {
    return this.ask('think', { ...body, session: this.#session }, info);
  }

  /**
   * Asks for an operation that searches; null if it was dropped or replaced.
   * @param {string} op
   * @param {Record<string, unknown>} body
   * @param {(report: any) => void} [info]
   * @returns {Promise<any>}
   */
  async ask(op, body, info = () => {}) {
    this.drop();
    const turn = this.#turn;
    const mine = () => turn === this.#turn;
    await this.#ended;
    if (!mine()) return null;
    const { id, answer } = this.#server.request(op, body, (report) => {
      if (mine()) info(report);
    });
    this.#id = id;
    this.#ended = answer.catch(() => {});
    try {
      const final = await answer;
      return mine() ? final : null;
    } catch (refusal) {
      if (mine()) throw refusal;
      return null;
    }
  }

  /** Ends the search early; it answers with what it has. */
  stop() {
    this.#server.stop(this.#id);
  }

  /** Ends the search early and forgets it. */
  drop() {
    this.#turn += 1;
    this.stop();
  }
}
