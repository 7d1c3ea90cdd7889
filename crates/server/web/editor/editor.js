// The mode of the board in which a position is set up: a press puts the chosen piece on a cell. The position is also a text,
// which the server checks after each change.

import { notify, say } from '../js/announcer.js';
import { IDLE, pieceName } from '../js/board.js';
import { byId, el, svg } from '../js/elements.js';
import { Refusal } from '../js/server.js';
import { gentle } from '../js/setup.js';
import { verdict } from '../js/status.js';
import { inLanguage, language, placed, reason, text, textOr, written } from '../js/strings.js';
import { fetchWriter, SIDES } from './writers.js';

/**
 * @typedef {import('../js/play.js').Players} Players
 * @typedef {import('../js/server.js').Cell} Cell
 * @typedef {import('../js/server.js').Fault} Fault
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Shown} Shown
 * @typedef {import('../js/server.js').Side} Side
 * @typedef {import('../js/views.js').View} View
 * @typedef {import('./writers.js').Draft} Draft
 * @typedef {import('./writers.js').Field} Field
 * @typedef {import('./writers.js').Tool} Tool
 * @typedef {import('./writers.js').Writer} Writer
 * @typedef {{
 *   server: import('../js/server.js').Server,
 *   play: import('../js/play.js').Play,
 *   view: View,
 *   kit: import('../js/board.js').BoardKit,
 *   seats: Players,
 *   known: import('../js/server.js').PlayerInfo[],
 *   begin: (position: string, players: Players) => void,
 *   close: () => void,
 * }} Page what the editor needs of the page: `seats` are the players of the last
 *   game and `known` those of the game; `begin` starts a game from a position, `close` ends the editing
 */

/** The marks that belong to a position. */
const OWN_TAGS = ['acted', 'start'];
const MAX_TEXT = 4000;
/** The tool that empties cells. @type {Tool} */
const ERASER = { piece: null, owner: null };

const panel = /** @type {HTMLElement} */ (document.querySelector('#play > .panel'));
const host = byId('board', HTMLElement);
const help = byId('board-about', HTMLElement);

export class Editor {
  #page;
  #game;
  #rules;
  #seed;
  #replay;
  #writer;
  #view;
  /** @type {Tool[]} */
  #tools;
  /** @type {Tool} */
  #tool;
  /** What is put on cells beside the piece. @type {import('./writers.js').More} */
  #brush = { hp: 10, acted: false };
  /** @type {Draft} */
  #draft;
  /** Earlier drafts, for undo. @type {Draft[]} */
  #past = [];
  /** Where each cell is in the text, if the editor wrote it. @type {number[]} */
  #places = [];
  /** The cell at fault. @type {number} */
  #wrong = -1;
  /** The position of the text, while it is valid. @type {Shown | null} */
  #valid = null;
  /** @type {Fault | null} */
  #fault = null;
  /** The sides that people are to play; null for the players of the last game, if none of them is a person. @type {Side[] | null} */
  #people;
  /** What is beside the board in the position of the text. */
  #left = el('div', {});
  /** Counts the checks: the answer to an earlier one is discarded. */
  #checks = 0;
  /** The last check. @type {Promise<void>} */
  #checked = Promise.resolve();
  /** Whether a game begins as soon as the last check is done. */
  #beginning = false;
  /** The language of the panel. */
  #language = '';
  #card = el('section', { class: 'card editor', 'aria-labelledby': 'editor-title' });
  #input = el('textarea', { id: 'editor-text', rows: 4, maxlength: MAX_TEXT, spellcheck: false, autocapitalize: 'off', autocomplete: 'off', 'aria-describedby': 'editor-verdict' });
  #verdict = el('p', { id: 'editor-verdict', class: 'verdict', role: 'status' });
  #start = el('button', { type: 'button', class: 'main' });
  #undo = el('button', { type: 'button' });
  #listening = new AbortController();
  /** The one that is open: its button may be pressed twice. @type {Editor | null} */
  static #current = null;

