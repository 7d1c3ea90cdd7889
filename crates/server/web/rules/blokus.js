// The rules of Blokus Duo and of its variants, with their pictures.

const FIRST_TWO = ['f9,e10,f10,g10,f11', 'i4,h5,i5,j5,i6'];

/**
 * A small board: `b` and `w` are squares of both colours, `n` those of a new piece of the first.
 * @param {string[]} rows
 * @returns {import('../js/server.js').Board}
 */
function corner(...rows) {
  /** @type {Record<string, import('../js/server.js').Side>} */
  const owners = { b: 'first', n: 'first', w: 'second' };
  const cells = [...rows.join('')].map((letter) => {
    const owner = owners[letter] ?? null;
    return { at: '', piece: owner && 'square', owner, tags: letter === 'n' ? ['last'] : [] };
  });
  return { width: rows[0].length, height: rows.length, cells, hands: [], extra: {} };
}

/** @type {import('./page.js').Rules} */
export const rules = {
  aim: {
    en: 'Place your pieces corner to corner and claim the board. Whoever has placed more squares at the end wins.',
    ja: 'ピースを角と角でつなげて陣地を広げます。最後に多くのマスを置いたほうが勝ちです。',
  },
  sections: [
    {
      title: { en: 'The start', ja: '始め方' },
      text: [
        {
          en: 'The board has 14 rows and 14 columns. Each side has the same 21 pieces, of one to five squares, 89 squares in all. Violet begins; then the players take turns.',
          ja: '盤は 14×14 マスです。両者が 1〜5 マスの同じピースを 21 個、合わせて 89 マスずつ持ちます。紫が先手で、交互に一つずつ置きます。',
        },
        { en: 'A piece may be turned and mirrored in every way.', ja: 'ピースは回しても裏返してもかまいません。' },
      ],
      pictures: [{ pieces: true, says: { en: 'The 21 pieces of Violet.', ja: '紫の 21 個のピース。' } }],
    },
    {
      title: { en: 'The first pieces', ja: '最初のピース' },
      text: [
        {
          en: 'Violet’s first piece must cover the upper left start cell, Orange’s first the lower right one. They are marked with a ring.',
          ja: '最初のピースはスタートのマスを覆うように置きます。紫は左上、橙は右下の丸印です。',
        },
      ],
      pictures: [
        { says: { en: 'The empty board with both start cells.', ja: '空の盤と二つのスタート。' } },
        {
          moves: FIRST_TWO,
          says: { en: 'After both first pieces. The small triangles are the corners to which the next pieces can be attached.', ja: '両者の最初のピース。小さな三角は次のピースをつなげられる角です。' },
        },
      ],
    },
    {
      title: { en: 'Corners, never edges', ja: '角はつなぐ、辺は離す' },
      text: [
        {
          en: 'Every further piece must touch a piece of your own colour at a corner, and may touch none of your own along an edge. Pieces of the other colour may be touched in any way. Pieces never overlap, and never move again.',
          ja: '二つめからは、自分の色のピースと角で接していなければならず、辺で接してはいけません。相手のピースとはどう接してもかまいません。重ねることはできず、置いたピースは動かせません。',
        },
      ],
      pictures: [
        { board: corner('......', '.b....', '.bb...', '...n..', '..nn..', '......'), says: { en: 'Right: the new piece (framed) touches at a corner.', ja: '○ 新しいピース（枠）が角で接しています。' } },
        { board: corner('......', '.bw...', '.bbw..', '...nw.', '...nn.', '......'), says: { en: 'Right: the other colour may be touched along an edge.', ja: '○ 相手のピースとは辺で接してもかまいません。' } },
        {
          board: corner('......', '.b....', '.bbn..', '...n..', '......', '......'),
          says: { en: 'Wrong: it shares an edge with its own colour.', ja: '× 自分のピースと辺で接しています。' },
        },
        { board: corner('......', '.b....', '.bb...', '......', '...nn.', '......'), says: { en: 'Wrong: it touches no corner of its own colour.', ja: '× 自分のピースの角に接していません。' } },
      ],
    },
    {
      title: { en: 'Passing and the end', ja: 'パスと終局' },
      text: [
        {
          en: 'Whoever can place no piece passes, and never gets another move; the other side goes on alone. Whoever can place a piece may not pass. The game ends when nobody can place one.',
          ja: '置けるピースがなくなった側はパスになり、その後も置けるようにはなりません。相手は一人で続けます。置けるうちはパスできません。どちらも置けなくなったら終わりです。',
        },
      ],
      points: [
        { en: 'Each square that you have placed is a point.', ja: '置いたマス 1 つが 1 点です。' },
        { en: 'All 21 pieces placed: 15 more points.', ja: '21 個すべてを置くと 15 点が加わります。' },
        { en: 'And the last one was the single square: 5 more.', ja: 'さらに最後が 1 マスのピースなら 5 点が加わります。' },
        { en: 'The higher score wins; equal scores are a draw. 109 points are the most.', ja: '点の多いほうが勝ち、同点は引き分けです。最高は 109 点です。' },
      ],
    },
    {
      title: { en: 'Good to know', ja: '知っておくと' },
      points: [
        { en: 'Begin with large pieces: they are hard to place later.', ja: '大きいピースから使いましょう。後になるほど置きにくくなります。' },
        { en: 'Head for the middle, and keep many corners open.', ja: '中央に向かい、角を多く残しておきましょう。' },
        { en: 'A piece in front of the other’s corners closes them.', ja: '相手の角の先に置けば、その角を使えなくできます。' },
      ],
    },
    {
      title: { en: 'Variants', ja: 'ルールの違い' },
      text: [{ en: '“New game” also offers:', ja: '「新しい対局」では次の規則も選べます。' }],
      points: [
        { en: '“Free start” (free-start): each side’s first piece may cover either start cell.', ja: '「スタート自由」（free-start）: 最初のピースはどちらのスタートに置いてもかまいません。' },
        { en: '“Ends with the last piece” (contest), of the FPGA design contests: the game ends at once when one side has placed all its pieces.', ja: '「置き切りで終局」（contest、FPGA デザインコンテスト）: 一方がすべてのピースを置いた時点で終わります。' },
      ],
    },
  ],
};
