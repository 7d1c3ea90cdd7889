// The places over the picture, which screen readers read and which can have the focus. One place is in the tab order;
// keys move the focus geometrically: along rows and columns, and beyond the edge of the board to the pieces in hand.

/**
 * @typedef {import('./server.js').Side} Side
 * @typedef {{element: HTMLElement, at: string, x: number, y: number, size: number, hand: Side | null}} Place a cell
 *   by its name, or a kind of piece in a side's hand; its middle and its size in the picture
 */

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Home: [0, 0], End: [0, 0] };

/** @param {string} key */
export const isStep = (key) => Object.hasOwn(STEPS, key);

export class Places {
  /** The cells in the order of the board, then what is in hand. @type {Place[]} */
  all = [];
  /** The place in the tab order. @type {Place | undefined} */
  here;

  /**
   * Sets the cells of another board; the pieces in hand follow.
   * @param {Place[]} cells
   */
  lay(cells) {
    this.all = cells;
  }

  /**
   * Sets the pieces in hand.
   * @param {Place[]} held
   */
  deal(held) {
    const { at, hand = null } = this.here ?? {};
    this.all = [...this.all.filter(({ hand }) => hand === null), ...held];
    this.#rove(this.all.find((place) => place.at === at && place.hand === hand) ?? this.all[0]);
  }

  /**
   * Focuses a cell.
   * @param {string} at
   */
  focusAt(at) {
    this.#rove(this.all.find((place) => place.at === at && place.hand === null));
    this.focus();
  }

  /**
   * Focuses the place that last had the focus.
   * @param {FocusOptions} [options]
   */
  focus(options) {
    this.here?.element.focus(options);
  }

  /**
   * Makes a place the one in the tab order.
   * @param {EventTarget | null} target in a place's element
   * @returns {Place | undefined} the place, if it is one
   */
  take(target) {
    const place = this.all.find(({ element }) => target instanceof Node && element.contains(target));
    if (place) this.#rove(place);
    return place;
  }

  /**
   * Moves the focus by a key.
   * @param {string} key
   * @param {boolean} far to the ends of the board, not of the row
   */
  step(key, far) {
    const { here } = this;
    if (!here) return;
    const next = STEPS[key][0] || STEPS[key][1] ? this.#nearest(here, STEPS[key]) : this.#end(here, key === 'Home', far);
    if (next) this.#rove(next);
    this.focus();
  }

  /** @param {Place | undefined} here */
  #rove(here) {
    this.here = here;
    for (const place of this.all) place.element.setAttribute('tabindex', place === here ? '0' : '-1');
  }

  /**
   * @param {Place} here
   * @param {[number, number]} step
   * @returns {Place | null}
   */
  #nearest(here, [dx, dy]) {
    const cost = (/** @type {Place} */ { x, y }) => {
      const along = (x - here.x) * dx + (y - here.y) * dy;
      const across = Math.abs((x - here.x) * dy + (y - here.y) * dx);
      // Left and right go to the nearest place, since the slots of a hand are in no row; up and down stay in the
      // column.
      return along > 1 && (dx !== 0 || across < here.size / 2) ? along + across : Infinity;
    };
    const next = this.all.reduce((a, b) => (cost(b) < cost(a) ? b : a));
    return cost(next) < Infinity ? next : null;
  }

  /**
   * @param {Place} here
   * @param {boolean} first
   * @param {boolean} far
   */
  #end(here, first, far) {
    const row = this.all.filter(({ hand, y, size }) => hand === null && (far || Math.abs(y - here.y) < size / 2));
    row.sort((a, b) => a.y - b.y || a.x - b.x);
    return first ? row[0] : row.at(-1);
  }
}
