// The page: creates its parts and connects them.

import { Analysis } from './analysis.js';
import { announceConnection, notify, say, translateNote } from './announcer.js';
import { BoardKit, IDLE } from './board.js';
import { byId, el } from './elements.js';
import { listen, showKeys } from './keys.js';
import { MoveList } from './moves.js';
import { PACE_MS, Play } from './play.js';
import { isAway, isFullStrength } from './players.js';
import { Router } from './router.js';
import { Refusal, Server } from './server.js';
import { choose, load, save, settings } from './settings.js';
import { listenSound, sound, soundOf } from './sound.js';
import { drawStatus, standing, verdict } from './status.js';
import { inLanguage, isPass, reason, setLanguage, text, textOr, written } from './strings.js';
import { applyView, fetchView, hasRules, spoken } from './views.js';

/**
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').Shown} Shown
 */

const THEMES = /** @type {const} */ (['system', 'light', 'dark']);

const address = new URL('ws', location.href);
address.protocol = address.protocol.replace('http', 'ws');
/** What answers in place of a server, where the page is made without one. */
const engines = document.querySelector('#engines');
const { connect, recorded } = engines instanceof HTMLLinkElement ? await import(engines.href) : { connect: () => new WebSocket(address) };
const server = new Server(connect, recorded);

const asked = server.ask('games', {});
// The game of the last visit is fetched before the list of games is there; a failure is met when the game is shown.
if (!location.hash && hasRules(settings.game)) void fetchView(settings.game).catch(() => {});
await setLanguage(settings.language);
translateTexts();
const status = byId('status', HTMLElement);
status.textContent = text('connecting');

/** @type {GameInfo[]} */
const games = (await asked).games;

const play = new Play(server, games.find((game) => game.name === settings.game) ?? games[0]);
const board = new BoardKit(byId('board', HTMLElement), attempt);
const analysis = new Analysis(server, play, drawBoard, takeHint, (place, moves) => void openLine(place, moves));
const moveList = new MoveList(play);
const router = new Router(server, games, play, () => {
  draw();
  moveList.focus();
});
announceConnection(server);

const entry = byId('enter-move', HTMLInputElement);
const analyse = byId('analyse', HTMLInputElement);
const wantsExact = byId('wants-exact', HTMLInputElement);
const gameChoice = byId('game', HTMLSelectElement);
const others = byId('others', HTMLElement);
const stage = byId('play', HTMLElement);
const said = byId('said', HTMLElement);

/** What was refused or went wrong. @type {object[]} */
const faults = [];
/** The hint on the board, and the position it is for. @type {{shown: Shown, move: string} | null} */
let hint = null;
/** The dialog of a new game, once it was opened. @type {import('./newgame.js').NewGame | null} */
let newGame = null;
/** The view of the game that is drawn, and the game. @type {{game: GameInfo, view: import('./views.js').View} | null} */
let look = null;
/** Shows moves between their halves, in games whose turns have two halves. @type {import('./halfmove.js').HalfMove | null} */
let halfMove = null;
/** The review of the game, once it was asked for. @type {import('../record/review.js').Review | null} */
let review = null;
/** The puzzles made of a review, once there were some. @type {import('../record/puzzles.js').Puzzles | null} */
let puzzles = null;
/** The line of the analysis that is open, once one was. @type {import('./line.js').Line | null} */
let line = null;
/** The search tree, once it was opened. @type {import('../tree/tree.js').TreePanel | null} */
let tree = null;
/** The position before that line. @type {object | null} */
let lineAt = null;
/** The half of a ply that was drawn last: a step by one ply is animated, a jump is not. */
let drawnHalf = -1;
/** The editor, while a position is edited. @type {import('../editor/editor.js').Editor | null} */
let editor = null;
/**
 * The actions beside moving: a button, visible while `shown` holds and emphasised while `main` does, and `keys`, each of one
 * character. The `minor` ones are about the whole game.
 * @type {{name: string, keys?: string, run: () => unknown, shown: () => boolean, able?: () => boolean, main?: () => boolean, minor?: boolean}[]}
 */
