// The search tree of a player that has one: run with a number of playouts, looked at node by node, and stepped through one
// playout at a time; or the windows of an alpha-beta search. Fetched when it is first opened.
//
// The same seed and number of playouts always give the same tree, so each step is a run with one playout more.

import { notify, say } from '../js/announcer.js';
import { byId, el, fetchSheet } from '../js/elements.js';
import { formatPlayer, parsePlayer } from '../js/players.js';
import { Refusal, SearchSlot } from '../js/server.js';
import { foldSettings } from '../js/setting.js';
import { addWords, inLanguage, language, reason, short, text, textOr, written } from '../js/strings.js';
import { compare } from './compare.js';
import { numbers, symbols } from './formula.js';
import { nameOf, Nodes, percent } from './nodes.js';

/**
 * @typedef {import('../js/play.js').Play} Play
 * @typedef {import('../js/server.js').PlayerInfo & {tree?: boolean, windows?: boolean}} PlayerInfo
 * @typedef {import('../js/server.js').Report & {trees?: import('./nodes.js').SearchTree[], windows?: import('./windows.js').Windows}} Report
 * @typedef {import('./nodes.js').SearchTree} SearchTree
 * @typedef {{player: string, playouts: number, report: Report}} Run
 * @typedef {'select' | 'expand' | 'simulate' | 'backUp'} Phase
 */

