// The list of moves, with the ply on the board marked. It is one stop in the tab order; the arrow keys step through it.

import { byId, el } from './elements.js';
import { inLanguage, text, written } from './strings.js';

/** @typedef {import('./play.js').Play} Play */

const list = byId('moves', HTMLElement);

export class MoveList {
  #play;
  /** What a review says of the moves, by ply. @type {Map<number, import('../record/review.js').Mark>} */
  marks = new Map();

  /** @param {Play} play */
  constructor(play) {
    this.#play = play;
    list.addEventListener('click', (event) => {
      const item = event.target instanceof Element ? event.target.closest('button') : null;
      if (item) play.goTo(Number(item.dataset.ply));
    });
    new ResizeObserver(reveal).observe(list);
    /** @type {[string, () => Promise<void>][]} */
    const steps = [
      ['to-first', () => play.goTo(0)],
      ['to-previous', () => play.go(-1)],
      ['to-next', () => play.go(1)],
      ['to-last', () => play.goTo(play.moves.length)],
    ];
    for (const [id, go] of steps) byId(id, HTMLButtonElement).addEventListener('click', go);
  }

  /** Puts the focus on the marked move. */
  focus() {
    /** @type {HTMLElement | null} */ (list.querySelector('[aria-current]'))?.focus();
  }

  draw() {
    const { at, game, moves } = this.#play;
    const focused = list.contains(document.activeElement);
    const sides = [null, ...moves.map((move) => move.side)];
    const items = sides.map((side, ply) => {
      const { text: move } = moves[ply - 1] ?? { text: '' };
      const name = ply === 0 ? text('moves.start') : written(move);
      const item = el('button', { type: 'button', tabindex: ply === at ? 0 : -1, 'data-ply': ply });
      if (side !== null) {
        const owner = el('span', { class: 'unseen' }, `${inLanguage(game.sides[side])} `);
        item.append(el('span', { class: 'ply' }, String(ply)), ' ', el('span', { class: `token ${side}` }), owner);
      }
      item.append(name);
      const mark = this.marks.get(ply);
      if (mark) item.append(el('span', { 'class': `sign-${mark.kind}`, 'aria-hidden': 'true' }, mark.sign), el('span', { class: 'unseen' }, `${text('join')}${mark.said}`));
      if (ply === at) item.setAttribute('aria-current', 'step');
      return el('li', {}, item);
    });
    list.classList.toggle('marked', this.marks.size > 0);
    list.replaceChildren(...items);
    const current = items[at].firstElementChild;
    if (focused && current instanceof HTMLElement) current.focus({ preventScroll: true });
    reveal();
  }
}

/** Scrolls the list, but not the page as scrollIntoView would, so that the marked move is visible. */
function reveal() {
  const item = list.querySelector('[aria-current]')?.parentElement;
  if (!item) return;
  const top = item.offsetTop - list.offsetTop;
  const bottom = top + item.offsetHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
