// The rules of the Game of Life and Death, with their pictures.

const BLINKER = '...../..0../..0../..1../.....';
// Blue lives outside of the part that is drawn: with one colour left the game would be over.
const ALIVE = { part: /** @type {[number, number, number, number]} */ ([0, 0, 6, 5]) };
const BIRTH = '........./.00....../........./....00.11/.......11';

/** @type {import('./page.js').Rules} */
export const rules = {
  aim: {
    en: 'Two colours of cells live on one board by the rules of Conway’s Game of Life. Make the other colour die out.',
    ja: 'コンウェイのライフゲームの盤の上に、二色のセルが暮らしています。相手の色を全滅させれば勝ちです。',
  },
  sections: [
    {
      title: { en: 'The start', ja: '始め方' },
      text: [
        {
          en: 'The board has 18 columns and 16 rows. Each side has 40 cells, at random places: Red in the upper half, Blue in the lower one, at the same places seen from the other side. Red moves first.',
          ja: '盤は横 18、縦 16 マスです。赤は上半分、青は下半分に 40 個ずつのセルを持ちます。配置は無作為ですが、青は赤を半回転させた形なので公平です。赤が先手です。',
        },
        {
          en: 'Beyond the edge of the board everything is dead.',
          ja: '盤の外はすべて死んでいるものとします。',
        },
      ],
      pictures: [
        {
          says: {
            en: 'A start. Hollow cells will die in the next generation; small ones will be born in it.',
            ja: '開始局面の例。中抜きのセルは次の世代で死に、小さい印のところには次の世代で生まれます。',
          },
        },
      ],
    },
    {
      title: { en: 'A generation', ja: '世代交代' },
      text: [
        {
          en: 'After every move all cells change at the same time. What happens to a cell depends on its eight neighbours.',
          ja: '一手ごとに、すべてのセルが同時に変化します。どうなるかは周りの 8 マスで決まります。',
        },
      ],
      pictures: [
        { position: '......../.00...11/......11/......../........', part: [0, 0, 5, 5], says: { en: 'Fewer than two living neighbours: it dies.', ja: '周りの生きたセルが 1 個以下: 死にます。' } },
        { position: '...../.00../.01../...../.....', says: { en: 'Two or three living neighbours of any colour: it lives on, in its own colour.', ja: '2 個か 3 個: 周りの色に関係なく、自分の色のまま生き残ります。' } },
        { position: '...../..0../.010./..1../.....', rings: ['2,2'], says: { en: 'More than three: it dies, as the one in the ring.', ja: '4 個以上: 丸印のセルのように死にます。' } },
        {
          position: '...../.0.../...1./.0.../.....',
          rings: ['2,2'],
          says: {
            en: 'A dead cell with exactly three living neighbours is born, in the colour of most of them: here red.',
            ja: '死んだセルの周りがちょうど 3 個: 多いほうの色で生まれます。ここでは赤です。',
          },
        },
      ],
    },
    {
      title: { en: 'Before and after', ja: '世代交代の例' },
      text: [
        {
          en: 'In the middle cell’s case two neighbours live, so it stays. The ends have only one neighbour and die. On both sides of the middle a cell is born: two of its three neighbours are red.',
          ja: '中央のセルは隣が 2 個なので残ります。両端は隣が 1 個しかないので死にます。中央の左右は周りが 3 個で、そのうち 2 個が赤なので、赤が生まれます。',
        },
      ],
      pictures: [
        { position: BLINKER, says: { en: 'Before the generation.', ja: '世代交代の前。' } },
        { position: BLINKER, moves: ['pass'], says: { en: 'After it: the blue cell is gone.', ja: '世代交代の後。青のセルはなくなりました。' } },
      ],
    },
    {
      title: { en: 'A move', ja: '手の種類' },
      text: [{ en: 'Make one of three moves. Then the generation follows.', ja: '次の三つから一つを選びます。その後に世代交代が起こります。' }],
      points: [
        {
          en: 'Birth: a dead cell becomes yours. You pay with two other living cells of yours, which die.',
          ja: '誕生: 死んだセルを一つ、自分のセルにします。その代わりに自分の生きたセルを二つ犠牲にします。',
        },
        { en: 'Kill: any living cell dies, your opponent’s or your own. It costs nothing.', ja: '殺す: 生きたセルを一つ殺します。相手のでも自分のでもよく、代償はありません。' },
        { en: 'Pass: nothing changes before the generation.', ja: 'パス: 何もせずに世代交代を迎えます。' },
      ],
      pictures: [
        { ...ALIVE, position: BIRTH, says: { en: 'Red to move. All four red cells would die …', ja: '赤の番。このままでは赤は四つとも死にます…' } },
        {
          ...ALIVE,
          position: BIRTH,
          placed: ['1,2', '4,3', '5,3'],
          says: { en: '… but Red gives up two of them for a birth beside the others …', ja: '…右の二つを犠牲に、左の二つの隣に誕生させると…' },
        },
        { ...ALIVE, position: BIRTH, moves: ['birth 1,2 4,3 5,3'], says: { en: '… and after the generation four cells live on.', ja: '…世代交代の後、四つのセルが生き残ります。' } },
      ],
    },
    {
      title: { en: 'Killing', ja: '殺す手' },
      text: [
        {
          en: 'A kill often does more than remove one cell: its neighbours lose a neighbour, too. And a new cell can be born where it stood.',
          ja: '一つ殺すだけで、周りのセルも隣を一つ失います。殺した跡に新しいセルが生まれることもあります。',
        },
      ],
      pictures: [
        { position: '...../.11../..1../...../0.0..', placed: ['2,1'], says: { en: 'Red kills one of three (crossed): the other two become lonely.', ja: '赤が三つのうち一つ（×印）を殺すと、残りの二つは孤立します。' } },
        { position: '...../.11../..1../...../0.0..', moves: ['kill 2,1'], says: { en: 'After the generation no blue cell is left, and a red one was born: Red wins.', ja: '世代交代の後、青は全滅し、赤が一つ生まれました。赤の勝ちです。' } },
      ],
    },
    {
      title: { en: 'The end', ja: '終局' },
      text: [{ en: 'The end is judged after each generation, not between a move and its generation.', ja: '勝敗は世代交代の後に判定します。手と世代交代の間では判定しません。' }],
      points: [
        { en: 'One colour is left: it wins, whoever has just moved.', ja: '一色だけが残ったら、どちらの手番の後でも、その色の勝ちです。' },
        { en: 'No cell is left: a draw. Look before you kill the last one of the other colour: one of yours must live on.', ja: 'どちらのセルもなくなったら引き分けです。相手の最後のセルを殺すときは、自分のセルが残るか確かめましょう。' },
        { en: 'After 100 rounds (100 moves of each side) the game is a draw. The numbers of cells do not matter.', ja: '100 ラウンド（両者 100 手ずつ）で決着がつかなければ引き分けです。セルの数は関係ありません。' },
      ],
    },
    {
      title: { en: 'Variants', ja: 'ルールの違い' },
      text: [
        {
          en: 'Usually each colour begins in its own half. With “mixed colours”, the rules of the first seasons, both colours are in both halves. “New game” offers both.',
          ja: '普通は両色がそれぞれの半分から始まります。「入り混じる」は初期の大会の規則で、両色が入り混じって始まります。「新しい対局」で選べます。',
        },
      ],
    },
  ],
};
