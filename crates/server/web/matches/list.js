// The list of events and matches.

import { el } from '../js/elements.js';
import { inLanguage, text, textOr } from '../js/strings.js';
import { address, ROWS } from './arena.js';
import { date, gameTitle, pager, percent, playerName, progress, results, state, table, whole } from './table.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').MatchInfo} MatchInfo
 * @typedef {import('./arena.js').Route} Route
 * @typedef {import('./arena.js').Drawn} Drawn
 */

/**
 * @param {any[]} answers to `matches`
 * @param {Route} route
 * @param {GameInfo[]} games
 * @returns {Drawn}
 */
export function drawList([{ matches, total, events }], route, games) {
  /** @type {Node[]} */
  const nodes = [el('div', { class: 'arena-head' }, el('h2', {}, text('matches')), filter(route, games))];
  if (events.length && route.page === 1) {
    nodes.push(el('section', { class: 'card' }, el('h3', {}, text('arena.events')), eventTable(events, games)));
  }
  if (total) {
    const rows = table(text('arena.matches'), matchColumns(), matches.map((/** @type {MatchInfo} */ match) => matchRow(match, games)));
    const pages = pager(route.page, total, ROWS, (page) => address({ ...route, page }));
    nodes.push(el('section', { class: 'card' }, el('h3', {}, text('arena.matches')), rows, ...pages));
  } else if (!events.length) {
    nodes.push(el('p', { class: 'plain' }, text('arena.none')));
  }
  const running = [...matches, ...events].some((one) => one.running);
  return { title: text('matches'), running, news: text('arena.count', { count: total }), nodes };
}

/**
 * @param {Route} route
 * @param {GameInfo[]} games
 */
function filter(route, games) {
  const option = (/** @type {string} */ value, /** @type {string} */ name) => el('option', { value, selected: value === route.game }, name);
  const choice = el(
    'select',
    { 'data-key': 'filter' },
    option('', text('arena.anyGame')),
    ...games.map((game) => option(game.name, inLanguage(game.title))),
  );
  choice.addEventListener('change', () => (location.hash = address({ kind: 'matches', game: choice.value })));
  return el('label', {}, el('span', { class: 'unseen' }, text('game')), choice);
}

/**
 * @param {any[]} events
 * @param {GameInfo[]} games
 */
function eventTable(events, games) {
  const columns = [
    { name: text('arena.name') },
    { name: text('arena.kind') },
    { name: text('game') },
    { name: text('arena.matches'), number: true },
    { name: text('arena.games'), number: true },
    { name: text('arena.begun') },
    { name: text('arena.state'), unseen: true },
  ];
  const rows = events.map((event) => [
    el('a', { href: address({ kind: 'event', id: event.id }) }, event.name || `${event.kind} ${event.id}`),
    textOr(`event.${event.kind}`, event.kind),
    gameTitle(games, event.game),
    whole(event.matches),
    progress(event),
    date(event.created),
    state(event.running),
  ]);
  return table(text('arena.events'), columns, rows);
}

/** The columns of a list of matches. */
export const matchColumns = () => [
  { name: text('arena.match') },
  { name: text('game') },
  { name: text('arena.games'), number: true },
  { name: text('arena.results'), number: true },
  { name: text('arena.score'), number: true },
  { name: text('arena.begun') },
  { name: text('arena.state'), unseen: true },
];

/**
 * @param {MatchInfo} match
 * @param {GameInfo[]} games
 */
export function matchRow(match, games) {
  const [a, b] = match.players;
  const { wins, draws, games: played } = match;
  return [
    el('a', { href: address({ kind: 'match', id: String(match.id) }) }, playerName(a), ` ${text('arena.against')} `, playerName(b)),
    gameTitle(games, match.game),
    progress(match),
    results(match),
    played ? percent((wins + draws / 2) / played) : '',
    date(match.created),
    state(match.running),
  ];
}
