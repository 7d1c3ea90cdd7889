// A whole game as the fragment of an address: `#play=othello&moves=f5.d6.c3&second=engine:level=5`. A game that the players
// ended has `end`: `resignation:first`, where the first side won, `time:second` or `agreement`.
//
// A dot separates moves and `_` stands for a space, so that messengers do not cut the address. A long game is packed:
// `z` then holds the fields after `play`, deflated, in the letters of base64url.

import { Refusal } from '../js/server.js';

/**
 * @typedef {import('../js/play.js').From} From
 * @typedef {import('../js/server.js').Outcome} Outcome
 * @typedef {{game: string, from: From, moves: string[], first?: string, second?: string, ended?: Outcome | null}} Link `first` and
 *   `second` are players; a person is left out. `ended`: how the players ended the game, if the rules did not
 */

/** From this length on a game is packed. */
const LONG = 900;
/** The longest fields that are unpacked: the server reads no longer request. */
const MAX_LENGTH = 60_000;

const NAMES = ['rules', 'from', 'moves', 'first', 'second', 'end', 'z'];

/**
 * @param {string} reason
 * @param {Record<string, unknown>} [args]
 */
export const refuse = (reason, args = {}) => new Refusal({ code: 'page', reason, args });

/**
 * @param {Link} link
 * @returns {Promise<string>} the fragment, with its `#`
 */
export async function write({ game, from, moves, first, second, ended }) {
  /** @type {[string, string | undefined][]} */
  const fields = [
    ['rules', from.rules && escape(from.rules)],
    ['from', from.position && escape(from.position)],
    ['moves', moves.map((move) => escape(move).replaceAll('.', '%2E')).join('.')],
    ['first', first && escape(first)],
    ['second', second && escape(second)],
    ['end', ended ? [ended.by, ended.winner].filter(Boolean).join(':') : undefined],
  ];
  const rest = fields.filter(([, value]) => value).map(([name, value]) => `${name}=${value}`).join('&');
  const start = `#play=${escape(game)}`;
  const readable = rest ? `${start}&${rest}` : start;
  if (readable.length < LONG) return readable;
  const packed = `${start}&z=${await pack(rest)}`;
  return packed.length < readable.length ? packed : readable;
}

/**
 * @param {string} hash
 * @returns {Promise<Link>}
 * @throws {Refusal} `page` with a reason that begins with `link`
 */
export async function read(hash) {
  const fields = split(hash.slice(1));
  const game = unescape(fields.get('play') ?? '');
  if (!game) throw refuse('linkGame');
  const z = fields.get('z');
  const rest = z === undefined ? fields : split(await unpack(z));
  const field = (/** @type {string} */ name) => unescape(rest.get(name) ?? '') || undefined;
  const moves = (rest.get('moves') ?? '').split('.').filter(Boolean).map(unescape);
  const from = { rules: field('rules'), position: field('from') };
  return { game, from, moves, first: field('first'), second: field('second'), ended: readEnd(field('end')) };
}

/**
 * How the players ended the game.
 * @param {string | undefined} end
 */
function readEnd(end) {
  if (end === undefined) return null;
  const [, by, winner = null] = /^(agreement)$|^(resignation|time):(first|second)$/.exec(end)?.filter(Boolean) ?? [];
  if (!by) throw refuse('linkEnd', { end: shorten(end) });
  return /** @type {Outcome} */ ({ winner, margin: null, by });
}

/**
 * The fields by name.
 * @param {string} text
 */
function split(text) {
  /** @type {Map<string, string>} */
  const fields = new Map();
  for (const part of text.split('&').filter(Boolean)) {
    const cut = part.indexOf('=');
    const name = cut < 0 ? part : part.slice(0, cut);
    if (name !== 'play' && !NAMES.includes(name)) throw refuse('linkField', { name: shorten(name) });
    if (fields.has(name)) throw refuse('linkTwice', { name });
    fields.set(name, cut < 0 ? '' : part.slice(cut + 1));
  }
  return fields;
}

/** @param {string} text */
const escape = (text) =>
  encodeURIComponent(text.replaceAll('_', '\0').replaceAll(' ', '_'))
    .replaceAll('%00', '%5F')
    .replace(/%(2C|3A|3D)/g, (sign) => decodeURIComponent(sign))
    .replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** @param {string} text */
function unescape(text) {
  try {
    return decodeURIComponent(text.replaceAll('_', ' '));
  } catch {
    throw refuse('linkEscape', { part: shorten(text) });
  }
}

/** A part of a link, to be quoted. @param {string} text */
export const shorten = (text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** @param {string} text */
async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return letters.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @param {string} letters */
async function unpack(letters) {
  let text = '';
  try {
    const bytes = Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const reader = stream.pipeThrough(new TextDecoderStream('utf-8', { fatal: true })).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += next.value;
      if (text.length > MAX_LENGTH) break;
    }
  } catch {
    throw refuse('linkPacked');
  }
  if (text.length > MAX_LENGTH) throw refuse('linkLong');
  return text;
}
