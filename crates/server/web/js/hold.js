// Picking up and placing a piece, in games whose pieces are turned and mirrored and cover several cells. Both hands,
// and the buttons that turn the held piece, are below or beside the board; the board shows where it fits and what it
// would cover.
//
// A placement is legal if its cells are those of a legal move of the server: the rules are not known here.

import { say, notify } from './announcer.js';
import { byId, el, svg } from './elements.js';
import { SIDES } from './hands.js';
import { inLanguage, text } from './strings.js';

/**
 * @typedef {import('./server.js').Board} Board
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').Side} Side
 * @typedef {import('./board.js').State} State
 * @typedef {import('./views.js').Pieces} Pieces
 * @typedef {[number, number][]} Shape the cells of a piece about the one that it is held by
 * @typedef {{refresh: () => void, turned: () => boolean, focus: (at: string) => void}} Kit of the board that is played on:
 *   `refresh` redraws it, `turned` says whether it is turned, `focus` puts the focus on a cell
 */

const bar = byId('draft', HTMLElement);

/** @param {string[]} cells */
const keyOf = (cells) => [...cells].sort().join();

/** @param {Shape} shape @returns {Shape} by 90 degrees clockwise; rows count downwards */
const right = (shape) => shape.map(([x, y]) => [-y, x]);

/** @param {Shape} shape @returns {Shape} left to right */
const mirror = (shape) => shape.map(([x, y]) => [-x, y]);

/**
 * Moves a shape so that the cell nearest to its middle, by which the piece is held, is at 0,0.
 * @param {Shape} shape
 * @returns {Shape}
 */
function centred(shape) {
  const [x, y] = [0, 1].map((i) => shape.reduce((sum, cell) => sum + cell[i], 0) / shape.length);
  const far = shape.map((cell) => (cell[0] - x) ** 2 + (cell[1] - y) ** 2);
  const [midX, midY] = shape[far.indexOf(Math.min(...far))];
  return shape.map((cell) => [cell[0] - midX, cell[1] - midY]);
}

/**
 * The eight orientations of a piece, as it is and mirrored with four turns each; they repeat for a piece with
 * symmetries.
 * @param {Shape} shape
 */
const ways = (shape) =>
  [shape, mirror(shape)].flatMap((face) => {
    const turns = [face];
    while (turns.length < 4) turns.push(right(/** @type {Shape} */ (turns.at(-1))));
    return turns;
  });

export class Hold {
  #pieces;
  #act;
  #kit;
  /** @type {Board | null} */
  #base = null;
  /** The board without the hands, which have their own place here. @type {Board | null} */
  #bare = null;
  /** @type {State | null} */
  #state = null;
  /** @type {GameInfo | null} */
  #game = null;
  /** The legal moves by their cells. @type {Map<string, string>} */
  #legal = new Map();
  /** @type {Map<string, number>} */
  #index = new Map();
  /** The names of the pieces that can be placed, and in how many ways. @type {Map<string, number>} */
  #able = new Map();
  /** The piece that is held. @type {string | null} */
  #held = null;
  /** Its shape in the current orientation. @type {Shape} */
  #shape = [];
  /** The moves that place it in this orientation, by the cell of the board under the cell by which it is held. @type {Map<string, string>} */
  #fits = new Map();
  /** The cell under the pointer or the focus. @type {string | null} */
  #pointed = null;
  /** The cell that a finger has chosen: a second touch plays. @type {string | null} */
  #chosen = null;
  #prompt = el('p', { id: 'draft-prompt' });
  #hands = SIDES.map((side) => el('div', { role: 'group', class: `held-pieces ${side}` }));
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();

