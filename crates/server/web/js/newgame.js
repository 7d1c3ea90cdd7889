// The dialog that starts a game. Players and their settings come from the server; the last choice is remembered. It is
// fetched when it is first opened.

import { byId, el } from './elements.js';
import { formatPlayer, levelLabel, parsePlayer } from './players.js';
import { Refusal } from './server.js';
import { save } from './settings.js';
import { freshStart, gentle, lastSetup, TIMES_MS } from './setup.js';
import { inLanguage, text, textOr } from './strings.js';

/**
 * @typedef {import('./server.js').GameInfo} GameInfo
 * @typedef {import('./server.js').Key} Key
 * @typedef {import('./server.js').PlayerInfo} PlayerInfo
 * @typedef {import('./server.js').Side} Side
 * @typedef {import('./play.js').PlayerText} PlayerText
 * @typedef {import('./play.js').Setup} Setup
 */

const PERSON = '';
/** The player that needs the table of a solved game. */
const PERFECT = 'perfect';

/** Whether a player has other settings than its level. @param {string} player */
const hasSettings = (player) => [...parsePlayer(player).keys.keys()].some((key) => key !== 'level');

/** Makes the fields of settings, once some were shown. @type {typeof import('./setting.js').foldSettings | null} */
let foldSettings = null;
const fetchSettings = async () => (foldSettings ??= (await import('./setting.js')).foldSettings);

const dialog = byId('new-dialog', HTMLDialogElement);
const form = byId('new-form', HTMLFormElement);
const fields = byId('new-fields', HTMLElement);

export class NewGame {
  /** @type {GameInfo | null} */
  #game = null;
  /** @type {PlayerInfo[]} */
  #players = [];
  /** @type {(setup: Setup) => void} */
  #start;
  /** The positions to begin with, if there is a choice. @type {import('./starts.js').Starts | null} */
  #starts = null;
  /** The time control, while one is wanted. @type {import('../clock/control.js').ClockFields | null} */
  #clock = null;

  #server;

  /**
   * @param {import('./server.js').Server} server
   * @param {(game: GameInfo, setup: Setup) => void} start
   */
  constructor(server, start) {
    this.#server = server;
    this.#start = (setup) => {
      if (!this.#game) return;
      const { players: seats, ...rest } = setup;
      save(`banmen.setup.${this.#game.name}`, { seats, ...rest });
      start(this.#game, setup);
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      dialog.close();
      this.#start(this.#read());
    });
    byId('new-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close());
    byId('swap', HTMLButtonElement).addEventListener('click', () => {
      const { players, ...rest } = this.#read();
      this.#fill({ ...rest, players: { first: players.second, second: players.first } });
      this.#offer();
    });
  }

  /**
   * @param {GameInfo} game
   * @param {PlayerInfo[]} players
   * @param {import('./starts.js').Starts | null} starts
   */
  async open(game, players, starts) {
    const setup = lastSetup(game, players);
    if (Object.values(setup.players).some((player) => player && hasSettings(player))) await fetchSettings();
    this.#game = game;
    this.#players = players;
    this.#starts = starts;
    this.#fill(setup);
    dialog.showModal();
    starts?.reveal();
    this.#offer();
  }

  /** Asks whether the table of the perfect player is there, under the rules that are chosen. */
  #offer() {
    fields.querySelector('.tables')?.remove();
    this.#able('first second');
    if (this.#game && this.#players.some(({ name }) => name === PERFECT)) void this.#withdraw(this.#game, this.#rules);
  }

  /** The variant that is chosen; undefined if it is the usual one. */
  get #rules() {
    const rules = new FormData(form).get('rules');
    return rules === null || rules === this.#game?.rules[0] ? undefined : String(rules);
  }

  /**
   * Where the server does not have the table, offers to build it, and the perfect player only if it plays without.
   * @param {GameInfo} game
   * @param {string | undefined} rules
   */
  async #withdraw(game, rules) {
    const current = () => game === this.#game && rules === this.#rules;
    try {
      await this.#server.ask('solve', { game: game.name, ...(rules && { rules }) });
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (!refusal.fault.code.startsWith('table_') || !current()) return;
      const { offerTable } = await import('./tables.js');
      await offerTable(fields, this.#server, game, rules, current, (sides) => this.#able(sides));
    }
  }

