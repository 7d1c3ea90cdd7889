// The page: brings the parts together.

import { Analysis } from './analysis.js';
import { say, tell } from './announcer.js';
import { BoardKit } from './board.js';
import { byId, el } from './elements.js';
import { kinds, SIDES } from './hands.js';
import { listen, showKeys } from './keys.js';
import { MoveList } from './moves.js';
import { lastSetup, NewGame } from './newgame.js';
import { isPass, Play } from './play.js';
import { Refusal, Server } from './server.js';
import { choose, settings } from './settings.js';
import { drawStatus, standing, verdict } from './status.js';
import { inLanguage, reason, speak, text, textOr } from './strings.js';
import { fetchView, wear } from './views.js';

/**
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').PlayerInfo} PlayerInfo
 * @typedef {import('./server.js').Shown} Shown
 */

const OFFLINE_PATIENCE_MS = 700;
/** How long another's move is to be seen half done, where turns have two halves. */
const LINGER_MS = 900;
const THEMES = /** @type {const} */ (['system', 'light', 'dark']);

const still = matchMedia('(prefers-reduced-motion: reduce)');

const address = new URL('ws', location.href);
address.protocol = address.protocol.replace('http', 'ws');
const server = new Server(address.href);

await speak(settings.language);
const status = byId('status', HTMLElement);
status.textContent = text('connecting');

/** @type {GameInfo[]} */
const games = (await server.ask('games', {})).games;
/** @type {Map<string, PlayerInfo[]>} */
const players = new Map();

const play = new Play(server, games.find((game) => game.name === settings.game) ?? games[0]);
const board = new BoardKit(byId('board', HTMLElement), attempt);
const analysis = new Analysis(server, play, drawBoard, takeHint);
const moveList = new MoveList(play);
const newGame = new NewGame((game, setup) => void begin(game, setup));

const entry = byId('enter-move', HTMLInputElement);
const analyse = byId('analyse', HTMLInputElement);
const wantsExact = byId('wants-exact', HTMLInputElement);
const gameChoice = byId('game', HTMLSelectElement);
const others = byId('others', HTMLElement);
const stage = byId('play', HTMLElement);
const arenaRoot = byId('arena', HTMLElement);
const said = byId('said', HTMLElement);

/** The hint on the board, and the position it is for. @type {{shown: Shown, move: string} | null} */
let hint = null;
/** The matches, once they were asked for. @type {import('../matches/arena.js').Arena | null} */
let arena = null;
/** The look of the game that is drawn, and the game. @type {{game: GameInfo, view: import('./views.js').View} | null} */
let look = null;
/** The half of a ply that was drawn last: a step by one ply is animated, a jump is not. */
let drawnHalf = -1;
/** The ply whose move another made just now and that is still to be seen half done; −1 if there is none. */
let lingering = -1;
let lingerTimer = 0;
/** The board of a move that is half done, and the position before it. @type {{before: Shown, ply: number, board: import('./server.js').Board} | null} */
let halfDone = null;
/** Counts what was chosen to be played: a game that is still on its way gives way to a later choice. */
let choices = 0;

/**
 * What can be done beside moving: a button where `shown` says so, and a key.
 * @type {{name: string, key: string, run: () => unknown, shown: () => boolean, able?: () => boolean}[]}
 */
const actions = [
  { name: 'toMatch', key: '', run: () => void (location.hash = play.replay?.back ?? ''), shown: () => play.replay !== null },
  { name: 'again', key: '', run: openNewGame, shown: () => play.live && !play.replay && Boolean(play.shown?.outcome) },
  { name: 'back', key: '', run: () => play.goTo(play.moves.length), shown: () => !play.live && !play.replay },
  { name: 'fromHere', key: 'e', run: fromHere, shown: () => !play.live },
  { name: 'moveNow', key: 'm', run: () => play.moveNow(), shown: () => play.live && play.thinking !== null },
  { name: 'pause', key: '', run: () => play.setPaused(true), shown: () => running() && !play.paused },
  { name: 'resume', key: '', run: () => play.setPaused(false), shown: () => play.live && play.paused && !play.reached?.outcome },
  { name: 'step', key: 's', run: () => play.step(), shown: () => play.live && play.paused && running(), able: () => !play.thinking },
  { name: 'undo', key: 'u', run: undo, shown: () => play.live && !play.replay, able: () => play.undoPly >= 0 },
  { name: 'redo', key: 'r', run: redo, shown: () => play.live && play.undone.length > 0 },
  { name: 'hint', key: 'h', run: () => analysis.hint(), shown: () => !play.live || play.open },
  { name: 'newGame', key: '', run: openNewGame, shown: () => !play.live || !play.shown?.outcome || play.replay !== null },
  { name: 'flip', key: 'f', run: turnBoard, shown: () => play.live },
];

