// Building the action of a unit, in games whose units act one after the other: the person chooses a unit, then the cell
// to which it goes and perhaps the enemy that it attacks from there, with a preview of the result. The buttons are
// below the board; the board shows what units can reach, what the other side threatens, and the last action.
//
// Reach, damage and threats are those of the server's board: the rules are not known here.

import { say, notify } from './announcer.js';
import { byId, el, svg } from './elements.js';
import { isStill } from './settings.js';
import { inLanguage, text, textOr } from './strings.js';

/**
 * @typedef {import('./server.js').Board} Board
 * @typedef {import('./server.js').Cell} Cell
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./board.js').State} State
 * @typedef {import('./views.js').View} View
 * @typedef {{x: number, y: number}} Point in the picture
 * @typedef {{unit: string, to: string, target: string | null}} Action of a unit by its number, on a cell, and the number of the
 *   unit that it attacks
 * @typedef {{refresh: () => void, focus: (at: string) => void, pictureOf: (at: string) => SVGGElement | null}} Kit of the board that
 *   is played on: `refresh` redraws it, `focus` puts the focus on a cell, `pictureOf` is the piece that is drawn on a
 *   cell
 * @typedef {{units: Record<string, string>, reach?: Record<string, string[]>, attacks?: Record<string, [number, number]>,
 *   threats?: Record<string, string[]>, danger?: Record<string, Record<string, number>>, stars: Record<string, number>,
 *   last?: {move: string, unit: string, from: string, to: string, target_at?: string, damage?: number, counter?: number}}} Facts
 *   of the board about units: the cells of all by number; where each could be after its turn; damage and counter of each
 *   attack; the units that threaten each cell; what each unit would lose on each cell if they attacked; the defence of each
 *   terrain; the last action. What units could do is absent when the game is over.
 */

const SLIDE_MS = 300;

const bar = byId('draft', HTMLElement);

export class Orders {
  #view;
  #units;
  #act;
  #kit;
  /** @type {Board | null} */
  #base = null;
  /** @type {State | null} */
  #state = null;
  /** @type {GameInfo | null} */
  #game = null;
  /** The numbers of the units by their cells. @type {Map<string, string>} */
  #on = new Map();
  /** The attacks of the side to move, with damage and counter. @type {(Action & {damage: number, counter: number})[]} */
  #attacks = [];
  /** The chosen unit, the chosen cell, and the number of the chosen enemy. @type {[string?, string?, string?]} */
  #chosen = [];
  /** The cell under the pointer or the focus. @type {string | null} */
  #pointed = null;
  /** Whether the threats of the other side are shown. */
  #threats = false;
  #prompt = el('p', { id: 'draft-prompt' });
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();

  /**
   * @param {View} view of a game with `units`
   * @param {(move: string) => Promise<boolean>} act plays a move, and returns whether it was played
   * @param {Kit} kit
   */
  constructor(view, act, kit) {
    this.#view = view;
    this.#units = /** @type {import('./views.js').Units} */ (view.units);
    this.#act = act;
    this.#kit = kit;
    /** @type {[string, () => unknown][]} */
    const actions = [
      ['play', () => this.#move !== null && this.#act(this.#move)],
      ['back', () => this.back()],
      ['threat', () => this.key('v')],
      ['end', () => this.key('o')],
    ];
    for (const [name, run] of actions) {
      const button = el('button', { type: 'button', 'data-order': name });
      if (name === 'play') button.className = 'main';
      button.addEventListener('click', () => button.getAttribute('aria-disabled') !== 'true' && run());
      this.#buttons.set(name, button);
    }
    bar.replaceChildren(this.#prompt, el('div', { class: 'actions' }, ...this.#buttons.values()));
    bar.hidden = false;
  }

  /** Hides the buttons when another game is shown. */
  leave() {
    bar.hidden = true;
    bar.replaceChildren();
  }

  /**
   * Follows the board; in another position nothing is chosen.
   * @param {GameInfo} game
   * @param {Board} board
   * @param {State} state
   */
  follow(game, board, state) {
    if (board !== this.#base || !state.open) this.#chosen = [];
    this.#game = game;
    this.#state = state;
    if (board !== this.#base) {
      this.#base = board;
      this.#on = new Map(Object.entries(this.#facts.units).map(([number, at]) => [at, number]));
      this.#attacks = Object.entries(this.#facts.attacks ?? {}).flatMap(([move, [damage, counter]]) => {
        const action = this.#units.read(move);
        return action ? [{ ...action, damage, counter }] : [];
      });
    }
    this.#draw();
  }

  /** @returns {Facts} */
  get #facts() {
    return /** @type {Facts} */ (this.#base?.extra);
  }

  /** Whether a unit is chosen. */
  get begun() {
    return this.#chosen.length > 0;
  }

  /** Whether the other pieces on the board are drawn faded. */
  get choosing() {
    return false;
  }

  /** @param {string} at @returns {Cell | undefined} */
  #cell(at) {
    return this.#base?.cells.find((cell) => cell.at === at);
  }

