// The words of the list of keys in English.

/** @type {Record<string, string>} */
export const words = {
  'keys.arrows': 'On the board: go to another cell',
  'keys.enter': 'On the board: play',
  'keys.step': 'Outside the board and text fields: step through the moves',
  'keys.stepAnywhere': 'Step through the moves, anywhere',
  'keys.ends': 'The same: to the start, to the end of the game',
  'keys.say': 'Read out the position',
  'keys.board': 'Go to the board',
  'keys.enterMove': 'Type a move',
  'keys.pause': 'Pause or resume',
  'keys.theme': 'Change the theme',
  'keys.language': 'Change the language',
  'keys.analysis': 'Analysis on or off',
  'keys.exact': 'Exact values on or off',
  'keys.anotherPiece': 'The piece before or after in your hand',
  'keys.turnPiece': 'Turn the piece left or right',
  'keys.mirrorPiece': 'Mirror the piece',
  'keys.nextFit': 'To the next cell where the piece fits',
  'keys.anotherUnit': 'The unit before or after that can act',
  'keys.nextGoal': 'To the next cell that can be chosen',
  'keys.threats': 'Threats on or off',
  'keys.endTurn': 'End the turn',
  'keys.help': 'Show this help',
};