const running = () => play.watched && !play.replay && !play.reached?.outcome;

const buttons = new Map(
  actions.map((action) => {
    const button = el('button', { type: 'button', 'data-action': action.name });
    if (action.name === 'again') button.className = 'main';
    button.addEventListener('click', () => button.getAttribute('aria-disabled') !== 'true' && action.run());
    return [action.name, button];
  }),
);
byId('actions', HTMLElement).append(...buttons.values());

/** @type {import('./keys.js').Shortcut[]} */
const shortcuts = [
  { keys: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'], label: 'keys.arrows' },
  { keys: ['Enter', 'Space'], label: 'keys.enter' },
  { keys: ['ArrowLeft', 'ArrowRight'], label: 'keys.step', run: (key) => step(key === 'ArrowLeft' ? -1 : 1) },
  { keys: [',', '.'], label: 'keys.stepAnywhere', run: (key) => step(key === ',' ? -1 : 1) },
  { keys: ['Home', 'End'], label: 'keys.ends', run: (key) => play.goTo(key === 'Home' ? 0 : play.moves.length) },
  { keys: ['n'], label: 'action.newGame', run: openNewGame },
  ...actions
    .filter((action) => action.key)
    .map((action) => ({
      keys: [action.key],
      label: `action.${action.name}`,
      run: () => void (action.shown() && (action.able?.() ?? true) && action.run()),
    })),
  { keys: ['p'], label: 'keys.pause', run: () => (running() || play.paused) && play.setPaused(!play.paused) },
  { keys: ['a'], label: 'keys.analysis', run: () => analyse.click() },
  { keys: ['x'], label: 'keys.exact', run: () => analysis.exact && wantsExact.click() },
  { keys: ['g'], label: 'keys.say', run: sayPosition },
  { keys: ['b'], label: 'keys.board', run: () => board.focus() },
  { keys: ['i'], label: 'keys.enterMove', run: () => entry.focus() },
  { keys: ['t'], label: 'keys.theme', run: changeTheme, anywhere: true },
  { keys: ['l'], label: 'keys.language', run: changeLanguage, anywhere: true },
  { keys: ['?'], label: 'keys.help', run: () => showKeys(shortcuts), anywhere: true },
];
listen(shortcuts);

play.addEventListener('change', draw);
play.addEventListener('moved', (event) => {
  const { ply, shown } = /** @type {CustomEvent} */ (event).detail;
  hint = null;
  linger(ply);
  say(account(ply, shown));
  if (shown.outcome) say(verdict(play.game, shown.outcome));
});
play.addEventListener('report', (event) => {
  const { ply, side, report } = /** @type {CustomEvent} */ (event).detail;
  analysis.take(ply, side, report);
});
play.addEventListener('fault', (event) => tell(reason(/** @type {CustomEvent} */ (event).detail)));

window.addEventListener('unhandledrejection', ({ reason: why }) => {
  tell(reason(why instanceof Refusal ? why.fault : { code: 'page', reason: 'broken' }));
});

byId('new', HTMLButtonElement).addEventListener('click', openNewGame);
byId('help', HTMLButtonElement).addEventListener('click', () => showKeys(shortcuts));
byId('theme', HTMLButtonElement).addEventListener('click', changeTheme);
byId('language', HTMLButtonElement).addEventListener('click', changeLanguage);
for (const input of [analyse, wantsExact]) {
  input.addEventListener('change', () => analysis.turn(analyse.checked, wantsExact.checked));
}
gameChoice.addEventListener('change', () => {
  const game = games.find((each) => each.name === gameChoice.value);
  if (game) void enter(game);
});
byId('enter', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  const move = entry.value.trim();
  if (move) void attempt(move).then((done) => done && (entry.value = ''));
});

