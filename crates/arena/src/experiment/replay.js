// Draws the games of a report. `GAMES` has their matches by the id of their element, which contains them compressed.
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
// The games of an element, and the looks of their cells: JSON, compressed as in RFC 1950, in Base64.
const unpack = (details) => {
  const bytes = Uint8Array.from(atob(details.querySelector('script').textContent), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).json();
};
// A link to the page of `banmen serve`.
const link = (hash, textContent) => element('a', { href: GAMES.site + hash, textContent, target: '_blank', rel: 'noopener' });
const show = ({ players, match }, looks, game, place) => {
  const { size: [width] } = game;
  const frames = [game.start];
  for (const changes of game.changes) {
    const next = [...frames.at(-1)];
    for (let at = 0; at < changes.length; at += 2) next[changes[at]] = changes[at + 1];
    frames.push(next);
  }
  const kinds = new Set(looks.map(([piece]) => piece).filter(Boolean));
  const board = element('div', { className: 'board' });
  board.style.setProperty('--columns', width);
  board.setAttribute('role', 'img');
  const cells = frames[0].map(() => element('span'));
  board.append(...cells);
  const slider = element('input', { type: 'range', min: 0, max: game.moves.length, value: game.opening });
  slider.setAttribute('aria-label', 'move');
  const said = element('p', { className: 'move' });
  const again = element('code');
  const draw = () => {
    const ply = Number(slider.value);
    const before = frames[Math.max(0, ply - 1)];
    frames[ply].forEach((look, at) => {
      const [piece, owner, terrain, label] = looks[look];
      const letter = kinds.size > 2 && piece ? piece[0].toUpperCase() : '';
      cells[at].className = `${owner === 0 ? 'first' : owner === 1 ? 'second' : piece ? 'nobody' : ''} ${before[at] === look ? '' : 'new'}`;
      cells[at].textContent = letter + (label ?? '');
      cells[at].title = [piece, terrain].filter(Boolean).join(', ');
      cells[at].dataset.terrain = terrain ? String([...terrain].reduce((sum, sign) => sum + sign.charCodeAt(0), 0) % 6) : '';
    });
    const move = ply === 0 ? 'the start' : `${ply}. ${game.moves[ply - 1]}${ply <= game.opening ? ' (opening)' : ''}`;
    const held = game.hands[ply]?.trim() && game.hands[ply].trim() !== '|' ? ` · in hand ${game.hands[ply]}` : '';
    said.textContent = `${move} of ${game.moves.length}${held}`;
    board.setAttribute('aria-label', said.textContent);
    const next = Math.max(game.opening, Math.min(ply, game.moves.length - 1)) + 1;
    again.textContent = `banmen records think ${match} ${game.number.join('.')} ${next}`;
  };
  const step = (text, name, to) => {
    const button = element('button', { type: 'button', textContent: text, title: name, onclick: () => {
      slider.value = to(Number(slider.value));
      draw();
    } });
    button.setAttribute('aria-label', name);
    return button;
  };
  slider.oninput = draw;
  const [first, second] = game.number[1] === 0 ? players : [players[1], players[0]];
  place.replaceChildren(
    element('p', {}, `${first} (first) against ${second}`),
    board,
    element('div', { className: 'steps' },
      step('«', 'start', () => 0), step('‹', 'back', (at) => at - 1), slider,
      step('›', 'forward', (at) => at + 1), step('»', 'end', () => game.moves.length)),
    said,
    element('p', { className: 'again' }, 'The search for the next move, again: ', again),
    ...(GAMES.site ? [element('p', { className: 'again' }, link(`#game=${match}.${game.number.join('.')}`, 'This game on the page'), ', where ', element('code', { textContent: 'banmen serve' }), ' runs with the same store')] : []),
  );
  draw();
};
for (const [id, cell] of Object.entries(GAMES.cells)) {
  const details = document.getElementById(id);
  const place = element('div', { className: 'replay' });
  details.append(place);
  details.addEventListener('toggle', async () => {
    if (!details.open || place.dataset.filled) return;
    place.dataset.filled = 'yes';
    const { games, looks } = await unpack(details);
    const list = element('select', { onchange: () => show(cell, looks, games[list.selectedIndex], place) });
    list.setAttribute('aria-label', 'game');
    list.append(...games.map(({ number, result, moves }) =>
      element('option', { textContent: `game ${number.join('.')}: ${result}, ${moves.length} moves` })));
    place.before(list, ...(GAMES.site ? [' ', link(`#match=${cell.match}`, 'all on the page')] : []));
    show(cell, looks, games[0], place);
  });
}
const open = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener('hashchange', open);
open();
