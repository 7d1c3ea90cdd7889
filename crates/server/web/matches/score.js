// A match: its score in the form that engine testers use, the curve of its test, and its games.

import { el } from '../js/elements.js';
import { language, text, textOr } from '../js/strings.js';
import { wordsOf } from '../js/views.js';
import { address, ROWS } from './arena.js';
import { curve } from './curve.js';
import { between, date, fixed, gameTitle, pager, percent, playerName, progress, results, signed, state, table, whole } from './table.js';

/**
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').MatchInfo} MatchInfo
 * @typedef {import('./arena.js').Route} Route
 * @typedef {import('./arena.js').Drawn} Drawn
 */

const RESULTS = ['won', 'drawn', 'lost', 'fault'];

/**
 * @param {any[]} answers to `standings` and `record`
 * @param {Route} route
 * @param {GameInfo[]} games
 * @returns {Drawn}
 */
export function drawMatch([{ match, score, fleet }, list], route, games) {
  const [a, b] = match.players;
  const [href, name] =
    match.experiment !== null ? [`#lab=${encodeURIComponent(match.experiment)}`, 'arena.experiment'] : match.event === null ? ['#matches', 'arena.all'] : [address({ kind: 'event', id: String(match.event) }), 'arena.event'];
  const up = el('a', { href }, text(name));
  const own = wordsOf(games.find(({ name }) => name === match.game)?.view)[language()] ?? {};
  const title = `${a} ${text('arena.against')} ${b}`;
  const head = el('div', { class: 'arena-head' }, el('h2', {}, playerName(a), ` ${text('arena.against')} `, playerName(b)), state(match.running));
  const rules = match.rules === 'default' ? '' : match.rules;
  const facts = [gameTitle(games, match.game), rules, conditions(match), date(match.created)];
  const card = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...nodes) => el('section', { class: 'card' }, el('h3', {}, text(name)), ...nodes);
  /** @type {Node[]} */
  const nodes = [
    el('p', {}, up),
    head,
    el('p', { class: 'dim' }, facts.filter(Boolean).join(' · ')),
    el('div', { class: 'cards' }, card('arena.score', scoreTable(match, score)), card('arena.spent', spentTable(match, score))),
  ];
  if (fleet) nodes.push(card('arena.workers', ...fleetNodes(fleet)));
  if (score.test) nodes.push(card('arena.test', ...testNodes(score.test)));
  nodes.push(card('arena.games', filter(route), ...gameNodes(match, list, route, own)));
  const share = score.score === null ? text('arena.unknown') : percent(score.score);
  const news = text('arena.news', { games: match.games, wins: match.wins, draws: match.draws, losses: match.losses, score: share });
  return { title, running: match.running, news: match.running ? news : `${text('arena.ended')} ${news}`, nodes };
}

/**
 * Limits, openings, clock, seed.
 * @param {MatchInfo} match
 */
function conditions({ conditions: { limits, openings, clock, seed } }) {
  const sides = limits.map(limitsText);
  const each = sides[0] === sides[1] ? sides[0] : sides.join(` ${text('arena.against')} `);
  const measured = limits.some((/** @type {Record<string, any>} */ limit) => limit.time_ms !== null || limit.clock) ? textOr(`clock.${clock}`, clock) : '';
  return [each, measured, openings && text('arena.openings', { openings }), text('arena.seed', { seed })].filter(Boolean).join(' · ');
}

/**
 * The limits of a player in words; empty where it has none.
 * @param {Record<string, any>} limits
 */
function limitsText({ time_ms: time, nodes, playouts, depth, clock }) {
  const seconds = (/** @type {string} */ name, /** @type {number | null} */ ms) => (ms ? text(`limit.${name}`, { n: ms / 1000 }) : '');
  return [
    time !== null && text('limit.time', { ms: time }),
    clock && text('limit.clock', { main: clock.main_ms / 1000, increment: clock.increment_ms / 1000 }) + seconds('cap', clock.cap_ms) + seconds('byoyomi', clock.byoyomi_ms),
    nodes !== null && text('limit.nodes', { n: whole(nodes) }),
    playouts !== null && text('limit.playouts', { n: whole(playouts) }),
    depth !== null && text('limit.depth', { n: depth }),
  ]
    .filter(Boolean)
    .join(text('join'));
}