let offline = 0;
let lost = false;
server.addEventListener('state', () => {
  clearTimeout(offline);
  if (server.online && lost) tell(text('online'));
  if (server.online) lost = false;
  else {
    offline = setTimeout(() => {
      lost = true;
      tell(text('offline'));
    }, OFFLINE_PATIENCE_MS);
  }
  document.body.classList.toggle('lost', !server.online);
});

gameChoice.parentElement?.toggleAttribute('hidden', games.length < 2);
translate();
window.addEventListener('hashchange', () => void follow());
await follow();

/** Shows what the address asks for: the matches, one game of them, or the board. */
async function follow() {
  const { hash } = location;
  if (!/^#(matches|match|event|game)\b/.test(hash)) {
    arenaRoot.hidden = true;
    stage.hidden = false;
    arena?.leave();
    if (play.replay || !play.shown) await enter(play.game);
    return;
  }
  if (!arena) {
    const { Arena } = await import('../matches/arena.js');
    arena ??= await Arena.open(server, games, arenaRoot);
  }
  if (location.hash !== hash) return;
  const found = await arena.show(hash);
  if (location.hash !== hash) return;
  if (found) {
    if (!(await equip(found.game))) return;
    await play.show(found.game, found.replay);
    if (location.hash !== hash) return;
  }
  arenaRoot.hidden = found !== null;
  stage.hidden = found === null;
  if (found) {
    draw();
    moveList.focus();
  }
}

/** Leaves the matches for a game of one's own. */
function leaveMatches() {
  if (location.hash) history.pushState(null, '', location.pathname);
  arenaRoot.hidden = true;
  stage.hidden = false;
  arena?.leave();
}

/** Goes on from the ply on the board, in a game of one's own. */
async function fromHere() {
  if (play.replay) leaveMatches();
  await play.fromHere(lastSetup(play.game, players.get(play.game.name) ?? []));
}

/**
 * Goes to a game: to the one that was left, or to a new one as it was last set up.
 * @param {GameInfo} game
 */
async function enter(game) {
  leaveMatches();
  const wanted = await equip(game);
  if (!wanted) return;
  const restored = await play.restore(game, wanted);
  if (restored || !wanted()) return;
  if (restored === false) tell(text('said.lost'));
  await play.start(game, lastSetup(game, players.get(game.name) ?? []));
}

/**
 * Fetches what a game needs to be shown.
 * @param {GameInfo} game
 * @returns {Promise<(() => boolean) | null>} whether the game is still wanted; null if it is not any more
 */
async function equip(game) {
  choices += 1;
  const choice = choices;
  const wanted = () => choice === choices;
  gameChoice.value = game.name;
  try {
    await fetchView(game.view);
    if (!players.has(game.name)) players.set(game.name, (await server.ask('players', { game: game.name })).players);
  } catch (why) {
    if (wanted()) gameChoice.value = play.game.name;
    throw why;
  }
  return wanted() ? wanted : null;
}

/**
 * @param {GameInfo} game
 * @param {import('./play.js').Setup} setup
 */
async function begin(game, setup) {
  choices += 1;
  leaveMatches();
  gameChoice.value = game.name;
  say(text('said.newGame', { game: inLanguage(game.title) }));
  board.focus();
  await play.start(game, setup);
}

async function openNewGame() {
  if (!players.has(play.game.name)) await equip(play.game);
  newGame.open(play.game, players.get(play.game.name) ?? []);
}

/**
 * A person's move; what is wrong with it is told.
 * @param {string} move
 * @returns {Promise<boolean>} whether it was played
 */
async function attempt(move) {
  if (lingering >= 0) {
    // Whoever does not wait sees the rest at once; to press a cell asks for nothing more.
    linger(-1);
    drawBoard();
    if (!look?.view.build?.cells(move)) return false;
  }
  try {
    await play.play(move);
    return true;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    tell(reason({ ...refusal.fault, args: { move, ...refusal.fault.args } }));
    return false;
  }
}

/** @param {number} by */
async function step(by) {
  await play.go(by);
  if (play.shown) say(play.halfway ? `${standing(play)}${text('stop')}` : `${play.at} ${account(play.at, play.shown)}`);
}