  /** The number of the unit on a cell that can act now. @param {string | null} at */
  #able(at) {
    const cell = this.#state?.legal && at !== null ? this.#cell(at) : null;
    const able = cell?.owner === this.#state?.side && !cell?.tags.includes('acted');
    return able && this.#facts.reach ? this.#on.get(at ?? '') : undefined;
  }

  /** The units that can act, in the order of the board. */
  get #ready() {
    return (this.#base?.cells ?? []).map(({ at }) => at).filter((at) => this.#able(at) !== undefined);
  }

  /** Where a unit can be after its turn. @param {string | undefined} unit */
  #reach(unit) {
    return this.#facts.reach?.[unit ?? ''] ?? [];
  }

  /**
   * The attacks of the chosen unit: from one cell, or from any.
   * @param {string | undefined} from
   */
  #options(from) {
    return this.#attacks.filter(({ unit, to }) => unit === this.#chosen[0] && (from === undefined || to === from));
  }

  /** The cell on which the chosen unit would be: the chosen one, else the one under the pointer, or the one from which it would attack there. */
  get #tried() {
    const [unit, cell] = this.#chosen;
    if (cell !== undefined || unit === undefined || this.#pointed === null) return cell;
    if (this.#reach(unit).includes(this.#pointed)) return this.#pointed;
    return this.#best(this.#on.get(this.#pointed) ?? '', undefined)[0]?.to;
  }

  /** The chosen move, if it is complete. */
  get #move() {
    const [unit, to, target] = this.#chosen;
    return unit === undefined || to === undefined ? null : this.#units.write({ unit, to, target: target ?? null });
  }

  /** The board with the choices made: the one that a screen reader reads. */
  get board() {
    return this.#marked(false);
  }

  /** The board with the choices made and with the cell under the pointer. */
  get drawn() {
    return this.#marked(true);
  }

  /**
   * @param {boolean} pointed
   * @returns {Board}
   */
  #marked(pointed) {
    const base = /** @type {Board} */ (this.#base);
    const [unit, , target] = this.#chosen;
    const { threats = {}, units } = this.#facts;
    const goals = this.#reach(unit);
    const targets = new Set(this.#options(pointed ? this.#tried : this.#chosen[1]).map((attack) => units[attack.target ?? '']));
    // A unit under the pointer shows where it could go, and one of the other side also what it threatens.
    const other = pointed && !this.begun ? this.#on.get(this.#pointed ?? '') : undefined;
    const near = this.#reach(other);
    const hint = this.#units.read(this.#state?.notes.hint ?? '');
    const cells = base.cells.map((cell) => {
      const { at } = cell;
      const tags = [...cell.tags];
      if (this.#threats ? threats[at] : other !== undefined && threats[at]?.includes(other)) tags.unshift('threat');
      if (goals.includes(at)) tags.unshift('goal');
      if (near.includes(at)) tags.unshift('reach');
      if (targets.has(at)) tags.push(target !== undefined && units[target] === at ? 'aimed' : 'target');
      if (unit !== undefined && units[unit] === at) tags.push('held');
      if (!this.begun && this.#able(at) !== undefined) tags.push('start');
      if (hint && (hint.to === at || units[hint.unit] === at || units[hint.target ?? ''] === at)) tags.push('hint');
      return tags.length === cell.tags.length ? cell : { ...cell, tags };
    });
    return { ...base, cells };
  }

  /**
   * Whether a press on a cell chooses something.
   * @param {string} at
   */
  can(at) {
    const target = this.#on.get(at);
    return this.#able(at) !== undefined || this.#reach(this.#chosen[0]).includes(at) || this.#options(undefined).some((attack) => attack.target === target);
  }

  /**
   * More about a cell for screen readers: the number of the unit, its reach, who threatens the cell, what an attack on it does.
   * @param {string} at
   */
  said(at) {
    const { word } = this.#units;
    const number = this.#on.get(at);
    const parts = number === undefined ? [] : [this.#name(number), word('reaches', { count: this.#reach(number).length })];
    const [attack] = number === undefined ? [] : this.#best(number, this.#chosen[1]);
    if (attack) parts.push(this.#forecast(attack));
    const { threats = {} } = this.#facts;
    if (this.#threats && threats[at]) parts.push(word('threats', { units: threats[at].map((each) => this.#name(each)).join(text('join')) }));
    const danger = this.#danger(at);
    if (danger && (this.#threats || this.begun)) parts.push(word('danger', { count: danger }));
    return parts.join(text('join'));
  }

  /** What the chosen unit, else the unit there, would lose on a cell. @param {string} at */
  #danger(at) {
    return this.#facts.danger?.[this.#chosen[0] ?? this.#on.get(at) ?? '']?.[at] ?? 0;
  }

  /** "panzer 3" @param {string} number */
  #name(number) {
    return this.#units.named(this.#cell(this.#facts.units[number])?.piece, number);
  }

  /** "Red panzer 3" @param {string} number */
  #fullName(number) {
    const owner = this.#cell(this.#facts.units[number])?.owner;
    const side = owner && this.#game ? inLanguage(this.#game.sides[owner]) : '';
    return this.#units.word('owned', { side, unit: this.#name(number) });
  }

  /** @param {Action & {damage: number, counter: number}} attack */
  #forecast({ unit, to, target, damage, counter }) {
    return this.#units.word('aim', { unit: this.#name(unit), target: this.#name(target ?? ''), to, damage, counter });
  }

  /**
   * The attacks of the chosen unit on an enemy, the best first: the most damage without its counter, then the least danger.
   * @param {string} target
   * @param {string | undefined} from
   */
  #best(target, from) {
    const options = this.#options(from).filter((attack) => attack.target === target);
    return options.sort((a, b) => b.damage - b.counter - a.damage + a.counter || this.#danger(a.to) - this.#danger(b.to));
  }

  /**
   * Handles a press on a cell.
   * @param {string} at
   */
  press(at) {
    if (!this.#state?.open) return void this.#act(at);
    const { word } = this.#units;
    const [unit, cell, target] = this.#chosen;
    const here = this.#on.get(at);
    const attack = unit === undefined || here === undefined ? undefined : (this.#best(here, cell)[0] ?? this.#best(here, undefined)[0]);
    if (unit !== undefined && (attack ? target === here : target === undefined && cell === at)) return void this.#act(this.#move ?? '');
    if (attack) return this.#turn([unit, attack.to, here]);
    if (this.#reach(unit).includes(at)) {
      const alone = at !== this.#facts.units[unit ?? ''] && !this.#options(at).length;
      if (!alone) return this.#turn([unit, at]);
      return void this.#act(this.#units.write({ unit: unit ?? '', to: at, target: null }));
    }
    if (this.#able(at) !== undefined) return this.#turn([here]);
    const owner = this.#cell(at)?.owner;
    if (owner === this.#state.side) return notify(word('acted', { at }));
    notify(word(unit === undefined ? 'none' : owner ? 'safe' : 'far', { at }));
  }

  /**
   * Undoes the last choice.
   * @returns {boolean} whether there was one
   */
  back() {
    const { begun } = this;
    if (begun) this.#turn(/** @type {[string?, string?, string?]} */ (this.#chosen.slice(0, -1)));
    return begun;
  }

  /**
   * Shows what is on a cell, or what the chosen unit could do there.
   * @param {string | null} at
   */
  point(at) {
    if (at === this.#pointed) return;
    this.#pointed = at;
    this.#change();
  }

  /**
   * Handles a key of the game: moves the focus to another unit that can act or to the next cell that can be pressed,
   * shows threats, or ends the turn.
   * @param {string} key
   */
  key(key) {
    if (key === 'v') {
      this.#threats = !this.#threats;
      this.#change();
      const count = Object.keys(this.#facts.threats ?? {}).length;
      return say(this.#units.word(this.#threats ? 'shown' : 'hidden', { count }));
    }
    if (!this.#state?.open) return;
    if (key === 'o') return void this.#act(this.#units.end);
    const all = this.#base?.cells.map(({ at }) => at) ?? [];
    const ready = this.#ready;
    const goals = key === 'd' ? all.filter((at) => this.can(at) && !(this.begun && ready.includes(at))) : ready;
    if (!goals.length || !'djk'.includes(key)) return;
    const now = all.indexOf(this.#pointed ?? this.#facts.units[this.#chosen[0] ?? ''] ?? '');
    const next = goals.find((at) => all.indexOf(at) > now) ?? goals[0];
    const before = goals.findLast((at) => all.indexOf(at) < now) ?? goals[goals.length - 1];
    const at = key === 'j' ? before : next;
    if (key !== 'd') this.#turn([this.#able(at)]);
    this.#kit.focus(at);
  }

  /** @param {[string?, string?, string?]} chosen */
  #turn(chosen) {
    this.#chosen = chosen;
    this.#change();
    say(this.#prompt.textContent ?? '');
  }

  #change() {
    if (!this.#base) return;
    this.#draw();
    this.#kit.refresh();
  }

  /** What to choose next, or a description of what is under the pointer. */
  #ask() {
    const { word } = this.#units;
    const [unit, to = '', target] = this.#chosen;
    if (unit !== undefined) {
      const name = this.#name(unit);
      const [attack] = target === undefined ? [] : this.#best(target, to);
      if (attack) return this.#forecast(attack);
      if (!to) return word('held', { unit: name });
      const stays = this.#facts.units[unit] === to;
      return word(!stays ? 'cell' : this.#options(to).length ? 'stay' : 'only', { unit: name, to });
    }
    const cell = this.#pointed === null ? null : this.#cell(this.#pointed);
    if (cell) return this.#account(cell);
    return this.#state?.open ? word('choose', { count: this.#ready.length }) : '';
  }

  /** A cell and the unit there in words. @param {Cell} cell */
  #account({ at, label, terrain }) {
    const { word } = this.#units;
    const number = this.#on.get(at);
    const ground = { at, terrain: textOr(`terrain.${terrain}`, ''), stars: this.#facts.stars[terrain ?? ''] };
    if (number === undefined) return word('terrain', ground);
    const parts = [word('stands', { ...ground, unit: this.#fullName(number), hp: label })];
    const danger = this.#danger(at);
    if (danger) parts.push(word('danger', { count: danger }));
    return parts.join(text('join'));
  }

  #draw() {
    if (!this.#base || !this.#state) return;
    const { word } = this.#units;
    const prompt = this.#ask();
    if (this.#prompt.textContent !== prompt) this.#prompt.textContent = prompt;
    const [unit, to, target] = this.#chosen;
    const play = to === undefined ? 'play' : target !== undefined ? 'attack' : this.#facts.units[unit ?? ''] === to ? 'wait' : 'move';
    const able = new Map([['play', this.#move !== null], ['back', this.begun], ['end', true]]);
    for (const [name, button] of this.#buttons) {
      button.textContent = word(name === 'play' ? play : name);
      button.setAttribute('aria-disabled', String(!(able.get(name) ?? true) || (name !== 'threat' && !this.#state.open)));
    }
    this.#buttons.get('threat')?.setAttribute('aria-pressed', String(this.#threats));
  }

  /**
   * What is drawn over the board: while a unit is chosen, where it would be and what it could attack from there;
   * otherwise the last action and the engine's moves.
   * @param {(at: string) => Point | undefined} place
   * @returns {SVGElement[]}
   */
  sketch(place) {
    const { units, last, danger } = this.#facts;
    const [unit] = this.#chosen;
    const tried = this.#tried;
    /** @type {SVGElement[]} */
    const drawn = [];
    const plate = (/** @type {string | undefined} */ at, /** @type {string} */ mark, /** @type {string} */ name) => {
      const point = place(at ?? '');
      if (!point) return;
      // The hit points at risk are beside the hit points, below the unit; all else is above it.
      const [wide, x, y] = name === 'risk' ? [10 + 14 * mark.length, -24, 34] : [16 + 17 * mark.length, 0, -34];
      drawn.push(
        svg('rect', { class: `plate ${name}`, x: point.x + x - wide / 2, y: point.y + y - 16, width: wide, height: 32, rx: 9 }),
        svg('text', { class: 'value on-plate', x: point.x + x, y: point.y + y + 1 }, mark),
      );
    };
    if (this.#threats || unit !== undefined) {
      for (const [number, losses] of Object.entries(danger ?? {})) {
        // Of the chosen unit on each cell of its reach, else of each unit where it stands.
        const shown = unit === undefined ? [units[number]] : unit === number && (this.#threats || tried) ? Object.keys(losses) : [];
        for (const at of shown.filter((at) => losses[at] && (this.#threats || at === tried))) plate(at, `−${losses[at]}`, 'risk');
      }
    }
    if (unit !== undefined) {
      const [from, to] = [place(units[unit]), place(tried ?? '')];
      const cell = this.#cell(units[unit]);
      if (from && to && tried !== units[unit] && cell?.piece) {
        drawn.unshift(this.#arrow('way', from, to, 36), svg('g', { class: 'ghost', transform: `translate(${to.x} ${to.y})` }, this.#view.piece(cell.piece, cell.owner)));
      }
      const [aimed] = this.#best(this.#chosen[2] ?? this.#on.get(this.#pointed ?? '') ?? '', tried);
      for (const attack of aimed ? [aimed] : tried ? this.#options(tried) : []) plate(units[attack.target ?? ''], `−${attack.damage}`, 'hit');
      if (aimed?.counter) plate(aimed.to, `−${aimed.counter}`, 'hit');
      return drawn;
    }
    const { hint = null, values = new Map() } = this.#state?.notes ?? {};
    const thought = this.#state?.legal ? [...values.keys()] : [];
    if (hint !== null && !thought.includes(hint)) thought.unshift(hint);
    for (const [i, move] of thought.entries()) {
      const action = this.#units.read(move);
      const [from, to] = [place(units[action?.unit ?? '']), place(action?.to ?? '')];
      if (!action || !from || !to) continue;
      const target = place(units[action.target ?? ''] ?? '');
      const arrows = [this.#arrow(i ? 'idea' : 'idea best', from, to, 36), ...(target ? [this.#arrow(i ? 'idea' : 'idea best', to, target, 36)] : [])];
      drawn.unshift(...arrows);
      if (values.has(move)) plate(action.to, values.get(move).mark, 'thought');
    }
    if (last && !thought.length) {
      const [from, to, target] = [last.from, last.to, last.target_at ?? ''].map(place);
      if (from && to && last.from !== last.to) drawn.push(this.#arrow('trail', from, to));
      if (to && target) drawn.push(this.#arrow('trail', to, target, 36));
      if (last.damage !== undefined) plate(last.target_at, `−${last.damage}`, 'hit');
      if (last.counter) plate(last.to, `−${last.counter}`, 'hit');
    }
    return drawn;
  }

  /**
   * @param {string} name
   * @param {Point} from
   * @param {Point} to
   * @param {number} [begin] how far from the middle of the first cell it begins
   */
  #arrow(name, from, to, begin = 0) {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy) || 1;
    const [ux, uy] = [dx / length, dy / length];
    // It ends beside the unit.
    const [x, y] = [to.x - ux * 38, to.y - uy * 38];
    const [bx, by] = [x - ux * 20, y - uy * 20];
    const head = `M${x} ${y}L${bx - uy * 14} ${by + ux * 14}L${bx + uy * 14} ${by - ux * 14}z`;
    return svg('g', { class: `arrow ${name}` }, svg('path', { d: `M${from.x + ux * begin} ${from.y + uy * begin}L${bx} ${by}` }), svg('path', { class: 'head', d: head }));
  }

  /**
   * Slides the unit that has acted from where it was.
   * @param {(at: string) => Point | undefined} place
   */
  slide(place) {
    const { last } = this.#facts;
    const face = last && this.#kit.pictureOf(last.to)?.firstElementChild;
    const [from, to] = [place(last?.from ?? ''), place(last?.to ?? '')];
    if (!face || !from || !to || from === to || isStill() || !this.#state?.animate) return;
    face.animate([{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` }, { transform: 'none' }], { duration: SLIDE_MS, easing: 'ease-in-out' });
  }
}
