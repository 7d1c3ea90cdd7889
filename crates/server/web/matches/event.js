// An event: its standings, the results of each two players, and its matches.

import { el } from '../js/elements.js';
import { text, textOr } from '../js/strings.js';
import { address, ROWS } from './arena.js';
import { matchColumns, matchRow } from './list.js';
import { between, date, gameTitle, pager, percent, playerName, progress, results, state, table, whole } from './table.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('./arena.js').Route} Route
 * @typedef {import('./arena.js').Drawn} Drawn
 */

/** Players beyond this many are in the standings, but not in the cross-table. */
const MAX_CROSSED = 40;

/**
 * @param {any[]} answers to `standings` and `matches`
 * @param {Route} route
 * @param {GameInfo[]} games
 * @returns {Drawn}
 */
export function drawEvent([standings, list], route, games) {
  const { event, players, cells, advantage, separate } = standings;
  const names = labels(players);
  const title = event.name || `${event.kind} ${event.id}`;
  const facts = [textOr(`event.${event.kind}`, event.kind), gameTitle(games, event.game), text('arena.played', { games: progress(event) }), date(event.created)];
  const card = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...nodes) => el('section', { class: 'card' }, el('h3', {}, text(name)), ...nodes);
  const notes = [
    advantage && text('event.advantage', { elo: between(advantage) }),
    separate.length && text('event.separate'),
  ].filter(Boolean);
  /** @type {Node[]} */
  const nodes = [
    el('p', {}, el('a', { href: '#matches' }, text('arena.all'))),
    el('div', { class: 'arena-head' }, el('h2', {}, title), state(event.running)),
    el('p', { class: 'dim' }, facts.join(' · ')),
    ...(event.kind === 'experiment' ? [el('p', {}, el('a', { href: `#lab=${encodeURIComponent(event.name)}` }, text('lab')))] : []),
    card('event.standings', standingsTable(players, names), ...notes.map((note) => el('p', { class: 'dim' }, note))),
  ];
  if (players.length > 1 && players.length <= MAX_CROSSED) nodes.push(card('event.cross', crossTable(players, cells, names)));
  const rows = list.matches.map((/** @type {any} */ match) => matchRow(match, games));
  const pages = pager(route.page, list.total, ROWS, (page) => address({ ...route, page }));
  if (list.total) nodes.push(card('arena.matches', table(text('arena.matches'), matchColumns(), rows), ...pages));
  const leader = players[0] ? text('event.leads', { player: names[0] }) : '';
  const news = `${text('arena.played', { games: progress(event) })}${text('stop')} ${leader}`;
  return { title, running: event.running, news: event.running ? news : `${text('arena.ended')} ${news}`, nodes };
}

/**
 * Labels that distinguish the players: their names, with the version where names are equal.
 * @param {any[]} players
 * @returns {string[]}
 */
function labels(players) {
  const alike = (/** @type {string} */ name) => players.filter((player) => player.name === name).length > 1;
  return players.map(({ name, version }) => (alike(name) ? `${name} (${version})` : name));
}

/**
 * @param {any[]} players
 * @param {string[]} names
 */
function standingsTable(players, names) {
  const columns = [
    { name: text('event.rank'), number: true },
    { name: text('dialog.player') },
    { name: 'Elo', number: true },
    { name: text('arena.score'), number: true },
    { name: text('arena.games'), number: true },
    { name: text('arena.results'), number: true },
    { name: text('arena.faults'), number: true },
    { name: text('arena.state'), unseen: true },
  ];
  const rows = players.map((player, i) => [
    player.rank === null ? '–' : String(player.rank),
    playerName(names[i]),
    player.games ? between(player.elo) : text('arena.unknown'),
    player.score === null ? '' : percent(player.score),
    whole(player.games),
    results(player),
    whole(player.faults),
    player.state === 'playing' ? '' : text(`event.${player.state}`),
  ]);
  return table(text('event.standings'), columns, rows);
}

/**
 * @param {any[]} players
 * @param {any[]} cells
 * @param {string[]} names
 */
function crossTable(players, cells, names) {
  const columns = [
    { name: text('event.rank'), number: true },
    { name: text('dialog.player') },
    ...players.map((_, i) => ({ name: String(i + 1), number: true })),
  ];
  const rows = players.map((_, row) => [
    String(row + 1),
    playerName(names[row]),
    ...players.map((_, column) => crossed(cells, players, row, column, names)),
  ]);
  return table(text('event.cross'), columns, rows);
}

/**
 * The result of the player of a row against that of a column, with links to the games.
 * @param {any[]} cells
 * @param {any[]} players
 * @param {number} row
 * @param {number} column
 * @param {string[]} names
 */
function crossed(cells, players, row, column, names) {
  if (row === column) return el('span', { class: 'dim', 'aria-hidden': 'true' }, '·');
  const [own, other] = [players[row].id, players[column].id];
  const cell = cells.find(({ players }) => players.includes(own) && players.includes(other));
  if (!cell) return '';
  const seen = cell.players[0] === own ? cell : { wins: cell.losses, draws: cell.draws, losses: cell.wins };
  const who = text('event.cell', { a: names[row], b: names[column] });
  const links = cell.matches.map((/** @type {number} */ id, /** @type {number} */ i) => {
    const link = el('a', { href: address({ kind: 'match', id: String(id) }), 'data-key': `${row} ${column} ${id}` });
    link.append(i ? `#${id}` : results(seen), el('span', { class: 'unseen' }, ` ${who}`));
    return link;
  });
  return el('span', { class: 'crossed' }, ...links);
}
