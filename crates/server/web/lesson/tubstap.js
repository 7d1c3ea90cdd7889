// The lesson of TUBSTAP, on small maps.

const RULES = 'LIMIT 29 THRESHOLD 10';
const FIELD = `SIZE 9 6 ${RULES} TERRAIN 000000000/011111110/011331110/011131110/011111110/000000000`;

/** @type {import('./lesson.js').Step[]} */
export const steps = [
  {
    position: `${FIELD} UNITS 0:I:0:2,2:10:0 1:I:1:7,3:10:0`,
    says: {
      en: 'You are Red, the squares. Choose a unit: the cells that it can reach are marked. Choose one to go there. Where it could attack an enemy from there, choose it again.',
      ja: 'あなたは赤（四角）です。ユニットを選ぶと移動できるマスが示されます。行き先を選ぶと移動します。そこから攻撃できる敵がいるときは、もう一度選びます。',
    },
    task: { en: 'Move your infantry.', ja: '歩兵を動かしてください。' },
    accept: (move) => move.startsWith('0@') && move !== '0@2,2',
    wrong: { en: 'Move the infantry to another cell.', ja: '歩兵を別のマスへ動かしてください。' },
    done: { en: 'Moved. The number is its hit points.', ja: '動きました。数字は HP です。' },
  },
  {
    position: `${FIELD} UNITS 0:P:0:1,1:10:0 1:I:1:6,2:10:0`,
    says: {
      en: 'A unit may attack an enemy beside it after moving. What both will lose is shown before you confirm.',
      ja: '移動した後、隣の敵を攻撃できます。両者が失う HP は、決める前に表示されます。',
    },
    task: { en: 'Attack the blue infantry with your panzer.', ja: '戦車で青の歩兵を攻撃してください。' },
    accept: (move) => move.endsWith('>1'),
    wrong: { en: 'Choose the panzer, then the infantry, and confirm.', ja: '戦車を選び、次に敵の歩兵を選んで決定します。' },
    done: { en: 'A good attack. What is left of the infantry struck back, but too weakly.', ja: 'よい攻撃です。残った歩兵の反撃はわずかでした。' },
  },
  {
    position: `${FIELD} UNITS 0:U:0:2,3:10:0 1:P:1:5,3:10:0 2:I:1:7,1:10:0`,
    says: {
      en: 'The cannon shoots two or three cells far, but only if it does not move. Nobody strikes back at it.',
      ja: '自走砲は動かなければ、2〜3 マス離れた敵を撃てます。反撃は受けません。',
    },
    task: { en: 'Shoot at the panzer.', ja: '戦車を撃ってください。' },
    accept: (move) => move === '0@2,3>1',
    wrong: { en: 'Stay, and attack the panzer.', ja: '動かずに戦車を攻撃してください。' },
    done: { en: 'No counter: it is too far away.', ja: '離れているので反撃はありません。' },
  },
  {
    position: `SIZE 8 5 ${RULES} TERRAIN 00000000/01111110/01131110/01111110/00000000 UNITS 0:I:0:1,2:10:0 1:I:1:4,2:10:0`,
    says: {
      en: 'Terrain protects: the more stars of defence, the less damage. The forest has three, a plain one.',
      ja: '地形はユニットを守ります。防御の星が多いほどダメージが減ります。森は 3、平地は 1 です。',
    },
    task: { en: 'Attack the blue infantry from the forest.', ja: '森から青の歩兵を攻撃してください。' },
    accept: (move) => move === '0@3,2>1',
    wrong: { en: 'First choose the forest beside the enemy, then the enemy.', ja: '先に敵の隣の森を選び、次に敵を選びます。' },
    done: { en: 'The counter was weaker than on a plain.', ja: '平地よりも反撃が軽くなりました。' },
  },
  {
    position: `${FIELD} UNITS 0:I:0:1,2:10:0 1:R:0:2,4:10:0 2:P:1:7,2:10:0`,
    says: {
      en: 'In a turn each of your units acts once, in any order. Then the other side has its turn.',
      ja: '1 ターンに、各ユニットが好きな順で一度ずつ行動します。その後、相手のターンになります。',
    },
    task: { en: 'Finish your turn: act with both units, or press “End turn”.', ja: 'ターンを終えてください。二つとも行動させるか、「ターン終了」を押します。' },
    accept: (_, { side }) => side === 'second' || null,
    done: { en: 'Now it is Blue’s turn.', ja: '青のターンになりました。' },
  },
  {
    says: {
      en: 'Destroy all units of the other side, or lead clearly in hit points when the turns are over. Concentrate your attacks, and mind the threats (V).',
      ja: '相手を全滅させるか、ターンの上限で HP が大きく上回れば勝ちです。攻撃を集中させ、敵の脅威（V キー）に気をつけましょう。',
    },
  },
];