const actions = [
  { name: 'takeOver', run: () => router.enter(play.game), main: () => true, shown: () => play.elsewhere },
  { name: 'toMatch', run: () => void (location.hash = play.replay?.back ?? ''), shown: () => play.replay !== null },
  { name: 'search', run: () => play.replay?.search(play.at, draw), shown: () => play.replay?.searched(play.at) ?? false },
  { name: 'again', run: openNewGame, main: () => true, shown: () => play.live && !play.replay && Boolean(play.shown?.outcome) },
  { name: 'back', run: () => play.goTo(play.moves.length), shown: () => !play.live && !play.replay },
  { name: 'fromHere', keys: 'e', run: fromHere, shown: () => !play.live && !play.elsewhere },
  { name: 'moveNow', keys: 'm', run: () => play.moveNow(), shown: () => play.live && play.thinking !== null },
  { name: 'pause', run: () => play.setPaused(true), shown: () => (running() || ticking()) && !play.paused },
  { name: 'resume', run: () => play.setPaused(false), shown: () => play.live && play.paused && changeable() && !play.reached?.outcome },
  { name: 'step', keys: 's', run: () => play.step(), shown: () => play.live && play.paused && running(), able: () => !play.thinking },
  { name: 'undo', keys: 'u', run: () => take('undo'), shown: () => play.live && changeable(), able: () => play.undoPly >= 0 },
  { name: 'redo', keys: 'r', run: () => take('redo'), shown: () => play.live && changeable() && play.undone.length > 0 },
  { name: 'hint', keys: 'h ', run: () => analysis.hint(), shown: () => !play.live || play.open },
  { name: 'review', keys: 'y', run: openReview, main: () => play.live && Boolean(play.shown?.outcome), shown: () => play.moves.length > 0 },
  { name: 'finish', run: finish, shown: mayFinish, minor: true },
  { name: 'share', keys: 'c', run: share, main: sendsLink, shown: () => true, minor: true },
  { name: 'edit', run: edit, shown: () => play.shown !== null && hasRules(play.game.view ?? ''), minor: true },
  { name: 'tree', run: openTree, shown: () => play.shown !== null, minor: true },
  { name: 'load', run: openLoad, shown: () => play.shown !== null, minor: true },
  { name: 'games', run: () => router.openGames(), shown: () => true, minor: true },
  { name: 'help', run: help, shown: () => true, minor: true },
  { name: 'newGame', run: openNewGame, shown: () => !play.live || !play.shown?.outcome || play.replay !== null },
  { name: 'flip', keys: 'f', run: turnBoard, shown: () => play.live },
];

/** Whether the opponent waits for the link of the game. */
function sendsLink() {
  const { reached } = play;
  return reached !== null && !reached.outcome && isAway(play.players[reached.side]);
}

/** Whether a person at this page can end the game: not against somebody elsewhere, whom no message reaches. */
function mayFinish() {
  const { first, second } = play.players;
  const here = (first === null || second === null) && !isAway(first) && !isAway(second);
  return here && play.live && play.begun;
}

const changeable = () => !play.replay && !play.elsewhere;
/** Whether a clock runs in the game, once it is not paused. */
const ticking = () => play.clock !== null && play.live && changeable() && play.moves.length > 0 && !play.reached?.outcome;
const running = () => play.watched && changeable() && !play.reached?.outcome;

const buttons = new Map(
  actions.map((action) => {
    const button = el('button', { type: 'button', 'data-action': action.name });
    button.addEventListener('click', () => button.getAttribute('aria-disabled') !== 'true' && action.run());
    return [action.name, button];
  }),
);
for (const { name, minor } of actions) byId(minor ? 'game-actions' : 'actions', HTMLElement).append(buttons.get(name) ?? '');

