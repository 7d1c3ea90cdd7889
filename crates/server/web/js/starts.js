// The positions that a game can begin with, as a choice of small pictures. A picture is fetched and drawn when it
// becomes visible.

import { el, fetchSheet, svg } from './elements.js';
import { CELL, drawTerrain } from './picture.js';
import { randomPosition } from './setup.js';
import { text } from './strings.js';

await fetchSheet('js/starts.css').styled;

/** @typedef {import('./server.js').GameInfo} GameInfo */

export class Starts {
  #server;
  #game;
  #view;
  #cards = el('div', { class: 'starts' });
  /** Draws the cards that become visible. @type {IntersectionObserver | null} */
  #sight = null;

  /**
   * @param {import('./server.js').Server} server
   * @param {GameInfo} game with positions
   * @param {import('./views.js').View} view
   */
  constructor(server, game, view) {
    this.#server = server;
    this.#game = game;
    this.#view = view;
  }

  /**
   * The fields of the choice.
   * @param {string} [chosen] the position that is chosen; the first one if left out
   */
  fields(chosen) {
    const { positions = [], seeded_positions: seeded } = this.#game;
    const random = seeded && (chosen?.startsWith(seeded) ? chosen : randomPosition(seeded));
    const all = random ? [...positions.slice(0, 1), random, ...positions.slice(1)] : positions;
    const cards = all.map((position) => this.#card(position, position === (chosen ?? all[0]), position === random));
    this.#cards.replaceChildren(...cards);
    this.#sight?.disconnect();
    this.#sight = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) if (isIntersecting) void this.#fill(target);
    }, { root: this.#cards, rootMargin: '50%' });
    for (const card of cards) this.#sight.observe(card);
    return el('fieldset', { class: 'starts-field' }, el('legend', {}, text('dialog.positions')), this.#cards);
  }

  /** Scrolls the choice, but not the page, to what is chosen. */
  reveal() {
    const card = this.#cards.querySelector(':checked')?.parentElement;
    if (card) this.#cards.scrollTop = card.offsetTop - this.#cards.offsetTop;
  }

  /**
   * @param {string} position
   * @param {boolean} checked
   * @param {boolean} random
   */
  #card(position, checked, random) {
    const input = el('input', { type: 'radio', name: 'position', value: position, checked });
    const picture = svg('svg', { 'aria-hidden': 'true', viewBox: '0 0 1 1' });
    const name = el('b', {}, random ? text('dialog.random') : position);
    const card = el('label', { class: 'start', 'data-position': position }, input, picture, name, el('span', { class: 'dim' }));
    if (!random) return card;
    const another = el('button', { type: 'button' }, text('dialog.another'));
    another.addEventListener('click', () => {
      input.value = randomPosition(this.#game.seeded_positions ?? '');
      input.checked = true;
      card.dataset.position = input.value;
      void this.#fill(card);
    });
    return el('div', { class: 'start-random' }, card, another);
  }

  /**
   * Draws the position of a card, unless it is drawn.
   * @param {Element} seen
   */
  async #fill(seen) {
    const card = /** @type {HTMLElement} */ (seen.matches('label') ? seen : seen.querySelector('label'));
    const { position } = card.dataset;
    if (card.dataset.drawn === position) return;
    card.dataset.drawn = position;
    const { board } = await this.#server.ask('show', { game: this.#game.name, position });
    if (card.dataset.position !== position) return;
    const { width, height, cells } = /** @type {import('./server.js').Board} */ (board);
    const places = cells.map((_, i) => ({ x: ((i % width) + 0.5) * CELL, y: (Math.floor(i / width) + 0.5) * CELL }));
    const pieces = cells.flatMap(({ piece, owner }, i) => {
      const at = { transform: `translate(${places[i].x} ${places[i].y})` };
      return piece === null ? [] : svg('g', at, this.#view.piece(piece, owner));
    });
    const picture = card.querySelector('svg');
    picture?.setAttribute('viewBox', `0 0 ${width * CELL} ${height * CELL}`);
    picture?.replaceChildren(...this.#view.ground(width, height), ...drawTerrain(board, places, this.#view), ...pieces);
    const about = card.querySelector('.dim');
    if (about) about.textContent = this.#view.units?.summary(board) ?? '';
  }
}
