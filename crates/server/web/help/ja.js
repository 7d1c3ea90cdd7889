// The words of the list of keys in Japanese.

/** @type {Record<string, string>} */
export const words = {
  'keys.arrows': '盤上: マスを移動',
  'keys.enter': '盤上: 着手',
  'keys.step': '盤と入力欄の外: 手を戻す・進める',
  'keys.stepAnywhere': 'どこでも: 手を戻す・進める',
  'keys.ends': '同じく: 対局の最初へ・最後へ',
  'keys.say': '局面を読み上げる',
  'keys.board': '盤へ移動',
  'keys.enterMove': '手を入力',
  'keys.pause': '一時停止・再開',
  'keys.theme': '配色を変える',
  'keys.language': '言語を変える',
  'keys.analysis': '解析の入・切',
  'keys.exact': '完全解析の入・切',
  'keys.anotherPiece': '手元の前・次のピース',
  'keys.turnPiece': 'ピースを左・右に回す',
  'keys.mirrorPiece': 'ピースを裏返す',
  'keys.nextFit': '次に置けるマスへ',
  'keys.anotherUnit': '前・次の行動可能なユニット',
  'keys.nextGoal': '次の選べるマスへ',
  'keys.threats': '脅威の表示',
  'keys.endTurn': 'ターン終了',
  'keys.help': 'このヘルプ',
};