/** @type {import('./keys.js').Shortcut[]} */
const shortcuts = [
  { keys: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'], label: 'keys.arrows' },
  { keys: ['Enter', 'Space'], label: 'keys.enter' },
  { keys: ['ArrowLeft', 'ArrowRight'], label: 'keys.step', run: (key) => step(key === 'ArrowLeft' ? -1 : 1) },
  { keys: [',', '.'], label: 'keys.stepAnywhere', run: (key) => step(key === ',' ? -1 : 1) },
  { keys: ['Home', 'End'], label: 'keys.ends', run: (key) => play.goTo(key === 'Home' ? 0 : play.moves.length) },
  { keys: ['n'], label: 'action.newGame', run: openNewGame },
  ...actions
    .filter((action) => action.keys)
    .map((action) => ({
      keys: [...(action.keys ?? '')],
      label: action.name === 'hint' ? 'keys.hint' : `action.${action.name}`,
      run: () => void (action.shown() && (action.able?.() ?? true) && action.run()),
    })),
  { keys: ['p'], label: 'keys.pause', run: () => (running() || ticking() || play.paused) && changeable() && play.setPaused(!play.paused) },
  { keys: ['a'], label: 'keys.analysis', run: () => analyse.click() },
  { keys: ['x'], label: 'keys.threat', run: () => void showThreat() },
  { keys: ['z'], label: 'keys.exact', run: () => analysis.exact && wantsExact.click() },
  { keys: ['g'], label: 'keys.say', run: sayPosition },
  { keys: ['b'], label: 'keys.board', run: () => board.focus() },
  { keys: ['i'], label: 'keys.enterMove', run: () => entry.focus() },
  { keys: ['t'], label: 'keys.theme', run: changeTheme, anywhere: true },
  { keys: ['l'], label: 'keys.language', run: changeLanguage, anywhere: true },
  { keys: ['?'], label: 'keys.help', run: help, anywhere: true },
];
/** The keys of games whose pieces are turned. @type {import('./keys.js').Shortcut[]} */
const pieceKeys = [
  { keys: ['j', 'k'], label: 'keys.anotherPiece', run: pieceKey },
  { keys: ['q', 'w'], label: 'keys.turnPiece', run: pieceKey },
  { keys: ['v'], label: 'keys.mirrorPiece', run: pieceKey },
  { keys: ['d'], label: 'keys.nextFit', run: pieceKey },
];
/** The keys of games whose units act one after the other. @type {import('./keys.js').Shortcut[]} */
const unitKeys = [
  { keys: ['j', 'k'], label: 'keys.anotherUnit', run: pieceKey },
  { keys: ['d'], label: 'keys.nextGoal', run: pieceKey },
  { keys: ['v'], label: 'keys.threats', run: pieceKey },
  { keys: ['o'], label: 'keys.endTurn', run: pieceKey },
];
listen([...shortcuts, ...pieceKeys, ...unitKeys]);
listenSound();

play.addEventListener('change', draw);
play.addEventListener('moved', (event) => {
  const { ply, shown } = /** @type {CustomEvent} */ (event).detail;
  hint = null;
  halfMove?.wait(ply);
  say(spoken.describeMove(play, sayings(), ply, shown));
  void sound(soundOf(shown, play.positionAt(ply - 1), isPass(play.moves[ply - 1].text)));
  if (play.lesson) return;
  save(`banmen.lesson.${play.game.name}`, 'seen');
  if (shown.outcome) {
    say(verdict(play.game, shown.outcome));
    const { game, kept } = play;
    void wholeGames().then((part) => part.keep(game.name, kept, shown.outcome));
  }
});
play.addEventListener('report', (event) => {
  /** @type {{ply: number, side: import('./server.js').Side, report: import('./server.js').Report}} */
  const { ply, side, report } = /** @type {CustomEvent} */ (event).detail;
  if (isFullStrength(play.players[side], router.known(play.game))) analysis.take(ply, side, report);
});
play.addEventListener('ended', (event) => {
  const outcome = /** @type {CustomEvent} */ (event).detail;
  const { game, kept } = play;
  void sound('end');
  say(verdict(game, outcome));
  void wholeGames().then((part) => part.keep(game.name, kept, outcome));
});
play.addEventListener('fault', (event) => explain(/** @type {CustomEvent} */ (event).detail));

window.addEventListener('unhandledrejection', ({ reason: why }) => {
  if (!server.online) notify(() => text('offline'));
  else explain(why instanceof Refusal ? why.fault : { code: 'page', reason: 'broken', message: String(why) });
});

byId('new', HTMLButtonElement).addEventListener('click', openNewGame);
byId('help', HTMLButtonElement).addEventListener('click', help);
byId('theme', HTMLButtonElement).addEventListener('click', changeTheme);
byId('language', HTMLButtonElement).addEventListener('click', changeLanguage);
for (const input of [analyse, wantsExact]) {
  input.addEventListener('change', () => {
    if (analyse.checked) review?.stop();
    analysis.turn(analyse.checked, wantsExact.checked);
  });
}
// A table was built: what could not be answered without it is asked for again.
server.addEventListener('table', () => analysis.turn(analysis.on, wantsExact.checked));
byId('no-lesson', HTMLButtonElement).addEventListener('click', () => {
  save(`banmen.lesson.${play.game.name}`, 'seen');
  draw();
  board.focus();
});
gameChoice.addEventListener('change', () => {
  const game = games.find((each) => each.name === gameChoice.value);
  if (game) void router.enter(game);
});
byId('enter', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  // In the notation of the page's language, and in characters of any width.
  const typed = entry.value.trim().normalize('NFKC');
  const move = play.shown?.legal?.find((each) => written(each).normalize('NFKC') === typed) ?? look?.view.read?.(typed) ?? typed;
  // The next move may be typed before this one is played; one that is refused comes back, to be corrected.
  entry.value = '';
  if (move) void attempt(move).then((done) => done || (entry.value ||= typed));
});