/**
 * @param {MatchInfo} match
 * @param {any} score
 */
function scoreTable(match, score) {
  const none = text('arena.unknown');
  const { interval, elo, normalised_elo: normalised, superiority, pairs, pair_ratio: ratio, drawn_pairs: drawn } = score;
  const counted = score.games === match.games ? progress(match) : text('arena.counted', { games: whole(score.games), all: whole(match.games) });
  /** @type {[string, Node | string][]} */
  const rows = [
    [text('arena.games'), counted],
    [text('arena.results'), results(score)],
    [text('arena.score'), interval ? `${percent(score.score)} [${fixed(interval[0] * 100)}, ${fixed(interval[1] * 100)}]` : none],
    ['Elo', elo ? between(elo) : none],
    ['nElo', normalised ? `${signed(normalised.value)} ± ${fixed(normalised.margin)}` : none],
    ['LOS', superiority === null ? none : percent(superiority)],
    [text('arena.pairs'), pairsBar(pairs)],
    [text('arena.pairRatio'), ratio === null ? none : fixed(ratio, 2)],
    [text('arena.drawnPairs'), drawn === null ? none : percent(drawn)],
  ];
  if (score.margin !== null && score.margin_games) rows.push([text('arena.margin'), signed(score.margin / score.margin_games)]);
  if (score.repeated_games || score.repeated_openings) {
    rows.push([text('arena.repeated'), text('arena.repeats', { games: score.repeated_games, openings: score.repeated_openings })]);
  }
  /** What the terms mean, by their names. @type {Record<string, string>} */
  const about = {
    [text('arena.score')]: text('about.score'),
    'Elo': text('about.elo'),
    'nElo': text('about.nelo'),
    'LOS': text('about.los', { player: match.players[0] }),
    [text('arena.pairs')]: text('about.pairs'),
  };
  const lines = rows.map(([name, value]) => {
    const said = about[name] ? [el('p', { class: 'dim term' }, about[name])] : [];
    return el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, value, ...said));
  });
  return el('table', { class: 'facts-table' }, el('caption', { class: 'unseen' }, text('arena.score')), el('tbody', {}, ...lines));
}

/**
 * The numbers of pairs by their points, over a bar.
 * @param {number[]} pairs
 */
function pairsBar(pairs) {
  const points = ['0', '½', '1', '1½', '2'];
  const items = pairs.map((count, i) => {
    const item = el('li', { 'aria-label': text('arena.pairsOf', { points: points[i], count }) }, el('span', { class: 'dim' }, points[i]), el('b', {}, whole(count)));
    item.style.setProperty('--part', String(count / Math.max(1, ...pairs)));
    return item;
  });
  return el('ol', { class: 'pairs' }, ...items);
}

/**
 * @param {MatchInfo} match
 * @param {any} score
 */
function spentTable(match, score) {
  const columns = [
    { name: text('dialog.player') },
    { name: text('arena.time'), number: true },
    { name: text('arena.longest'), number: true },
    { name: text('arena.nodes'), number: true },
    { name: text('arena.depth'), number: true },
    { name: text('arena.faults'), number: true },
  ];
  const rows = match.players.map((player, i) => {
    const spent = score.totals[i];
    const moves = Math.max(1, spent.moves);
    return [
      playerName(player),
      `${fixed(spent.mean_ms, spent.mean_ms < 10 ? 2 : 0)} ms`,
      `${fixed(spent.longest_ms, 0)} ms`,
      whole(Math.round(spent.nodes / moves)),
      fixed(spent.mean_depth),
      whole(spent.faults),
    ];
  });
  return table(text('arena.spent'), columns, rows);
}

/**
 * What plays the match on other machines.
 * @param {any} fleet
 */