async function undo() {
  await play.undo();
  say(text('said.undo', { ply: play.moves.length }));
}

async function redo() {
  await play.redo();
  say(text('said.redo', { ply: play.moves.length }));
}

/**
 * @param {Shown} shown the position that a hint was asked for
 * @param {string | null} move
 */
function takeHint(shown, move) {
  if (shown !== play.shown) return;
  hint = move === null ? null : { shown, move };
  tell(move === null ? text('said.noHint') : text('said.hint', { move }));
  drawBoard();
}

function turnBoard() {
  board.turn();
  arrange();
  say(text('said.flip'));
}

function changeTheme() {
  const theme = THEMES[(THEMES.indexOf(settings.theme) + 1) % THEMES.length];
  choose({ theme });
  translate();
  say(text('said.theme', { theme: text(`theme.${theme}`) }));
}

async function changeLanguage() {
  const language = settings.language === 'ja' ? 'en' : 'ja';
  await speak(language);
  choose({ language });
  translate();
  draw();
  arena?.draw();
}

/** Puts the words of the language into the fixed parts of the page. */
function translate() {
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = text(String(element.getAttribute('data-text')));
  }
  for (const element of document.querySelectorAll('[data-label]')) {
    const label = text(String(element.getAttribute('data-label')));
    element.setAttribute('aria-label', label);
    element.setAttribute('title', label);
  }
  const theme = byId('theme', HTMLButtonElement);
  theme.setAttribute('aria-label', text(`theme.${settings.theme}`));
  theme.title = text(`theme.${settings.theme}`);
  byId('language', HTMLButtonElement).lang = settings.language === 'ja' ? 'en' : 'ja';
  for (const action of actions) {
    const button = buttons.get(action.name);
    if (button) button.textContent = text(`action.${action.name}`);
  }
  gameChoice.replaceChildren(
    ...games.map((game) => el('option', { value: game.name, selected: game === play.game }, inLanguage(game.title))),
  );
}

function draw() {
  if (!play.shown && stage.hidden) return;
  dress();
  analysis.follow();
  if (play.shown) said.textContent = [account(play.at, play.shown), play.replay?.note(play.at)].filter(Boolean).join(' ');
  drawBoard();
  drawActions();
  moveList.draw();
  byId('title', HTMLElement).textContent = inLanguage(play.game.title);
  const example = play.shown?.legal?.[0] ?? look?.view.build?.example;
  entry.placeholder = example ? text('moves.example', { move: example }) : '';
}

/** Gives the page the look of the game, where it has changed. */
function dress() {
  const { game } = play;
  if (look?.game === game) return;
  look = { game, view: wear(game.view) };
  play.halves = Boolean(look.view.build);
  linger(-1);
  choose({ game: game.name });
  analysis.exact = look.view.Exact && game.solvable ? new look.view.Exact() : null;
  wantsExact.parentElement?.toggleAttribute('hidden', !analysis.exact);
  translate();
  arrange();
}

/** The side that sits below has its seat, like its hand, on the right. */
function arrange() {
  byId('seats', HTMLElement).classList.toggle('swapped', look?.view.facing === true && !board.turned);
}

function drawBoard() {
  const { shown, game, at } = play;
  if (look?.game !== game) return;
  const half = halfBoard();
  drawStatus(play, half ?? shown?.board ?? null, look.view);
  if (!shown) return;
  const now = 2 * at - Number(half !== null);
  const by = now - drawnHalf;
  const legal = !half && (play.open || play.paused || !play.live);
  board.draw(game, look.view, half ?? shown.board, {
    side: shown.side,
    open: play.open && !half,
    legal: legal && !shown.outcome,
    moves: shown.legal ?? [],
    played: by === 2 ? (play.moves[at - 1]?.text ?? null) : null,
    animate: by !== 0 && Math.abs(by) <= 2,
    notes: half ? { hint: null, values: new Map() } : { hint: hint?.shown === shown ? hint.move : null, values: analysis.values },
  });
  drawnHalf = now;
}

