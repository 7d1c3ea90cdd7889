// Announcements: to screen readers through a live region, and on the page as a note that disappears.
//
// While a modal dialog is open, screen readers hear nothing from outside of it: it has a live region of its own, from its opening on.

import { byId, el } from './elements.js';
import { text } from './strings.js';

const MAX_KEPT = 6;
const NOTE_MS = 4500;
/** What was announced in a dialog so shortly before it closed is announced again. */
const CUT_MS = 1000;
/** Shorter losses of the connection are not announced. */
const OFFLINE_PATIENCE_MS = 700;

const region = byId('live', HTMLElement);
const note = byId('note', HTMLElement);
let timer = 0;

/** The dialog on top, if one is open. */
const dialog = () => [...document.querySelectorAll('dialog')].findLast((each) => each.open);

/**
 * The live region in a dialog.
 * @param {HTMLDialogElement} dialog
 */
function within(dialog) {
  const own = dialog.querySelector('.heard') ?? el('div', { 'class': 'unseen heard', 'role': 'log', 'aria-live': 'polite' });
  if (!own.parentNode) dialog.append(own);
  return own;
}

/** What was announced last in a dialog, and when. */
let latest = { words: '', at: 0 };

new MutationObserver((changes) => {
  for (const { target } of changes) {
    if (!(target instanceof HTMLDialogElement)) continue;
    if (target.open) within(target);
    else if (Date.now() - latest.at < CUT_MS) say(latest.words);
  }
}).observe(document.body, { subtree: true, attributeFilter: ['open'] });

/**
 * Announces something to screen readers, in order.
 * @param {string} words
 */
export function say(words) {
  const top = dialog();
  if (top) latest = { words, at: Date.now() };
  const heard = top ? within(top) : region;
  heard.append(el('p', {}, words));
  while (heard.childElementCount > MAX_KEPT) heard.firstElementChild?.remove();
}

/** The words of the note, if they can be said again in another language. @type {(() => string) | null} */
let again = null;

/**
 * Shows a note for a while, and announces it.
 * @param {string | (() => string)} words a function is asked again when the language changes
 */
export function notify(words) {
  const said = typeof words === 'string' ? words : words();
  again = typeof words === 'string' ? null : words;
  say(said);
  note.textContent = said;
  raise();
  note.classList.add('shown');
  clearTimeout(timer);
  timer = setTimeout(() => note.classList.remove('shown'), NOTE_MS);
}

/** Puts the note before the dialog that is open, if one is. */
function raise() {
  note.popover = null;
  if (!document.querySelector('dialog[open]')) return;
  note.popover = 'manual';
  note.showPopover?.();
}

/** Shows the note in the language of the page; a note that cannot be said again is put away. */
export function translateNote() {
  if (again) note.textContent = again();
  else note.classList.remove('shown');
}

/**
 * Announces when the connection to the server is lost and restored.
 * @param {import('./server.js').Server} server
 */
export function announceConnection(server) {
  let offline = 0;
  let lost = false;
  server.addEventListener('state', () => {
    clearTimeout(offline);
    if (server.online && lost) notify(() => text('online'));
    if (server.online) lost = false;
    else {
      offline = setTimeout(() => {
        lost = true;
        notify(() => text('offline'));
      }, OFFLINE_PATIENCE_MS);
    }
    document.body.classList.toggle('lost', !server.online);
  });
}
