// Enlarges a board of many cells where the window is narrow, so that a finger can touch each. The board then scrolls within
// the place that it had; the keys and the focus work as before.

import { byId, el } from './elements.js';
import { inLanguage } from './strings.js';

/** The least size of a cell for a finger. In pixels. */
const TOUCH_PX = 44;

const ENLARGE = { en: 'Enlarge the board', ja: '盤を拡大' };

const board = byId('board', HTMLElement);

export class Zoom {
  #frame = el('div', { class: 'board-frame' });
  #button = el('button', { 'type': 'button', 'class': 'zoom', 'aria-pressed': 'false' });
  #where;

  /** @param {() => string | null} where the cell to show, if there is one; else the middle is shown */
  constructor(where) {
    this.#where = where;
    this.#button.addEventListener('click', () => (this.#on ? this.#shrink() : this.#enlarge()));
    byId('draft', HTMLElement).before(this.#button);
  }

  get #on() {
    return this.#frame.isConnected;
  }

  /** Follows the language of the page, and the size of the cells: large ones need it not. */
  draw() {
    this.#button.textContent = inLanguage(ENLARGE);
    // Once the cells of this board are there.
    queueMicrotask(() => {
      this.#button.hidden = !this.#on && (board.querySelector('.cell')?.getBoundingClientRect().width ?? 0) >= TOUCH_PX;
    });
  }

  leave() {
    this.#shrink();
    this.#button.remove();
  }

  #enlarge() {
    const cells = [...board.querySelectorAll('.cell')];
    const size = cells[0]?.getBoundingClientRect().width ?? TOUCH_PX;
    this.#frame.style.setProperty('--zoom', String(TOUCH_PX / Math.min(TOUCH_PX, size)));
    board.before(this.#frame);
    this.#frame.append(board);
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = this.#frame;
    this.#frame.scrollTo((scrollWidth - clientWidth) / 2, (scrollHeight - clientHeight) / 2);
    const at = this.#where();
    cells.find((cell) => cell.getAttribute('data-at') === at)?.scrollIntoView({ block: 'center', inline: 'center' });
    this.#frame.scrollIntoView({ block: 'nearest' });
    this.#button.setAttribute('aria-pressed', 'true');
  }

  #shrink() {
    if (!this.#on) return;
    this.#frame.before(board);
    this.#frame.remove();
    this.#button.setAttribute('aria-pressed', 'false');
  }
}
