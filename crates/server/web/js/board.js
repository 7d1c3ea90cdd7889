// The board kit: draws any `board` of the protocol as SVG, with a grid of cells over it for pointer, keys and screen
// reader.
//
// The picture is hidden from screen readers; the places over it are what they read and what takes the focus: the cells
// of the grid, and beside it the kinds of pieces in hand. One place is in the tab order, the arrow keys move it.

import { say, tell } from './announcer.js';
import { el, svg } from './elements.js';
import { badge, RIM, SIDES, slotName, slots, TRAY } from './hands.js';
import { Pick } from './pick.js';
import { isStep, Places } from './places.js';
import { inLanguage, text, textOr } from './strings.js';

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

const CELL = 100;
/** Of the longer edge of the board: the frame around it. */
const FRAME = 0.058;
/** Between the disc that was played and the discs that turn after it, for each cell of distance. */
const RIPPLE_MS = 55;
const SLIDE_MS = 170;

/** @type {State} */
const IDLE = {
  side: 'first',
  legal: false,
  open: false,
  moves: [],
  played: null,
  animate: false,
  notes: { hint: null, values: new Map() },
};

const still = matchMedia('(prefers-reduced-motion: reduce)');

export class BoardKit {
  #host;
  #act;
  #pick = new Pick();
  /** What the person builds, in games whose moves are built cell by cell. @type {import('./draft.js').Draft | null} */
  #draft = null;
  /** @type {View | null} */
  #view = null;
  /** @type {GameInfo | null} */
  #game = null;
  /** The board as it is drawn: with what the draft would do. @type {Board | null} */
  #board = null;
  /** @type {State} */
  #state = IDLE;
  #turned = false;
  #pieces = svg('g', { class: 'pieces' });
  #held = svg('g', { class: 'in-hand' });
  #marks = svg('g', { class: 'marks' });
  #sketches = svg('g', { class: 'sketches' });
  #grid = el('div', { role: 'grid', class: 'cells', 'aria-describedby': 'board-about' });
  #hands = SIDES.map(() => el('div', { role: 'group' }));
  #places = new Places();
  /** Whether it listens to drags. */
  #drags = false;
  /** What was dragged, until the board is drawn without it. @type {SVGGraphicsElement | null} */
  #dragged = null;
  /** Drawn pieces by cell. @type {(SVGGElement | null)[]} */
  #drawn = [];