/** The board between the two halves of the move that led to the ply on the board, where that is to be seen. */
function halfBoard() {
  const { at, before } = play;
  const build = look?.view.build;
  if (!build || !before || !(play.halfway || lingering === at)) return null;
  if (halfDone?.before !== before || halfDone.ply !== at) {
    const cells = build.cells(play.moves[at - 1].text) ?? [];
    halfDone = { before, ply: at, board: build.place(before.board, before.side, cells) };
  }
  return halfDone.board;
}

/**
 * Lets a move that was not made by hand be seen half done for a while: one's own was seen while it was built.
 * @param {number} ply −1 for none
 */
function linger(ply) {
  clearTimeout(lingerTimer);
  const others = ply > 0 && ply === play.at && play.seats[play.moves[ply - 1].side] !== null;
  lingering = others && look?.view.build && !still.matches ? ply : -1;
  if (lingering < 0) return;
  lingerTimer = setTimeout(() => {
    lingering = -1;
    drawBoard();
  }, LINGER_MS);
}

function drawActions() {
  const focused = document.activeElement;
  for (const action of actions) {
    const button = buttons.get(action.name);
    if (!button) continue;
    button.hidden = !action.shown();
    button.setAttribute('aria-disabled', String(!(action.able?.() ?? true)));
  }
  const cells = new Set(play.shown?.board.cells.map((cell) => cell.at));
  const path = look?.view.path;
  const off = play.open ? (play.shown?.legal ?? []).filter((move) => !cells.has(move) && !path?.(move) && !isForced()) : [];
  others.hidden = off.length === 0;
  others.replaceChildren(
    ...off.slice(0, 60).map((move) => {
      const button = el('button', { type: 'button' }, isPass(move) ? text('pass') : move);
      button.addEventListener('click', () => void attempt(move));
      return button;
    }),
  );
  // A button that went away must not take the focus with it.
  if (focused instanceof HTMLElement && (focused.hidden || !focused.isConnected)) board.focus();
}

/** Whether the only move is to pass: it is then played by itself. */
function isForced() {
  const legal = play.shown?.legal;
  return legal?.length === 1 && isPass(legal[0]);
}

/**
 * A move in words, and what it led to.
 * @param {number} ply after the move
 * @param {Shown} shown at that ply
 */
function account(ply, shown) {
  const move = play.moves[ply - 1];
  const parts = [];
  if (move) {
    const name = isPass(move.text) ? text('pass') : (look?.view.build?.said(move.text) ?? move.text);
    parts.push(text('said.move', { side: inLanguage(play.game.sides[move.side]), move: name }));
    const flipped = shown.board.cells.filter((cell) => cell.tags.includes('flipped')).length;
    if (flipped) parts.push(text('said.flipped', { count: flipped }));
    if (play.halves) parts.push(...saidScore(shown));
  }
  if (shown.legal?.length === 1 && isPass(shown.legal[0])) {
    parts.push(text('status.pass', { side: inLanguage(play.game.sides[shown.side]) }));
  } else if (!shown.outcome && play.seats[shown.side] === null) {
    parts.push(text('said.legalCount', { count: shown.legal_count.toLocaleString('en') }));
  }
  return parts.join(text('joinSentences'));
}

/** Says the whole standing: turn, scores, legal moves. */
function sayPosition() {
  const { shown, game } = play;
  if (!shown) return;
  const parts = [`${standing(play)}${text('stop')}`];
  parts.push(...saidScore(shown));
  shown.board.hands.forEach((hand, i) => {
    const side = inLanguage(game.sides[SIDES[i]]);
    const held = kinds(hand).map(([piece, count]) => `${textOr(`piece.${piece}`, piece)} ${count}`);
    parts.push(`${[text(hand.length ? 'hand' : 'hand.empty', { side }), ...held].join(text('join'))}${text('stop')}`);
  });
  if (shown.legal?.length) parts.push(text('said.legal', { moves: shown.legal.join(text('join')) }));
  tell(parts.join(text('joinSentences')));
}

/**
 * The scores in words, where the game counts.
 * @param {Shown} shown
 */
function saidScore({ board: { extra } }) {
  const { first, second } = play.game.sides;
  if (typeof extra.first !== 'number' || typeof extra.second !== 'number') return [];
  return [text('said.score', { first: inLanguage(first), second: inLanguage(second), a: extra.first, b: extra.second })];
}