gameChoice.parentElement?.toggleAttribute('hidden', games.length < 2);
translate();
// Not awaited: what goes wrong is then said like any other failure, and does not end the module.
void router.follow();

/** Continues from the ply on the board; a game of a match is copied to a game of the visitor's own. */
async function fromHere() {
  if (play.replay) {
    router.leaveMatches();
    (await wholeGames()).keepLast(play.game.name);
  }
  await play.fromHere(router.setup(play.game));
}

/**
 * @param {GameInfo} game
 * @param {import('./play.js').Setup} setup
 */
async function begin(game, setup) {
  // The stored game is the one on the board, unless a match, a lesson or another tab is shown.
  if (play.begun || play.elsewhere || play.replay || play.lesson) {
    const part = await wholeGames();
    if (play.begun && !(await part.mayStart(play.moves.length))) return closeEditor();
    part.keepLast(game.name);
  }
  router.supersede(game);
  say(text('said.newGame', { game: inLanguage(game.title) }));
  board.focus();
  await play.start(game, setup);
}

async function openNewGame() {
  const { game } = play;
  const players = await router.playersOf(game);
  const { Starts } = game.positions && look?.view ? await import('./starts.js') : { Starts: null };
  const { NewGame } = await import('./newgame.js');
  newGame ??= new NewGame(server, (game, setup) => void begin(game, setup));
  await newGame.open(game, players, Starts && look ? new Starts(server, game, look.view) : null);
}

/**
 * Plays a person's move, or says what is wrong with it.
 * @param {string} move
 * @returns {Promise<boolean>} whether it was played
 */
async function attempt(move) {
  if (editor) {
    editor.press(move);
    return false;
  }
  if (halfMove?.waiting) {
    // A press ends the pause between the halves of a move; on a cell it does nothing else.
    halfMove.wait(-1);
    drawBoard();
    if (!look?.view.build?.cells(move)) return false;
  }
  if (line?.shown) {
    notify(() => reason({ code: 'page', reason: 'line' }));
    return false;
  }
  try {
    await play.play(move);
    return true;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    void sound('illegal');
    explain({ ...refusal.fault, args: { move, ...refusal.fault.args } });
    return false;
  }
}