function fleetNodes({ waiting, running, hourly, workers, others }) {
  const counts = { waiting: whole(waiting), running: whole(running), hourly: hourly === null ? text('arena.unknown') : whole(hourly) };
  const said = el('p', {}, text('fleet.counts', counts));
  if (!workers.length) return [said, el('p', { class: 'dim' }, text('fleet.none'))];
  const columns = [
    { name: text('fleet.worker') },
    { name: text('fleet.machine') },
    { name: text('fleet.pairs'), number: true },
    { name: text('arena.games'), number: true },
    { name: text('fleet.speed'), number: true },
  ];
  const rows = workers.map((/** @type {any} */ worker) => [
    worker.name,
    worker.machine,
    text('arena.of', { games: whole(worker.running), planned: whole(worker.threads) }),
    whole(worker.games),
    worker.speed === null ? '' : whole(Math.round(worker.speed)),
  ]);
  const more = others ? [el('p', { class: 'dim' }, text('fleet.others', { count: whole(others) }))] : [];
  return [said, table(text('arena.workers'), columns, rows), ...more];
}

/** @param {any} test */
function testNodes(test) {
  const { llr, lower, upper, elo0, elo1, scale, accepted } = test;
  const found = accepted ? text('test.found', { elo: test[accepted] }) : text('test.open');
  const unit = scale === 'normalised' ? 'nElo' : 'Elo';
  const words = text('test.words', { llr: fixed(llr, 2), lower: fixed(lower, 2), upper: fixed(upper, 2), unit, elo0, elo1, found });
  const estimate = test.elo ? [el('p', { class: 'dim' }, text('test.estimate', { elo: between(test.elo) }))] : [];
  return [el('p', {}, words), el('p', { class: 'dim term' }, text('about.llr', { lower: fixed(lower, 2), upper: fixed(upper, 2), unit, elo0, elo1 })), ...estimate, curve(test, words)];
}

/** @param {Route} route */
function filter(route) {
  const option = (/** @type {string} */ value) => el('option', { value, selected: value === route.result }, text(`games.${value || 'all'}`));
  const choice = el('select', { 'data-key': 'filter' }, option(''), ...RESULTS.map(option));
  choice.addEventListener('change', () => (location.hash = address({ ...route, result: choice.value, page: 1 })));
  return el('label', { class: 'filter' }, el('span', { class: 'dim' }, text('games.which')), ' ', choice);
}

/**
 * How a game ended, and whose fault it was; a fault that cost only a turn is shown beside the end.
 * @param {MatchInfo} match
 * @param {any} game
 * @param {string} by
 */
function ended(match, game, by) {
  if (game.fault === null) return by;
  const how = textOr(`ended.${game.failed_by}`, game.failed_by);
  const failed = text('games.failed', { player: match.players[game.fault], by: how });
  return game.failed_by === game.by ? failed : `${by}; ${failed}`;
}

/**
 * @param {MatchInfo} match
 * @param {{games: any[], total: number}} list
 * @param {Route} route
 * @param {Record<string, string>} own words of the game
 */
function gameNodes(match, { games, total }, route, own) {
  if (!total) return [el('p', { class: 'dim' }, text('games.none'))];
  const columns = [
    { name: text('arena.game') },
    { name: text('games.first') },
    { name: text('games.winner') },
    { name: text('games.margin'), number: true },
    { name: text('games.by') },
    { name: text('games.plies'), number: true },
  ];
  const rows = games.map((game) => {
    const winner = game.score === 0.5 ? null : match.players[game.score === 1 ? 0 : 1];
    const by = own[`by.${game.by}`] ?? textOr(`ended.${game.by}`, game.by);
    return [
      el('a', { href: address({ kind: 'game', id: `${match.id}.${game.pair}.${game.game}` }) }, `${game.pair}.${game.game}`),
      playerName(match.players[game.game]),
      winner === null ? text('games.draw') : playerName(winner),
      game.margin === null ? '' : whole(Math.abs(game.margin)),
      ended(match, game, by),
      whole(game.plies),
    ];
  });
  const pages = pager(route.page, total, ROWS, (page) => address({ ...route, page }));
  return [table(text('arena.games'), columns, rows), ...pages];
}
