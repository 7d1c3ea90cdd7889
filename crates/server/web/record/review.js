// The review of a game: the engine at its full strength judges every position, from the last to the first, so that what it
// learned of the end helps it before. A graph shows the value over the game; the moves that lost most are listed.

import { notify, say } from '../js/announcer.js';
import { byId, el, svg } from '../js/elements.js';
import { Refusal, SearchSlot } from '../js/server.js';
import { inLanguage, reason, text, textOr, written } from '../js/strings.js';
import { judge, SIGNS, weigh } from './judge.js';

/**
 * @typedef {import('../js/play.js').Play} Play
 * @typedef {import('./judge.js').Judged} Judged
 * @typedef {import('./judge.js').Verdict} Verdict
 * @typedef {{sign: string, said: string, kind: string}} Mark of a move in the list of moves
 */

const TURNING_POINTS = 3;
/** How long to wait when the server is busy. */
const BUSY_MS = 1000;
/** The graph, in units of its picture. */
const [WIDE, HIGH] = [400, 96];

const card = byId('review', HTMLElement);

/** @param {number} part */
const percent = (part) => Math.round(part * 100);

export class Review {
  #play;
  #slot;
  #exact = false;
  #changed;
  #retry;
  #solve;
  /** The game under review, as a key. */
  #key = '';
  /** By ply. @type {(Judged | undefined)[]} */
  #judged = [];
  /** Counts the reviews that were started; only the last one continues. */
  #task = 0;
  #running = false;
  #all = false;

  /**
   * @param {import('../js/server.js').Server} server
   * @param {Play} play
   * @param {() => void} changed called when the marks of the moves have changed
   * @param {(ply: number) => void} retry called to play again from a ply
   * @param {(puzzles: import('./puzzles.js').Puzzle[], exact: boolean) => void} solve called to try the turning points as puzzles
   */
  constructor(server, play, changed, retry, solve) {
    this.#play = play;
    this.#slot = new SearchSlot(server, 'review');
    this.#changed = changed;
    this.#retry = retry;
    this.#solve = solve;
  }

