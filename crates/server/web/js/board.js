// The board kit: draws any `board` of the protocol as SVG, with a grid of cells over it for pointer, keys and screen
// reader.
//
// The picture is hidden from screen readers; the grid is what they read and what takes the focus. One cell is in the
// tab order, the arrow keys move it.

import { el, svg } from './elements.js';
import { inLanguage, text, textOr } from './strings.js';

/**
 * @typedef {import('./server.js').Board} Board
 * @typedef {import('./server.js').Cell} Cell
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').Side} Side
 * @typedef {import('./views.js').View} View
 * @typedef {{hint: string | null, values: Map<string, string>}} Notes what analysis adds, by cell
 *   name; the best value comes first
 */

const CELL = 100;
/** Of the longer edge of the board: the frame around it. */
const FRAME = 0.058;
/** Between the disc that was played and the discs that turn after it, for each cell of distance. */
const RIPPLE_MS = 55;

export class BoardKit {
  #host;
  #press;
  /** @type {View | null} */
  #view = null;
  /** @type {GameInfo | null} */
  #game = null;
  /** @type {Board | null} */
  #board = null;
  #turned = false;
  #pieces = svg('g', { class: 'pieces' });
  #marks = svg('g', { class: 'marks' });
  #grid = el('div', { role: 'grid', class: 'cells', 'aria-describedby': 'board-about' });
  /** In the order of the board's cells. @type {HTMLElement[]} */
  #cells = [];
  /** Drawn pieces by cell. @type {(SVGElement | null)[]} */
  #drawn = [];
  #focused = 0;

