// The lesson of Othello.

const flipped = (/** @type {import('../js/server.js').Shown} */ { board }) => board.cells.filter(({ tags }) => tags.includes('flipped')).length;

/** @type {import('./lesson.js').Step[]} */
export const steps = [
  {
    says: {
      en: 'You are Black. Put a disc so that a white disc lies between it and another black one. The dots show where that is possible.',
      ja: 'あなたは黒です。打った石と別の黒石の間に白石がはさまるように打ちます。打てるところは点で示されています。',
    },
    task: { en: 'Play on one of the dots.', ja: '点のどれかに打ってみましょう。' },
    accept: () => true,
    done: { en: 'The white disc between yours was flipped and is black now.', ja: 'はさまれた白石が返って、黒石になりました。' },
  },
  {
    position: '-------------------X-------OOX-----OO-------OOX----------------- X',
    says: {
      en: 'One move flips in all directions at once: along rows, columns and diagonals.',
      ja: '一手で、縦・横・斜めのすべての向きの石を同時に返せます。',
    },
    task: { en: 'Find the move that flips five discs.', ja: '5 つ返せる手を見つけてください。' },
    accept: (_, shown) => flipped(shown) === 5,
    wrong: { en: 'That flips fewer than five. Look for the square where three lines meet.', ja: '返る石が 5 つより少ない手です。三方向の線が交わるマスを探しましょう。' },
    done: { en: 'Three lines at once: up, to the right, and between them.', ja: '上・右・斜めの三方向を一度に返しました。' },
  },
  {
    position: '-------------------X-------OOO-----XXX------XO--------O--------- X',
    says: {
      en: 'A disc in a corner can never be flipped: no line goes through it.',
      ja: '隅の石は決して返されません。はさまれる線がないからです。',
    },
    task: { en: 'Take the corner.', ja: '隅を取ってください。' },
    accept: (move) => move === 'h8',
    wrong: { en: 'That is not the corner. Look at the diagonal to the lower right.', ja: 'そこは隅ではありません。右下への斜めの線を見てください。' },
    done: { en: 'This corner is yours for the rest of the game.', ja: 'この隅は最後まで黒のものです。' },
  },
  {
    position: 'OOOOOO-XOOOOOOXXOOOOXXXXXOOOXXXOXOOOOXXOXOXOXXXXXXOXXXXXXXXXXXXX O',
    says: {
      en: 'White is to move, but can flip nothing: White passes. Watch the turn go back to Black.',
      ja: '白の番ですが、返せるところがありません。白はパスになり、黒の番に戻ります。',
    },
    task: { en: 'Then take the last square with Black.', ja: 'そのあと、黒で最後のマスに打ってください。' },
    accept: (move) => move === 'g1',
    done: {
      en: 'The board is full. Black has 37 discs, White 27: Black wins. Whoever has more discs at the end wins.',
      ja: '盤が埋まりました。黒 37、白 27 で黒の勝ちです。最後に石の多いほうが勝ちます。',
    },
  },
  {
    says: {
      en: 'That is all. A word of advice: corners are worth more than many discs, and having few discs early is no disadvantage.',
      ja: 'これで全部です。ひとつだけ: 隅は多くの石より価値があり、序盤に石が少なくても不利ではありません。',
    },
  },
];
