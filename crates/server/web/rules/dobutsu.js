// The rules of Dobutsu shogi and of its variants, with their pictures.

/**
 * A piece in the middle of nine squares, and where it may step.
 * @param {string} position
 * @param {string[]} dots
 * @param {import('../js/server.js').Words} says
 * @returns {import('./page.js').Picture}
 */
const piece = (position, dots, says) => ({ position, dots, says, hands: false, part: [0, 1, 3, 3] });

/** @type {import('./page.js').Rules} */
export const rules = {
  aim: {
    en: 'Catch your opponent’s lion, or bring your own lion safely across the board.',
    ja: '相手のライオンをつかまえるか、自分のライオンを無事に相手の陣地まで進めれば勝ちです。',
  },
  sections: [
    {
      title: { en: 'The start', ja: '始め方' },
      text: [
        {
          en: 'Each side has four animals on a board of three columns and four rows. Sente, at the bottom, moves first. A tile points in the direction in which its owner plays.',
          ja: '3×4 マスの盤に、それぞれ 4 匹の動物を並べます。下側が先手です。駒は持ち主から見て前を向いています。',
        },
        {
          en: 'In each turn you either move one animal on the board or drop one from your hand.',
          ja: '自分の番には、盤上の駒を一つ動かすか、持ち駒を一つ打ちます。',
        },
      ],
      pictures: [{ says: { en: 'The start. Captured animals go to the trays on the left and right.', ja: '開始局面。取った駒は左右の駒台に置きます。' } }],
    },
    {
      title: { en: 'How the animals move', ja: '駒の動き' },
      text: [
        {
          en: 'All animals step one square, in the directions of the dots on their tile. No animal may step onto one of its own side; one of the other side there is captured.',
          ja: 'どの駒も、駒に描かれた点の方向へ一マス動けます。味方のいるマスへは動けません。相手の駒のいるマスへ動くと、その駒を取れます。',
        },
      ],
      pictures: [
        piece('l2/3/1L1/3 b 2C2E2G 1', ['3b', '2b', '1b', '3c', '1c', '3d', '2d', '1d'], { en: 'The lion: in all eight directions.', ja: 'ライオン: 八方すべて。' }),
        piece('lL1/3/1G1/3 b 2C2EG 1', ['2b', '3c', '1c', '2d'], { en: 'The giraffe: straight, in four directions.', ja: 'きりん: 前後左右。' }),
        piece('lL1/3/1E1/3 b 2CE2G 1', ['3b', '1b', '3d', '1d'], { en: 'The elephant: diagonally, in four directions.', ja: 'ぞう: 斜めの四方向。' }),
        piece('lL1/3/1C1/3 b C2E2G 1', ['2b'], { en: 'The chick: one step forward.', ja: 'ひよこ: 前に一マス。' }),
        piece('lL1/3/1+C1/3 b C2E2G 1', ['3b', '2b', '1b', '3c', '1c', '2d'], {
          en: 'The hen: all directions but diagonally backward.',
          ja: 'にわとり: 斜め後ろ以外の六方向。',
        }),
      ],
    },
    {
      title: { en: 'Capturing and dropping', ja: '取る・打つ' },
      text: [
        {
          en: 'A captured animal changes sides: it goes into your hand, and in a later turn you may drop it on any empty square instead of moving.',
          ja: '取った駒は自分の持ち駒になります。後の番に、動かす代わりに空いたマスのどこにでも打てます。',
        },
        {
          en: 'Shogi’s bans on drops do not exist here: two chicks may stand in one column, and a dropped chick may give checkmate.',
          ja: '将棋のような打ち方の禁則はありません。二歩も打ち歩詰めも自由です。',
        },
      ],
      pictures: [
        { arrows: [['2c', '2b']], says: { en: 'Sente’s chick captures a chick …', ja: '先手のひよこがひよこを取ると…' } },
        { moves: ['2c2b'], says: { en: '… which is now in Sente’s hand.', ja: '…先手の持ち駒になります。' } },
        {
          position: 'g1e/1l1/3/ELG b Cc 1',
          dots: ['2a', '3b', '1b', '3c', '2c', '1c'],
          says: { en: 'A chick in hand may be dropped on any of the dots.', ja: '持ち駒のひよこは、点のどこにでも打てます。' },
        },
      ],
    },
    {
      title: { en: 'The chick grows up', ja: 'ひよこが成る' },
      text: [
        {
          en: 'A chick that moves onto the far row always becomes a hen. A hen that is captured is a chick again.',
          ja: '盤上のひよこが一番奥の段に進むと、必ずにわとりになります。にわとりは取られるとひよこに戻ります。',
        },
        {
          en: 'A chick that is dropped on the far row stays a chick, and can never move.',
          ja: '一番奥の段に打ったひよこは成りません。もう動くこともできません。',
        },
      ],
      pictures: [
        { position: 'gl1/2C/3/ELG b Ce 1', arrows: [['1b', '1a']], says: { en: 'One step before the far row …', ja: 'あと一歩で一番奥の段…' } },
        { position: 'gl1/2C/3/ELG b Ce 1', moves: ['1b1a+'], says: { en: '… and the chick is a hen.', ja: '…にわとりになりました。' } },
      ],
    },
    {
      title: { en: 'How to win', ja: '勝ち方' },
      text: [
        {
          en: 'Catch: capture the lion. Nobody has to answer a threat to their lion, but whoever does not will lose it.',
          ja: 'キャッチ: ライオンを取れば勝ちです。王手を受ける義務はありませんが、放っておくと取られて負けます。',
        },
        {
          en: 'Try: bring your lion to the far row, onto a square where it cannot be captured at once.',
          ja: 'トライ: 自分のライオンを一番奥の段に進めて、次の手で取られなければ勝ちです。',
        },
      ],
      pictures: [
        { position: 'g1e/1l1/1C1/ELG b c 1', arrows: [['2c', '2b']], says: { en: 'Catch: the chick takes the lion.', ja: 'キャッチ: ひよこがライオンを取ります。' } },
        { position: 'l2/2L/3/E1G b Ccge 1', arrows: [['1b', '1a']], says: { en: 'Try: nothing attacks the far square.', ja: 'トライ: 奥のマスを狙う駒はありません。' } },
        {
          position: 'lg1/2L/3/E1G b Cce 1',
          crosses: ['1a'],
          arrows: [['2a', '1a']],
          says: { en: 'No try: the giraffe would take the lion.', ja: 'トライ失敗: きりんに取られてしまいます。' },
        },
      ],
    },
    {
      title: { en: 'Draws and rare cases', ja: '引き分けなど' },
      points: [
        {
          en: 'When the same position, with the same hands and the same side to move, occurs for the third time, the game is a draw.',
          ja: '盤・持ち駒・手番が同じ局面が三回現れると引き分け（千日手）です。',
        },
        { en: 'Whoever has no legal move loses. This almost never happens.', ja: '動かせる駒がなければ負けです。まず起こりません。' },
        { en: 'With perfect play by both sides, Gote wins in 78 moves.', ja: '両者が最善を尽くすと、78 手で後手が勝ちます。' },
      ],
    },
    {
      title: { en: 'Variants', ja: 'ルールの違い' },
      text: [
        {
          en: 'Programs differ in what a lion may do. “New game” offers the rules above and two others; the article’s rules are a game of their own.',
          ja: 'ライオンの扱いはプログラムによって異なります。「新しい対局」では上の規則のほか次の二つを選べます。記事の規則は別のゲームです。',
        },
      ],
      points: [
        { en: '“No lion left to be captured” (legal): a lion may not be left where it can be captured; whoever cannot avoid it has lost.', ja: '「王手放置なし」（legal）: ライオンを取られる手は指せません。避けられなければ負けです。' },
        { en: '“Every try wins” (any-try): a lion that reaches the far row wins at once, even if it is attacked.', ja: '「トライは必ず勝ち」（any-try）: 奥の段に着けば、狙われていても勝ちです。' },
        {
          en: '“Dobutsu shogi of the article”: a lion on the far row always wins, the hen steps only forward and sideways, in five directions, and a position may not occur a fourth time.',
          ja: '「記事の規則」: 奥の段に着いたライオンは必ず勝ち、にわとりは前と横の五方向にだけ動き、同じ局面を四回にする手は指せません。',
        },
      ],
    },
  ],
};
