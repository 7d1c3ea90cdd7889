// Sharing a game: its link goes to the device's own dialog where there is one, else to the clipboard.

import { notify } from '../js/announcer.js';
import { el } from '../js/elements.js';
import { isAway } from '../js/players.js';
import { inLanguage, text } from '../js/strings.js';
import { tell } from './ask.js';
import { write } from './link.js';

/** @param {import('../js/play.js').Play} play */
export async function share(play) {
  const { game, from, moves, players, replay } = play;
  const seat = (/** @type {import('../js/play.js').PlayerText} */ player) => (replay || isAway(player) ? undefined : (player ?? undefined));
  const [first, second] = [seat(players.first), seat(players.second)];
  const ended = replay ? null : play.kept.ended;
  const fragment = await write({ game: game.name, from, moves: moves.map((move) => move.text), first, second, ended });
  const url = new URL(fragment, location.href.replace(/#.*/, '')).href;
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share({ title: `${inLanguage(game.title)} · Banmen`, url });
      return;
    } catch (why) {
      // The visitor closed the dialog; any other failure leaves the clipboard.
      if (why instanceof DOMException && why.name === 'AbortError') return;
    }
  }
  try {
    await navigator.clipboard.writeText(url);
    notify(() => text('share.copied'));
  } catch {
    // Pages that are not served securely have no clipboard.
    const field = el('input', { type: 'text', readonly: true, value: url, 'aria-label': text('share.link'), autofocus: true });
    field.addEventListener('focus', () => field.select());
    await tell(text('share.title'), text('share.copy'), field);
  }
}
