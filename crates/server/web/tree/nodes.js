// The tree as a list that opens and closes: role=tree, with the keys of its pattern. Only what is open is drawn.

import { el } from '../js/elements.js';
import { short, text, written } from '../js/strings.js';

/**
 * @typedef {import('../js/server.js').Side} Side
 * @typedef {{chooser: Side, total: number, width: number, factor: number}} Selection
 * @typedef {{parent: number | null, move: string | null, part?: string, side: Side, visits: number, simulations: number,
 *   value: number | null, bounds?: [number, number], prior: number, amaf?: {visits: number, value: number | null}, ended: boolean,
 *   children: number, selection?: Selection, score?: {mean: number, exploration: number}}} TreeNode as the server sends it
 * @typedef {{line: string[], expanded: number | null, new_children: number, playout: string[], plies: number, value: number}} LastSimulation
 * @typedef {{decided?: string, formula: import('./formula.js').Formula, size: number, capacity: number, nodes: TreeNode[],
 *   last?: LastSimulation}} SearchTree
 */

/** @param {number} part */
export const percent = (part) => `${(part * 100).toFixed(1)} %`;

/** The name of a node among its siblings. @param {TreeNode} node */
export const nameOf = ({ move, part }) => (move === null ? (part ?? '') : written(move));

export class Nodes {
  /** The element. */
  list = el('div', { role: 'tree', class: 'nodes' });
  #look;
  #open;
  #fetch;
  /** @type {TreeNode[]} */
  #nodes = [];
  /** The children of each node. @type {number[][]} */
  #below = [];
  /** The line to each node, as names: what a node is known by when another tree is drawn. @type {string[]} */
  #keys = [];
  /** The keys of the nodes that are open. */
  #opened = new Set(['']);
  #selected = 0;
  /** The nodes of the last simulation, or of the one under way. @type {Set<string>} */
  #marked = new Set();

  /**
   * @param {(node: number) => void} look called when another node is looked at
   * @param {(node: number) => void} open called when the line to a node is wanted on the board
   * @param {(node: number) => void} fetch called when a node is opened whose children are not all there
   */
  constructor(look, open, fetch) {
    this.#look = look;
    this.#open = open;
    this.#fetch = fetch;
    this.list.addEventListener('click', ({ target }) => {
      const row = target instanceof Element ? target.closest('[data-node]') : null;
      if (!(row instanceof HTMLElement)) return;
      const node = Number(row.dataset.node);
      if (target instanceof Element && target.closest('.fold')) return this.#toggle(node, !this.#isOpen(node));
      this.#select(node);
      this.#open(node);
    });
    this.list.addEventListener('keydown', (event) => this.#key(event));
  }

  /** The node that is looked at. */
  get selected() {
    return this.#selected;
  }

  /**
   * The moves that lead to a node; parts of moves are left out.
   * @param {number} node
   * @returns {string[]}
   */
  lineTo(node) {
    const { parent, move } = this.#nodes[node];
    return parent === null ? [] : [...this.lineTo(parent), ...(move === null ? [] : [move])];
  }

  /** @param {SearchTree} tree */
  show({ nodes }) {
    const looked = this.#keys[this.#selected];
    this.#nodes = nodes;
    this.#below = nodes.map(() => []);
    this.#keys = [];
    nodes.forEach(({ parent, move, part }, i) => {
      if (parent !== null) this.#below[parent].push(i);
      this.#keys.push(parent === null ? '' : `${this.#keys[parent]}/${move ?? part}`);
    });
    this.#selected = Math.max(0, this.#keys.indexOf(looked));
    this.#draw();
  }

  /**
   * Marks the way of a simulation, and opens the nodes on it.
   * @param {string[]} line of moves and parts, as the server writes them
   * @param {number} steps how many of them
   */
  mark(line, steps) {
    this.#marked = new Set();
    for (let at = 0; at <= steps && line.length; at += 1) {
      const key = line.slice(0, at).map((step) => `/${step}`).join('');
      this.#marked.add(key);
      if (at < steps) this.#opened.add(key);
    }
    this.#draw();
  }

  /** @param {number} node */
  #isOpen(node) {
    return this.#opened.has(this.#keys[node]);
  }

  /**
   * @param {number} node
   * @param {boolean} open
   */
  #toggle(node, open) {
    if (!this.#nodes[node].children) return;
    if (open) this.#opened.add(this.#keys[node]);
    else this.#opened.delete(this.#keys[node]);
    // The focus is never on a node that is not drawn.
    if (!open && this.#keys[this.#selected].startsWith(`${this.#keys[node]}/`)) this.#selected = node;
    this.#draw();
    this.#look(this.#selected);
    if (open && this.#hidden(node)) this.#fetch(node);
  }

  /** How many children of a node are not there. @param {number} node */
  #hidden(node) {
    return this.#nodes[node].children - this.#below[node].length;
  }

  /** @param {number} node */
  #select(node) {
    this.#selected = node;
    this.#draw();
    this.#focus();
    this.#look(node);
  }