  /**
   * @param {Pieces} pieces
   * @param {(move: string) => Promise<boolean>} act plays a move, and returns whether it was played
   * @param {Kit} kit
   */
  constructor(pieces, act, kit) {
    this.#pieces = pieces;
    this.#act = act;
    this.#kit = kit;
    /** @type {[string, () => unknown][]} */
    const actions = [
      ['left', () => this.key('q')],
      ['right', () => this.key('w')],
      ['mirror', () => this.key('v')],
      ['back', () => this.back()],
      ['play', () => this.#fits.has(this.#chosen ?? '') && this.press(/** @type {string} */ (this.#chosen))],
    ];
    for (const [name, run] of actions) {
      const button = el('button', { type: 'button', 'data-hold': name });
      if (name === 'play') button.className = 'main';
      button.addEventListener('click', () => button.getAttribute('aria-disabled') !== 'true' && run());
      this.#buttons.set(name, button);
    }
    SIDES.forEach((side, i) => {
      for (const piece of Object.keys(pieces.shapes)) {
        const button = el('button', { type: 'button', class: 'held-piece', tabindex: -1, 'data-owner': side, 'data-held': piece });
        button.addEventListener('click', ({ detail }) => this.#take(side, piece, detail === 0));
        this.#hands[i].append(button);
      }
      this.#hands[i].addEventListener('keydown', (event) => this.#step(event, this.#hands[i]));
    });
    bar.replaceChildren(this.#prompt, ...this.#hands, el('div', { class: 'actions' }, ...this.#buttons.values()));
    bar.hidden = false;
  }

  /** Hides the hands when another game is shown. */
  leave() {
    bar.hidden = true;
    bar.replaceChildren();
  }

  /**
   * Follows the board; in another position nothing is held.
   * @param {GameInfo} game
   * @param {Board} board
   * @param {State} state
   */
  follow(game, board, state) {
    const other = board !== this.#base;
    const closed = !state.open && this.#held !== null;
    this.#game = game;
    this.#state = state;
    if (other) {
      this.#base = board;
      // Cells that are moves by themselves are marked only while the piece of one cell is held.
      const cells = board.cells.map((cell) => ({ ...cell, tags: cell.tags.filter((tag) => tag !== 'legal') }));
      this.#bare = { ...board, cells, hands: [] };
      this.#index = new Map(board.cells.map(({ at }, i) => [at, i]));
      this.#legal = new Map(state.moves.map((move) => [keyOf(this.#pieces.cells(move) ?? []), move]));
      this.#able = new Map();
      for (const piece of board.hands[SIDES.indexOf(state.side)] ?? []) {
        const moves = new Set(ways(this.#pieces.shapes[piece]).flatMap((way) => [...this.#places(centred(way)).values()]));
        if (moves.size) this.#able.set(piece, moves.size);
      }
    }
    if (other || closed) this.#hold(null, []);
    this.#draw();
  }

  /** Whether a piece is held. */
  get begun() {
    return this.#held !== null;
  }

  /** Whether the other pieces on the board are drawn faded. */
  get choosing() {
    return false;
  }

  /** The board, with the cells where the held piece fits. */
  get board() {
    return this.#marked([], '');
  }

  /** The board with the held piece at the pointer. */
  get drawn() {
    const at = this.#pointed ?? this.#chosen;
    if (!this.begun || at === null) return this.board;
    const cells = this.#covers(at, this.#shape).filter((cell) => cell !== null);
    return this.#marked(cells, this.#fits.has(at) ? 'ghost' : 'misfit');
  }

  /**
   * @param {string[]} cells
   * @param {string} tag of these cells
   * @returns {Board}
   */
  #marked(cells, tag) {
    const bare = /** @type {Board} */ (this.#bare);
    if (!this.begun) return bare;
    const marked = bare.cells.map((cell) => {
      const fits = this.#fits.has(cell.at) ? ['legal'] : [];
      const covered = cells.includes(cell.at) ? [tag] : [];
      return fits.length || covered.length ? { ...cell, tags: [...fits, ...cell.tags, ...covered] } : cell;
    });
    return { ...bare, cells: marked };
  }

  /**
   * The cells under a shape that is held over a cell; null for those off the board.
   * @param {string} at
   * @param {Shape} shape
   * @returns {(string | null)[]}
   */
  #covers(at, shape) {
    const { width, height, cells } = /** @type {Board} */ (this.#base);
    const here = this.#index.get(at) ?? 0;
    const sign = this.#kit.turned() ? -1 : 1;
    return shape.map(([dx, dy]) => {
      const [x, y] = [(here % width) + sign * dx, Math.floor(here / width) + sign * dy];
      return x >= 0 && x < width && y >= 0 && y < height ? cells[y * width + x].at : null;
    });
  }

  /**
   * The legal moves that place a shape, by the cell of the board under the cell by which it is held.
   * @param {Shape} shape
   * @returns {Map<string, string>}
   */
  #places(shape) {
    const found = new Map();
    for (const { at } of this.#base?.cells ?? []) {
      const cells = this.#covers(at, shape).filter((cell) => cell !== null);
      const move = cells.length === shape.length && this.#legal.get(keyOf(cells));
      if (move) found.set(at, move);
    }
    return found;
  }

  /**
   * Whether the held piece can be placed over a cell.
   * @param {string} at
   */
  can(at) {
    return this.#fits.has(at);
  }

  /**
   * What a placement over a cell covers, in words.
   * @param {string} at
   */
  said(at) {
    const move = this.#fits.get(at);
    return move && this.#pieces.covers(move);
  }

  /**
   * Handles a press on a cell: places the held piece. The first touch of a finger only shows it there.
   * @param {string} at
   * @param {boolean} [touch]
   */
  press(at, touch = false) {
    if (!this.#state?.open) return void this.#act(at);
    if (!this.begun) return notify(this.#pieces.ask(null));
    const move = this.#fits.get(at);
    if (touch && at !== this.#chosen) {
      this.#chosen = at;
      this.#change();
      return say(this.said(at) ?? this.#pieces.misfit(at));
    }
    if (move) void this.#act(move);
    else notify(this.#pieces.misfit(at));
  }

  /**
   * Puts the piece back.
   * @returns {boolean} whether one was held
   */
  back() {
    const held = this.#held;
    if (held === null) return false;
    this.#hold(null, []);
    this.#change();
    say(text('pick.down'));
    return true;
  }

  /**
   * Previews a placement over a cell.
   * @param {string | null} at
   */
  point(at) {
    if (at === this.#pointed) return;
    this.#pointed = at;
    if (this.begun) this.#kit.refresh();
  }

  /**
   * Handles a key of the game: turns or mirrors the held piece, holds another, or moves the focus to the next cell
   * where it fits.
   * @param {string} key
   */
  key(key) {
    if (!this.#state?.open) return;
    if (key === 'j' || key === 'k') return this.#another(key === 'j' ? -1 : 1);
    if (this.#held === null) return notify(this.#pieces.ask(null));
    if (key === 'd') return this.#next();
    const turn = /** @type {Record<string, (shape: Shape) => Shape>} */ ({ q: (shape) => right(right(right(shape))), w: right, v: mirror })[key];
    this.#hold(this.#held, turn(this.#shape));
    this.#change();
    this.#account();
  }

  /** Holds the piece before or after the held one, of those that can be placed. @param {number} by */
  #another(by) {
    const able = Object.keys(this.#pieces.shapes).filter((piece) => this.#able.has(piece));
    if (!able.length) return;
    const now = able.indexOf(this.#held ?? '');
    const next = now < 0 ? (by > 0 ? 0 : able.length - 1) : (now + by + able.length) % able.length;
    this.#take(this.#state?.side ?? 'first', able[next], false, true);
  }

  /** Puts the focus on the next cell where the held piece fits. */
  #next() {
    const fits = [...this.#fits.keys()];
    const here = this.#index.get(this.#pointed ?? '') ?? -1;
    const next = fits.find((at) => (this.#index.get(at) ?? 0) > here) ?? fits[0];
    if (next === undefined) return this.#account();
    this.#kit.focus(next);
  }

  /**
   * Picks up a piece of a hand.
   * @param {Side} side
   * @param {string} piece
   * @param {boolean} byKey the focus then goes to the board
   * @param {boolean} [keep] do not put it back if it is held already
   */
  #take(side, piece, byKey, keep = false) {
    if (!this.#state?.open || side !== this.#state.side || !this.#base?.hands[SIDES.indexOf(side)].includes(piece)) return;
    if (this.#held === piece && !keep) return void this.back();
    if (!this.#able.has(piece)) return notify(this.#pieces.stuck(piece));
    const turned = ways(this.#pieces.shapes[piece]).map(centred);
    this.#hold(piece, turned.find((way) => this.#places(way).size) ?? turned[0]);
    this.#change();
    this.#account();
    if (byKey) this.#kit.focus([...this.#fits.keys()][0]);
  }

  /**
   * @param {string | null} piece
   * @param {Shape} shape
   */
  #hold(piece, shape) {
    this.#held = piece;
    this.#shape = shape;
    this.#fits = this.#places(shape);
    if (piece === null) {
      this.#fits.clear();
      this.#chosen = null;
    }
  }

  /** After the board was turned, the held piece keeps its look. */
  turn() {
    this.#hold(this.#held, this.#shape);
    this.#change();
  }

  /** Announces the held piece and the number of its placements in this orientation. */
  #account() {
    say(this.#prompt.textContent ?? '');
  }

  #change() {
    this.#draw();
    this.#kit.refresh();
  }

  /**
   * Moves the focus between the pieces of a hand by the arrow keys.
   * @param {KeyboardEvent} event
   * @param {HTMLElement} hand
   */
  #step(event, hand) {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (event.key === 'Escape' && this.back()) return event.preventDefault();
    const all = [...hand.querySelectorAll('button')].filter((button) => !button.classList.contains('gone'));
    const now = all.findIndex((button) => button === event.target);
    if (!by || now < 0) return;
    event.preventDefault();
    all[(now + by + all.length) % all.length].focus();
    for (const button of all) button.tabIndex = button === document.activeElement ? 0 : -1;
  }

  #draw() {
    const [base, game, state] = [this.#base, this.#game, this.#state];
    if (!base || !game || !state) return;
    const { open, side } = state;
    const held = this.#held;
    const prompt = !open ? '' : this.#pieces.ask(held, this.#fits.size, this.#able.get(held ?? ''));
    if (this.#prompt.textContent !== prompt) this.#prompt.textContent = prompt;
    SIDES.forEach((owner, i) => {
      const hand = this.#hands[i];
      const mine = owner === side;
      hand.classList.toggle('mine', mine);
      hand.setAttribute('aria-label', text(base.hands[i].length ? 'hand' : 'hand.empty', { side: inLanguage(game.sides[owner]) }));
      const buttons = /** @type {HTMLButtonElement[]} */ ([...hand.children]);
      for (const button of buttons) {
        const piece = String(button.dataset.held);
        const gone = !base.hands[i].includes(piece);
        const able = mine && open && this.#able.has(piece);
        const pressed = mine && held === piece;
        button.classList.toggle('gone', gone);
        button.classList.toggle('can', able);
        button.setAttribute('aria-disabled', String(!able));
        button.setAttribute('aria-pressed', String(pressed));
        button.setAttribute('aria-label', this.#pieces.name(piece, mine ? this.#able.get(piece) ?? 0 : null));
        const shape = pressed ? this.#shape : this.#pieces.shapes[piece];
        if (button.dataset.shape !== String(shape)) button.replaceChildren(this.#picture(owner, shape));
        button.dataset.shape = String(shape);
      }
      const left = buttons.filter((button) => !button.classList.contains('gone'));
      if (!left.some((button) => button.tabIndex === 0)) {
        for (const button of buttons) button.tabIndex = button === left[0] ? 0 : -1;
      }
    });
    const able = new Map([['play', this.#fits.has(this.#chosen ?? '')]]);
    for (const [name, button] of this.#buttons) {
      button.textContent = name === 'play' ? text('moves.play') : this.#pieces.action(name);
      button.setAttribute('aria-disabled', String(!(open && held !== null && (able.get(name) ?? true))));
    }
  }

  /**
   * @param {Side} owner
   * @param {Shape} shape
   */
  #picture(owner, shape) {
    const [xs, ys] = [0, 1].map((i) => shape.map((cell) => cell[i] * 100));
    const middle = [xs, ys].map((all) => (Math.min(...all) + Math.max(...all)) / 2);
    const squares = shape.map(([x, y]) =>
      svg('g', { transform: `translate(${x * 100 - middle[0]} ${y * 100 - middle[1]})` }, this.#pieces.square(owner)),
    );
    return svg('svg', { viewBox: '-255 -255 510 510', 'aria-hidden': 'true' }, ...squares);
  }
}