const { styled } = fetchSheet('tree/tree.css');
await Promise.all([styled, addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') })]);

/** No more nodes are drawn. */
const NODES = 500;
const MAX_PLAYOUTS = 1_000_000;
/** Plies of an alpha-beta search, at most and at first. */
const MAX_DEPTH = 60;
const FIRST_DEPTH = 4;
/** For a player that is slow: the run ends early, and says how far it came. */
const LIMIT_MS = 30_000;
const SEED = 1;
/** @type {Phase[]} */
const PHASES = ['select', 'expand', 'simulate', 'backUp'];

export class TreePanel {
  #play;
  #players;
  #openLine;
  #slot;
  #card = el('section', { 'class': 'card tree-card', 'aria-labelledby': 'tree-title' });
  #form = el('form', { class: 'tree-form' });
  #player = el('select', { name: 'player' });
  #playouts = el('input', { type: 'number', name: 'playouts', min: 0, max: MAX_PLAYOUTS, step: 1, value: 1000, required: true });
  #depth = el('input', { type: 'number', name: 'depth', min: 1, max: MAX_DEPTH, step: 1, value: FIRST_DEPTH, required: true });
  #settings = el('details', { class: 'tree-settings' });
  #visits = el('div', { class: 'visits' });
  #state = el('p', { class: 'dim' });
  #nodes;
  #detail = el('div', { class: 'looked' });
  #did = el('p', { class: 'did' });
  #run = el('button', { class: 'main', type: 'submit' });
  #stage = el('select', {});
  /** What is shown. @type {Run | null} */
  #shown = null;
  /** The same with one playout more, while it is stepped through, and the phase that is shown. @type {{next: Report, phase: number} | null} */
  #step = null;
  /** The alpha-beta search that is shown instead, and the line below which its visits are. @type {{report: Report, at: string[]} | null} */
  #found = null;
  /** Draws them, once it was fetched. @type {typeof import('./windows.js').visitList | null} */
  #visitList = null;
  /** The run that is kept to compare the next one with. @type {Run | null} */
  #kept = null;
  /** The tree that is shown, of several stages. */
  #stageAt = 0;
  #busy = false;
  /** Counts the requests; the answer of another one is dropped. */
  #task = 0;
  /** The position, its game, and the language in which it was drawn. */
  #key = '';
  #gameName = '';
  #language = '';
  /** The player of a match that was chosen by itself last. */
  #own = '';

  /**
   * @param {import('../js/server.js').Server} server
   * @param {Play} play
   * @param {() => Promise<PlayerInfo[]>} players of the game
   * @param {(place: {game: string, moves: string[]}, moves: string[]) => void} openLine shows a line on the board, at its end
   */
  constructor(server, play, players, openLine) {
    this.#play = play;
    this.#players = players;
    this.#openLine = openLine;
    this.#slot = new SearchSlot(server, 'tree');
    this.#nodes = new Nodes(
      () => this.#drawLooked(),
      (node) => this.#watch(this.#nodes.lineTo(node)),
      (node) => void this.#fetch(node),
    );
    this.#card.hidden = true;
    byId('lines', HTMLElement).closest('section')?.after(this.#card);
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#busy) this.#slot.stop();
      else if (this.#depth.isConnected) void this.#startWindows([]);
      else void this.#start(Number(this.#playouts.value));
    });
    this.#player.addEventListener('change', () => void this.#choose());
    this.#stage.addEventListener('change', () => {
      this.#stageAt = Number(this.#stage.value);
      this.#drawTree();
    });
  }

  /** Opens or closes it. */
  async toggle() {
    const focused = this.#card.contains(document.activeElement);
    this.#card.hidden = !this.#card.hidden;
    if (this.#card.hidden) {
      if (focused) /** @type {HTMLElement | null} */ (document.querySelector('[data-action="tree"]'))?.focus();
      return this.#stop();
    }
    this.#key = this.#own = '';
    await this.draw();
    this.#player.focus();
  }

  #stop() {
    this.#task += 1;
    this.#busy = false;
    this.#slot.drop();
  }

  get #place() {
    return this.#play.place(this.#play.at);
  }

  /** Follows the game and the language. */
  async draw() {
    if (this.#card.hidden || !this.#play.shown) return;
    const key = JSON.stringify(this.#place);
    if (key === this.#key && language() === this.#language) return;
    const moved = key !== this.#key;
    const other = this.#gameName !== this.#play.game.name;
    this.#key = key;
    this.#language = language();
    this.#gameName = this.#play.game.name;
    if (moved) {
      this.#stop();
      this.#shown = this.#step = null;
      this.#found = null;
      if (other) this.#kept = null;
    }
    await this.#drawForm(other);
    this.#drawTree();
  }

  /** The player of the match that is to move; null where no match is shown. */
  get #mover() {
    const { replay, shown } = this.#play;
    const player = replay && shown && !shown.outcome ? replay.players[shown.side] : null;
    return replay && shown && player ? { player, ...parsePlayer(player), limits: replay.limits[shown.side] } : null;
  }

  /** @param {boolean} other whether the game is another than before */
  async #drawForm(other) {
    const mover = this.#mover;
    const chosen = this.#player.value;
    const players = (await this.#players()).filter(({ tree, windows }) => tree || windows);
    // In a game of a match it is the search of who moves, until another one is chosen.
    const own = mover && mover.player !== this.#own && players.some(({ name }) => name === mover.name) ? mover : null;
    if (own) {
      this.#own = own.player;
      const playouts = own.limits.playouts ?? own.keys.get('playouts');
      if (playouts) this.#playouts.value = String(Math.min(Number(playouts), MAX_PLAYOUTS));
      if (own.limits.depth) this.#depth.value = String(Math.min(own.limits.depth, MAX_DEPTH));
    }
    const preferred = own?.name ?? (other ? 'mcts' : chosen);
    this.#player.replaceChildren(
      ...players.map(({ name }) => el('option', { value: name, selected: name === preferred }, textOr(`player.${name}`, name))),
    );
    const close = el('button', { 'type': 'button', 'class': 'quiet', 'aria-label': text('tree.close') }, '×');
    close.addEventListener('click', () => void this.toggle());
    await this.#drawFields();
    this.#card.replaceChildren(
      el('div', { class: 'card-head' }, el('h2', { id: 'tree-title' }, text('tree')), close),
      el('p', { class: 'dim' }, text('tree.about')),
      this.#form,
      this.#state,
      this.#stage,
      this.#nodes.list,
      this.#detail,
      this.#visits,
    );
    this.#detail.setAttribute('role', 'group');
    await this.#drawSettings(own?.keys ?? (other ? undefined : parsePlayer(this.#playerText).keys));
  }

  /** The player, and its playouts or its depth. */
  async #drawFields() {
    const field = (/** @type {string} */ name, /** @type {HTMLElement} */ input) => el('label', { class: 'field' }, el('span', {}, text(name)), input);
    const player = (await this.#players()).find(({ name }) => name === this.#player.value);
    const effort = player?.windows ? field('tree.depth', this.#depth) : field('tree.playouts', this.#playouts);
    const focused = document.activeElement;
    this.#form.replaceChildren(field('tree.player', this.#player), effort, this.#run, this.#settings);
    if (focused === this.#player) this.#player.focus({ preventScroll: true });
  }

  /** Another player is chosen: what the last one did is not shown any more. */
  async #choose() {
    this.#stop();
    this.#shown = this.#step = null;
    this.#found = null;
    await this.#drawFields();
    await this.#drawSettings();
    this.#drawTree();
  }

  /**
   * The settings of the player, from its table; the number of playouts has a field of its own.
   * @param {Map<string, string>} [values] those that differ from the defaults
   */
  async #drawSettings(values) {
    const player = (await this.#players()).find(({ name }) => name === this.#player.value);
    const keys = (player?.keys ?? []).filter(({ name }) => name !== 'playouts');
    foldSettings(this.#settings, text('tree.settings'), keys, (key) => key.name, values);
    this.#settings.hidden = !keys.length;
  }

  /** The player as text, with the settings that differ from the defaults. */
  get #playerText() {
    /** @type {Map<string, string>} */
    const keys = new Map();
    for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (this.#settings.querySelectorAll('[name]'))) {
      const value = input.value.trim();
      if (value !== '' && value !== input.dataset.default) keys.set(input.name, value);
    }
    return formatPlayer(this.#player.value, keys);
  }

  /**
   * Asks for the tree after a number of playouts.
   * @param {string} player
   * @param {number} playouts
   * @param {boolean} last whether the last playout is wanted, too
   * @param {(report: Report) => void} info
   * @param {object} [part] of the tree, if not the most visited nodes
   * @returns {Promise<Report | null>} null if it was refused or dropped
   */
  #think(player, playouts, last, info, part = { depth: 100, visits: 0, nodes: NODES }) {
    return this.#ask({ player, limits: { playouts, time_ms: LIMIT_MS }, tree: { ...part, last } }, info);
  }

  /**
   * Asks for a search of the position, and drops an earlier one.
   * @param {object} how
   * @param {(report: Report) => void} info
   * @returns {Promise<Report | null>} null if it was refused or dropped
   */
  async #ask(how, info) {
    const task = ++this.#task;
    this.#busy = true;
    this.#drawButtons();
    const body = { ...this.#place, seed: SEED, lines: 1, ...how };
    try {
      // Without a session each run begins anew.
      return await this.#slot.ask('think', body, (report) => task === this.#task && info(report));
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (refusal.fault.code !== 'stopped') notify(() => reason(refusal.fault));
      return null;
    } finally {
      if (task === this.#task) {
        this.#busy = false;
        this.#drawButtons();
      }
    }
  }

  /** @param {number} playouts */
  async #start(playouts) {
    if (this.#play.shown?.outcome) return notify(() => text('tree.over'));
    const player = this.#playerText;
    this.#found = null;
    const take = (/** @type {Report} */ report) => {
      this.#shown = { player, playouts: report.playouts ?? playouts, report };
      this.#step = null;
      this.#stageAt = (report.trees?.length ?? 1) - 1;
      this.#nodes.mark([], 0);
      this.#drawTree();
    };
    const report = await this.#think(player, playouts, false, take);
    if (!report) return;
    take(report);
    say(this.#state.textContent ?? '');
  }

  /**
   * Asks for the children of a node that are not in the tree yet: the same search again, which has them.
   * @param {number} node
   */
  async #fetch(node) {
    const run = this.#shown;
    const tree = this.#tree;
    // Below a part of a move nothing can be asked for.
    if (!run || !tree || this.#busy || tree.nodes.some(({ part }) => part !== undefined)) return;
    const line = this.#nodes.lineTo(node);
    this.#state.textContent = text('tree.fetching', { name: line.length ? written(line.at(-1) ?? '') : text('tree.root') });
    const report = await this.#think(run.player, run.playouts, false, () => {}, { at: line, depth: 1, visits: 0, nodes: NODES });
    if (run !== this.#shown) return;
    const fetched = report?.trees?.[0]?.nodes ?? [];
    const known = new Set(tree.nodes.filter(({ parent }) => parent === node).map(nameOf));
    // The node is the last one of the way, which comes first. What is new was visited less than what was there.
    const added = fetched.filter((child) => child.parent === line.length && !known.has(nameOf(child)));
    tree.nodes.push(...added.map((child) => ({ ...child, parent: node })));
    this.#drawTree();
  }

  /** Runs until the next playout comes to the node that is looked at, and stops where it has selected its way. */
  async #runTo() {
    const run = this.#shown;
    const node = this.#nodes.selected;
    if (!run || this.#busy) return;
    const at = this.#nodes.lineTo(node);
    /** The playouts through the node after a number of playouts; null where the search ends before. @param {number} playouts */
    const through = async (playouts) => {
      const report = await this.#think(run.player, playouts, false, () => {}, { at, depth: 0, visits: 0, nodes: 1 });
      if (!report || run !== this.#shown || (report.playouts ?? 0) < playouts) return null;
      return report.trees?.[0]?.nodes[at.length]?.simulations ?? 0;
    };
    // A playout that is stepped through is over.
    const begin = run.playouts + (this.#step ? 1 : 0);
    const before = await through(begin);
    // The same search with more playouts begins like this one, so the number through a node never falls.
    let [low, high] = [begin, begin + 1];
    for (let now = before; now !== null && now === before; ) {
      now = high > MAX_PLAYOUTS ? null : await through(high);
      if (now === null) {
        if (run === this.#shown) notify(() => text('tree.unreached'));
        return;
      }
      if (now === before) [low, high] = [high, begin + 2 * (high - begin)];
    }
    while (before !== null && high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const now = await through(middle);
      if (now === null) return;
      if (now === before) low = middle;
      else high = middle;
    }
    if (before === null) return notify(() => text('tree.unreached'));
    await this.#start(high - 1);
    this.#playouts.value = String(high - 1);
    await this.#advance(0);
  }

  /**
   * Runs an alpha-beta search, and shows its visits below a line.
   * @param {string[]} at
   */
  async #startWindows(at) {
    if (this.#play.shown?.outcome) return notify(() => text('tree.over'));
    const how = { player: this.#playerText, limits: { depth: Number(this.#depth.value), time_ms: LIMIT_MS }, windows: { at, depth: 2, nodes: NODES } };
    const [part, report] = await Promise.all([import('./windows.js'), this.#ask(how, () => {})]);
    if (!report) return;
    this.#visitList = part.visitList;
    this.#found = { report, at };
    this.#shown = this.#step = null;
    this.#drawTree();
    say(this.#state.textContent ?? '');
  }

  /** The visits of an alpha-beta search, if one was run last. */
  #drawVisits() {
    if (!this.#found || !this.#visitList) return this.#visits.replaceChildren();
    const { report, at } = this.#found;
    const { windows, depth, nodes, move } = report;
    this.#state.hidden = false;
    this.#state.textContent = windows
      ? text('windows.state', { depth, nodes: short(nodes ?? 0), move: written(move ?? '') })
      : text('windows.none');
    const acts = {
      look: (/** @type {string[]} */ line) => this.#watch(line),
      below: (/** @type {string[]} */ line) => void this.#startWindows(line),
    };
    this.#visits.replaceChildren(...(windows ? this.#visitList(windows, at, this.#play.game.sides, acts) : []));
  }

  /** The trees that are shown: those of the last complete playout. @returns {SearchTree[]} */
  get #trees() {
    return this.#shown?.report.trees ?? [];
  }

  /** @returns {SearchTree | undefined} */
  get #tree() {
    return this.#trees[this.#stageAt];
  }

  #drawButtons() {
    this.#run.textContent = text(this.#busy ? 'tree.stop' : 'tree.run');
    for (const button of this.#card.querySelectorAll('.tree-steps button')) button.toggleAttribute('disabled', this.#busy);
  }

  #drawTree() {
    this.#drawButtons();
    const run = this.#shown;
    const tree = this.#tree;
    this.#nodes.list.hidden = this.#detail.hidden = !tree;
    this.#state.hidden = !run;
    this.#stage.hidden = this.#trees.length < 2;
    this.#drawVisits();
    if (!run) return;
    const { report } = run;
    this.#state.textContent = tree
      ? text('tree.state', { playouts: short(run.playouts), nodes: short(tree.size), move: written(report.move ?? '') })
      : text('tree.noTree');
    if (!tree) return;
    this.#stage.setAttribute('aria-label', text('tree.stage'));
    this.#stage.replaceChildren(
      ...this.#trees.map(({ decided }, i) => {
        const name = decided === undefined ? text('tree.stage.first') : text('tree.stage.after', { decided });
        return el('option', { value: i, selected: i === this.#stageAt }, `${text('tree.stage')}: ${name}`);
      }),
    );
    this.#nodes.show(tree);
    this.#drawLooked();
  }

  /** The node that is looked at: the formula with its numbers; below it the steps, and the comparison. */
  #drawLooked() {
    const tree = this.#tree;
    const run = this.#shown;
    if (!tree || !run) return;
    const focused = document.activeElement instanceof HTMLElement && this.#detail.contains(document.activeElement) ? document.activeElement.dataset.act : null;
    const node = tree.nodes[this.#nodes.selected];
    const parent = node.parent === null ? undefined : tree.nodes[node.parent];
    const name = parent ? nameOf(node) : text('tree.root');
    const side = inLanguage(this.#play.game.sides[(parent ?? node).side]);
    const value = node.value === null ? text('tree.none') : percent(node.value);
    const { formula } = tree;
    const facts = [text('tree.looked', { name, visits: short(node.visits), value, side })];
    if (parent && /puct/.test(formula.name)) facts.push(text('tree.prior', { prior: node.prior.toFixed(3) }));
    if (node.amaf?.visits) facts.push(text('tree.amaf', { visits: short(node.amaf.visits), value: percent(node.amaf.value ?? 0) }));
    const { selection, children } = node;
    if (selection && selection.width < children) facts.push(text('tree.width', { width: selection.width, children }));
    this.#detail.setAttribute('aria-label', name);
    this.#detail.replaceChildren(
      ...facts.map((fact) => el('p', {}, fact)),
      el('p', { class: 'dim' }, text('tree.formula')),
      el('p', { class: 'formula' }, symbols(formula)),
      el('p', { class: 'formula numbers' }, numbers(formula, node, parent) ?? text(noScore(node, parent))),
      el('p', { class: 'dim' }, text('tree.letters'), formula.rave || formula.rave_bias ? ` ${text('tree.rave')}` : ''),
      ...(tree.decided === undefined && this.#trees.length === 1 ? this.#steps() : []),
      ...compare(this.#kept, run, (keep) => {
        this.#kept = keep ? run : null;
        this.#drawLooked();
      }),
    );
    this.#drawButtons();
    if (focused) /** @type {HTMLElement | null} */ (this.#detail.querySelector(`[data-act="${focused}"]`))?.focus({ preventScroll: true });
  }

  /** The buttons of the four phases of the next playout, and what the last one of them did. */
  #steps() {
    const buttons = PHASES.map((phase, i) => {
      const button = el('button', { 'type': 'button', 'data-act': phase, 'aria-pressed': String(this.#step !== null && i === this.#step.phase) }, text(`tree.${phase}`));
      button.addEventListener('click', () => void this.#advance(i));
      return button;
    });
    const back = el('button', { 'type': 'button', 'class': 'quiet', 'data-act': 'before' }, text('tree.before'));
    back.addEventListener('click', () => void this.#start(Math.max(0, (this.#shown?.playouts ?? 0) - 1)));
    const more = [10, 100].map((n) => {
      const button = el('button', { 'type': 'button', 'class': 'quiet', 'data-act': `more${n}` }, text(`tree.more${n}`));
      button.addEventListener('click', () => {
        const playouts = Math.min(MAX_PLAYOUTS, (this.#shown?.playouts ?? 0) + n);
        this.#playouts.value = String(playouts);
        void this.#start(playouts);
      });
      return button;
    });
    const until = el('button', { 'type': 'button', 'data-act': 'until', 'aria-describedby': 'tree-until' }, text('tree.until'));
    until.addEventListener('click', () => void this.#runTo());
    const group = el('div', { 'class': 'tree-steps', 'role': 'group', 'aria-label': text('tree.steps') }, ...buttons, until, back, ...more);
    const playout = this.#step && this.#step.phase >= 2 ? this.#last?.playout : null;
    const watch = el('button', { 'type': 'button', 'class': 'quiet', 'data-act': 'watch' }, text('tree.watch'));
    watch.addEventListener('click', () => {
      const last = this.#last;
      if (last) this.#watch([...last.line, ...last.playout]);
    });
    const about = el('p', { class: 'dim', id: 'tree-until' }, text('tree.untilAbout'));
    return [el('p', { class: 'dim' }, text('tree.steps')), group, about, this.#did, ...(playout?.length ? [watch] : [])];
  }

  /** The playout that is stepped through. */
  get #last() {
    return this.#step?.next.trees?.[0]?.last ?? null;
  }

  /**
   * Goes on to a phase: of the playout that is stepped through, or of the next one if that phase is over.
   * @param {number} phase
   */
  async #advance(phase) {
    const run = this.#shown;
    if (!run || this.#busy) return;
    if (!this.#step || this.#step.phase >= phase || this.#step.phase === PHASES.length - 1) {
      const next = await this.#think(run.player, run.playouts + 1, true, () => {});
      if (!next || run !== this.#shown) return;
      // The solver may have proven the position: then there is no other playout.
      if (!next.trees?.[0]?.last || next.playouts === run.playouts) return notify(() => this.#state.textContent ?? '');
      this.#step = { next, phase };
    }
    const step = this.#step;
    step.phase = phase;
    this.#did.textContent = this.#describe(step.next, PHASES[phase], run.playouts + 1);
    say(this.#did.textContent);
    const { line } = /** @type {import('./nodes.js').LastSimulation} */ (this.#last);
    if (phase === PHASES.length - 1) {
      this.#shown = { ...run, playouts: run.playouts + 1, report: step.next };
      this.#playouts.value = String(run.playouts + 1);
    }
    this.#nodes.mark(line, line.length);
    this.#drawTree();
  }

  /**
   * What a phase has done, in words.
   * @param {Report} report
   * @param {Phase} phase
   * @param {number} n
   */
  #describe({ trees }, phase, n) {
    const last = trees?.[0]?.last;
    if (!last) return '';
    const side = inLanguage(this.#play.game.sides[trees?.[0]?.nodes[0]?.side ?? 'first']);
    const value = percent(last.value);
    const line = last.line.map(written).join(' → ');
    if (phase === 'select') return line ? text('tree.did.select', { n, line }) : text('tree.did.selectRoot', { n });
    if (phase === 'expand') {
      if (last.expanded === null) return text('tree.did.expandNone');
      const name = last.expanded ? written(last.line[last.expanded - 1]) : text('tree.root');
      return text('tree.did.expand', { n: last.new_children, name });
    }
    if (phase === 'simulate') return text(last.plies ? 'tree.did.simulate' : 'tree.did.simulateNone', { plies: last.plies, value, side });
    return text('tree.did.backUp', { n: last.line.length + 1 });
  }

  /** @param {string[]} moves */
  #watch(moves) {
    if (moves.length) this.#openLine(this.#place, moves);
  }
}

/**
 * Why a node has no score.
 * @param {import('./nodes.js').TreeNode} node
 * @param {import('./nodes.js').TreeNode | undefined} parent
 */
function noScore(node, parent) {
  if (!parent) return 'tree.noScore';
  if (!parent.selection) return 'tree.random';
  return node.visits > 0 ? 'tree.excluded' : 'tree.first';
}
