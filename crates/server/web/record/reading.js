// What a text may be: a list of moves, a record of a game in a format of another program, or a position. The server knows
// the rules and the notations; here the text is only taken apart.

import { Refusal } from '../js/server.js';

/**
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {{position?: string, moves: string[]}} Reading
 * @typedef {{position?: string, end: Shown}} Found
 */

/** What Japanese records say instead of a last move. */
const ENDS = /^(投了|中断|千日手|持将棋|切れ負け|時間切れ|トライ|詰み|反則.*)$/;

/**
 * What the text may be, the likeliest first.
 * @param {string} text
 * @returns {Reading[]}
 */
export function readings(text) {
  /** @type {Reading[]} */
  const found = [];
  if (/^\(\s*;/.test(text)) {
    const [game] = text.split(/\)\s*\(/);
    const moves = [...game.matchAll(/(?:^|[^A-Za-z])[BW12]\[([^\]/]*)/g)].map(([, move]) => move);
    found.push({ moves }, { position: text, moves: [] });
    return found;
  }
  const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
  const numbered = lines.flatMap((line) => line.match(/^\d+\s+(\S+)/)?.[1] ?? []);
  if (lines.some((line) => line.startsWith('手数')) && numbered.length) {
    return [{ moves: numbered.filter((move) => !ENDS.test(move)) }];
  }
  found.push({ moves: [text.replace(/\b\d+\.(?=\s|[a-z])/gi, ' ').trim()] }, { position: text, moves: [] });
  if (lines.length > 1) found.push({ position: lines[0], moves: [lines.slice(1).join('\n')] });
  return found;
}

/**
 * Finds the reading that the server accepts.
 * @param {import('../js/server.js').Server} server
 * @param {{game: string, rules?: string}} place
 * @param {string} text
 * @returns {Promise<Found>}
 * @throws {Refusal} of the reading that was understood furthest
 */
export async function understand(server, place, text) {
  /** @type {Refusal | null} */
  let furthest = null;
  /** How much of the text a refusal says was understood. @param {Refusal | null} refusal */
  const reach = (refusal) => (refusal === null ? -1 : refusal.fault.code === 'bad_position' ? Number(refusal.fault.at ?? 0) : Number(refusal.fault.at ?? 1) * 2 - 2);
  for (const { position, moves } of readings(text)) {
    try {
      const end = await server.ask('show', { ...place, ...(position !== undefined && { position }), moves });
      // A record of a game from another position may hold moves that the usual start allows too.
      if (text.startsWith('(') && position === undefined) {
        const other = await server.ask('show', { ...place, position: text, moves: [] });
        if (other.position !== end.position) return { position: other.position, end: { ...other, moves: [] } };
      }
      return { position, end };
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (reach(refusal) > reach(furthest)) furthest = refusal;
    }
  }
  throw furthest;
}