  /**
   * Reviews the game on the board, or continues a review that was stopped.
   * @param {boolean} exact whether exact values are quick to have
   */
  async start(exact) {
    const { game, reached, moves } = this.#play;
    if (!reached) return;
    const key = this.#gameKey;
    if (key !== this.#key) this.#judged = [];
    this.#key = key;
    this.#exact = exact;
    this.#running = true;
    const task = ++this.#task;
    card.hidden = false;
    this.draw();
    for (let ply = moves.length; ply >= 0; ply -= 1) {
      // What the players agreed or gave up says nothing about the last move.
      if (this.#judged[ply]) continue;
      const judged = ply === moves.length && reached.outcome && !this.#play.kept.ended ? ended(reached) : await this.#judge(ply, task);
      if (task !== this.#task) return;
      if (!judged) break;
      this.#judged[ply] = judged;
      this.draw();
    }
    this.#running = false;
    this.draw();
    if (this.#complete) say(`${inLanguage(game.title)}: ${this.#summary}`);
  }

  /** Stops the searches; what is known stays. */
  stop() {
    if (!this.#running) return;
    this.#task += 1;
    this.#running = false;
    this.#slot.drop();
    this.draw();
  }

  /** Follows the board: the review of another game is put away, but not by its own puzzles. */
  follow() {
    if (card.hidden || this.#play.lesson) return;
    if (this.#key === this.#gameKey) return this.#draw();
    this.stop();
    this.#close();
  }

  #close() {
    this.stop();
    this.#key = '';
    this.#judged = [];
    const focused = card.contains(document.activeElement);
    card.hidden = true;
    this.#changed();
    if (!focused) return;
    const button = document.querySelector('[data-action="review"]:not([hidden])');
    (button instanceof HTMLElement ? button : byId('board', HTMLElement)).focus();
  }

  /** The marks of the moves that lost something, by ply. @returns {Map<number, Mark>} */
  get marks() {
    const marks = new Map();
    for (const verdict of this.#verdicts) {
      if (verdict.kind) marks.set(verdict.ply, { sign: SIGNS[verdict.kind], said: text(`review.${verdict.kind}`), kind: verdict.kind });
    }
    return marks;
  }

  get #gameKey() {
    const { game, moves } = this.#play;
    return JSON.stringify([game.name, this.#play.place(moves.length)]);
  }

  get #complete() {
    return this.#judged.filter(Boolean).length === this.#play.moves.length + 1;
  }

  /** The verdicts on the moves whose positions are judged. @returns {Verdict[]} */
  get #verdicts() {
    if (this.#key !== this.#gameKey) return [];
    return this.#play.moves.flatMap((move, i) => {
      const [from, to] = [this.#judged[i], this.#judged[i + 1]];
      return from && to ? [weigh(move, i + 1, from, to)] : [];
    });
  }

  /** The moves that lost most, in the order of the game. */
  get #turns() {
    const worst = this.#verdicts.filter(({ kind }) => kind).sort((a, b) => b.lost - a.lost || Number(b.units?.n) - Number(a.units?.n) || a.ply - b.ply);
    return worst.slice(0, TURNING_POINTS).sort((a, b) => a.ply - b.ply);
  }

  /**
   * @param {number} ply
   * @param {number} task
   * @returns {Promise<Judged | null>}
   */
  async #judge(ply, task) {
    const play = this.#play;
    const side = play.moves[ply]?.side ?? play.reached?.side ?? 'first';
    for (;;) {
      try {
        return await judge(this.#slot, play.place(ply), side, this.#exact);
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) throw refusal;
        if (refusal.fault.code !== 'busy') {
          notify(() => reason(refusal.fault));
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
        if (task !== this.#task) return null;
      }
    }
  }

  /**
   * The first side's expected score at a ply, in percent.
   * @param {number} ply
   */
  #first(ply) {
    const judged = this.#judged[ply];
    return judged && percent(judged.side === 'first' ? judged.value : 1 - judged.value);
  }

  /** Draws the review and the marks of the moves. */
  draw() {
    this.#draw();
    this.#changed();
  }

  #draw() {
    const focused = document.activeElement instanceof HTMLElement && card.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const verdicts = this.#verdicts;
    const [current] = verdicts.filter(({ ply }) => ply === this.#play.at);
    card.replaceChildren(
      this.#head(),
      this.#graph(),
      el('p', { class: 'unseen', id: 'review-summary' }, this.#summary),
      el('p', { class: 'at' }, current ? this.#sentence(current) : ''),
      ...this.#points(),
      ...this.#table(verdicts),
    );
    const again = focused && card.querySelector(`[data-key="${focused}"]`);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }

  #head() {
    const known = this.#judged.filter(Boolean).length;
    const all = this.#play.moves.length + 1;
    const head = el('div', { class: 'card-head' }, el('h2', { id: 'review-title' }, text('review')), el('div', { class: 'tools' }));
    const tools = /** @type {HTMLElement} */ (head.lastElementChild);
    if (known < all) {
      tools.append(el('span', { class: 'dim' }, text('review.progress', { known, all })));
      tools.append(this.#running ? button('stop', text('review.stop'), () => this.stop()) : button('stop', text('review.continue'), () => void this.start(this.#exact)));
    }
    tools.append(button('close', text('close'), () => this.#close()));
    return head;
  }

  /** The value over the game. It is a slider for the keyboard: its place is the ply on the board. */
  #graph() {
    const play = this.#play;
    const count = play.moves.length;
    const x = (/** @type {number} */ ply) => ((count ? ply / count : 0) * WIDE).toFixed(1);
    const y = (/** @type {number} */ value) => (HIGH - (value / 100) * HIGH).toFixed(1);
    /** @type {{ply: number, value: number}[]} */
    const points = [];
    for (let ply = 0; ply <= count; ply += 1) {
      const value = this.#first(ply);
      if (value !== undefined) points.push({ ply, value });
    }
    const line = points.map(({ ply, value }) => `${x(ply)} ${y(value)}`).join('L');
    const [begin, end] = [points[0], points.at(-1)];
    const area = begin && end ? `M${x(begin.ply)} ${HIGH}L${line}L${x(end.ply)} ${HIGH}Z` : '';
    const dots = this.#verdicts.filter(({ kind }) => kind === 'blunder' || kind === 'mistake');
    const picture = svg(
      'svg',
      { viewBox: `0 -4 ${WIDE} ${HIGH + 8}`, 'aria-hidden': 'true' },
      svg('rect', { class: 'second', width: WIDE, height: HIGH }),
      svg('path', { class: 'first', d: area }),
      svg('path', { class: 'middle', d: `M0 ${HIGH / 2}H${WIDE}` }),
      svg('path', { class: 'curve', d: line && `M${line}` }),
      svg('path', { class: 'here', d: `M${x(play.at)} -4V${HIGH + 4}` }),
      ...dots.map(({ ply }) => svg('circle', { class: 'dot', cx: x(ply), cy: y(this.#first(ply) ?? 50), r: 4 })),
    );
    const about = { 'role': 'slider', 'tabindex': 0, 'aria-label': text('review.graph'), 'aria-describedby': 'review-summary' };
    const now = { 'aria-valuemin': 0, 'aria-valuemax': count, 'aria-valuenow': play.at, 'aria-valuetext': this.#place(play.at) };
    const graph = el('div', { class: 'graph', 'data-key': 'graph', ...about, ...now });
    graph.append(picture);
    graph.addEventListener('pointerdown', (event) => {
      const box = graph.getBoundingClientRect();
      void play.goTo(Math.round(((event.clientX - box.left) / box.width) * count));
    });
    graph.addEventListener('keydown', (event) => {
      const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -count, End: count };
      const by = steps[/** @type {keyof typeof steps} */ (event.key)];
      if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      void play.goTo(play.at + by);
    });
    return graph;
  }

  /**
   * A ply in words: "12. Black c4: Black 55 %".
   * @param {number} ply
   */
  #place(ply) {
    const { game, moves } = this.#play;
    const move = moves[ply - 1];
    const name = move ? `${ply}. ${inLanguage(game.sides[move.side])} ${written(move.text)}` : text('moves.start');
    const value = this.#first(ply);
    return value === undefined ? name : text('review.place', { name, side: inLanguage(game.sides.first), value });
  }

  /** The course of the game in words. */
  get #summary() {
    const { game, moves } = this.#play;
    const side = inLanguage(game.sides.first);
    const steps = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * moves.length));
    const values = [...new Set(steps)].filter((ply) => this.#judged[ply]).map((ply) => text('review.point', { ply, value: this.#first(ply) }));
    const turns = this.#turns.map((verdict) => this.#sentence(verdict));
    return [text('review.course', { side, values: values.join(text('join')) }), ...turns].join(text('joinSentences'));
  }

  /**
   * What a move lost, in words.
   * @param {Verdict} verdict
   */
  #sentence(verdict) {
    const { game } = this.#play;
    const { ply, side, move, best, kind } = verdict;
    const name = `${ply}. ${inLanguage(game.sides[side])} ${written(move)}`;
    if (!verdict.lost) return text('review.good', { name });
    const lost = this.#lost(verdict);
    const how = kind ? `${SIGNS[kind]} ${text(`review.${kind}`)}` : '';
    return text('review.sentence', { name, how, lost, best: written(best ?? '') }).replace(/ +(?=[ :])/g, '');
  }

  /** @param {Verdict} verdict */
  #lost({ lost, units, missed, before, after }) {
    if (missed) {
      const key = missed.score === 1 ? 'win' : 'draw';
      const { distance } = missed;
      return text(key === 'win' && distance !== null ? 'review.lostWinIn' : `review.lost.${key}`, { n: distance });
    }
    const change = text('review.change', { before: percent(before), after: percent(after) });
    return units && units.n >= 0.05 ? `${text('review.units', { n: units.n.toFixed(1), unit: textOr(`unit.${units.unit}`, units.unit) })} (${change})` : lost ? change : '';
  }

  /** The moves that lost most, each with a way to try again. */
  #points() {
    const turns = this.#turns;
    if (!turns.length) return this.#complete ? [el('p', { class: 'dim' }, text('review.none'))] : [];
    const items = turns.map((verdict) => {
      const go = button(`turn ${verdict.ply}`, this.#sentence(verdict), () => void this.#play.goTo(verdict.ply - 1));
      const again = button(`again ${verdict.ply}`, text('review.again'), () => this.#retry(verdict.ply - 1));
      again.setAttribute('aria-label', `${text('review.again')}: ${text('moves')} ${verdict.ply}`);
      go.className = 'quiet';
      return el('li', {}, go, again);
    });
    const puzzles = turns.flatMap((verdict) => {
      const judged = this.#judged[verdict.ply - 1];
      return judged && verdict.best !== null ? [{ verdict, judged }] : [];
    });
    const solve = button('puzzles', text('puzzles.try'), () => this.#solve(puzzles, this.#exact));
    return [el('h3', {}, text('review.turns')), el('ol', { class: 'turns' }, ...items), ...(this.#complete && puzzles.length ? [solve] : [])];
  }

  /** @param {Verdict[]} verdicts */
  #table(verdicts) {
    if (!verdicts.length) return [];
    const { game, at } = this.#play;
    const rows = verdicts.map((verdict) => {
      const { ply, side, move, best, kind } = verdict;
      const go = button(`row ${ply}`, `${ply}. ${written(move)}`, () => void this.#play.goTo(ply));
      go.className = 'quiet';
      if (ply === at) go.setAttribute('aria-current', 'step');
      const token = el('span', { class: `token ${side}`, role: 'img', 'aria-label': inLanguage(game.sides[side]) });
      const loss = verdict.lost ? `${kind ? `${SIGNS[kind]} ` : ''}${this.#lost(verdict)}` : '';
      return el('tr', {}, el('th', { scope: 'row' }, token, ' ', go), el('td', {}, loss), el('td', {}, verdict.lost ? written(best ?? '') : ''));
    });
    const heads = ['review.move', 'review.loss', 'review.best'].map((key) => el('th', { scope: 'col' }, text(key)));
    const table = el('table', {}, el('thead', {}, el('tr', {}, ...heads)), el('tbody', {}, ...rows));
    const details = el('details', { open: this.#all }, el('summary', { 'data-key': 'all' }, text('review.all')), el('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': text('review.all') }, table));
    details.addEventListener('toggle', () => (this.#all = details.open));
    return [details];
  }
}

/**
 * A game that is over needs no search.
 * @param {import('../js/server.js').Shown} shown
 * @returns {Judged}
 */
function ended({ side, outcome }) {
  const value = outcome?.winner ? Number(outcome.winner === side) : 0.5;
  return { side, value, eval: null, best: null, solved: null };
}

/**
 * @param {string} key
 * @param {string} label
 * @param {() => void} run
 */
function button(key, label, run) {
  const made = el('button', { 'type': 'button', 'data-key': key }, label);
  made.addEventListener('click', run);
  return made;
}
