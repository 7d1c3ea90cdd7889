// A dialog that asks one question.

import { el } from '../js/elements.js';
import { text } from '../js/strings.js';

/**
 * Asks, and waits for the answer. The last choice is the recommended one.
 * @param {{title: string, body: (Node | string)[], choices: [value: string, label: string][]}} question
 * @returns {Promise<string>} the value that was chosen; empty if the dialog was left
 */
export function ask({ title, body, choices }) {
  const nodes = body.map((part) => (typeof part === 'string' ? el('p', {}, part) : part));
  const buttons = choices.map(([value, label], i) =>
    el('button', { type: 'submit', value, ...(i === choices.length - 1 && { class: 'main', autofocus: true }) }, label),
  );
  const heading = el('h2', { id: 'ask-title' }, title);
  const form = el('form', { method: 'dialog' }, heading, ...nodes, el('div', { class: 'dialog-foot' }, el('span', { class: 'grow' }), ...buttons));
  const dialog = el('dialog', { class: 'ask', 'aria-labelledby': 'ask-title' }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
    // The policy of the page allows no form to be sent; the button's value is the answer.
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      dialog.close(event.submitter instanceof HTMLButtonElement ? event.submitter.value : '');
    });
    dialog.showModal();
  });
}

/**
 * Says what is wrong, until it is closed.
 * @param {string} title
 * @param {(Node | string)[]} body
 */
export const tell = (title, ...body) => ask({ title, body, choices: [['', text('close')]] });
