// The words of whole games in English.

/** @type {Record<string, string>} */
export const words = {
  'share.title': 'Share this game',
  'share.link': 'Link to this game',
  'share.copy': 'Copy this link and send it. Whoever opens it can continue the game:',
  'share.copied': 'Link copied. Whoever opens it can continue the game.',

  'link.opened': '{game}: the shared game is on the board, after move {count}.',
  'link.bad': 'This link cannot be opened',
  'link.badAbout': 'The link may have been cut off or changed on its way. Ask for it again.',
  'link.replaceTitle': 'Open the shared game?',
  'link.replace': 'Your own game of {game} is not finished (moves: {own}). The shared game (moves: {count}) would take its place.',
  'link.open': 'Open the shared game',
  'link.keep': 'Keep my game',

  'error.page.linkGame': 'The link names no game: the name is missing after “play=”.',
  'error.page.linkUnknown': 'There is no game called “{game}” here.',
  'error.page.linkPlayer': 'There is no player called “{player}” in this game.',
  'error.page.linkField': 'The link has a part “{name}” that is not known here.',
  'error.page.linkTwice': 'The part “{name}” occurs twice in the link.',
  'error.page.linkEscape': 'The part “{part}” contains a % sign without the two digits that belong to it.',
  'error.page.linkPacked': 'The packed part of the link, after “z=”, is damaged or incomplete.',
  'error.page.linkLong': 'The game in the link is too long.',
};