  #focus() {
    /** @type {HTMLElement | null} */ (this.list.querySelector('[tabindex="0"]'))?.focus({ preventScroll: false });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const rows = [...this.list.querySelectorAll('[data-node]')].map((row) => Number(/** @type {HTMLElement} */ (row).dataset.node));
    const at = rows.indexOf(this.#selected);
    const node = this.#selected;
    const go = (/** @type {number | undefined | null} */ to) => {
      if (to !== undefined && to !== null && to !== node) this.#select(to);
    };
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => go(rows[at + 1]),
      ArrowUp: () => go(rows[at - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows.at(-1)),
      ArrowRight: () => (this.#isOpen(node) && this.#below[node].length ? go(this.#below[node][0]) : this.#unfold(node, true)),
      ArrowLeft: () => (this.#isOpen(node) && this.#nodes[node].children ? this.#unfold(node, false) : go(this.#nodes[node].parent)),
      Enter: () => this.#open(node),
      ' ': () => this.#open(node),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /**
   * Opens or closes by keyboard: the focus stays.
   * @param {number} node
   * @param {boolean} open
   */
  #unfold(node, open) {
    this.#toggle(node, open);
    this.#focus();
  }

  #draw() {
    const focused = this.list.contains(document.activeElement);
    this.list.setAttribute('aria-label', text('tree'));
    this.list.replaceChildren(...(this.#nodes.length ? this.#rows(0, 1, 1, 1) : []));
    if (focused) this.#focus();
  }

  /**
   * The rows of a node and of what is open below it. They are not nested: their levels say what belongs to what.
   * @param {number} node
   * @param {number} level
   * @param {number} place among its siblings, from 1
   * @param {number} count of siblings
   * @returns {HTMLElement[]}
   */
  #rows(node, level, place, count) {
    const below = this.#below[node];
    const open = this.#isOpen(node);
    const { children } = this.#nodes[node];
    const row = this.#row(node, children ? (open ? '▾' : '▸') : '');
    const about = { 'role': 'treeitem', 'aria-level': level, 'aria-posinset': place, 'aria-setsize': count };
    for (const [name, value] of Object.entries(about)) row.setAttribute(name, String(value));
    if (children) row.setAttribute('aria-expanded', String(open));
    row.style.paddingInlineStart = `${(level - 1) * 0.7}rem`;
    if (!open) return [row];
    return [row, ...below.flatMap((child, i) => this.#rows(child, level + 1, i + 1, below.length))];
  }

  /**
   * @param {number} node
   * @param {string} fold
   */
  #row(node, fold) {
    const { visits, value, bounds, parent, ended } = this.#nodes[node];
    const whole = parent === null ? visits : this.#nodes[parent].visits;
    const share = whole > 0 ? Math.min(1, visits / whole) : 0;
    const marked = this.#marked.has(this.#keys[node]);
    const hidden = this.#hidden(node);
    const fill = el('span');
    fill.style.inlineSize = `${share * 100}%`;
    const notes = [proven(bounds), ended ? text('tree.ended') : '', hidden ? text('tree.more', { n: short(hidden) }) : ''];
    // Words that only screen readers need stand between the figures: they read the row as a sentence.
    const said = (/** @type {string} */ key, args = {}) => el('span', { class: 'unseen' }, ` ${text(key, args)}${text('join')}`);
    return el(
      'div',
      {
        'class': marked ? 'row marked' : 'row',
        'aria-selected': String(node === this.#selected),
        'tabindex': node === this.#selected ? 0 : -1,
        'data-node': node,
      },
      el('span', { 'class': 'fold', 'aria-hidden': 'true' }, fold),
      el('span', { class: 'name' }, parent === null ? text('tree.root') : nameOf(this.#nodes[node])),
      el('span', { 'class': 'share', 'aria-hidden': 'true' }, fill),
      el('span', { class: 'number' }, short(visits), said('tree.saidVisits', { share: percent(share) })),
      el('span', { class: 'number' }, value === null ? '·' : percent(value), said('tree.saidScore')),
      el('span', { class: 'notes' }, notes.filter(Boolean).join(text('join')), marked ? said('tree.onWay') : ''),
    );
  }
}

/**
 * What is proven, in words; empty where nothing is.
 * @param {[number, number] | undefined} bounds
 */
export function proven(bounds) {
  if (!bounds) return '';
  const [low, high] = bounds;
  if (low < high) return text('tree.between', { low: percent(low), high: percent(high) });
  return text(low === 1 ? 'tree.won' : low === 0 ? 'tree.lost' : low === 0.5 ? 'tree.drawn' : 'tree.exactly', { value: percent(low) });
}