/** @param {import('./server.js').Fault} fault */
function explain(fault) {
  faults.push({ time: new Date().toISOString(), ...fault });
  notify(() => reason(fault));
}

/** What helps to find out what went wrong. */
const diagnosis = () => ({ ...play.kept, game: play.game.name, at: play.at, online: server.online, settings, faults: faults.slice(-9) });

/** @param {string} key */
function pieceKey(key) {
  board.key(key);
}

function help() {
  const { pieces, units } = look?.view ?? {};
  void showKeys([...shortcuts, ...(pieces ? pieceKeys : units ? unitKeys : [])], diagnosis);
}

/** @param {number} by */
async function step(by) {
  await play.go(by);
  if (play.shown) say(play.halfway ? `${standing(play)}${text('stop')}` : `${play.at} ${account(play.shown)}`);
}

/** Reviews the game. It searches in place of the analysis: the server allows two searches at once. */
async function openReview() {
  const part = await wholeGames();
  review ??= new part.Review(server, play, drawMoves, retry, (some, exact) => void openPuzzles(some, exact));
  if (analyse.checked) analyse.click();
  await review.start(analysis.exact !== null);
}

/**
 * @param {import('../record/puzzles.js').Puzzle[]} some of the game on the board
 * @param {boolean} exact whether exact values are quick to have
 */
async function openPuzzles(some, exact) {
  const part = await wholeGames();
  const { game, replay } = play;
  puzzles ??= new part.Puzzles(server, play);
  await puzzles.begin(some, exact, () => void (replay ? router.follow() : router.enter(game)));
}

/**
 * Plays a game of the visitor's again from a ply; the whole game stays in the list.
 * @param {number} ply
 */
async function retry(ply) {
  if (play.replay) {
    await play.goTo(ply);
    return fromHere();
  }
  const { game, kept, reached } = play;
  const part = await wholeGames();
  part.keep(game.name, kept, reached?.outcome ?? null);
  const [seed] = crypto.getRandomValues(new Uint32Array(1));
  await router.enter(game, { kept: { ...kept, moves: kept.moves.slice(0, ply), seed, ended: null } });
  board.focus();
}

/**
 * Shows the moves of a line of the analysis on the board.
 * @param {import('./analysis.js').Subject} place the position before the line
 * @param {string[]} moves
 * @param {boolean} atEnd at the last move, with the focus where it is
 */
async function openLine(place, moves, atEnd = false) {
  const { Line } = await import('./line.js');
  line ??= new Line(server, drawBoard);
  lineAt = place;
  await line.open(place, moves, atEnd);
}

/** Opens or closes the search tree. It searches in place of the analysis. */
async function openTree() {
  const { TreePanel } = await import('../tree/tree.js');
  const players = () => router.playersOf(play.game);
  tree ??= new TreePanel(server, play, players, (place, moves) => void openLine(place, moves, true));
  if (analyse.checked) analyse.click();
  await tree.toggle();
}

function drawMoves() {
  if (review) moveList.marks = review.marks;
  moveList.draw();
  look?.view.drawn?.(play);
}

/** What is done with whole games is fetched when it is first needed. */
const wholeGames = () => import('../record/part.js');

async function share() {
  await (await wholeGames()).share(play);
}

async function openLoad() {
  const part = await wholeGames();
  part.openLoad(server, play, ({ game, kept }) => void router.enter(game, { kept }));
}

/** Sets up a position, beginning with the one of the game. */
async function edit() {
  line?.close();
  if (running() || ticking()) await play.setPaused(true);
  const { Editor } = await import('../editor/part.js');
  const { game, from } = play;
  if (!look || !play.shown) return;
  const setup = router.setup(game);
  editor = await Editor.open({
    server,
    play,
    view: look.view,
    kit: board,
    seats: setup.players,
    known: router.known(game),
    begin: (position, players) => void begin(game, { ...setup, players, position, rules: from.rules }),
    close: () => {
      closeEditor();
      board.focus();
    },
  });
}

