// The visitor's games, kept in this browser: those that a person has finished, and those that gave way to another.

import { load, save } from '../js/settings.js';

/**
 * @typedef {import('../js/play.js').Kept} Kept
 * @typedef {import('../js/play.js').Move} Move
 * @typedef {import('../js/server.js').Outcome} Outcome
 * @typedef {{id: string, game: string, kept: Kept, outcome: Outcome | null, date: number}} Own `outcome` is null if the game is not
 *   over; `date` in milliseconds
 */

const KEY = 'banmen.games';
const MAX_GAMES = 200;
/** In characters. The browser gives the page some millions for everything. */
const MAX_LENGTH = 1_500_000;

/**
 * The games, the latest first.
 * @returns {Own[]}
 */
export function ownGames() {
  const stored = load(KEY);
  return Array.isArray(stored) ? stored.filter(isOwn) : [];
}

/** @param {any} own */
const isOwn = (own) => typeof own?.id === 'string' && typeof own.game === 'string' && Array.isArray(own.kept?.moves) && Number.isFinite(own.date);

/**
 * Keeps a game, in place of an earlier state of it. A game in which no person has moved is not kept.
 * @param {string} game
 * @param {Kept | null} kept
 * @param {Outcome | null} outcome
 */
export function keep(game, kept, outcome) {
  if (!kept || !hasPlayed(kept)) return;
  const id = `${game}.${kept.seed}`;
  const games = ownGames();
  const before = games.find((own) => own.id === id);
  const same = before && String(before.kept.moves.map((move) => move.text)) === String(kept.moves.map((move) => move.text));
  if (same && (before.outcome || !outcome)) return;
  // A finished game that was taken up again stays as it ended.
  if (before?.outcome && !same) before.id = `${id}.${before.date}`;
  write([{ id, game, kept, outcome, date: Date.now() }, ...games.filter((own) => own.id !== id)]);
}

/**
 * Keeps the game of this name that was played last.
 * @param {string} game
 */
export const keepLast = (game) => keep(game, load(`banmen.game.${game}`), null);

/** @param {Own} own */
export const restore = (own) => write([own, ...ownGames()].sort((a, b) => b.date - a.date));

/** @param {Own} own */
export const remove = ({ id }) => write(ownGames().filter((own) => own.id !== id));

/**
 * Whether a person has made a move.
 * @param {Kept} kept
 */
export const hasPlayed = ({ moves, seats }) => Array.isArray(moves) && moves.some((move) => seats?.[move?.side] === null);

/** @param {Own[]} games */
function write(games) {
  const some = games.slice(0, MAX_GAMES);
  while (JSON.stringify(some).length > MAX_LENGTH) some.pop();
  save(KEY, some);
}