  /**
   * @param {HTMLElement} host
   * @param {(move: string) => Promise<boolean>} act a move was made, or a cell was pressed where none can be made; tells
   *   whether it was played
   */
  constructor(host, act) {
    this.#host = host;
    this.#act = act;
    host.addEventListener('click', (event) => {
      const place = this.#places.take(event.target);
      if (place) this.#press(place);
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
    this.#turned = !this.#turned;
    this.#lay();
    this.#refresh();
  }

  /** Whether the board is turned. */
  get turned() {
    return this.#turned;
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
      this.#draft = view.build && view.Draft ? new view.Draft(view.build, this.#act, () => this.#redraft()) : null;
      if (!this.#drags) view.listenToDrags?.(this.#host, (target) => this.#lift(target), (target) => void this.#drop(target));
      this.#drags ||= view.listenToDrags !== undefined;
    }
    this.#draft?.follow(game, base, state);
    const board = this.#draft?.drawn ?? base;
    const same = before?.width === board.width && before.height === board.height && this.#game === game;
    const from = this.#placeOf(view.path && state.played ? view.path(state.played)?.from : null, state.side);
    this.#game = game;
    this.#view = view;
    this.#board = board;
    this.#state = state;
    if (board !== before && view.path) this.#pick.follow(state.moves, view.path);
    if (!state.legal) this.#pick.held = null;
    this.#host.classList.toggle('open', state.open);
    this.#host.classList.toggle('quiet', !state.legal);
    this.#host.dataset.side = state.side;
    if (same) this.#change(before, board, from);
    else this.#lay();
    if (board !== before) this.#settle();
    this.#refresh();
  }

  /** The draft has changed: draws what it would do. */
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
   * Goes from one position to another on the same board.
   * @param {Board} before
   * @param {Board} board
   * @param {Place | null} from where the piece that was moved came from
   */
  #change(before, board, from) {
    if (before === board) return;
    const [{ path }, { animate, played }] = [/** @type {View} */ (this.#view), this.#state];
    const last = board.cells.findIndex((cell) => cell.tags.includes('last'));
    board.cells.forEach((cell, i) => {
      const was = before.cells[i];
      if (was.piece === cell.piece && was.owner === cell.owner) return;
      this.#put(i, cell, animate && !path ? was : null, last < 0 ? 0 : this.#distance(i, last));
    });
    if (String(before.hands) !== String(board.hands)) this.#deal();
    if (from && played && !this.#dragged) this.#slide(from, path?.(played)?.to);
  }

  /** The measures of the picture: of the cells, of the frame about them with and without trays, and of all. */
  get #size() {
    const { width, height, hands } = /** @type {Board} */ (this.#board);
    const [across, down] = [width * CELL, height * CELL];
    const margin = Math.max(across, down) * FRAME;
    const beside = hands.length ? margin + TRAY + RIM : margin;
    return { across, down, margin, beside, wide: across + 2 * beside, high: down + 2 * margin };
  }

  /** Builds the ground and the places anew, and puts the pieces on it. */
  #lay() {
    const [board, view] = [this.#board, this.#view];
    if (!board || !view) return;
    const { width, height, cells } = board;
    const { across, down, margin, beside, wide, high } = this.#size;
    const picture = svg('svg', { viewBox: `${-beside} ${-margin} ${wide} ${high}`, 'aria-hidden': 'true' });
    const frame = svg('rect', { class: 'frame', x: -beside, y: -margin, width: wide, height: high, rx: margin * 0.4 });
    const trays = board.hands.map((_, i) =>
      svg('rect', { class: 'tray', x: i ? across + margin : -margin - TRAY, width: TRAY, height: down, rx: 8 }),
    );
    const lines = [];
    for (let x = 1; x < width; x += 1) lines.push(`M${x * CELL} 0V${down}`);
    for (let y = 1; y < height; y += 1) lines.push(`M0 ${y * CELL}H${across}`);
    picture.append(frame, ...trays, ...view.ground(width, height), svg('path', { class: 'lines', d: lines.join('') }));
    const places = cells.map(({ at }, index) => {
      const i = this.#turned ? cells.length - 1 - index : index;
      const [x, y] = [((i % width) + 0.5) * CELL, (Math.floor(i / width) + 0.5) * CELL];
      const element = el('div', { role: 'gridcell', class: 'cell', tabindex: -1, 'data-at': at });
      return { element, at, x, y, size: CELL, hand: null };
    });
    this.#places.lay(places);
    picture.append(...this.#labels(board, margin), this.#pieces, this.#held, this.#marks, this.#sketches);
    const order = places.map((place) => place.element);
    if (this.#turned) order.reverse();
    const rows = Array.from({ length: height }, (_, y) =>
      el('div', { role: 'row' }, ...order.slice(y * width, (y + 1) * width)),
    );
    this.#grid.replaceChildren(...rows);
    // The page gives the board its room by this.
    document.body.style.setProperty('--ratio', String(wide / high));
    this.#grid.style.setProperty('--columns', String(width));
    this.#grid.style.inset = `${(margin / high) * 100}% ${(beside / wide) * 100}%`;
    this.#host.replaceChildren(picture, ...this.#hands.slice(0, board.hands.length), this.#grid);
    this.#pieces.replaceChildren();
    this.#drawn = cells.map(() => null);
    cells.forEach((cell, i) => this.#put(i, cell, null, 0));
    this.#deal();
  }

  /** Lays out what is in the hands. */
  #deal() {
    const [board, view] = [this.#board, this.#view];
    if (!board || !view) return;
    const { across, down, margin, beside, wide, high } = this.#size;
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
  }

  /**
   * Names of columns and rows, where the cells' names are made of them: a half that the whole column shares and a half
   * that the whole row shares, in either order.
   * @param {Board} board
   * @param {number} margin
   */
  #labels({ width, cells }, margin) {
    const parts = cells.map(({ at }) => /^([a-z]+|\d+(?!\d)),?([a-z]+|\d+)$/.exec(at)?.slice(1) ?? [at, at]);
    const column = [0, 1].find((half) =>
      parts.every((part, i) => part[half] === parts[i % width][half] && part[1 - half] === parts[i - (i % width)][1 - half]),
    );
    if (column === undefined) return [];
    const [top, rows] = [parts.slice(0, width), parts.filter((_, i) => i % width === 0)];
    const label = (/** @type {string} */ name, /** @type {number} */ x, /** @type {number} */ y) =>
      svg('text', { class: 'label', x, y, 'font-size': margin / 2 }, name);
    // On a wide board numbers of two digits need more than a column.
    const nth = Math.ceil((margin * 0.6) / CELL);
    return [
      ...top.flatMap((part, x) => (x % nth ? [] : label(part[column], this.#places.all[x].x, -margin / 2))),
      ...rows.map((part, y) => label(part[1 - column], -margin / 2, this.#places.all[y * width].y)),
    ];
  }

  /**
   * Which way a side's pieces look.
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
   * The place where a path starts or ends.
   * @param {string | null | undefined} at
   * @param {Side} after the side to move after it: what comes from a hand comes from the other's
   */
  #placeOf(at, after) {
    return this.#places.all.find((place) => place.at === at && place.hand !== after) ?? null;
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
    if (old && was && cell.piece === null && !still.matches) {
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
   * Lets a piece that was moved be seen on its way.
   * @param {Place} from
   * @param {string | undefined} to
   */
  #slide(from, to) {
    const index = this.#places.all.findIndex((place) => place.at === to);
    const face = this.#drawn[index]?.firstElementChild;
    if (still.matches || !face) return;
    const { x, y } = this.#places.all[index];
    const start = { transform: `translate(${from.x - x}px, ${from.y - y}px)` };
    face.animate([start, { transform: 'none' }], { duration: SLIDE_MS, easing: 'ease-out' });
  }

  /**
   * Where a move may end, and the moves: those of the piece that is held, or each a cell.
   * @returns {Map<string, string>}
   */
  get #targets() {
    if (this.#view?.path) return this.#pick.ends(this.#pick.held);
    const legal = this.#board?.cells.filter((cell) => cell.tags.includes('legal')) ?? [];
    return new Map(legal.map(({ at }) => [at, at]));
  }

  /**
   * What a move may start with at a place: its name, or nothing at the other side's hand.
   * @param {Place} place
   */
  #start({ at, hand }) {
    return hand === null || hand === this.#state.side ? at : null;
  }

  /** Draws the marks, and names the places. */
  #refresh() {
    const [board, game] = [this.#board, this.#game];
    if (!board || !game) return;
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
        const start = this.#start(place);
        const held = start !== null && start === this.#pick.held;
        const target = cell && targets.has(place.at);
        const can = target || this.#pick.ends(start).size > 0 || (this.#draft?.can(place.at) ?? false);
        const tags = (cell?.tags ?? []).filter((tag) => tag !== 'legal');
        if (target) tags.unshift('legal');
        else if (this.#view?.path && can && !held) tags.unshift('start');
        if (held) tags.push('held');
        if (this.#hinted(start)) tags.push('hint');
        const value = this.#value(place, start, targets);
        this.#describe(place, i, spoken === board ? tags : spoken.cells[i].tags, value);
        place.element.classList.toggle('can', can);
        this.#drawn[i]?.classList.toggle('lifted', held);
        this.#drawn[i]?.classList.toggle('aside', Boolean(this.#draft?.choosing) && !can && !tags.includes('placed'));
        return this.#mark(place, tags, value, cell);
      }),
    );
    this.#sketch();
  }

  /** Draws the moves that engines think of, the best over the others. */
  #sketch() {
    const build = this.#view?.build;
    const { hint, values } = this.#state.notes;
    const thought = build && this.#state.legal && !this.#draft?.begun ? [...values.keys()] : [];
    if (build && hint !== null && !thought.includes(hint)) thought.unshift(hint);
    const sketches = thought.map((move, i) => {
      const at = (/** @type {string} */ name) => this.#places.all.find((place) => place.at === name) ?? [];
      const points = (build?.cells(move) ?? []).flatMap(at);
      return svg('g', { class: i ? 'sketch' : 'sketch best' }, ...(points.length ? build?.sketch(points, values.get(move)) ?? [] : []));
    });
    this.#sketches.replaceChildren(...sketches.reverse());
  }

  /**
   * Whether the hint starts or ends there.
   * @param {string | null} at
   */
  #hinted(at) {
    const { hint } = this.#state.notes;
    if (hint === null || at === null) return false;
    const way = this.#view?.path?.(hint);
    const { build } = this.#view ?? {};
    if (build) return build.cells(hint)?.includes(at) ?? false;
    return way ? way.from === at || way.to === at : hint === at;
  }

  /**
   * What is known of the move that ends at a place; while nothing is held, of the best that starts there.
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
    if (this.#pick.held !== null) return undefined;
    const ends = new Set(this.#pick.ends(start).values());
    return [...values].find(([each]) => ends.has(each))?.[1];
  }

  /**
   * The marks over a place.
   * @param {Place} place
   * @param {string[]} tags
   * @param {Value | undefined} value
   * @param {Cell | undefined} cell what is there, if it is a cell
   * @returns {SVGElement[]}
   */
  #mark({ x, y, size }, tags, value, cell) {
    /** @type {SVGElement[]} */
    const marks = [];
    const taken = cell?.piece !== null;
    const frame = (/** @type {string} */ name) => svg('rect', { class: name, x: -45, y: -45, width: 90, height: 90, rx: 8 });
    for (const tag of tags) {
      const own = cell && this.#view?.mark?.(tag, cell);
      if (own) marks.push(own);
      if (tag === 'flipped') marks.push(svg('circle', { class: 'flipped', r: 43.5 }));
      if (tag === 'last') marks.push(this.#view?.last?.() ?? frame('last-cell'));
      if (tag === 'legal') {
        const about = `legal${value ? ' valued' : ''}`;
        marks.push(svg('circle', taken ? { class: `${about} takes`, r: 43 } : { class: about, r: 9 }));
      }
      if (tag === 'check') {
        marks.push(svg('path', { class: 'check', d: 'M33-46 47-20H19z' }), svg('path', { class: 'bang', d: 'M33-38v8m0 4v1' }));
      }
      if (tag === 'held') marks.push(frame('held'));
      if (tag === 'hint' && !this.#view?.build) marks.push(this.#view?.path ? frame('hint') : svg('circle', { class: 'hint', r: 37 }));
    }
    if (value && this.#view?.path) {
      // A piece may stand there: the value lies on a plate of its own, below the piece's face.
      const [wide, down] = [14 + 13 * value.mark.length, taken ? 35 : 0];
      marks.push(
        svg('rect', { class: `plate ${value.kind ?? ''}`, x: -wide / 2, y: down - 14, width: wide, height: 28, rx: 8 }),
        svg('text', { class: 'value on-plate', y: down + 1 }, value.mark),
      );
    } else if (value) {
      marks.push(svg('text', { class: value.best ? 'value best' : 'value' }, value.mark));
    }
    if (marks.length === 0) return [];
    return [svg('g', { transform: `translate(${x} ${y}) scale(${size / CELL})` }, ...marks)];
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
    const { piece, owner } = (this.#draft?.board ?? board).cells[index];
    const what = piece === null ? text('cell.empty') : pieceName(piece, owner ? inLanguage(game.sides[owner]) : '');
    return [at, what].join(text('join'));
  }

  /** @param {Place} place */
  #press(place) {
    if (this.#draft) return this.#draft.press(place.at);
    const start = this.#start(place);
    const move = place.hand === null && this.#targets.get(place.at);
    const name = this.#name(place, this.#places.all.indexOf(place));
    if (!this.#view?.path || !this.#state.legal) void this.#act(place.at);
    else if (move) void this.#act(move);
    else if (start !== null && start === this.#pick.held) this.#hold(null);
    else if (this.#pick.ends(start).size) this.#hold(place);
    else tell(text(this.#pick.held === null ? 'pick.none' : 'pick.cannot', { at: name }));
  }

  /** @param {Place | null} place of the piece to be picked up; null to let go */
  #hold(place) {
    this.#pick.held = place && place.at;
    this.#refresh();
    if (!place) return say(text('pick.down'));
    const { values } = this.#state.notes;
    const ends = [...this.#targets].map(([to, move]) => [to, values.get(move)?.said].filter(Boolean).join(' '));
    const piece = this.#name(place, this.#places.all.indexOf(place));
    say(text('pick.up', { piece, cells: ends.join(text('join')) }));
  }

  /**
   * Picks up what is to be dragged.
   * @param {EventTarget | null} target
   */
  #lift(target) {
    const place = this.#places.take(target);
    if (!place || !this.#state.legal || !this.#pick.ends(this.#start(place)).size) return null;
    this.#settle();
    this.#hold(place);
    const index = this.#places.all.indexOf(place);
    const slot = this.#held.children[index - this.#drawn.length];
    this.#dragged = this.#drawn[index] ?? (slot instanceof SVGGElement ? slot : null);
    return this.#dragged;
  }

  /** @param {Element | null} target */
  async #drop(target) {
    const place = this.#places.take(target);
    const move = place?.hand === null && this.#targets.get(place.at);
    if (!move) this.#hold(null);
    if (!move || !(await this.#act(move))) this.#settle();
  }

  /** Puts what was dragged back where it belongs. */
  #settle() {
    if (this.#dragged) this.#dragged.style.translate = '';
    this.#dragged = null;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { here } = this.#places;
    if (!here || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      this.#press(here);
    } else if (isStep(event.key)) {
      this.#places.step(event.key, event.ctrlKey);
    } else if (event.key === 'Escape' && this.#pick.held !== null) {
      this.#hold(null);
    } else if (event.key === 'Escape' && this.#draft?.back()) {
      // It was taken back.
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
