// The board kit: draws any `board` of the protocol as SVG, with a grid of cells over it for pointer, keys and screen
// reader.
//
// The picture is hidden from screen readers. They read the places over it, which can have the focus: the cells of the
// grid, and beside it the kinds of pieces in hand. One place is in the tab order; the arrow keys move the focus.

import { el, svg } from './elements.js';
import { badge, SIDES, slotName, slots, TRAY } from './hands.js';
import { CELL, drawCoordinates, drawGround, drawLabels, drawLines, drawTerrain, marksOf, measure } from './picture.js';
import { isStep, Places } from './places.js';
import { isStill } from './settings.js';
import { inLanguage, language, text, textOr, written } from './strings.js';

/**
 * @typedef {import('./server.js').Board} Board
 * @typedef {import('./server.js').Cell} Cell
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').Side} Side
 * @typedef {import('./views.js').View} View
 * @typedef {{mark: string, said: string, best: boolean, kind?: 'win' | 'draw' | 'loss' | 'open'}} Value of a move, for the eye and
 *   in words
 * @typedef {{hint: string | null, values: Map<string, Value>}} Notes what analysis adds, by move, the best first
 * @typedef {{side: Side, legal: boolean, open: boolean, moves: string[], played: string | null, animate: boolean,
 *   notes: Notes}} State
 *   `legal`: the legal `moves` are shown; `open`: a person may play one; `played`: the move that led here, if it is to
 *   be seen
 * @typedef {import('./places.js').Place} Place
 */

/** The delay, for each cell of distance, with which discs turn after the disc that was played. */
const RIPPLE_MS = 55;

/** Of a board on which nothing is played and nothing is marked. @type {State} */
export const IDLE = {
  side: 'first',
  legal: false,
  open: false,
  moves: [],
  played: null,
  animate: false,
  notes: { hint: null, values: new Map() },
};

export class BoardKit {
  #host;
  #act;
  /** The piece that the person picks up, in games whose moves have two steps. @type {import('./pick.js').Pick | null} */
  #pick = null;
  /** The same, kept while another game is drawn: it listens to drags. @type {import('./pick.js').Pick | null} */
  #picker = null;
  /**
   * What the person builds, in games whose moves are built cell by cell or whose pieces cover several cells.
   * @type {import('./draft.js').Draft | import('./hold.js').Hold | import('./orders.js').Orders | null}
   */
  #draft = null;
  /** @type {View | null} */
  #view = null;
  /** @type {GameInfo | null} */
  #game = null;
  /** The board as it is drawn, with the effect of the draft. @type {Board | null} */
  #board = null;
  /** @type {State} */
  #state = IDLE;
  #turned = false;
  /** The language of the names of rows and columns. */
  #language = '';
  #coordinates = svg('g');
  #terrain = svg('g');
  #pieces = svg('g', { class: 'pieces' });
  #labels = svg('g');
  #held = svg('g', { class: 'in-hand' });
  #marks = svg('g', { class: 'marks' });
  #sketches = svg('g', { class: 'sketches' });
  #grid = el('div', { role: 'grid', class: 'cells', 'aria-describedby': 'board-about' });
  #hands = SIDES.map(() => el('div', { role: 'group' }));
  #places = new Places();
  /** Drawn pieces by cell. @type {(SVGGElement | null)[]} */
  #drawn = [];

