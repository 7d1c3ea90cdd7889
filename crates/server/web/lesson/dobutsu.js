// The lesson of Dobutsu shogi.

const wins = (/** @type {string} */ _, /** @type {import('../js/server.js').Shown} */ { outcome }) => outcome?.winner === 'first';

/** @type {import('./lesson.js').Step[]} */
export const steps = [
  {
    says: {
      en: 'You play from below. Every animal steps one square; the dots on its tile say in which directions. The chick steps only forward.',
      ja: 'あなたは下側です。どの動物も一マスずつ動き、動ける方向は駒の点で示されています。ひよこは前にだけ進めます。',
    },
    task: { en: 'Choose your chick, and capture the chick in front of it.', ja: 'ひよこを選んで、目の前のひよこを取ってください。' },
    accept: (move) => move === '2c2b',
    wrong: { en: 'That is possible, but take the chick this time.', ja: 'それも指せますが、今はひよこを取ってみましょう。' },
    done: { en: 'Captured! It belongs to you now and lies in the tray on the right.', ja: '取れました。右の駒台に置かれ、あなたの持ち駒になりました。' },
  },
  {
    position: 'g1e/1l1/3/ELG b Cc 1',
    says: {
      en: 'Instead of moving you may drop an animal from your hand on any empty square.',
      ja: '動かす代わりに、持ち駒を空いたマスのどこにでも打てます。',
    },
    task: { en: 'Choose the chick in the tray, and drop it on a dot.', ja: '駒台のひよこを選んで、点のどれかに打ってください。' },
    accept: (move) => move.startsWith('C*'),
    wrong: { en: 'Use the chick in the tray.', ja: '駒台のひよこを使ってください。' },
    done: { en: 'It plays for your side again from there.', ja: '打った駒は、そこから味方として動きます。' },
  },
  {
    position: 'gle/3/1c1/E1L b GC 1',
    says: { en: 'The elephant steps diagonally, the giraffe straight, the lion in all directions.', ja: 'ぞうは斜め、きりんは縦横、ライオンはすべての方向に動きます。' },
    task: { en: 'Capture the chick with your elephant.', ja: 'ぞうでひよこを取ってください。' },
    accept: (move) => move === '3d2c',
    wrong: { en: 'Use the elephant, on the lower left.', ja: '左下のぞうを使ってください。' },
    done: { en: 'Right. The lion could have captured it, too.', ja: '正解です。ライオンでも取れました。' },
  },
  {
    position: 'gl1/2C/3/ELG b Ce 1',
    says: { en: 'A chick that steps onto the far row becomes a hen, which moves in six directions.', ja: 'ひよこは一番奥の段に進むと、六方向に動けるにわとりになります。' },
    task: { en: 'Let the chick grow up.', ja: 'ひよこをにわとりにしてください。' },
    accept: (move) => move === '1b1a+',
    wrong: { en: 'Step onto the far row with the chick on the right.', ja: '右のひよこを一番奥の段に進めてください。' },
    done: { en: 'A hen. And it attacks the lion!', ja: 'にわとりになりました。しかもライオンに王手です。' },
  },
  {
    position: 'g1e/1l1/1C1/ELG b c 1',
    says: { en: 'Whoever captures the lion wins.', ja: 'ライオンを取れば勝ちです（キャッチ）。' },
    task: { en: 'Catch the lion.', ja: 'ライオンをつかまえてください。' },
    accept: wins,
    wrong: { en: 'The lion stands right in front of one of your animals.', ja: 'ライオンのすぐ後ろに、あなたの駒があります。' },
    done: { en: 'Caught: you win.', ja: 'キャッチ。あなたの勝ちです。' },
  },
  {
    position: 'l2/2L/3/E1G b Ccge 1',
    says: {
      en: 'The other way to win: bring your lion to the far row, where it cannot be captured at once.',
      ja: 'もう一つの勝ち方は、取られない場所で自分のライオンを一番奥の段に進めることです（トライ）。',
    },
    task: { en: 'Bring the lion across safely.', ja: 'ライオンを無事に一番奥へ進めてください。' },
    accept: wins,
    wrong: { en: 'Go to the far row, but not beside the other lion.', ja: '一番奥の段へ。ただし相手のライオンの隣は危険です。' },
    done: { en: 'Safe: you win. That is all you need to know.', ja: 'トライ成功。ルールはこれで全部です。' },
  },
];
