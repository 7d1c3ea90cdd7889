// The words of the search log in Japanese.

/** @type {Record<string, string>} */
export const words = {
  'log.about': '探索の報告。深さが進むか最善手が変わるたびに一行。',
  'log.none': 'まだ報告がありません。',
  'log.depth': '深さ',
  'log.value': '期待得点',
  'log.move': '最善手',
  'log.nodes': '局面数',
  'log.playouts': 'プレイアウト',
  'log.time': '時間',
};
