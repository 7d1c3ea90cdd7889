// The dialog for whole games as text: reads a pasted text, a file or a link, and writes the game that is on the board.

import { notify } from '../js/announcer.js';
import { el } from '../js/elements.js';
import { Refusal } from '../js/server.js';
import { inLanguage, placed, text, textOr } from '../js/strings.js';
import { ask, tell } from './ask.js';
import { picture } from './image.js';
import { understand } from './reading.js';
import { take } from './take.js';

/**
 * @typedef {import('../js/play.js').Play} Play
 * @typedef {import('../js/server.js').GameInfo} GameInfo
 * @typedef {import('../js/server.js').Server} Server
 * @typedef {import('./take.js').Taken} Taken
 */

/** Larger files are no games that the server would read. */
const MAX_BYTES = 500_000;
/** The usual ends of the names of files, by format. @type {Record<string, string>} */
const ENDS = { ggf: 'ggf', kif: 'kif', riddles: 'json', blksgf: 'blksgf', tbsmap: 'tbsmap' };
const PEOPLE = { first: null, second: null };

/**
 * @param {Server} server
 * @param {Play} play
 * @param {(taken: Taken) => void} open called with a game that was read
 */
export function openLoad(server, play, open) {
  const { game } = play;
  const input = el('textarea', { rows: 5, id: 'load-text', spellcheck: false, autocapitalize: 'off', 'aria-describedby': 'load-about load-fault' });
  const fault = el('p', { id: 'load-fault', class: 'fault', role: 'alert' });
  const file = el('input', { type: 'file', id: 'load-file', class: 'unseen' });
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    if (chosen.size > MAX_BYTES) fault.textContent = text('load.tooLong');
    else {
      input.value = decode(await chosen.arrayBuffer());
      fault.textContent = '';
    }
    file.value = '';
  });
  const label = el('label', { class: 'button', for: 'load-file' }, text('load.file'));
  const start = el('button', { type: 'submit', class: 'main' }, text('load.open'));
  const read = el(
    'section',
    {},
    el('label', { for: 'load-text', class: 'unseen' }, text('load.text')),
    el('p', { class: 'dim', id: 'load-about' }, text('load.about', { game: inLanguage(game.title) })),
    input,
    fault,
    el('div', { class: 'actions' }, start, file, label),
  );
  const close = el('button', { type: 'button' }, text('close'));
  const form = el('form', { method: 'dialog' }, el('h2', { id: 'load-title' }, text('load.title')), read, written(server, play), el('div', { class: 'dialog-foot' }, el('span', { class: 'grow' }), close));
  const dialog = el('dialog', { class: 'ask', 'aria-labelledby': 'load-title' }, form);
  dialog.addEventListener('close', () => dialog.remove());
  close.addEventListener('click', () => dialog.close());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const said = input.value.trim();
    fault.textContent = said ? '' : text('load.empty');
    if (!said) return;
    const hash = said.match(/#play=\S+/)?.[0];
    if (hash) {
      dialog.close();
      location.hash = hash;
      return;
    }
    try {
      const taken = await readAnyGame(server, game, play.from.rules, said, () => dialog.open);
      if (taken === undefined || !dialog.open) return;
      dialog.close();
      if (taken) open(taken);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      const { worded } = await import('./faults/faults.js');
      fault.textContent = worded(refusal.fault, said);
      input.focus();
    }
  });
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Reads a text of the game on the board, or else of the first game that it fits.
 * @param {Server} server
 * @param {GameInfo} game
 * @param {string | undefined} rules
 * @param {string} said
 * @param {() => boolean} wanted whether the game is still wanted: nothing is asked or stored for a dialog that was left
 * @returns {Promise<Taken | null | undefined>} null if the visitor's own game stays, undefined if none of several games was chosen
 * @throws {Refusal} of the game on the board
 */
async function readAnyGame(server, game, rules, said, wanted) {
  try {
    return await readGame(server, game, rules, said, wanted);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    /** @type {{games: GameInfo[]}} */
    const { games } = await server.ask('games', {});
    for (const other of games.filter(({ name }) => name !== game.name)) {
      try {
        return await readGame(server, other, undefined, said, wanted, true);
      } catch (why) {
        if (!(why instanceof Refusal)) throw why;
      }
    }
    throw refusal;
  }
}

/**
 * @param {Server} server
 * @param {GameInfo} game
 * @param {string | undefined} rules
 * @param {string} said
 * @param {() => boolean} wanted
 * @param {boolean} [another] whether another game is on the board
 * @returns {Promise<Taken | null | undefined>} as of `readAnyGame`
 */
async function readGame(server, game, rules, said, wanted, another = false) {
  const found = await understand(server, game, rules, said, async (games) => (wanted() ? chooseGame(games) : null));
  if (!found) return undefined;
  const { position, end, ...record } = found;
  const taken = await take(server, game, { rules, position }, end, PEOPLE, { ...record, wanted });
  if (!taken || !wanted()) return null;
  notify(() => text(another ? 'load.another' : 'load.done', { game: inLanguage(game.title), count: taken.kept.moves.length }));
  return taken;
}

