// The analysis panel: the score bar, the lines, and the search that analyses the position on the board.
//
// While "Analyse" is on, a search of the game's engine follows the board. While it is off, the reports of the player
// that is thinking are shown instead, if it is the engine at its full strength. The searches for a position run one after another in one slot: the exact values, a
// hint, the analysis.

import { notify } from './announcer.js';
import { byId, el } from './elements.js';
import { SearchSlot, Refusal } from './server.js';
import { inLanguage, reason, short, text, textOr, written } from './strings.js';

/**
 * @typedef {import('./board.js').Value} Value
 * @typedef {import('./server.js').Line} Line
 * @typedef {import('./server.js').Report} Report
 * @typedef {import('./server.js').Shown} Shown
 * @typedef {import('./server.js').Side} Side
 * @typedef {import('./play.js').Play} Play
 * @typedef {{game: string, moves: string[]}} Subject the position that is asked about
 */

/** An analysis runs until the board changes; this limit is for a page that was left open. */
const ANALYSIS_MS = 600_000;
const HINT_MS = 600;
const LINES = 3;
/** As many threads as the server grants: the most that a request may ask for. */
const THREADS = 256;
const ENGINE = 'engine';

const bar = byId('bar', HTMLElement);
const fill = /** @type {HTMLElement} */ (bar.firstElementChild);
const lines = byId('lines', HTMLElement);
const panel = byId('exact', HTMLElement);

/** @param {number} part */
const percent = (part) => Math.round(part * 100);

/** @param {number} n */
const signed = (n) => {
  const size = Math.abs(n).toFixed(Number.isInteger(n) ? 0 : 1);
  return n > 0 ? `+${size}` : n < 0 ? `−${size}` : '0';
};

export class Analysis {
  /** Whether the position on the board is analysed all the time. */
  on = false;
  /** The exact values, in games that are quick to solve. @type {import('./exact.js').Exact | null} */
  exact = null;
  #wantsExact = false;

  #play;
  #slot;
  #drawBoard;
  #takeHint;
  #openLine;
  /** The position under analysis, as a key. */
  #key = '';
  /** Counts the tasks that were started; only the last one continues. */
  #task = 0;
  /** What is shown, and of which position. @type {{ply: number, side: Side, report: Report, key: string} | null} */
  #shown = null;
  /** The reports of the search that is shown, one for each depth and best move. @type {Report[]} */
  #reports = [];
  /** The list of these reports, once it was opened. @type {import('../log/log.js').Log | null} */
  #log = null;
  #logButton = el('button', { 'type': 'button', 'class': 'quiet', 'aria-expanded': 'false', 'aria-controls': 'log' });
  /** The position that a hint is wanted for. @type {Shown | null} */
  #hintPosition = null;

  /**
   * @param {import('./server.js').Server} server
   * @param {Play} play
   * @param {() => void} drawBoard called when the values on the board have changed
   * @param {(shown: Shown, move: string | null) => void} takeHint takes a hint that was asked for; null if there is none
   * @param {(place: Subject, moves: string[]) => void} openLine called with a line that was pressed, and the position before it
   */
  constructor(server, play, drawBoard, takeHint, openLine) {
    this.#play = play;
    this.#slot = new SearchSlot(server, 'analyse');
    this.#drawBoard = drawBoard;
    this.#takeHint = takeHint;
    this.#openLine = openLine;
    this.#logButton.addEventListener('click', () => void this.#toggleLog());
  }