function closeEditor() {
  editor?.leave();
  editor = null;
  draw();
}

/** Ends the game before the rules do, if the visitor wants it. */
async function finish() {
  const part = await wholeGames();
  const outcome = await part.finish(server, play);
  if (!outcome) return;
  await play.end(outcome);
  board.focus();
}

/** @param {'undo' | 'redo'} way */
async function take(way) {
  await play[way]();
  say(text(`said.${way}`, { ply: play.moves.length }));
}

/** The words of a hint. @param {string | null} move */
const hinted = (move) => text(move === null ? 'said.noHint' : 'said.hint', { move });

/**
 * @param {Shown} shown the position that a hint was asked for
 * @param {string | null} move
 * @param {(move: string | null) => string} [words] what is said of the move
 * @param {string | null} [mark] what of it is marked on the board
 */
function takeHint(shown, move, words = hinted, mark = move) {
  if (shown !== play.shown) return;
  line?.close();
  hint = mark === null ? null : { shown, move: mark };
  const units = look?.view.units;
  notify(() => words(move && (units ? units.said(move, shown.board) : written(move))));
  drawBoard();
}

/** Shows what the other side would play if it were to move. */
async function showThreat() {
  const { threatened, threatOf } = await import('../editor/threat.js');
  const found = await threatOf(play, analysis, look?.view);
  if (found) takeHint(found.shown, found.move, threatened, found.mark);
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
  say(`${text(`theme.${theme}`)}${text('stop')}`);
}

async function changeLanguage() {
  const language = settings.language === 'ja' ? 'en' : 'ja';
  choose({ language });
  await setLanguage(language);
  translate();
  draw();
  router.arena?.draw();
  router.lab?.draw();
  translateNote();
  void router.rules?.draw();
  router.start?.draw();
  router.lesson?.draw();
  puzzles?.draw();
}

/** Translates what the document names, which needs no games. */
function translateTexts() {
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = text(String(element.getAttribute('data-text')));
  }
  for (const element of document.querySelectorAll('[data-label]')) {
    const label = text(String(element.getAttribute('data-label')));
    element.setAttribute('aria-label', label);
    element.setAttribute('title', label);
  }
}

/** Translates the fixed parts of the page. */
function translate() {
  translateTexts();
  const theme = byId('theme', HTMLButtonElement);
  theme.title = text(`theme.${settings.theme}`);
  theme.setAttribute('aria-label', theme.title);
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
  if (editor && !editor.current) return closeEditor();
  if (!play.shown && stage.hidden) return;
  showView();
  // Lessons and games of matches are not the visitor's own: Back leads from them to the game that is.
  if (!play.replay && !play.lesson && settings.game !== play.game.name) choose({ game: play.game.name });
  if (JSON.stringify(play.place(play.at)) !== JSON.stringify(lineAt)) line?.close();
  line?.draw();
  analysis.follow();
  drawBoard();
  drawActions();
  review?.follow();
  void tree?.draw();
  drawMoves();
  const { name } = play.game;
  byId('offer', HTMLElement).hidden = !hasRules(name) || play.moves.length > 0 || load(`banmen.lesson.${name}`) !== null;
  byId('title', HTMLElement).textContent = inLanguage(play.game.title);
  drawVariant();
  const example = play.shown?.legal?.[0] ?? look?.view.build?.example;
  entry.placeholder = example ? text('moves.example', { move: written(example) }) : '';
}

/** Names the variant of the rules, unless it is the usual one. */
function drawVariant() {
  const { game, from: { rules = game.rules[0] } } = play;
  const place = byId('variant', HTMLElement);
  place.hidden = rules === game.rules[0];
  place.textContent = textOr(`rules.${rules}`, rules);
}

