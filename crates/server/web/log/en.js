// The words of the search log in English.

/** @type {Record<string, string>} */
export const words = {
  'log.about': 'What the search has reported: a row for each depth, and for each change of the best move.',
  'log.none': 'No search has reported yet.',
  'log.depth': 'Depth',
  'log.value': 'Score',
  'log.move': 'Best move',
  'log.nodes': 'Nodes',
  'log.playouts': 'Playouts',
  'log.time': 'Time',
};
