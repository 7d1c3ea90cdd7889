// Every word of the page, in every language it speaks. A test compares the keys.

/** @typedef {import('./server.js').Words} Words */
/** @typedef {import('./server.js').Fault} Fault */

/** @type {Record<string, Record<string, string>>} */
export const strings = {
  en: {
    'skip': 'Skip to the board',
    'noscript': 'Banmen needs JavaScript.',
    'game': 'Game',
    'theme.system': 'Theme: system',
    'theme.light': 'Theme: light',
    'theme.dark': 'Theme: dark',
    'language': '日本語',
    'help': 'Help',
    'close': 'Close',
    'connecting': 'Connecting…',
    'offline': 'The connection is lost. Trying again…',
    'online': 'Connected again.',

    'board': '{game} board',
    'board.about': 'Arrow keys move, Enter or Space plays.',
    'cell.empty': 'empty',
    'cell.piece': '{side} {piece}',
    'cell.legal': 'legal',
    'cell.last': 'last move',
    'cell.flipped': 'just flipped',
    'cell.hint': 'hint',
    'join': ', ',
    'joinSentences': ' ',
    'stop': '.',
    'piece.disc': 'disc',
    'pass': 'pass',

    'person': 'You',
    'player.engine': 'Engine',
    'player.random': 'Random moves',
    'player.classic': 'Classic',
    'player.greedy': 'Greedy',
    'level': 'level {level}',

    'status.person': '{side} to move',
    'status.thinking': '{side} is thinking…',
    'status.pass': '{side} has no move and passes.',
    'status.paused': 'Paused. {side} to move',
    'status.past': 'Looking back: move {ply} of {count}',
    'status.win': '{side} wins by {margin}',
    'status.winPlain': '{side} wins',
    'status.draw': 'A draw',
    'said.move': '{side}: {move}.',
    'said.flipped': 'Flipped: {count}.',
    'said.legal': 'Legal moves: {moves}.',
    'said.legalCount': 'Legal moves: {count}.',
    'said.score': '{first} {a}, {second} {b}.',
    'said.undo': 'Taken back to move {ply}.',
    'said.redo': 'Played again to move {ply}.',
    'said.hint': 'Hint: {move}.',
    'said.noHint': 'No hint here.',
    'said.newGame': 'New game: {game}.',
    'said.flip': 'Board turned.',
    'said.theme': '{theme}.',
    'said.lost': 'The stored game could not be read, so here is a new one.',

    'action.undo': 'Undo',
    'action.redo': 'Redo',
    'action.hint': 'Hint',
    'action.flip': 'Turn board',
    'action.moveNow': 'Move now',
    'action.pause': 'Pause',
    'action.resume': 'Resume',
    'action.step': 'One move',
    'action.fromHere': 'Play from here',
    'action.back': 'Back to the game',
    'action.newGame': 'New game',
    'action.again': 'Play again',
    'actions': 'Actions',
    'otherMoves': 'Moves off the board',

    'analysis': 'Analysis',
    'analysis.on': 'Analyse',
    'analysis.bar': 'Expected score',
    'analysis.barText': '{first} {a} %, {second} {b} %',
    'analysis.idle': 'Lines appear while an engine thinks, or all the time with “Analyse”.',
    'analysis.over': 'The game is over.',
    'analysis.wait': 'Thinking…',
    'analysis.value': 'Score',
    'analysis.line': 'Line for {side}, move {ply}',
    'analysis.depth': 'depth {n}',
    'analysis.nodes': '{n} nodes',
    'analysis.playouts': '{n} playouts',
    'analysis.speed': '{n} nodes/s',
    'analysis.proven': 'solved',
    'unit.discs': 'discs',

    'moves': 'Moves',
    'moves.start': 'Start',
    'moves.first': 'To the start',
    'moves.previous': 'One move back',
    'moves.next': 'One move forward',
    'moves.last': 'To the end',
    'moves.enter': 'Type a move',
    'moves.example': 'e.g. {move}',
    'moves.play': 'Play',

    'dialog.player': 'Player',
    'dialog.level': 'Level',
    'dialog.settings': 'More settings',
    'dialog.time': 'Time for a move',
    'dialog.seconds': '{n} s',
    'dialog.swap': 'Swap sides',
    'dialog.start': 'Start',
    'dialog.cancel': 'Cancel',

    'keys': 'Keys',
    'keys.switch': 'Single-key shortcuts',
    'keys.arrows': 'On the board: go to another cell',
    'keys.enter': 'On the board: play',
    'keys.step': 'Elsewhere: step through the moves',
    'keys.stepAnywhere': 'Step through the moves, anywhere',
    'keys.ends': 'To the start, to the end',
    'keys.say': 'Say the position',
    'keys.board': 'Go to the board',
    'keys.enterMove': 'Type a move',
    'keys.pause': 'Pause or resume',
    'keys.theme': 'Change the theme',
    'keys.language': 'Change the language',
    'keys.analysis': 'Analysis on or off',
    'keys.help': 'This help',

    'error.illegal_move': '{move} cannot be played here.',
    'error.illegal_move.occupied': '{move} is already taken.',
    'error.illegal_move.turns_nothing': '{move} would flip nothing.',
    'error.illegal_move.pass_not_allowed': 'Passing is not allowed here.',
    'error.illegal_move.game_over': 'The game is over.',
    'error.illegal_move.not_a_move': '{move} is not a move here.',
    'error.bad_move': 'That is not a move in this game’s notation.',
    'error.bad_position': 'This position cannot be read.',
    'error.unknown_game': 'The server does not know this game.',
    'error.unknown_player': 'The server does not know this player.',
    'error.unknown_key': 'The player has no setting “{name}”.',
    'error.out_of_range': 'Out of range: {key} is {range}.',
    'error.too_large': 'That is too much at once.',
    'error.busy': 'The server is busy. Try again in a moment.',
    'error.stopped': 'The search was stopped.',
    'error.page.past': 'This is an earlier position. Choose “Play from here” to change the game.',
    'error.page.turn': 'It is not your turn.',
    'error.page.one': 'One move at a time, please.',
  },
  ja: {
    'skip': '盤へ移動',
    'noscript': 'Banmen には JavaScript が必要です。',
    'game': 'ゲーム',
    'theme.system': '配色: システム',
    'theme.light': '配色: ライト',
    'theme.dark': '配色: ダーク',
    'language': 'English',
    'help': 'ヘルプ',
    'close': '閉じる',
    'connecting': '接続しています…',
    'offline': '接続が切れました。再接続しています…',
    'online': '再接続しました。',

    'board': '{game}の盤',
    'board.about': '矢印キーで移動、Enter かスペースで着手します。',
    'cell.empty': '空き',
    'cell.piece': '{side}の{piece}',
    'cell.legal': '合法手',
    'cell.last': '直前の手',
    'cell.flipped': '返った石',
    'cell.hint': 'ヒント',
    'join': '、',
    'joinSentences': '',
    'stop': '。',
    'piece.disc': '石',
    'pass': 'パス',

    'person': 'あなた',
    'player.engine': 'エンジン',
    'player.random': 'ランダム',
    'player.classic': 'クラシック',
    'player.greedy': '欲張り',
    'level': 'レベル {level}',

    'status.person': '{side}の番です',
    'status.thinking': '{side}が考えています…',
    'status.pass': '{side}は打てる手がないのでパスします。',
    'status.paused': '一時停止中（{side}の番）',
    'status.past': '{count} 手中 {ply} 手目を見ています',
    'status.win': '{side}の勝ち（{margin} 差）',
    'status.winPlain': '{side}の勝ち',
    'status.draw': '引き分け',
    'said.move': '{side} {move}。',
    'said.flipped': '{count} 個返し。',
    'said.legal': '合法手: {moves}。',
    'said.legalCount': '合法手は {count} 手。',
    'said.score': '{first} {a}、{second} {b}。',
    'said.undo': '{ply} 手目まで戻しました。',
    'said.redo': '{ply} 手目まで進めました。',
    'said.hint': 'ヒント: {move}。',
    'said.noHint': 'ここにはヒントがありません。',
    'said.newGame': '新しい対局: {game}。',
    'said.flip': '盤の向きを変えました。',
    'said.theme': '{theme}。',
    'said.lost': '保存された対局を読めなかったので、新しい対局を始めます。',

    'action.undo': '待った',
    'action.redo': 'やり直す',
    'action.hint': 'ヒント',
    'action.flip': '盤を回す',
    'action.moveNow': '今すぐ着手',
    'action.pause': '一時停止',
    'action.resume': '再開',
    'action.step': '一手進める',
    'action.fromHere': 'ここから対局',
    'action.back': '対局に戻る',
    'action.newGame': '新しい対局',
    'action.again': 'もう一局',
    'actions': '操作',
    'otherMoves': '盤の外の手',

    'analysis': '解析',
    'analysis.on': '解析する',
    'analysis.bar': '期待得点',
    'analysis.barText': '{first} {a} %、{second} {b} %',
    'analysis.idle': 'エンジンの思考中に読み筋が出ます。「解析する」で常に表示します。',
    'analysis.over': '対局は終わりました。',
    'analysis.wait': '考えています…',
    'analysis.value': '期待値',
    'analysis.line': '{side}の読み筋（{ply} 手目）',
    'analysis.depth': '深さ {n}',
    'analysis.nodes': '{n} 局面',
    'analysis.playouts': '{n} プレイアウト',
    'analysis.speed': '毎秒 {n} 局面',
    'analysis.proven': '読み切り',
    'unit.discs': '石',

    'moves': '棋譜',
    'moves.start': '開始局面',
    'moves.first': '最初へ',
    'moves.previous': '一手戻る',
    'moves.next': '一手進む',
    'moves.last': '最後へ',
    'moves.enter': '手を入力',
    'moves.example': '例: {move}',
    'moves.play': '着手',

    'dialog.player': '対局者',
    'dialog.level': 'レベル',
    'dialog.settings': '詳しい設定',
    'dialog.time': '一手の時間',
    'dialog.seconds': '{n} 秒',
    'dialog.swap': '先後を入れ替える',
    'dialog.start': '始める',
    'dialog.cancel': 'やめる',

    'keys': 'キー操作',
    'keys.switch': '一文字のショートカット',
    'keys.arrows': '盤上: マスを移動',
    'keys.enter': '盤上: 着手',
    'keys.step': '盤の外: 手を進める・戻す',
    'keys.stepAnywhere': 'どこでも: 手を戻す・進める',
    'keys.ends': '最初へ・最後へ',
    'keys.say': '局面を読み上げる',
    'keys.board': '盤へ移動',
    'keys.enterMove': '手を入力',
    'keys.pause': '一時停止・再開',
    'keys.theme': '配色を変える',
    'keys.language': '言語を変える',
    'keys.analysis': '解析の入・切',
    'keys.help': 'このヘルプ',

    'error.illegal_move': 'ここでは {move} は打てません。',
    'error.illegal_move.occupied': '{move} にはもう石や駒があります。',
    'error.illegal_move.turns_nothing': '{move} では石を返せません。',
    'error.illegal_move.pass_not_allowed': 'ここではパスできません。',
    'error.illegal_move.game_over': '対局は終わっています。',
    'error.illegal_move.not_a_move': '{move} はここでの手ではありません。',
    'error.bad_move': 'このゲームの棋譜の書き方ではありません。',
    'error.bad_position': 'この局面は読めません。',
    'error.unknown_game': 'サーバーにこのゲームはありません。',
    'error.unknown_player': 'サーバーにこの対局者はいません。',
    'error.unknown_key': 'この対局者に「{name}」という設定はありません。',
    'error.out_of_range': '範囲の外です: {key} は {range} です。',
    'error.too_large': '一度に送る量が多すぎます。',
    'error.busy': 'サーバーが混んでいます。少し待ってからもう一度どうぞ。',
    'error.stopped': '探索は止められました。',
    'error.page.past': '前の局面を見ています。変えるには「ここから対局」を選んでください。',
    'error.page.turn': 'あなたの番ではありません。',
    'error.page.one': '一手ずつ入力してください。',
  },
};