/** Applies the view of the game, if the game has changed. */
function showView() {
  const { game } = play;
  if (look?.game === game) return;
  look = { game, view: applyView(game.view) };
  play.halves = Boolean(look.view.build);
  play.paceMs = look.view.units?.pace ?? PACE_MS;
  halfMove?.wait(-1);
  const { build, HalfMove } = look.view;
  halfMove = build && HalfMove ? new HalfMove(play, build, drawBoard) : null;
  analysis.exact = look.view.Exact && game.solvable ? new look.view.Exact() : null;
  wantsExact.parentElement?.toggleAttribute('hidden', !analysis.exact);
  translate();
  for (const part of ['rules', 'lesson']) {
    for (const link of document.querySelectorAll(`.to-${part}`)) {
      link.setAttribute('href', `#${part}=${game.name}`);
      link.toggleAttribute('hidden', !hasRules(game.name));
    }
  }
  arrange();
}

/** The side at the bottom has its name, like its hand, on the right. */
function arrange() {
  byId('player-cards', HTMLElement).classList.toggle('swapped', look?.view.facing === true && !board.turned);
}

function drawBoard() {
  const { shown, game, at } = play;
  if (look?.game !== game) return;
  if (line?.shown && shown) return drawLine(line.shown, line.status);
  if (shown) said.textContent = [account(shown), play.replay?.note(at)].filter(Boolean).join(' ');
  const half = halfMove?.board ?? null;
  drawStatus(play, half ?? shown?.board ?? null, look.view);
  if (editor) return editor.draw();
  if (!shown) return;
  // Nothing is offered once the game is over.
  stage.classList.toggle('finished', play.live && shown.outcome !== null);
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
    notes: half ? IDLE.notes : { hint: hint?.shown === shown ? hint.move : null, values: analysis.values },
  });
  drawnHalf = now;
}

/**
 * Draws a position of a line of the analysis, in which nothing can be played.
 * @param {Shown} shown
 * @param {string} where the line is
 */
function drawLine(shown, where) {
  if (!look) return;
  drawStatus(play, shown.board, look.view, shown);
  status.textContent = where;
  said.textContent = '';
  board.draw(play.game, look.view, shown.board, { ...IDLE, side: shown.side });
  drawnHalf = -1;
}

function drawActions() {
  const focused = document.activeElement;
  for (const action of actions) {
    const button = buttons.get(action.name);
    if (!button) continue;
    button.hidden = !action.shown();
    button.classList.toggle('main', action.main?.() ?? false);
    button.setAttribute('aria-disabled', String(!(action.able?.() ?? true)));
  }
  const cells = new Set(play.shown?.board.cells.map((cell) => cell.at));
  const view = look?.view;
  // Where moves are built, or units have actions, the board has all.
  const off = play.open && sayings() === view && !isForced() ? (play.shown?.legal ?? []).filter((move) => !cells.has(move) && !view?.path?.(move)) : [];
  others.hidden = off.length === 0;
  others.replaceChildren(
    ...off.slice(0, 60).map((move) => {
      const button = el('button', { type: 'button' }, written(move));
      button.addEventListener('click', () => void attempt(move));
      return button;
    }),
  );
  // When its button is hidden, the focus moves to the board, or to the moves while they are stepped through.
  if (focused instanceof HTMLElement && (focused.hidden || !focused.isConnected)) (play.live ? board : moveList).focus();
}

/** Whether the only move is a pass, which the page plays itself. */
function isForced() {
  const legal = play.shown?.legal;
  return legal?.length === 1 && isPass(legal[0]);
}

/**
 * The move that led to the ply on the board, in words.
 * @param {Shown} shown at that ply
 */
function account(shown) {
  return spoken.describeMove(play, sayings(), play.at, shown);
}

/** Moves in words, if the view has them. */
function sayings() {
  return look?.view.build ?? look?.view.pieces ?? look?.view.units ?? look?.view;
}

/** Says the position. */
function sayPosition() {
  if (play.shown) notify(spoken.describePosition(play, play.shown, look?.view ?? null));
}
