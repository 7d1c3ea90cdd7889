// The lesson of the Game of Life and Death, on small boards.

/** @typedef {import('../js/server.js').Shown} Shown */

/** @type {import('./lesson.js').Step[]} */
export const steps = [
  {
    position: '......./......./...0.../...0.../...1.../......./.......',
    says: {
      en: 'After each move a generation follows. A living cell stays if two or three of its eight neighbours live; otherwise it dies: the hollow ones will. The small signs will be born.',
      ja: '一手ごとに世代交代が起こります。生きたセルは、周りの 8 マスのうち 2 個か 3 個が生きていれば残り、そうでなければ死にます。中抜きのセルは次に死に、小さい印のところに次に生まれます。',
    },
    task: { en: 'Press “pass” below the board and watch.', ja: '盤の下の「パス」を押して見てみましょう。' },
    accept: (move) => move === 'pass',
    wrong: { en: 'Just pass this time.', ja: '今はパスしてみましょう。' },
    done: {
      en: 'The ends had one neighbour each and died. Two cells were born, each with three neighbours.',
      ja: '両端のセルは隣が 1 個だけなので死にました。周りがちょうど 3 個のマスに、二つ生まれました。',
    },
  },
  {
    position: '......./......./..01.../....0../..1..../......./.......',
    says: {
      en: 'A dead cell with exactly three living neighbours is born, in the colour of most of them. The middle has four: nothing would be born. You may kill any living cell. Point at one to see what would follow.',
      ja: '周りの生きたセルがちょうど 3 個の死んだセルには、多いほうの色が生まれます。中央の周りは 4 個なので、何も生まれません。生きたセルはどれでも一つ殺せます。セルを指すと結果が見えます。',
    },
    task: { en: 'You are Red. Kill one cell so that a red one is born in the middle.', ja: 'あなたは赤です。一つ殺して、中央に赤が生まれるようにしてください。' },
    accept: (_, { board }) => board.cells.find(({ at }) => at === '3,3')?.owner === 'first',
    wrong: { en: 'Nothing red would be born in the middle. Leave two red cells and one blue cell beside it.', ja: 'それでは中央に赤が生まれません。中央の周りに赤 2 個と青 1 個を残しましょう。' },
    done: { en: 'Two red neighbours and one blue: the newborn is red.', ja: '赤 2 個と青 1 個だったので、赤が生まれました。' },
  },
  {
    position: '........./.00....../........./....00.11/.......11',
    says: {
      en: 'A birth is paid for: a dead cell becomes yours, and two other cells of yours die. All four red cells here would die anyway.',
      ja: '誕生には代償があります。死んだセルを一つ自分のものにする代わりに、自分のセルを二つ犠牲にします。ここの赤はどのみち四つとも死にます。',
    },
    task: {
      en: 'Choose a dead cell below the two on the left, then the two on the right, then “Play”: four red cells shall live afterwards.',
      ja: '左の二つのすぐ下の空きマスを選び、次に右の二つを選んで着手します。赤が四つ生き残るようにしてください。',
    },
    accept: (_, { board }) => Number(board.extra.first) >= 4,
    wrong: { en: 'Fewer than four would live. Make the two on the left three, in a corner.', ja: 'それでは四つ残りません。左の二つと合わせて L 字の三つにしましょう。' },
    done: { en: 'Three in a corner make a fourth: a block that lives on.', ja: 'L 字の三つから四つめが生まれ、消えない形になりました。' },
  },
  {
    position: '......./..11.../...1.../......./.0.0.../......./.......',
    says: { en: 'Whoever makes the other colour die out wins.', ja: '相手の色を全滅させれば勝ちです。' },
    task: { en: 'One kill is enough: find it.', ja: '一つ殺すだけで勝てます。見つけてください。' },
    accept: (_, { outcome }) => outcome?.winner === 'first',
    wrong: { en: 'Blue would live on, or Red would not. Try another one.', ja: '青が残るか、赤がいなくなります。別のセルを試しましょう。' },
    done: { en: 'The other two became lonely, and where three cells met a red one was born: Red wins.', ja: '残った二つは孤立して死に、三つのセルの間に赤が生まれました。赤の勝ちです。' },
  },
  {
    position: '........./.00...1../.0....11./..0...1../...0.1.../..1...0../.11....0./..1...00./......... 0',
    says: {
      en: 'A board to try things on: point at cells to see what a move would do, and play what you like, for both colours.',
      ja: '自由に試せる盤です。セルを指すと結果が見えます。両方の色で、好きな手を打ってみましょう。',
    },
  },
  {
    says: {
      en: 'The real board is larger, but nothing is new on it. If both colours live after 100 rounds, the game is a draw.',
      ja: '本当の盤はもっと大きいですが、ルールは同じです。100 ラウンド後に両方の色が残っていれば引き分けです。',
    },
  },
];