  /**
   * @param {HTMLElement} host
   * @param {(at: string) => void} press a cell was pressed
   */
  constructor(host, press) {
    this.#host = host;
    this.#press = press;
    this.#grid.addEventListener('click', (event) => {
      const index = this.#indexOf(event.target);
      if (index < 0 || !this.#board) return;
      this.#rove(index);
      this.#press(this.#board.cells[index].at);
    });
    this.#grid.addEventListener('focusin', (event) => {
      const index = this.#indexOf(event.target);
      if (index >= 0) this.#rove(index);
    });
    host.addEventListener('focus', () => this.focus());
    this.#grid.addEventListener('keydown', (event) => this.#key(event));
  }

  /** Puts the focus on the cell that last had it. */
  focus() {
    this.#cells[this.#focused]?.focus();
  }

  /** Turns the board by half a turn. */
  turn() {
    this.#turned = !this.#turned;
    if (this.#board) this.#lay(this.#board);
  }

  /**
   * @param {GameInfo} game
   * @param {View} view
   * @param {Board} board
   * @param {{side: Side, open: boolean, legal: boolean, animate: boolean, notes: Notes}} state
   *   `open`: a person may play here; `legal`: the legal moves are shown
   */
  draw(game, view, board, state) {
    const before = this.#board;
    const same = before?.width === board.width && before.height === board.height && this.#game === game;
    this.#game = game;
    this.#view = view;
    this.#board = board;
    if (!same) this.#lay(board);
    this.#host.classList.toggle('open', state.open);
    this.#host.classList.toggle('quiet', !state.legal);
    this.#host.dataset.side = state.side;
    this.#grid.setAttribute('aria-label', text('board', { game: inLanguage(game.title) }));
    const last = board.cells.findIndex((cell) => cell.tags.includes('last'));
    board.cells.forEach((cell, i) => {
      const was = same ? before.cells[i] : null;
      if (!was || was.piece !== cell.piece || was.owner !== cell.owner) {
        const distance = last < 0 ? 0 : this.#distance(i, last);
        this.#put(i, cell, state.animate && was ? was : null, distance);
      }
      this.#describe(i, cell, state.notes);
    });
    this.#marks.replaceChildren(...board.cells.flatMap((cell, i) => this.#mark(i, cell, state.notes)));
  }

  /**
   * Builds the ground and the cells anew.
   * @param {Board} board
   */
  #lay(board) {
    if (!this.#view) return;
    const { width, height } = board;
    const margin = Math.max(width, height) * CELL * FRAME;
    const [wide, high] = [width * CELL + 2 * margin, height * CELL + 2 * margin];
    const picture = svg('svg', { viewBox: `${-margin} ${-margin} ${wide} ${high}`, 'aria-hidden': 'true' });
    const frame = svg('rect', { class: 'frame', x: -margin, y: -margin, width: wide, height: high, rx: margin * 0.4 });
    const ground = this.#view.ground(width, height);
    picture.append(frame, ...ground, ...this.#labels(board, margin), this.#pieces, this.#marks);
    this.#pieces.replaceChildren();
    this.#drawn = board.cells.map(() => null);
    this.#cells = board.cells.map(() => el('div', { role: 'gridcell', class: 'cell', tabindex: -1 }));
    const order = this.#turned ? [...this.#cells].reverse() : this.#cells;
    const rows = Array.from({ length: height }, (_, y) =>
      el('div', { role: 'row' }, ...order.slice(y * width, (y + 1) * width)),
    );
    this.#grid.replaceChildren(...rows);
    this.#host.style.setProperty('--ratio', String(wide / high));
    this.#grid.style.setProperty('--columns', String(width));
    this.#grid.style.inset = `${(margin / high) * 100}% ${(margin / wide) * 100}%`;
    this.#host.replaceChildren(picture, this.#grid);
    this.#rove(Math.min(this.#focused, this.#cells.length - 1));
    if (this.#turned) board.cells.forEach((cell, i) => this.#put(i, cell, null, 0));
  }

  /**
   * Names of columns and rows, where the cells' names are made of them.
   * @param {Board} board
   * @param {number} margin
   */
  #labels({ width, height, cells }, margin) {
    const parts = cells.map((cell) => /^([a-z]+)(\d+)$/.exec(cell.at));
    const columns = Array.from({ length: width }, (_, x) => parts[x]?.[1]);
    const rows = Array.from({ length: height }, (_, y) => parts[y * width]?.[2]);
    const regular = cells.every((cell, i) => cell.at === `${columns[i % width]}${rows[Math.floor(i / width)]}`);
    if (!regular) return [];
    const label = (/** @type {string | undefined} */ name, /** @type {number} */ x, /** @type {number} */ y) =>
      svg('text', { class: 'label', x, y, 'font-size': margin / 2 }, name ?? '');
    return [
      ...columns.map((name, x) => label(name, this.#centre(x).x, -margin / 2)),
      ...rows.map((name, y) => label(name, -margin / 2, this.#centre(y * width).y)),
    ];
  }

  /** @param {number} index */
  #centre(index) {
    const { width, height } = /** @type {Board} */ (this.#board);
    const i = this.#turned ? width * height - 1 - index : index;
    return { x: (i % width) * CELL + CELL / 2, y: Math.floor(i / width) * CELL + CELL / 2 };
  }

  /**
   * @param {number} a
   * @param {number} b
   */
  #distance(a, b) {
    const [p, q] = [this.#centre(a), this.#centre(b)];
    return Math.max(Math.abs(p.x - q.x), Math.abs(p.y - q.y)) / CELL;
  }

  /**
   * Puts a cell's piece on the board, over the one before if that is to turn or to come into sight.
   * @param {number} index
   * @param {Cell} cell
   * @param {Cell | null} was for an animation
   * @param {number} distance from the last move
   */
  #put(index, cell, was, distance) {
    const old = this.#drawn[index];
    const view = /** @type {View} */ (this.#view);
    this.#drawn[index] = null;
    old?.remove();
    if (cell.piece === null) return;
    const { x, y } = this.#centre(index);
    const piece = svg('g', { transform: `translate(${x} ${y})` });
    const face = svg('g', {}, view.piece(cell.piece, cell.owner));
    piece.append(face);
    if (was && was.piece === null) face.classList.add('comes');
    if (was && was.piece !== null) {
      const away = svg('g', { class: 'turns-away' }, view.piece(was.piece, was.owner));
      const delay = `${distance * RIPPLE_MS}ms`;
      away.style.animationDelay = delay;
      face.style.animationDelay = delay;
      face.classList.add('turns-up');
      face.addEventListener('animationend', () => away.remove(), { once: true });
      piece.append(away);
    }
    this.#drawn[index] = piece;
    this.#pieces.append(piece);
  }

  /**
   * The marks over a cell.
   * @param {number} index
   * @param {Cell} cell
   * @param {Notes} notes
   * @returns {SVGElement[]}
   */
  #mark(index, { at, tags }, notes) {
    const { x, y } = this.#centre(index);
    const marks = [];
    const value = notes.values.get(at);
    if (tags.includes('flipped')) marks.push(svg('circle', { class: 'flipped', cx: x, cy: y, r: 43.5 }));
    if (tags.includes('last')) {
      const last = /** @type {View} */ (this.#view).last();
      last.setAttribute('transform', `translate(${x} ${y})`);
      marks.push(last);
    }
    if (tags.includes('legal')) {
      marks.push(svg('circle', { class: value ? 'legal valued' : 'legal', cx: x, cy: y, r: 9 }));
      const best = notes.values.keys().next().value === at;
      if (value) marks.push(svg('text', { class: best ? 'value best' : 'value', x, y }, value));
    }
    if (notes.hint === at) marks.push(svg('circle', { class: 'hint', cx: x, cy: y, r: 37 }));
    return marks;
  }

  /**
   * What a screen reader says of a cell.
   * @param {number} index
   * @param {Cell} cell
   * @param {Notes} notes
   */
  #describe(index, { at, piece, owner, tags }, notes) {
    const element = this.#cells[index];
    const side = owner && this.#game ? inLanguage(this.#game.sides[owner]) : '';
    const what = piece === null ? text('cell.empty') : pieceName(piece, side);
    const said = ['legal', 'last', 'flipped'].filter((tag) => tags.includes(tag)).map((tag) => text(`cell.${tag}`));
    if (notes.hint === at) said.push(text('cell.hint'));
    const value = notes.values.get(at);
    if (value) said.push(value);
    const label = [at, what, ...said].join(text('join'));
    if (element.getAttribute('aria-label') !== label) element.setAttribute('aria-label', label);
    element.classList.toggle('can', tags.includes('legal'));
    element.dataset.at = at;
  }

  /** @param {EventTarget | null} target */
  #indexOf(target) {
    const cell = target instanceof Element ? target.closest('.cell') : null;
    return cell instanceof HTMLElement ? this.#cells.indexOf(cell) : -1;
  }

  /** @param {number} index */
  #rove(index) {
    this.#cells[this.#focused]?.setAttribute('tabindex', '-1');
    this.#cells[index]?.setAttribute('tabindex', '0');
    this.#focused = index;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const board = this.#board;
    if (!board || event.altKey || event.metaKey) return;
    const all = board.width * board.height;
    const at = this.#turned ? all - 1 - this.#focused : this.#focused;
    const [x, y] = [at % board.width, Math.floor(at / board.width)];
    const row = y * board.width;
    /** @type {Record<string, number>} */
    const target = {
      ArrowLeft: x > 0 ? at - 1 : at,
      ArrowRight: x < board.width - 1 ? at + 1 : at,
      ArrowUp: y > 0 ? at - board.width : at,
      ArrowDown: y < board.height - 1 ? at + board.width : at,
      Home: event.ctrlKey ? 0 : row,
      End: event.ctrlKey ? all - 1 : row + board.width - 1,
    };
    if (event.key === 'Enter' || event.key === ' ') {
      this.#press(board.cells[this.#focused].at);
    } else if (Object.hasOwn(target, event.key)) {
      const next = target[event.key];
      this.#rove(this.#turned ? all - 1 - next : next);
      this.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/**
 * "Black disc"; only the side's name where the piece is called the same.
 * @param {string} piece
 * @param {string} side
 */
function pieceName(piece, side) {
  const name = textOr(`piece.${piece}`, piece);
  if (!side || side.toLowerCase() === name.toLowerCase()) return side || name;
  return text('cell.piece', { side, piece: name });
}