const language = () => document.documentElement.lang;

/**
 * The words for a key in the page's language, with `{name}` filled in from `args`.
 * @param {string} key
 * @param {Record<string, unknown>} [args]
 * @returns {string}
 */
export function text(key, args = {}) {
  const words = (strings[language()] ?? strings.en)[key] ?? key;
  return words.replace(/\{(\w+)\}/g, (_, name) => String(args[name] ?? ''));
}

/**
 * The words for a key, or `fallback` where the table has none.
 * @param {string} key
 * @param {string} fallback
 * @returns {string}
 */
export function textOr(key, fallback) {
  return Object.hasOwn(strings.en, key) ? text(key) : fallback;
}

/**
 * The server's words in the page's language.
 * @param {Words} words
 * @returns {string}
 */
export const inLanguage = (words) => words[language()] ?? words.en;

/**
 * A number as people write it: 812,345 or 8.4 M.
 * @param {number} n
 * @returns {string}
 */
export function short(n) {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(n);
}

/**
 * Why the server, or the page, said no.
 * @param {Fault} fault
 * @returns {string}
 */
export function reason(fault) {
  for (const key of [`error.${fault.code}.${fault.reason}`, `error.${fault.code}`]) {
    if (Object.hasOwn(strings.en, key)) return text(key, fault.args ?? {});
  }
  return fault.message || fault.code;
}