/** Lets the visitor choose one of the games of a text. @type {import('./reading.js').Choose} */
async function chooseGame(games) {
  const options = games.map(({ first, second, moves, date }, i) => {
    const players = first || second ? `${first || '?'} – ${second || '?'}` : '';
    const parts = [players, text('load.moves', { count: moves.length }), date].filter(Boolean);
    return el('option', { value: i, selected: i === 0 }, `${i + 1}. ${parts.join(' · ')}`);
  });
  const list = el('select', { 'size': Math.min(games.length, 8), 'class': 'several', 'aria-label': text('load.several', { count: games.length }) }, ...options);
  const title = text('load.several', { count: games.length });
  const answer = await ask({ title, body: [list], choices: [['', text('dialog.cancel')], ['open', text('load.open')]] });
  return answer ? games[Number(list.value)] : null;
}

/**
 * The game on the board as text, in every notation of the server, and as a picture.
 * @param {Server} server
 * @param {Play} play
 */
function written(server, play) {
  const { game, from, at } = play;
  const moves = play.moves.map((move) => move.text);
  const dialects = game.dialects ?? [];
  const options = ['moves', 'position'].flatMap((what) =>
    dialects.map((dialect) => el('option', { value: `${what} ${dialect}` }, text(`save.${what}`, { dialect: textOr(`dialect.${dialect}`, dialect) }))),
  );
  const formats = (game.formats ?? []).map((format) => el('option', { value: `record ${format}` }, text('save.record', { format: textOr(`format.${format}`, format) })));
  const choice = el('select', { id: 'save-as' }, ...options.slice(0, 1), ...formats, ...options.slice(1));
  const output = el('textarea', { rows: 4, id: 'save-text', readonly: true, 'aria-label': text('save.text') });
  const write = async () => {
    const [what, dialect] = choice.value.split(' ');
    if (what === 'record') return record(server, play, dialect);
    const body = { game: game.name, ...from, dialect };
    if (what === 'position') {
      return (await server.ask('show', { ...body, moves: moves.slice(0, at) })).position;
    }
    const shown = await server.ask('show', { ...body, moves });
    // Also where this notation has no spaces: the list is read by the game, whose own moves have them.
    const separator = [...moves, ...shown.moves].some((move) => move.includes(' ')) ? '\n' : ' ';
    const start = from.position ? `${(await server.ask('show', { ...body, moves: [] })).position}\n` : '';
    return start + shown.moves.join(separator);
  };
  const fill = async () => {
    const wanted = choice.value;
    const made = await write().catch((refusal) => {
      if (!(refusal instanceof Refusal)) throw refusal;
      notify(() => placed(refusal.fault));
      return '';
    });
    if (wanted === choice.value) output.value = made;
  };
  choice.addEventListener('change', () => void fill());
  void fill();
  const name = `banmen-${game.name}-${new Date().toISOString().slice(0, 10)}`;
  const copy = button('save.copy', async () => {
    try {
      await navigator.clipboard.writeText(output.value);
      notify(() => text('save.copied'));
    } catch {
      output.select();
    }
  });
  const save = button('save.file', () => download(`${name}.${ENDS[choice.value.replace('record ', '')] ?? 'txt'}`, output.value, 'text/plain'));
  const drawn = button('save.picture', () => {
    const svg = picture();
    if (svg) download(`${name}.svg`, svg, 'image/svg+xml');
    else void tell(text('save.picture'), text('save.none'));
  });
  return el('section', {}, el('h3', {}, text('save.title')), el('label', { class: 'field', for: 'save-as' }, el('span', {}, text('save.as')), choice), output, el('div', { class: 'actions' }, copy, save, drawn));
}

/**
 * The whole game in a format of other programs.
 * @param {Server} server
 * @param {Play} play
 * @param {string} format
 * @returns {Promise<string>}
 */
async function record(server, { game, from, moves, players, kept }, format) {
  const { ended } = kept;
  const body = {
    game: game.name,
    ...from,
    moves: moves.map((move) => move.text),
    format,
    first: players.first ?? '',
    second: players.second ?? '',
    date: new Date().toISOString().slice(0, 10),
    ...(ended && { termination: { winner: ended.winner, by: ended.by } }),
  };
  return (await server.ask('export', body)).text;
}

/**
 * @param {string} label
 * @param {() => unknown} run
 */
function button(label, run) {
  const made = el('button', { type: 'button' }, text(label));
  made.addEventListener('click', run);
  return made;
}

/**
 * Older Japanese programs write Shift-JIS.
 * @param {ArrayBuffer} bytes
 */
function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('shift_jis').decode(bytes);
  }
}

/**
 * @param {string} name
 * @param {string} content
 * @param {string} type
 */
function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = el('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
