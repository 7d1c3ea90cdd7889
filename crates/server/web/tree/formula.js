// The formula by which a search selects a child: as symbols, and with the numbers of one node.

/**
 * @typedef {import('./nodes.js').TreeNode} TreeNode
 * @typedef {{name: 'ucb1' | 'ucb1-tuned' | 'puct' | 'puct-log' | 'newucb' | 'custom', rule?: string, c: number, base?: number, e?: number, rave?: number,
 *   rave_bias?: number, unvisited: 'first' | 'value' | 'parent', unvisited_value?: number, widening: boolean, amaf: boolean, solver: boolean,
 *   opponent: 'minimising' | 'cooperating' | 'random'}} Formula as the server describes it
 * @typedef {{total: string, visits: string, prior: string, c: string}} Letters what stands in the formula
 */

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** @param {number} x */
const three = (x) => x.toFixed(3);

/** @type {Record<Formula['name'], (letters: Letters, formula: Formula) => string>} */
const EXPLORATION = {
  'ucb1': ({ c, total, visits }) => `${c} √(ln ${total} / ${visits})`,
  'ucb1-tuned': ({ c, total, visits }) => `${c} √(ln ${total} / ${visits} · min(¼, V))`,
  'puct': ({ c, total, visits, prior }, { base }) => {
    const factor = base === undefined ? c : `(${c} + ln((${total} + ${base} + 1) / ${base}))`;
    return `${factor} · ${prior} · √${total} / (1 + ${visits})`;
  },
  'puct-log': ({ c, total, visits, prior }) => `${c} · ${prior} · √${total} · ln(${total} + 1) / (1 + ${visits})`,
  'custom': (_, { rule }) => String(rule),
  'newucb': ({ c, total, visits }, { e }) => `${c} √(2 ln(${total} + ${e}) / (${visits} + ${e}))`,
};

/** The random part of a score, which is drawn anew at each visit. @param {Formula} formula */
const randomPart = ({ name, e }) => (name === 'newucb' ? ` + ${e} R` : '');

/**
 * The formula in letters.
 * @param {Formula} formula
 */
export function symbols(formula) {
  const letters = { c: 'c', total: 'N', visits: 'n', prior: 'P' };
  return `q + ${EXPLORATION[formula.name](letters, formula)}${randomPart(formula)}`;
}

/**
 * The same with the numbers of a node, and what they come to; null where the node has no score.
 * @param {Formula} formula
 * @param {TreeNode} node
 * @param {TreeNode | undefined} parent
 */
export function numbers(formula, node, parent) {
  if (!node.score || !parent?.selection) return null;
  const { mean, exploration } = node.score;
  const { total, factor } = parent.selection;
  const letters = {
    c: String(Number((formula.c * factor).toFixed(3))),
    total: number.format(total),
    visits: number.format(node.visits),
    prior: node.prior.toFixed(3),
  };
  // A child without visits has the value q alone in these formulas.
  const term = exploration === 0 && !node.visits ? '0' : EXPLORATION[formula.name](letters, formula);
  return `${three(mean)} + ${term} = ${three(mean)} + ${three(exploration)} = ${three(mean + exploration)}${randomPart(formula)}`;
}