  /**
   * @param {HTMLElement} host
   * @param {(move: string) => Promise<boolean>} act a move was made, or a cell was pressed where none can be made; returns
   *   whether it was played
   */
  constructor(host, act) {
    this.#host = host;
    this.#act = act;
    host.addEventListener('click', (event) => {
      const place = this.#places.take(event.target);
      if (place) this.#press(place, event instanceof PointerEvent && event.pointerType === 'touch');
    });
    host.addEventListener('focusin', (event) => {
      this.#places.take(event.target);
      this.#point(event.target);
    });
    host.addEventListener('focusout', () => this.#point(null));
    host.addEventListener('pointerover', (event) => event.pointerType !== 'touch' && this.#point(event.target));
    host.addEventListener('pointerleave', () => this.#point(null));
    host.addEventListener('focus', () => this.focus());
    host.addEventListener('keydown', (event) => this.#key(event));
  }

  /** Puts the focus on the place that last had it. */
  focus() {
    this.#places.focus();
  }

  /** Turns the board by half a turn. */
  turn() {
    const focused = this.#host.contains(document.activeElement);
    this.#turned = !this.#turned;
    this.#lay();
    this.#refresh();
    if (focused) this.focus();
    if (this.#draft && 'turn' in this.#draft) this.#draft.turn();
  }

  /** Whether the board is turned. */
  get turned() {
    return this.#turned;
  }

  /** What a pick needs of the board. @returns {import('./pick.js').Kit} */
  get #kit() {
    return {
      host: this.#host,
      places: this.#places,
      act: this.#act,
      refresh: () => this.#refresh(),
      name: (place) => this.#name(place, this.#places.all.indexOf(place)),
      pictureOf: (place) => {
        const index = this.#places.all.indexOf(place);
        const slot = this.#held.children[index - this.#drawn.length];
        return this.#drawn[index] ?? (slot instanceof SVGGElement ? slot : null);
      },
    };
  }

  /**
   * @param {GameInfo} game
   * @param {View} view
   * @param {Board} base
   * @param {State} state
   */
  draw(game, view, base, state) {
    const before = this.#board;
    if (view !== this.#view) {
      this.#draft?.leave();
      this.#draft = this.#begin(view);
      this.#pick?.follow(null, state, true);
      if (view.Pick) this.#picker ??= new view.Pick(this.#kit);
      this.#pick = view.Pick ? this.#picker : null;
    }
    this.#draft?.follow(game, base, state);
    const board = this.#draft?.drawn ?? base;
    const same = before?.width === board.width && before.height === board.height && before.hands.length === board.hands.length && this.#game === game;
    const from = this.#pick?.origin(state) ?? null;
    this.#game = game;
    this.#view = view;
    this.#board = board;
    this.#state = state;
    this.#pick?.follow(view.path ?? null, state, board !== before);
    this.#host.classList.toggle('open', state.open);
    this.#host.classList.toggle('quiet', !state.legal);
    this.#host.dataset.side = state.side;
    if (same) this.#change(before, board, from);
    else this.#lay();
    if (this.#language !== language()) this.#drawCoordinates();
    if (board !== before) this.#pick?.settle();
    this.#refresh();
  }

  /**
   * Creates the object with which the person builds moves, in games that have one.
   * @param {View} view
   */
  #begin(view) {
    const { build, Draft, pieces, Hold, Orders } = view;
    const refresh = () => this.#redraft();
    if (build && Draft) return new Draft(build, this.#act, refresh);
    const focus = (/** @type {string} */ at) => this.#places.focusAt(at);
    const pictureOf = (/** @type {string} */ at) => this.#drawn[this.#places.all.findIndex((place) => place.at === at)];
    if (Orders) return new Orders(view, this.#act, { refresh, focus, pictureOf });
    return pieces && Hold ? new Hold(pieces, this.#act, { refresh, focus, turned: () => this.#turned }) : null;
  }

  /**
   * A key of games whose pieces are turned.
   * @param {string} key
   */
  key(key) {
    if (this.#draft && 'key' in this.#draft) this.#draft.key(key);
  }

  /** Draws the effect of the draft after it has changed. */
  #redraft() {
    const [before, board] = [this.#board, this.#draft?.drawn];
    if (!before || !board) return;
    this.#board = board;
    this.#state = { ...this.#state, animate: false };
    this.#change(before, board, null);
    this.#refresh();
  }

  /** @param {EventTarget | null} target */
  #point(target) {
    const cell = target instanceof Element ? target.closest('.cell') : null;
    this.#draft?.point(cell?.getAttribute('data-at') ?? null);
  }

  /**
   * Changes the drawing from one position to another on the same board.
   * @param {Board} before
   * @param {Board} board
   * @param {Place | null} from where the piece that was moved came from
   */
  #change(before, board, from) {
    if (before === board) return;
    const last = board.cells.findIndex((cell) => cell.tags.includes('last'));
    board.cells.forEach((cell, i) => {
      const was = before.cells[i];
      if (was.piece === cell.piece && was.owner === cell.owner) return;
      this.#put(i, cell, this.#state.animate && !this.#pick && !this.#view?.units ? was : null, last < 0 ? 0 : this.#distance(i, last));
    });
    if (String(before.hands) !== String(board.hands)) this.#deal();
    this.#drawCells(board, before);
    this.#pick?.slide(from);
    if (this.#draft && 'slide' in this.#draft) this.#draft.slide(this.#placeOf);
  }

  /**
   * Draws the terrain and the labels of the cells if they have changed.
   * @param {Board} board
   * @param {Board | null} before
   */
  #drawCells(board, before) {
    const changed = (/** @type {'terrain' | 'label'} */ name) => board.cells.some((cell, i) => cell[name] !== before?.cells[i][name]);
    if (changed('terrain')) this.#terrain.replaceChildren(...drawTerrain(board, this.#places.all, this.#view));
    if (changed('label')) this.#labels.replaceChildren(...drawLabels(board, this.#places.all));
  }

  /** Draws the names of the rows and columns. */
  #drawCoordinates() {
    this.#language = language();
    const places = this.#places.all.filter(({ hand }) => hand === null);
    if (this.#board) this.#coordinates.replaceChildren(...drawCoordinates(this.#board, places, this.#view));
  }

  /** Draws the whole board: the ground, the places and the pieces. */
  #lay() {
    const [board, view] = [this.#board, this.#view];
    if (!board || !view) return;
    const { width, height, cells } = board;
    const { margin, beside, wide, high } = measure(board);
    const picture = drawGround(board, view);
    const places = cells.map(({ at }, index) => {
      const i = this.#turned ? cells.length - 1 - index : index;
      const [x, y] = [((i % width) + 0.5) * CELL, (Math.floor(i / width) + 0.5) * CELL];
      const element = el('div', { role: 'gridcell', class: 'cell', tabindex: -1, 'data-at': at });
      return { element, at, x, y, size: CELL, hand: null };
    });
    this.#places.lay(places);
    this.#drawCoordinates();
    picture.append(this.#terrain, drawLines(board), this.#coordinates, this.#pieces, this.#labels, this.#held, this.#marks, this.#sketches);
    for (const group of [this.#terrain, this.#labels]) group.replaceChildren();
    this.#drawCells(board, null);
    const order = places.map((place) => place.element);
    if (this.#turned) order.reverse();
    const rows = Array.from({ length: height }, (_, y) =>
      el('div', { role: 'row' }, ...order.slice(y * width, (y + 1) * width)),
    );
    this.#grid.replaceChildren(...rows);
    // The page sizes the board by this.
    document.body.style.setProperty('--ratio', String(wide / high));
    this.#grid.style.setProperty('--columns', String(width));
    this.#grid.style.inset = `${(margin / high) * 100}% ${(beside / wide) * 100}%`;
    this.#host.replaceChildren(picture, ...this.#hands.slice(0, board.hands.length), this.#grid);
    this.#pieces.replaceChildren();
    this.#drawn = cells.map(() => null);
    cells.forEach((cell, i) => this.#put(i, cell, null, 0));
    this.#deal();
  }

  /** Lays out the pieces in hand. If one of them had the focus, the same kind has it again. */
  #deal() {
    const focused = this.#host.contains(document.activeElement);
    const [board, view] = [this.#board, this.#view];
    if (!board || !view) return;
    const { across, down, margin, beside, wide, high } = measure(board);
    const middle = margin + TRAY / 2;
    const held = slots(board, down, -middle, across + middle, this.#turned);
    this.#held.replaceChildren(
      ...held.map((slot) => {
        const { side, piece, x, y, size } = slot;
        const pose = `scale(${(size / CELL) * 0.96})${this.#facing(side)}`;
        const face = svg('g', { transform: pose }, view.piece(piece, side));
        return svg('g', { transform: `translate(${x} ${y})` }, face, ...badge(slot));
      }),
    );
    const places = held.map(({ side, piece, x, y, size }) => {
      const about = { role: 'button', class: 'cell slot', tabindex: -1, 'data-hand': side, 'data-piece': piece };
      const element = el('div', about);
      const [left, top] = [x - TRAY / 2 + beside, y - size / 2 + margin];
      element.style.inset = [top / high, (wide - left - TRAY) / wide, (high - top - size) / high, left / wide]
        .map((part) => `${part * 100}%`)
        .join(' ');
      return { element, at: piece, x, y, size, hand: side };
    });
    SIDES.forEach((side, i) => {
      this.#hands[i].replaceChildren(...places.filter(({ hand }) => hand === side).map(({ element }) => element));
    });
    this.#places.deal(places);
    if (focused) this.#places.focus({ preventScroll: true });
  }

  /**
   * The rotation of a side's pieces.
   * @param {Side | null} side
   */
  #facing(side) {
    return this.#view?.facing && (side === 'second') !== this.#turned ? ' rotate(180)' : '';
  }

  /**
   * @param {number} a
   * @param {number} b
   */
  #distance(a, b) {
    const [p, q] = [this.#places.all[a], this.#places.all[b]];
    return Math.max(Math.abs(p.x - q.x), Math.abs(p.y - q.y)) / CELL;
  }

  /**
   * Draws a cell's piece, over the previous one if the change is animated.
   * @param {number} index
   * @param {Cell} cell
   * @param {Cell | null} was for an animation
   * @param {number} distance from the last move
   */
  #put(index, cell, was, distance) {
    const old = this.#drawn[index];
    const view = /** @type {View} */ (this.#view);
    this.#drawn[index] = null;
    if (old && was && cell.piece === null && !isStill()) {
      old.classList.add('goes');
      old.addEventListener('animationend', () => old.remove(), { once: true });
      return;
    }
    old?.remove();
    if (cell.piece === null) return;
    const { x, y } = this.#places.all[index];
    const piece = svg('g', { transform: `translate(${x} ${y})` });
    const turned = (/** @type {string} */ name, /** @type {Side | null} */ owner) =>
      svg('g', { transform: this.#facing(owner) }, view.piece(name, owner));
    const face = svg('g', {}, turned(cell.piece, cell.owner));
    piece.append(face);
    if (was && was.piece === null) face.classList.add('comes');
    if (was && was.piece !== null) {
      const away = svg('g', { class: 'turns-away' }, turned(was.piece, was.owner));
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
   * The legal moves by the cell at which they end: those of the held piece, or all in games whose moves are cells.
   * @returns {Map<string, string>}
   */
  get #targets() {
    if (this.#pick) return this.#pick.ends(this.#pick.held);
    const legal = this.#board?.cells.filter((cell) => cell.tags.includes('legal')) ?? [];
    return new Map(legal.map(({ at }) => [at, at]));
  }

  /** Draws the marks, and names the places. */
  #refresh() {
    const [board, game, view] = [this.#board, this.#game, this.#view];
    if (!board || !game || !view) return;
    const targets = this.#targets;
    const spoken = this.#draft?.board ?? board;
    this.#grid.setAttribute('aria-label', text('board', { game: inLanguage(game.title) }));
    SIDES.forEach((side, i) => {
      const key = board.hands[i]?.length ? 'hand' : 'hand.empty';
      this.#hands[i].setAttribute('aria-label', text(key, { side: inLanguage(game.sides[side]) }));
    });
    this.#marks.replaceChildren(
      ...this.#places.all.flatMap((place, i) => {
        const cell = board.cells[i];
        const start = this.#pick ? this.#pick.start(place) : place.at;
        const held = start !== null && start === this.#pick?.held;
        const target = cell && targets.has(place.at);
        const can = target || Boolean(this.#pick?.ends(start).size || this.#draft?.can(place.at));
        const tags = (cell?.tags ?? []).filter((tag) => tag !== 'legal');
        if (target) tags.unshift('legal');
        else if (this.#pick && can && !held) tags.unshift('start');
        if (held) tags.push('held');
        if (this.#hinted(start)) tags.push('hint');
        const value = this.#value(place, start, targets);
        this.#describe(place, i, spoken === board ? tags : spoken.cells[i].tags, value);
        place.element.classList.toggle('can', can);
        this.#drawn[i]?.classList.toggle('lifted', held);
        this.#drawn[i]?.classList.toggle('spent', tags.includes('acted'));
        this.#drawn[i]?.classList.toggle('aside', Boolean(this.#draft?.choosing) && !can && !tags.includes('placed'));
        return marksOf(place, tags, value, cell, view, this.#facing(cell?.owner ?? null) !== '');
      }),
    );
    this.#sketch();
  }

  /** Draws the engine's moves, the best one over the others. */
  #sketch() {
    const build = this.#view?.build ?? this.#view?.pieces;
    const { hint, values } = this.#state.notes;
    const thought = build && this.#state.legal && !this.#draft?.begun ? [...values.keys()] : [];
    if (build && hint !== null && !thought.includes(hint)) thought.unshift(hint);
    const sketches = thought.map((move, i) => {
      const at = (/** @type {string} */ name) => this.#places.all.find((place) => place.at === name) ?? [];
      const points = (build?.cells(move) ?? []).flatMap(at);
      return svg('g', { class: i ? 'sketch' : 'sketch best' }, ...(points.length ? build?.sketch(points, values.get(move)) ?? [] : []));
    });
    const own = this.#draft && 'sketch' in this.#draft ? this.#draft.sketch(this.#placeOf) : [];
    this.#sketches.replaceChildren(...sketches.reverse(), ...own);
  }

  /** The cell of a name. @param {string} at */
  #placeOf = (at) => this.#places.all.find((place) => place.at === at && place.hand === null);

  /**
   * Whether the hint starts or ends there.
   * @param {string | null} at
   */
  #hinted(at) {
    const { hint } = this.#state.notes;
    if (hint === null || at === null) return false;
    const way = this.#view?.path?.(hint);
    const build = this.#view?.build ?? this.#view?.pieces;
    if (build) return build.cells(hint)?.includes(at) ?? false;
    return way ? way.from === at || way.to === at : hint === at;
  }

  /**
   * The value of the move that ends at a place; while no piece is held, of the best move that starts there.
   * @param {Place} place
   * @param {string | null} start
   * @param {Map<string, string>} targets
   * @returns {Value | undefined}
   */
  #value({ at, hand }, start, targets) {
    const { values } = this.#state.notes;
    if (!values.size) return undefined;
    const move = hand === null && targets.get(at);
    if (move) return values.get(move);
    if (!this.#pick || this.#pick.held !== null) return undefined;
    const ends = new Set(this.#pick.ends(start).values());
    return [...values].find(([each]) => ends.has(each))?.[1];
  }

  /**
   * What a screen reader says of a place.
   * @param {Place} place
   * @param {number} index
   * @param {string[]} tags
   * @param {Value | undefined} value
   */
  #describe(place, index, tags, value) {
    const said = tags.map((tag) => textOr(`cell.${tag}`, tag));
    if (value) said.push(value.said);
    const more = this.#draft && 'said' in this.#draft && this.#draft.said(place.at);
    if (more) said.push(more);
    const label = [this.#name(place, index), ...said].join(text('join'));
    if (place.element.getAttribute('aria-label') !== label) place.element.setAttribute('aria-label', label);
  }

  /**
   * "d3, empty"; "2d, Sente's lion"; "chick in hand, 2".
   * @param {Place} place
   * @param {number} index
   */
  #name({ at, hand }, index) {
    const [board, game] = [this.#board, this.#game];
    if (!board || !game) return at;
    if (hand !== null) return slotName(at, board.hands[SIDES.indexOf(hand)].filter((piece) => piece === at).length);
    const { piece, owner, label, terrain } = (this.#draft?.board ?? board).cells[index];
    const what = piece === null ? text('cell.empty') : pieceName(piece, owner ? inLanguage(game.sides[owner]) : '');
    const ground = terrain && textOr(`terrain.${terrain}`, terrain);
    return [written(at), what, label && text('cell.label', { label }), ground].filter(Boolean).join(text('join'));
  }

  /**
   * @param {Place} place
   * @param {boolean} [touch] whether a finger pressed it
   */
  #press(place, touch) {
    if (this.#draft) this.#draft.press(place.at, touch);
    else if (this.#pick) this.#pick.press(place);
    else void this.#act(this.#moveAt(place.at));
  }

  /**
   * The move that a pressed cell stands for: its name, or that of its column or row in a game whose moves are those.
   * @param {string} at
   */
  #moveAt(at) {
    const { moves } = this.#state;
    const parts = at.match(/\d+|[^\d,]+/g) ?? [];
    return [at, ...parts].find((name) => moves.includes(name)) ?? at;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { here } = this.#places;
    if (!here || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      this.#press(here);
    } else if (isStep(event.key)) {
      this.#places.step(event.key, event.ctrlKey);
    } else if (event.key !== 'Escape' || !(this.#pick?.release() || this.#draft?.back())) {
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
export function pieceName(piece, side) {
  const name = textOr(`piece.${piece}`, piece);
  if (!side || side.toLowerCase() === name.toLowerCase()) return side || name;
  return text('cell.piece', { side, piece: name });
}
