// The rules of Othello, with their pictures.

const LAST_PASS = 'OOOOOO-XOOOOOOXXOOOOXXXXXOOOXXXOXOOOOXXOXOXOXXXXXXOXXXXXXXXXXXXX O';
const THREE_WAYS = '-------------------X-------OOX-----OO-------OOX----------------- X';

/** @type {import('./page.js').Rules} */
export const rules = {
  aim: {
    en: 'Trap your opponent’s discs between yours, and they become yours. Whoever has more discs at the end wins.',
    ja: '相手の石を自分の石ではさむと、自分の石に変わります。最後に石の多いほうが勝ちです。',
  },
  sections: [
    {
      title: { en: 'The start', ja: '始め方' },
      text: [
        {
          en: 'The board has eight rows and eight columns. Four discs lie in the middle. Black moves first; then the players take turns.',
          ja: '盤は 8×8 マスです。中央に 4 つの石を置いて始めます。黒が先手で、あとは交互に打ちます。',
        },
      ],
      pictures: [
        {
          legal: true,
          says: { en: 'The start. The dots are the moves that Black can choose from.', ja: '開始局面。点は黒が打てるマスです。' },
        },
      ],
    },
    {
      title: { en: 'A move', ja: '打ち方' },
      text: [
        {
          en: 'Put a disc of your colour on an empty square so that a straight line of opposing discs, without a gap, lies between it and another disc of yours. All these discs are flipped.',
          ja: '空いたマスに自分の色の石を打ちます。打った石と自分の別の石の間に、相手の石がすき間なく一直線に並んでいれば、その石をすべて返します。',
        },
        {
          en: 'A line may run along a row, a column or a diagonal. One move flips the discs of all its lines at once.',
          ja: '縦・横・斜めのどの向きでもかまいません。一手でいくつもの向きを同時に返せます。',
        },
        {
          en: 'A move must flip at least one disc. Flipped discs do not flip further discs.',
          ja: '一つも返せないマスには打てません。返った石がさらに別の石を返すことはありません。',
        },
      ],
      pictures: [
        {
          position: THREE_WAYS,
          part: [2, 1, 6, 6],
          rings: ['d6'],
          arrows: [['d6', 'd3'], ['d6', 'f4'], ['d6', 'g6']],
          says: { en: 'Black moves to the ring: three lines end at a black disc.', ja: '黒が丸印に打つと、三方向に黒石があります。' },
        },
        {
          position: THREE_WAYS,
          moves: ['d6'],
          part: [2, 1, 6, 6],
          says: { en: 'Five discs were flipped. The white disc on e4 lay on none of these lines.', ja: '5 つの石が返りました。e4 の白石はどの線にもないので、そのままです。' },
        },
      ],
    },
    {
      title: { en: 'Passing', ja: 'パス' },
      text: [
        {
          en: 'Whoever cannot flip anything must pass, and the opponent moves again. Whoever can move may not pass. Banmen passes for you.',
          ja: '返せるところがなければパスになり、相手が続けて打ちます。打てるときにパスはできません。パスは自動で行われます。',
        },
      ],
      pictures: [
        {
          position: LAST_PASS,
          rings: ['g1'],
          says: {
            en: 'White is to move, but a white disc on g1 would flip nothing. White passes.',
            ja: '白の番ですが、g1 に打っても返せる石がありません。白はパスです。',
          },
        },
      ],
    },
    {
      title: { en: 'The end', ja: '終局' },
      text: [
        {
          en: 'The game ends when neither side can move, usually because the board is full. Whoever has more discs wins; equal numbers are a draw.',
          ja: 'どちらも打てなくなったら終わりです。たいていは盤が埋まったときです。石の多いほうが勝ち、同数なら引き分けです。',
        },
        {
          en: 'Squares that are empty at the end count for the winner: whoever flips all discs wins 64 to 0.',
          ja: '終局時に空いているマスは勝者のものと数えます。相手の石がなくなれば 64 対 0 です。',
        },
      ],
      pictures: [
        {
          position: LAST_PASS,
          moves: ['pa', 'g1'],
          says: { en: 'Black took g1. Black has 37 discs, White 27: Black wins by 10.', ja: '黒が g1 に打って終局。黒 37、白 27 で、黒の 10 石勝ちです。' },
        },
      ],
    },
    {
      title: { en: 'Good to know', ja: '知っておくと' },
      points: [
        {
          en: 'A disc in a corner can never be flipped. Corners are worth a lot, and the squares beside an empty corner are dangerous.',
          ja: '隅の石は決して返されません。隅は大きな価値があり、空いた隅の隣に打つのは危険です。',
        },
        {
          en: 'Having few discs early is no disadvantage: whoever has more moves to choose from is often better off.',
          ja: '序盤は石が少なくても不利ではありません。打てるところが多いほうが有利なことが多いのです。',
        },
        {
          en: 'With perfect play by both sides the game is a draw.',
          ja: '両者が最善を尽くすと引き分けになることが知られています。',
        },
      ],
    },
  ],
};