  /** @param {string} sides those for which the perfect player can be chosen */
  #able(sides) {
    for (const option of fields.querySelectorAll(`.sides option[value="${PERFECT}"]`)) {
      const choice = /** @type {HTMLSelectElement} */ (option.parentElement);
      const able = sides.includes(choice.name);
      const player = text(`player.${PERFECT}`);
      option.toggleAttribute('disabled', !able);
      option.textContent = able ? player : text('player.missing', { player });
      if (able || choice.value !== PERFECT) continue;
      choice.value = 'engine';
      choice.dispatchEvent(new Event('change'));
    }
  }

  /** @param {Setup} setup */
  #fill(setup) {
    const times = TIMES_MS.map((ms) => option(String(ms), text('dialog.seconds', { n: ms / 1000 }), ms === setup.timeMs));
    const time = el('label', { class: 'field' }, el('span', {}, text('dialog.time')), el('select', { name: 'time' }, ...times));
    // With a clock an engine decides by itself how long it thinks.
    const wants = el('input', { name: 'clocks', type: 'checkbox', role: 'switch', checked: Boolean(setup.clock) });
    const control = el('div');
    const show = async () => {
      time.hidden = wants.checked;
      // What is not wanted is not checked with the form.
      control.replaceChildren();
      this.#clock = null;
      if (!wants.checked) return;
      const { asControl, ClockFields } = await import('../clock/control.js');
      if (!wants.checked) return;
      this.#clock = new ClockFields(asControl(setup.clock));
      control.replaceChildren(this.#clock.element);
    };
    wants.addEventListener('change', show);
    void show();
    fields.replaceChildren(
      el('div', { class: 'sides' }, this.#side('first', setup.players.first), this.#side('second', setup.players.second)),
      el('label', { class: 'switch' }, wants, ' ', el('span', {}, text('dialog.clocks'))),
      control,
      time,
      ...this.#variants(setup.rules),
      ...(this.#starts ? [this.#starts.fields(setup.position)] : []),
    );
  }

  /**
   * The choice of a variant of the rules, in games that have some.
   * @param {string | undefined} chosen the usual one if left out
   */
  #variants(chosen) {
    const all = this.#game?.rules ?? [];
    if (all.length < 2) return [];
    const choice = el('select', { 'name': 'rules', 'aria-describedby': 'rules-about' }, ...all.map((rules) => option(rules, textOr(`rules.${rules}`, rules), rules === chosen)));
    const about = el('p', { class: 'dim', id: 'rules-about' });
    const describe = () => (about.textContent = textOr(`rules.${choice.value}.about`, ''));
    choice.addEventListener('change', () => {
      describe();
      this.#offer();
    });
    describe();
    return [el('label', { class: 'field' }, el('span', {}, text('rules')), choice), about];
  }

  /** @returns {Setup} */
  #read() {
    const data = new FormData(form);
    /** @param {Side} side @returns {PlayerText} */
    const chosen = (side) => {
      const name = String(data.get(side));
      const player = this.#players.find((known) => known.name === name);
      if (!player) return null;
      /** @type {Map<string, string>} */
      const keys = new Map();
      for (const key of player.keys) {
        const value = String(data.get(`${side} ${key.name}`) ?? '').trim();
        if (value !== '' && (value !== key.default || key.name === 'level')) keys.set(key.name, value);
      }
      return formatPlayer(name, keys);
    };
    const position = data.get('position');
    const from = position ? { position: String(position) } : this.#game ? freshStart(this.#game) : {};
    const rules = this.#rules;
    const players = { first: chosen('first'), second: chosen('second') };
    return { players, timeMs: Number(data.get('time')), clock: this.#clock?.control ?? null, ...(rules && { rules }), ...from };
  }

  /**
   * @param {Side} side
   * @param {PlayerText} current
   */
  #side(side, current) {
    const { name, keys } = current === null ? { name: PERSON, keys: new Map() } : parsePlayer(current);
    const options = [
      option(PERSON, text('person'), name === PERSON),
      ...this.#players.map((player) => option(player.name, textOr(`player.${player.name}`, player.name), player.name === name)),
    ];
    const choice = el('select', { name: side }, ...options);
    const rest = el('div');
    const show = (/** @type {Map<string, string>} */ values) => {
      const player = this.#players.find((known) => known.name === choice.value);
      rest.replaceChildren(...(player ? settings(side, player, values) : []));
    };
    choice.addEventListener('change', () => {
      const player = this.#players.find((known) => known.name === choice.value);
      show(player ? parsePlayer(gentle(player)).keys : new Map());
    });
    show(keys);
    const title = this.#game ? inLanguage(this.#game.sides[side]) : side;
    const legend = el('legend', {}, el('span', { class: `token ${side}` }), title);
    const label = el('label', { class: 'field' }, el('span', {}, text('dialog.player')), choice);
    return el('fieldset', {}, legend, label, rest);
  }
}

/**
 * @param {string} value
 * @param {string} name
 * @param {boolean} selected
 */
const option = (value, name, selected) => el('option', { value, selected }, name);

/**
 * The fields of a player's settings: the level is visible, the others are in a collapsed section.
 * @param {Side} side
 * @param {PlayerInfo} player
 * @param {Map<string, string>} values
 */
function settings(side, player, values) {
  // Players of other crates are described in English alone.
  const about = textOr(`about.${player.name}`, '');
  const summary = about ? el('p', { class: 'dim' }, about) : el('p', { class: 'dim', lang: 'en' }, player.summary);
  const level = player.keys.find((key) => key.name === 'level' && key.min !== null && key.max !== null);
  const others = player.keys.filter((key) => key !== level);
  /** @type {HTMLElement[]} */
  const nodes = [summary];
  if (level) nodes.unshift(slider(side, level, values.get('level') ?? level.default));
  if (others.length) {
    const folded = el('details', {}, el('summary', {}, text('dialog.settings')));
    const unfold = () => foldSettings?.(folded, text('dialog.settings'), others, (key) => `${side} ${key.name}`, values);
    if (foldSettings) unfold();
    else folded.addEventListener('toggle', () => void fetchSettings().then(unfold), { once: true });
    folded.open = others.some((key) => values.has(key.name));
    nodes.push(folded);
  }
  return nodes;
}

/**
 * @param {Side} side
 * @param {Key} key
 * @param {string} value
 */
function slider(side, key, value) {
  const about = { 'aria-label': text('dialog.level'), 'min': Number(key.min), 'max': Number(key.max) };
  const input = el('input', { type: 'range', name: `${side} ${key.name}`, ...about });
  input.value = value;
  const shown = el('output', {});
  const show = () => {
    shown.value = levelLabel(input.value);
    input.setAttribute('aria-valuetext', shown.value);
    // The text of an `output` is no name for the slider around which it is the label.
  };
  input.addEventListener('input', show);
  show();
  return el('label', { class: 'field' }, el('span', {}, shown), input);
}