  async #toggleLog() {
    const { Log } = await import('../log/log.js');
    this.#log ??= new Log();
    this.#log.toggle();
    this.#logButton.setAttribute('aria-expanded', String(this.#log.open));
    this.draw();
  }

  /**
   * Shows a report of a search, and keeps it in the list of its reports.
   * @param {number} ply
   * @param {Side} side
   * @param {Report} report
   */
  #take(ply, side, report) {
    const last = this.#reports.at(-1);
    const key = this.#keyAt(ply);
    if (this.#shown?.key !== key || (last && last.ms > report.ms)) this.#reports = [];
    else if (last && last.depth === report.depth && last.move === report.move) this.#reports.pop();
    if (report.move !== null) this.#reports.push(report);
    this.#shown = { ply, side, report, key };
    this.draw();
  }

  /**
   * What is known of the moves in the position on the board, the best first: exact values, else expected scores in percent.
   * @returns {Map<string, Value>}
   */
  get values() {
    const exactValues = this.#exactValues?.values;
    if (exactValues?.size) return exactValues;
    const best = new Map();
    if (!this.on || this.#shown?.ply !== this.#play.at) return best;
    for (const { moves, value } of sorted(this.#shown.report)) {
      if (!moves.length || value === null) continue;
      const mark = String(percent(value));
      best.set(moves[0], { mark, said: `${mark} %`, best: best.size === 0 });
    }
    return best;
  }

  /**
   * The lines of a report, the best first. Where exact values are known they take the place of an estimate.
   * @param {Report} report
   * @returns {Line[]}
   */
  #linesOf(report) {
    const exactValues = this.#exactValues?.values;
    if (!exactValues?.size || this.#shown?.ply !== this.#play.at) return sorted(report);
    const order = [...exactValues.keys()];
    const rank = (/** @type {Line} */ { moves }) => order.indexOf(moves[0]);
    const lines = sorted(report).map((line) => {
      const value = EXACT[exactValues.get(line.moves[0])?.kind ?? 'open'];
      return value === undefined ? line : { ...line, value, eval: null };
    });
    return lines.sort((a, b) => rank(a) - rank(b));
  }

  /** The exact values, if they are wanted. */
  get #exactValues() {
    return this.#wantsExact ? this.exact : null;
  }

  /**
   * @param {boolean} on whether to analyse
   * @param {boolean} exact whether exact values are wanted
   */
  turn(on, exact) {
    this.on = on;
    this.#wantsExact = exact;
    this.#key = '';
    this.#clear();
    this.follow();
    this.#drawBoard();
  }

  /** Starts the searches for the position on the board; to be called at every change of the play. */
  follow() {
    const { at, shown } = this.#play;
    const key = this.#keyAt(at);
    if (key !== this.#key && shown) {
      this.#key = key;
      if (this.#hintPosition !== shown) this.#hintPosition = null;
      this.exact?.clear();
      this.#drop();
      // The report of a player that is thinking stays while its position is part of the game.
      if (this.on || this.#shown?.key !== this.#keyAt(this.#shown?.ply)) this.#clear();
      if (!shown.outcome) void this.#work(at, shown);
    }
    this.draw();
  }

  #keyAt(ply = 0) {
    return JSON.stringify(this.#play.place(ply));
  }

  #clear() {
    this.#shown = null;
    this.#reports = [];
  }

  /** Stops the running search. */
  #drop() {
    this.#task += 1;
    this.#slot.drop();
  }

  /**
   * Runs the searches that are wanted for the position on the board.
   * @param {number} ply
   * @param {Shown} shown
   */
  async #work(ply, shown) {
    const task = this.#task;
    const subject = this.#play.place(ply);
    const exactValues = this.#exactValues;
    if (exactValues && !exactValues.settled) {
      await exactValues.ask(this.#slot, subject);
      if (task !== this.#task) return;
      this.draw();
      this.#drawBoard();
    }
    if (this.#hintPosition === shown) {
      const final = this.#best ? null : await this.#think(subject);
      if (task !== this.#task) return;
      this.#hintPosition = null;
      this.#takeHint(shown, this.#best ?? (final && bestMove(final)));
    }
    if (this.on) await this.#analyse(subject, ply, shown.side);
  }

  /**
   * Shows a report of the engine that is thinking at its full strength.
   * @param {number} ply
   * @param {Side} side
   * @param {Report} report
   */
  take(ply, side, report) {
    if (!this.on && report.value !== null) this.#take(ply, side, report);
  }

  /** Asks for the engine's move in the position on the board. There is no hint if the board changes before the answer. */
  hint() {
    const { at, shown } = this.#play;
    if (!shown || shown.outcome || shown === this.#hintPosition) return;
    if (this.#best) return this.#takeHint(shown, this.#best);
    this.#hintPosition = shown;
    // Exact values that are being computed are awaited first, since they may give the hint.
    if (this.#exactValues?.settled === false) return;
    this.#drop();
    void this.#work(at, shown);
  }

  /**
   * The best move of the position in which the side to move has passed. The searches for the position on the board go on afterwards.
   * @param {Subject & {position: string}} passed
   * @returns {Promise<string | null>} null if the search was dropped or refused
   */
  async threat(passed) {
    const { at, shown } = this.#play;
    this.#drop();
    const task = this.#task;
    const final = await this.#think(passed);
    if (task === this.#task && shown) void this.#work(at, shown);
    return final && bestMove(final);
  }

  /** The best move of those whose values are known, if any are. */
  get #best() {
    return this.values.keys().next().value ?? null;
  }

  /**
   * @param {Subject} subject
   * @param {number} ply
   * @param {Side} side
   */
  async #analyse(subject, ply, side) {
    /** @param {Report} report */
    const take = (report) => {
      this.#take(ply, side, report);
      this.#drawBoard();
    };
    const final = await this.#think(subject, ANALYSIS_MS, LINES, take);
    if (final) take(final);
  }

  /**
   * @param {Subject} subject
   * @param {number} [ms] the time, by default that of a hint
   * @param {number} [count] of lines
   * @param {(report: Report) => void} [info]
   * @returns {Promise<Report | null>}
   */
  async #think(subject, ms = HINT_MS, count = 1, info = () => {}) {
    const body = { ...subject, player: ENGINE, seed: 1, threads: THREADS, limits: { time_ms: ms }, lines: count };
    try {
      return await this.#slot.think(body, info);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (refusal.fault.code !== 'stopped') notify(() => reason(refusal.fault));
      return null;
    }
  }

  draw() {
    const { game, shown, live } = this.#play;
    const over = live && shown?.outcome;
    // The first side's expected score.
    let first = null;
    if (over) first = over.winner === null ? 0.5 : Number(over.winner === 'first');
    else if (this.#shown && this.#shown.report.value !== null) {
      const { side, report } = this.#shown;
      const value = Number(this.#linesOf(report)[0]?.value ?? report.value);
      first = side === 'first' ? value : 1 - value;
    }
    bar.classList.toggle('unknown', first === null);
    fill.style.inlineSize = `${(first ?? 0.5) * 100}%`;
    panel.hidden = !this.#exactValues;
    lines.hidden = !panel.hidden && !this.on && !over;
    this.#exactValues?.draw();
    this.#log?.draw(over ? [] : this.#reports);
    if (this.#shown && !over) this.#drawTable(this.#shown);
    else {
      lines.dataset.shape = '';
      lines.replaceChildren(el('p', { class: 'dim' }, text(over ? 'analysis.over' : this.on ? 'analysis.wait' : 'analysis.idle')));
    }
    bar.setAttribute(
      'aria-label',
      first === null
        ? text('analysis.bar')
        : text('analysis.barText', {
            first: inLanguage(game.sides.first),
            a: percent(first),
            second: inLanguage(game.sides.second),
            b: 100 - percent(first),
          }),
    );
  }

  /**
   * Draws the lines. The elements stay while their number does, so that neither the focus nor a press is lost when a
   * report follows another.
   * @param {{ply: number, side: Side, report: Report}} shown
   */
  #drawTable({ ply, side, report }) {
    const { move, value } = report;
    const rows = report.lines?.length ? this.#linesOf(report) : move ? [{ moves: [move], value, eval: report.eval }] : [];
    const unit = rows.find((line) => line.eval)?.eval?.unit;
    const shape = `${rows.length} ${Boolean(unit)}`;
    if (lines.dataset.shape !== shape) {
      lines.dataset.shape = shape;
      const focused = document.activeElement === this.#logButton;
      lines.replaceChildren(...table(rows.length, Boolean(unit)), el('div', { class: 'effort' }, el('p', { class: 'dim' }), this.#logButton));
      if (focused) this.#logButton.focus({ preventScroll: true });
    }
    const [first, ...heads] = lines.querySelectorAll('th');
    const owner = inLanguage(this.#play.game.sides[side]);
    first.textContent = text('analysis.value');
    if (unit) heads[0].textContent = textOr(`unit.${unit}`, unit);
    heads[heads.length - 1].textContent = text('analysis.line', { side: owner, ply: ply + 1 });
    lines.querySelectorAll('tbody tr').forEach((row, i) => {
      const line = rows[i];
      const [score, ...cells] = row.querySelectorAll('td');
      score.textContent = line.value === null ? '' : `${percent(line.value)} %`;
      if (unit) cells[0].textContent = line.eval ? signed(line.eval.n) : '';
      const [best, ...rest] = line.moves;
      // The moves of some games contain spaces.
      const between = best?.includes(' ') ? ' · ' : ' ';
      const button = /** @type {HTMLButtonElement} */ (row.querySelector('button'));
      button.replaceChildren(el('b', {}, written(best ?? '')), ...rest.map((each) => between + written(each)));
      button.title = text('line.open');
      button.onclick = () => this.#openLine(this.#play.place(ply), line.moves);
    });
    const said = effort(report);
    const last = /** @type {HTMLElement} */ (lines.querySelector('.effort p'));
    if (last.textContent !== said) last.textContent = said;
    this.#logButton.textContent = text('analysis.log');
  }
}

/** The value of a kind of exact score; none where it is not decided. @type {Record<string, number | undefined>} */
const EXACT = { win: 1, draw: 0.5, loss: 0 };

/**
 * The lines of a report, the best first.
 * @param {Report} report
 */
const sorted = ({ lines = [] }) => [...lines].sort((a, b) => Number(b.value) - Number(a.value) || Number(b.eval?.n ?? 0) - Number(a.eval?.n ?? 0));

/**
 * An empty table for lines.
 * @param {number} count of lines
 * @param {boolean} units whether they have values in the game's unit
 */
function table(count, units) {
  const head = el('tr', {}, el('th', { scope: 'col' }), ...(units ? [el('th', { scope: 'col' })] : []), el('th', { scope: 'col', class: 'wide' }));
  const rows = Array.from({ length: count }, () => {
    const line = el('td', { class: 'line' }, el('button', { type: 'button', class: 'quiet' }));
    return el('tr', {}, el('td'), ...(units ? [el('td')] : []), line);
  });
  return [el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows))];
}

/** @param {Report} report */
const bestMove = ({ move, lines }) => move ?? lines?.[0]?.moves[0] ?? null;

/**
 * The effort of a search so far.
 * @param {Report} report
 */
function effort({ depth, nodes, playouts, ms, proven, confidence }) {
  const parts = [];
  if (proven) parts.push(text('analysis.proven'));
  if (depth) parts.push(text('analysis.depth', { n: depth }));
  if (confidence) parts.push(text('analysis.confidence', { n: confidence }));
  if (nodes) parts.push(text('analysis.nodes', { n: short(nodes) }));
  if (playouts) parts.push(text('analysis.playouts', { n: short(playouts) }));
  if (nodes && ms) parts.push(text('analysis.speed', { n: short((nodes / ms) * 1000) }));
  return parts.join(' · ');
}