  /**
   * Begins to edit the position on the board.
   * @param {Page} page
   */
  static async open(page) {
    const writer = await fetchWriter(page.play.game.view ?? '');
    return (Editor.#current ??= new Editor(page, writer));
  }

  /**
   * @param {Page} page
   * @param {Writer} writer
   */
  constructor(page, writer) {
    const { play, view } = page;
    const shown = /** @type {Shown} */ (play.shown);
    this.#page = page;
    this.#game = play.game;
    this.#rules = play.from.rules;
    this.#seed = play.kept.seed;
    this.#replay = play.replay;
    this.#writer = writer;
    // Without the parts that make moves, a press is a press on a cell.
    const { ground, piece, terrain, facing, written } = view;
    this.#view = /** @type {View} */ ({ ground, piece, terrain, facing, written, mark: (tag, cell) => this.#mark(tag, cell) });
    this.#draft = this.#read(shown);
    const people = SIDES.filter((side) => page.seats[side] === null);
    this.#people = people.length ? people : null;
    this.#tools = [...writer.tools(shown.board), ERASER];
    this.#tool = this.#tools[0];
    this.#input.addEventListener('input', () => (this.#checked = this.#check(this.#input.value.trim(), true)));
    this.#start.addEventListener('click', () => void this.#begin());
    this.#undo.addEventListener('click', () => this.#takeBack());
    const { signal } = this.#listening;
    host.addEventListener('keydown', (event) => this.#key(event), { signal });
    document.body.classList.add('editing');
    help.dataset.text = 'edit.about';
    panel.append(this.#card);
    this.draw();
    this.#adopt(shown);
    this.#input.value = shown.position;
    host.scrollIntoView({ block: 'nearest' });
    page.kit.focus();
    say(`${text('edit.title')}. ${text('edit.about')}`);
  }

  /** Whether the game is still the one on the board. */
  get current() {
    const { play } = this.#page;
    return play.game === this.#game && play.kept.seed === this.#seed && play.replay === this.#replay && !play.lesson;
  }

  /** Ends the editing: the game is on the board again. */
  leave() {
    Editor.#current = null;
    this.#checks += 1;
    this.#listening.abort();
    document.body.classList.remove('editing');
    help.dataset.text = 'board.about';
    help.textContent = text('board.about');
    this.#card.remove();
  }

  /** Draws the position, and the panel if the language has changed. */
  draw() {
    if (this.#language !== language()) this.#build();
    const { board, side, more } = this.#draft;
    const hands = this.#writer.hands?.(more) ?? board.hands;
    const cells = board.cells.map((cell, i) => (i === this.#wrong ? { ...cell, tags: [...cell.tags, 'wrong'] } : cell));
    this.#page.kit.draw(this.#game, this.#view, { ...board, cells, hands }, { ...IDLE, side, open: true });
    this.#undo.setAttribute('aria-disabled', String(!this.#past.length));
  }

  /**
   * Puts the chosen piece on a cell; empties the cell if the piece is there.
   * @param {string} at
   */
  press(at) {
    this.#put(at, this.#tool);
  }

  /**
   * @param {string} at
   * @param {Tool} tool
   */
  #put(at, tool) {
    const { board, more } = this.#draft;
    const index = board.cells.findIndex((cell) => cell.at === at);
    if (index < 0) return;
    const before = board.cells[index];
    const cell = this.#painted(before, tool);
    const cells = board.cells.with(index, cell);
    const rest = Object.fromEntries(Object.entries(more).filter(([name]) => name !== `unit ${at}` || cell.piece === before.piece));
    this.#change({ ...this.#draft, board: { ...board, cells }, more: rest });
    const what = cell.piece === null ? text('cell.empty') : this.#name(cell);
    const ground = tool.terrain && textOr(`terrain.${tool.terrain}`, tool.terrain);
    say([written(at), what, cell.piece && cell.label && text('cell.label', { label: cell.label }), ground].filter(Boolean).join(text('join')));
  }

  /**
   * @param {Cell} cell
   * @param {Tool} tool
   * @returns {Cell}
   */
  #painted(cell, { piece, owner, terrain }) {
    if (terrain) return { ...cell, terrain };
    const tags = cell.tags.filter((tag) => tag === 'start');
    const empty = { ...cell, piece: null, owner: null, tags, ...('label' in cell && { label: null }) };
    if (piece === null) return empty;
    const full = { ...empty, piece, owner };
    const put = this.#writer.put?.(full, this.#brush) ?? full;
    const same = put.piece === cell.piece && put.owner === cell.owner && put.label === cell.label && put.tags.includes('acted') === cell.tags.includes('acted');
    return same ? empty : put;
  }

  /** @param {{piece: string | null, owner: Side | null}} of */
  #name({ piece, owner }) {
    return pieceName(String(piece), owner ? inLanguage(this.#game.sides[owner]) : '');
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== 'Delete' && event.key !== 'Backspace') return;
    const at = document.activeElement?.getAttribute('data-at');
    if (!at) return;
    event.preventDefault();
    this.#put(at, ERASER);
  }

  /**
   * @param {Shown} shown
   * @returns {Draft}
   */
  #read(shown) {
    const { board, side } = shown;
    const cells = board.cells.map((cell) => ({ ...cell, tags: cell.tags.filter((tag) => OWN_TAGS.includes(tag)) }));
    return { board: { ...board, cells }, side, more: this.#writer.read?.(shown) ?? {} };
  }

  /** @param {Draft} draft */
  #change(draft) {
    this.#past.push(this.#draft);
    this.#show(draft);
  }

  #takeBack() {
    const before = this.#past.pop();
    if (before) this.#show(before);
  }

  /** @param {Draft} draft */
  #show(draft) {
    this.#draft = draft;
    const { text: position, places } = this.#writer.write(draft);
    this.#places = places;
    this.#input.value = position;
    this.#fill();
    this.#checked = this.#check(position, false);
    this.draw();
  }

  /**
   * Asks the server about a position.
   * @param {string} position
   * @param {boolean} typed whether the text is the visitor's, which the board follows
   */
  async #check(position, typed) {
    const check = (this.#checks += 1);
    try {
      const shown = await this.#page.server.ask('show', { game: this.#game.name, rules: this.#rules, position, moves: [] });
      if (check !== this.#checks) return;
      if (typed) {
        this.#past.push(this.#draft);
        this.#draft = this.#read(shown);
        this.#fill();
      } else {
        // What else belongs to the cells, such as the start cells of Blokus Duo.
        const { board } = this.#draft;
        const seen = this.#read(shown).board.cells;
        this.#draft = { ...this.#draft, board: { ...board, cells: board.cells.map((cell, i) => ({ ...cell, tags: seen[i].tags })) } };
      }
      this.#adopt(shown);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (check !== this.#checks) return;
      this.#valid = null;
      this.#fault = refusal.fault;
      this.#wrong = typed ? -1 : this.#places.findIndex((place, i) => place === refusal.fault.at && this.#draft.board.cells[i].piece !== null);
      if (refusal.fault.reason === 'empty_centre' && !typed) this.#wrong = this.#places.indexOf(Number(refusal.fault.at));
      this.#judge();
    }
    this.draw();
  }

  /** @param {Shown} shown the position of the text */
  #adopt(shown) {
    this.#valid = shown;
    this.#fault = null;
    this.#wrong = -1;
    this.#judge();
    this.draw();
  }

  /** Says whether the position is valid, or what is wrong with it. */
  #judge() {
    const valid = this.#valid;
    if (valid) this.#left.replaceChildren(...(this.#writer.left?.(valid, this.#page.view, this.#sides()) ?? []));
    this.#verdict.classList.toggle('fault', !valid);
    this.#input.setAttribute('aria-invalid', String(!valid));
    this.#start.setAttribute('aria-disabled', String(!valid || Boolean(valid.outcome)));
    if (!valid) {
      this.#verdict.textContent = this.#fault ? this.#wording(this.#fault) : '';
    } else if (valid.outcome) {
      this.#verdict.textContent = text('edit.over', { verdict: verdict(this.#game, valid.outcome) });
    } else {
      const side = inLanguage(this.#game.sides[valid.side]);
      this.#verdict.textContent = text('edit.valid', { side, count: valid.legal_count.toLocaleString('en') });
    }
  }

  /** @param {Fault} fault */
  #wording(fault) {
    const own = textOr(`edit.fault.${this.#game.view}.${fault.reason}`, '');
    if (this.#wrong >= 0) return text('edit.at', { at: written(this.#draft.board.cells[this.#wrong].at), reason: own || reason(fault) });
    // In a text that the editor wrote, a character's number means little.
    if (this.#input.value === this.#writer.write(this.#draft).text) return own || reason(fault);
    return own ? text('at.character', { n: Number(fault.at) + 1, reason: own }) : placed(fault);
  }

  /** Begins a game with the position of the text, once the server has judged it. */
  async #begin() {
    if (this.#beginning) return;
    this.#beginning = true;
    try {
      let last;
      do await (last = this.#checked);
      while (last !== this.#checked);
    } finally {
      this.#beginning = false;
    }
    if (this.#listening.signal.aborted || this.#start.getAttribute('aria-disabled') === 'true' || !this.#valid) return;
    this.#page.begin(this.#valid.position, this.#players());
  }

  /** Who plays: the engine of the last game, or a weak one, where no person does. @returns {Players} */
  #players() {
    const { seats, known } = this.#page;
    const people = this.#people;
    if (!people) return seats;
    const [engine] = known.filter(({ name }) => name === 'engine');
    const other = seats.first ?? seats.second ?? (engine ? gentle(engine) : null);
    const player = (/** @type {Side} */ side) => (people.includes(side) ? null : (seats[side] ?? other));
    return { first: player('first'), second: player('second') };
  }

  /** The position that games begin with. */
  async #reset() {
    const shown = await this.#page.server.ask('show', { game: this.#game.name, rules: this.#rules, moves: [] });
    if (this.#listening.signal.aborted) return;
    this.#change(this.#read(shown));
    say(text('edit.startDone'));
  }

  #clear() {
    const { board, more } = this.#draft;
    const cells = board.cells.map((cell) => this.#painted(cell, ERASER));
    this.#change({ ...this.#draft, board: { ...board, cells }, more: { ...more, ...this.#writer.cleared } });
    say(text('edit.cleared'));
  }

  /** Builds the panel in the language of the page. */
  #build() {
    this.#language = language();
    help.textContent = text('edit.about');
    const sides = this.#sides();
    const fields = (this.#writer.fields ?? []).map((field) => ({ field, element: this.#field(field, sides) }));
    const brushes = fields.filter(({ field }) => field.brush).map(({ element }) => element);
    const others = fields.filter(({ field }) => !field.brush).map(({ element }) => element);
    this.#start.textContent = text('edit.start');
    this.#undo.textContent = text('edit.undo');
    this.#card.replaceChildren(
      el('h2', { id: 'editor-title' }, text('edit.title')),
      this.#palette(),
      ...(brushes.length ? [el('div', { class: 'edit-fields' }, ...brushes)] : []),
      el('div', { class: 'actions' }, this.#undo, button('edit.clear', () => this.#clear()), button('edit.reset', () => void this.#reset())),
      this.#left,
      this.#sideChoice(sides),
      this.#peopleChoice(sides),
      ...(others.length ? [this.#group(others)] : []),
      el('label', { class: 'field', for: 'editor-text' }, el('span', {}, text('edit.text'))),
      this.#input,
      this.#verdict,
      el('div', { class: 'actions' }, this.#start, button('edit.copy', () => void this.#copy()), button('edit.cancel', () => this.#page.close())),
    );
    this.#fill();
    this.#judge();
  }

  #sides() {
    const { first, second } = this.#game.sides;
    return { first: inLanguage(first), second: inLanguage(second) };
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#input.value);
      notify(text('edit.copied'));
    } catch {
      this.#input.select();
    }
  }

  #palette() {
    const choices = this.#tools.map((tool) => {
      const { piece, owner, terrain } = tool;
      const name = terrain ? textOr(`terrain.${terrain}`, terrain) : piece === null ? text('edit.erase') : this.#name(tool);
      const input = el('input', { type: 'radio', name: 'tool', class: 'unseen', 'aria-label': name });
      input.checked = tool === this.#tool;
      input.addEventListener('change', () => (this.#tool = tool));
      const turned = this.#view.facing && owner === 'second' ? 'rotate(180)' : '';
      const drawn = terrain ? (this.#view.terrain?.(terrain, []) ?? []) : piece === null ? [cross()] : [this.#view.piece(piece, owner)];
      const picture = svg('svg', { viewBox: '-50 -50 100 100', 'aria-hidden': 'true', ...(terrain && { 'data-terrain': terrain, class: 'terrain' }) }, svg('g', { transform: turned }, ...drawn));
      const kind = owner ?? 'rest';
      return { kind, element: el('label', { class: 'tool', title: name }, input, picture) };
    });
    const rows = [...SIDES, 'rest'].flatMap((kind) => {
      const some = choices.filter((choice) => choice.kind === kind).map(({ element }) => element);
      return some.length ? [el('div', { class: `tools ${kind}` }, ...some)] : [];
    });
    return el('fieldset', { class: 'palette' }, el('legend', {}, text('edit.pieces')), ...rows);
  }

  /** @param {Record<Side, string>} names */
  #sideChoice(names) {
    const choices = SIDES.map((side) => {
      const input = el('input', { type: 'radio', name: 'edit-side', value: side });
      input.addEventListener('change', () => {
        const more = this.#writer.turn?.(this.#draft.more, side) ?? this.#draft.more;
        this.#change({ ...this.#draft, side, more });
      });
      return el('label', {}, input, el('span', { class: `token ${side}` }), names[side]);
    });
    return el('fieldset', { class: 'to-move' }, el('legend', {}, text('edit.side')), ...choices);
  }

  /** @param {Record<Side, string>} names */
  #peopleChoice(names) {
    const choices = [[SIDES[0]], [SIDES[1]], SIDES].map((sides) => {
      const input = el('input', { type: 'radio', name: 'edit-people', checked: String(sides) === String(this.#people) });
      input.addEventListener('change', () => (this.#people = sides));
      const tokens = sides.map((side) => el('span', { class: `token ${side}` }));
      return el('label', {}, input, ...tokens, sides.length > 1 ? text('edit.both') : names[sides[0]]);
    });
    return el('fieldset', { class: 'to-move' }, el('legend', {}, text('edit.people')), ...choices);
  }

  /** @param {HTMLElement[]} fields */
  #group(fields) {
    const { legend } = this.#writer;
    if (!legend) return el('div', { class: 'edit-fields' }, ...fields);
    return el('fieldset', {}, el('legend', {}, legend()), el('div', { class: 'edit-fields' }, ...fields));
  }

  /**
   * @param {Field} field
   * @param {Record<Side, string>} sides
   */
  #field({ name, min, max, label, brush }, sides) {
    const number = min !== undefined && max !== undefined;
    const input = el('input', { 'data-name': name, ...(number ? { type: 'number', min, max } : { type: 'checkbox', role: 'switch' }) });
    input.addEventListener('change', () => {
      const value = number ? Math.max(min, Math.min(max, Math.round(Number(input.value)) || min)) : input.checked;
      if (brush) {
        this.#brush = { ...this.#brush, [name]: value };
        this.#fill();
        return;
      }
      const more = { ...this.#draft.more, [name]: value };
      this.#change({ ...this.#draft, more, side: this.#writer.side?.(more) ?? this.#draft.side });
    });
    const words = el('span', {}, label(sides));
    return number ? el('label', { class: 'field' }, words, input) : el('label', { class: 'switch' }, input, words);
  }

  /** Puts the values of the draft into the fields. */
  #fill() {
    const values = { ...this.#draft.more, ...this.#brush };
    for (const input of this.#card.querySelectorAll('input')) {
      const name = input.dataset.name;
      if (input.name === 'edit-side') input.checked = input.value === this.#draft.side;
      else if (name && input.type === 'number') input.value = String(values[name]);
      else if (name) input.checked = values[name] === true;
    }
  }

  /**
   * @param {string} tag
   * @param {Cell} cell
   */
  #mark(tag, cell) {
    if (tag !== 'wrong') return this.#page.view.mark?.(tag, cell) ?? null;
    return svg('rect', { class: 'edit-wrong', x: -45, y: -45, width: 90, height: 90, rx: 10 });
  }
}

/** The picture of the tool that empties cells. */
const cross = () => svg('path', { class: 'eraser', d: 'M-24-24 24 24M-24 24 24-24' });

/**
 * @param {string} label
 * @param {() => void} run
 */
function button(label, run) {
  const made = el('button', { type: 'button' }, text(label));
  made.addEventListener('click', run);
  return made;
}
