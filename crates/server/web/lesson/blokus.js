// The lesson of Blokus Duo.

const TWO = '............../............../............../.....b......../....bbb......./.....b......../............../............../........w...../.......www..../........w...../............../............../.............. b';
const SIX = '............../...b........../...bb........./...b.bb......./....bb......../....b........./..bb.....www../...b...w..w.../.......w..w.ww/.......www.www/............../............../............../.............. b';

/** Whether a move touches a square of the other side along an edge. @param {string} move @param {import('../js/server.js').Shown} shown */
function touches(move, { board: { cells, width } }) {
  const own = new Set(move.split(','));
  return cells.some(({ at, owner }, i) => {
    const column = i % width;
    const near = [column > 0 ? i - 1 : -1, column < width - 1 ? i + 1 : -1, i - width, i + width];
    return owner === 'second' && near.some((j) => own.has(cells[j]?.at) && at !== cells[j].at);
  });
}

/** @type {import('./lesson.js').Step[]} */
export const steps = [
  {
    says: {
      en: 'You are Violet. Choose a piece from your hand, turn or mirror it as you like, and place it. Your first piece must cover the ring at the upper left.',
      ja: 'あなたは紫です。手元のピースを選び、好きに回したり裏返したりして置きます。最初のピースは左上の丸印を覆ってください。',
    },
    task: { en: 'Place a piece over the ring.', ja: '丸印の上にピースを置いてください。' },
    accept: () => true,
    done: { en: 'Placed. The small triangles are its corners.', ja: '置けました。小さな三角がピースの角です。' },
  },
  {
    position: TWO,
    says: {
      en: 'Every further piece must touch one of yours at a corner, and none of yours along an edge. The board marks where the held piece fits.',
      ja: '二つめからは、自分のピースと角で接し、辺では接しないように置きます。持っているピースを置けるところは盤に示されます。',
    },
    task: { en: 'Attach a second piece at a corner.', ja: '角につなげて二つめを置いてください。' },
    accept: () => true,
    done: { en: 'Right: corner to corner.', ja: 'そのとおり。角と角です。' },
  },
  {
    position: SIX,
    says: {
      en: 'Orange may be touched along edges. That is how you get into its area and close its corners.',
      ja: '相手のピースとは辺で接してもかまいません。そうして相手の陣地に入り、角をふさぎます。',
    },
    task: { en: 'Place a piece that touches an orange one along an edge.', ja: '橙のピースと辺で接するように置いてください。' },
    accept: (move, shown) => touches(move, shown),
    wrong: { en: 'That piece touches no orange one. Start from the corner below your lowest piece.', ja: '橙のピースに接していません。いちばん下のピースの角から伸ばしてみましょう。' },
    done: { en: 'Well placed.', ja: 'よい場所です。' },
  },
  {
    says: {
      en: 'When neither side can place a piece, the squares on the board are counted; whoever has more wins. Begin with large pieces, and head for the middle.',
      ja: 'どちらも置けなくなったら、置いたマスの多いほうが勝ちです。大きいピースから使い、中央に向かいましょう。',
    },
  },
];
