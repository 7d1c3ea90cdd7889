// What a text may be: a record in a format of another program, a list of moves, or a position. The server knows the rules, the
// formats and the notations; here the text is only taken apart.

import { Refusal } from '../js/server.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {import('../js/server.js').Side} Side
 * @typedef {{position?: string, moves: string[]}} Reading
 * @typedef {{position?: string, end: Shown, sides?: Side[], ended?: import('../js/server.js').Outcome | null}} Found
 *   `sides` of the moves, and `ended` how the game ended where its rules did not end it, where it is a record
 * @typedef {{position: string, moves: string[], sides: Side[], first: string, second: string, date: string,
 *   termination: Pick<import('../js/server.js').Outcome, 'winner' | 'by'> | null}} Recorded a game of a record; texts are empty if they are not known
 * @typedef {(games: Recorded[]) => Promise<Recorded | null>} Choose chooses among several games; null if none is wanted
 */

/** What Japanese records say instead of a last move. */
const ENDS = /^(投了|中断|千日手|持将棋|切れ負け|時間切れ|トライ|詰み|反則.*)$/;

/**
 * What the text may be, the likeliest first.
 * @param {string} text
 * @returns {Reading[]}
 */
export function readings(text) {
  const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
  const numbered = lines.flatMap((line) => line.match(/^\d+\s+(\S+)/)?.[1] ?? []);
  if (lines.some((line) => line.startsWith('手数')) && numbered.length) {
    return [{ moves: numbered.filter((move) => !ENDS.test(move)) }];
  }
  /** @type {Reading[]} */
  const found = [{ moves: [text.replace(/\b\d+\.(?=\s|[a-z])/gi, ' ').trim()] }];
  // The moves are on the last line, below a position that may have several, or on all lines but the first.
  const last = text.trimEnd().lastIndexOf('\n');
  if (last > 0) found.push({ position: text.slice(0, last), moves: [text.slice(last).trim()] });
  if (lines.length > 2) found.push({ position: lines[0], moves: [lines.slice(1).join('\n')] });
  found.push({ position: text, moves: [] });
  return found;
}

/** How much of the text a refusal says was understood. @param {Refusal | null} refusal */
function reach(refusal) {
  if (refusal === null) return -1;
  const { code, at } = refusal.fault;
  return code === 'bad_position' || code === 'bad_record' ? Number(at ?? 0) : Number(at ?? 1) * 2 - 2;
}

/**
 * Reads a text as a game or a position: as a record in a format of the game, or else as the server accepts it.
 * @param {import('../js/server.js').Server} server
 * @param {GameInfo} game
 * @param {string | undefined} rules
 * @param {string} text
 * @param {Choose} choose
 * @returns {Promise<Found | null>} null if none of several games was chosen
 * @throws {Refusal} of the reading that was understood furthest
 */
export async function understand(server, game, rules, text, choose) {
  const place = { game: game.name, ...(rules && { rules }) };
  /** @type {{games: Recorded[]} | Refusal | null} */
  const record = game.formats?.length ? await attempt(() => server.ask('import', { ...place, text })) : null;
  if (record && !(record instanceof Refusal)) {
    const { games } = record;
    const chosen = games.length > 1 ? await choose(games) : games[0];
    return chosen && readRecorded(server, place, chosen);
  }
  const found = await attempt(() => accepted(server, place, text));
  if (!(found instanceof Refusal)) return found;
  // A format may also be a notation of positions.
  const further = reach(record) - reach(found);
  throw record && (further > 0 || (further === 0 && reach(record) > 0 && found.fault.code === 'bad_position')) ? record : found;
}

/**
 * @template T
 * @param {() => Promise<T>} run
 * @returns {Promise<T | Refusal>}
 */
async function attempt(run) {
  try {
    return await run();
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal;
    throw refusal;
  }
}

/**
 * @param {import('../js/server.js').Server} server
 * @param {{game: string, rules?: string}} place
 * @param {Recorded} recorded
 * @returns {Promise<Found>}
 */
async function readRecorded(server, place, { position: first, moves, sides, termination }) {
  const usual = await server.ask('show', { ...place, moves: [] });
  const position = first === usual.position ? undefined : first;
  const end = await server.ask('show', { ...place, ...(position && { position }), moves });
  return { position, end, sides, ended: termination && !end.outcome ? { ...termination, margin: null } : null };
}

/**
 * Finds the reading that the server accepts.
 * @param {import('../js/server.js').Server} server
 * @param {{game: string, rules?: string}} place
 * @param {string} text
 * @returns {Promise<Found>}
 * @throws {Refusal} of the reading that was understood furthest
 */
async function accepted(server, place, text) {
  /** @type {Refusal | null} */
  let furthest = null;
  for (const { position, moves } of readings(text)) {
    try {
      const end = await server.ask('show', { ...place, ...(position !== undefined && { position }), moves });
      return { position, end };
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (reach(refusal) > reach(furthest)) furthest = refusal;
    }
  }
  throw furthest;
}
