// Announcements: to screen readers through the live region, and on the page as a note that disappears.

import { byId, el } from './elements.js';
import { text } from './strings.js';

const MAX_KEPT = 6;
const NOTE_MS = 4500;
/** What was announced so shortly before a dialog opened or closed is announced again. */
const CUT_MS = 1000;
/** Shorter losses of the connection are not announced. */
const OFFLINE_PATIENCE_MS = 700;

const region = byId('live', HTMLElement);
const note = byId('note', HTMLElement);
let timer = 0;

/** The words of the note, if they can be said again in another language. @type {(() => string) | null} */
let again = null;
/** When something was announced last. */
let at = 0;

/**
 * Puts the live region where a screen reader listens: into the dialog on top, if one is open, as all else is inert then. What the
 * closing of a dialog may have cut off is announced again.
 */
function follow() {
  const place = [...document.querySelectorAll('dialog')].findLast((dialog) => dialog.open) ?? document.body;
  if (region.parentNode === place) return;
  const last = Date.now() - at < CUT_MS && region.lastElementChild;
  place.append(region);
  if (last) region.append(last);
}
for (const event of ['toggle', 'close']) document.addEventListener(event, follow, true);

/**
 * Announces something to screen readers, in order.
 * @param {string} words
 */
export function say(words) {
  follow();
  at = Date.now();
  region.append(el('p', {}, words));
  while (region.childElementCount > MAX_KEPT) region.firstElementChild?.remove();
}

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
