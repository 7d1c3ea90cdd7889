// The rules of TUBSTAP, with their pictures and tables.

const ENDLESS = 'LIMIT 29 THRESHOLD 10';
const HILLS = `SIZE 9 7 ${ENDLESS} TERRAIN 000000000/013311110/013411110/011111110/014331110/011111110/000000000`;

/**
 * A cell by itself, for tables.
 * @param {string} terrain
 * @param {string | null} piece
 * @param {import('../js/server.js').Words} says
 * @returns {import('./page.js').Picture}
 */
const icon = (terrain, piece, says) => ({
  board: { width: 1, height: 1, hands: [], extra: {}, cells: [{ at: '', piece, owner: piece === null ? null : 'first', tags: [], terrain }] },
  part: [0, 0, 1, 1],
  says,
});

/** @type {Record<string, import('../js/server.js').Words>} */
const NAMES = {
  I: { en: 'infantry', ja: '歩兵' },
  P: { en: 'panzer', ja: '戦車' },
  U: { en: 'cannon', ja: '自走砲' },
  R: { en: 'antiair', ja: '対空砲' },
  F: { en: 'fighter', ja: '戦闘機' },
  A: { en: 'attacker', ja: '攻撃機' },
};

/** @param {string} kind */
const unit = (kind) => icon('plain', kind, NAMES[kind]);

/** The attacks of the row's unit on the column's. */
const POWER = [
  ['I', '55', '5', '10', '3', '–', '–'],
  ['P', '75', '55', '70', '75', '–', '–'],
  ['U', '90', '60', '75', '65', '–', '–'],
  ['R', '105', '15', '50', '45', '70', '70'],
  ['F', '–', '–', '–', '–', '55', '65'],
  ['A', '115', '105', '105', '85', '–', '–'],
];

/** @type {import('./page.js').Rules} */
export const rules = {
  aim: {
    en: 'Lead a small army across a map. Destroy all units of the other side, or be clearly ahead when the turns are over.',
    ja: 'マップの上で小さな軍を率います。相手のユニットを全滅させるか、ターンの上限で大きくリードしていれば勝ちです。',
  },
  sections: [
    {
      title: { en: 'The start', ja: '始め方' },
      text: [
        {
          en: 'There are many maps; each has its terrain and its units. Red’s units are squares, Blue’s are discs. The number is a unit’s hit points, 10 at most. Red moves first.',
          ja: 'マップはたくさんあり、地形とユニットが決まっています。赤は四角、青は丸で、数字は HP（最大 10）です。赤が先手です。',
        },
        {
          en: 'Nothing is hidden and nothing is random; units are neither built nor repaired.',
          ja: '隠れた情報も運の要素もありません。ユニットの生産や回復もありません。',
        },
      ],
      pictures: [{ says: { en: 'The map map01.', ja: 'マップ map01。' } }],
    },
    {
      title: { en: 'A turn', ja: '1 ターン' },
      text: [
        {
          en: 'In a turn each of your units may act once, in any order. It moves, or stays where it is; then it may attack one enemy. It does not move after an attack.',
          ja: '自分のターンには、各ユニットが好きな順に一度ずつ行動できます。移動するか、その場にとどまり、続けて敵を一つ攻撃できます。攻撃した後は動けません。',
        },
        {
          en: 'When all have acted, or when you end the turn, the other side has its turn. Units that have acted are marked and faded.',
          ja: '全部が行動するか、ターン終了を選ぶと相手のターンになります。行動したユニットには印がつきます。',
        },
      ],
      pictures: [
        {
          position: `SIZE 7 5 ${ENDLESS} TERRAIN 0000000/0111110/0113110/0111110/0000000 UNITS 0:P:0:1,1:10:0 1:I:0:1,3:10:1 2:I:1:5,2:10:0`,
          arrows: [['1,1', '4,2'], ['4,2', '5,2']],
          says: { en: 'The panzer can move next to the infantry and attack it. Red’s infantry has acted.', ja: '戦車は歩兵の隣へ移動して攻撃できます。赤の歩兵は行動済みです。' },
        },
      ],
    },
    {
      title: { en: 'Moving', ja: '移動' },
      text: [
        {
          en: 'Every cell that a unit enters costs move points. Units of your own may be passed, enemies may not, and only one unit fits on a cell.',
          ja: 'マスに入るたびに移動力を使います。味方のいるマスは通り抜けられますが、敵のいるマスは通れません。一つのマスには一つのユニットしか入れません。',
        },
      ],
      pictures: [
        { position: `${HILLS} UNITS 0:I:0:4,3:10:0 1:I:1:7,5:10:0`, reach: '0', says: { en: 'Infantry, 3 points: also climbs mountains, for 2.', ja: '歩兵（移動力 3）: 山にも 2 で登れます。' } },
        { position: `${HILLS} UNITS 0:P:0:4,3:10:0 1:I:1:7,5:10:0`, reach: '0', says: { en: 'A panzer, 6 points: a forest costs 2, mountains are closed.', ja: '戦車（移動力 6）: 森は 2 かかり、山には入れません。' } },
      ],
    },
    {
      title: { en: 'Units', ja: 'ユニット' },
      text: [
        {
          en: 'Most units attack the four cells beside them. The cannon shoots two or three cells far, counted along rows and columns, but only from where it stood at the beginning: it moves or shoots.',
          ja: 'ほとんどのユニットは上下左右に隣り合う敵を攻撃します。自走砲は縦横の距離が 2 か 3 の敵を撃てますが、動かなかったときだけです。',
        },
      ],
      table: {
        says: { en: 'Units', ja: 'ユニットの一覧' },
        head: [{ en: 'Unit', ja: 'ユニット' }, { en: 'Move points', ja: '移動力' }, { en: 'Reach of attacks', ja: '射程' }],
        rows: [
          [unit('I'), '3', '1'],
          [unit('P'), '6', '1'],
          [unit('U'), '5', { en: '2 to 3', ja: '2〜3' }],
          [unit('R'), '6', '1'],
          [unit('F'), '9', '1'],
          [unit('A'), '7', '1'],
        ],
      },
      pictures: [
        {
          position: `SIZE 9 7 ${ENDLESS} TERRAIN 000000000/011111110/011111110/011111110/011111110/011111110/000000000 UNITS 0:U:0:4,3:10:0 1:I:1:7,5:10:0`,
          dots: ['4,1', '3,2', '5,2', '2,3', '6,3', '3,4', '5,4', '4,5', '3,1', '5,1', '2,2', '6,2', '1,3', '7,3', '2,4', '6,4', '3,5', '5,5'],
          says: { en: 'Where a cannon can shoot.', ja: '自走砲の射程。' },
        },
      ],
    },
    {
      title: { en: 'Terrain', ja: '地形' },
      text: [
        {
          en: 'Terrain slows units down, and protects units on the ground: the more stars of defence, the smaller the damage. Aircraft fly over everything for one point a cell, and no terrain protects them.',
          ja: '地形は移動を遅くし、地上のユニットを守ります。防御の星が多いほど受けるダメージが減ります。航空機はどこでも 1 で飛べますが、地形に守られません。',
        },
      ],
      table: {
        says: { en: 'Terrain: stars of defence, and the move points that a cell costs', ja: '地形の防御の星と、入るのに必要な移動力' },
        head: [
          { en: 'Terrain', ja: '地形' },
          { en: 'Defence', ja: '防御' },
          { en: 'Infantry', ja: '歩兵' },
          { en: 'Panzer, cannon, antiair', ja: '戦車・自走砲・対空砲' },
          { en: 'Aircraft', ja: '航空機' },
        ],
        rows: [
          [icon('road', null, { en: 'road', ja: '道路' }), '0', '1', '1', '1'],
          [icon('plain', null, { en: 'plain', ja: '平地' }), '1', '1', '1', '1'],
          [icon('forest', null, { en: 'forest', ja: '森' }), '3', '1', '2', '1'],
          [icon('mountain', null, { en: 'mountain', ja: '山' }), '4', '2', '–', '1'],
          [icon('fortress', null, { en: 'fortress', ja: '要塞' }), '4', '1', '1', '1'],
          [icon('sea', null, { en: 'sea', ja: '海' }), '0', '–', '–', '1'],
          [icon('no-entry', null, { en: 'no entry', ja: '進入不可' }), '0', '–', '–', '–'],
        ],
      },
    },
    {
      title: { en: 'Attacks', ja: '攻撃' },
      text: [
        {
          en: 'The damage depends on both units, on the hit points of the attacker, and on the terrain of the defender. A unit without hit points is removed. The page shows the damage before you confirm an attack.',
          ja: 'ダメージは両方のユニットの種類、攻撃側の HP、守備側の地形で決まります。HP が 0 になったユニットは取り除かれます。ダメージは攻撃を決める前に表示されます。',
        },
        {
          en: 'If the defender survives, it strikes back with the hit points it has left. A cannon neither strikes back nor is struck back at.',
          ja: '守備側が生き残ると、残った HP で反撃します。自走砲は反撃せず、自走砲への反撃もありません。',
        },
        {
          en: 'Damage: (power × attacker’s HP + 70) ÷ (100 + stars × defender’s HP), rounded down, and never more than the defender’s HP. For aircraft the stars are 0.',
          ja: 'ダメージ =（威力 × 攻撃側の HP + 70）÷（100 + 星 × 守備側の HP）の切り捨て。守備側の HP が上限です。航空機の星は 0 とします。',
        },
        {
          en: 'An example: a panzer with 10 HP attacks infantry with 10 HP on a plain: (75 × 10 + 70) ÷ (100 + 1 × 10) = 7. In a forest it would be 6, on a mountain 5.',
          ja: '例: HP 10 の戦車が平地の HP 10 の歩兵を攻撃すると（75 × 10 + 70）÷（100 + 1 × 10）= 7。森なら 6、山なら 5 です。',
        },
      ],
      table: {
        says: { en: 'Power of an attack of the unit on the left on the one above', ja: '威力（左のユニットが上のユニットを攻撃するとき）' },
        head: [{ en: 'Attacker', ja: '攻撃側' }, ...['I', 'P', 'U', 'R', 'F', 'A'].map(unit)],
        rows: POWER.map(([kind, ...powers]) => [unit(kind), ...powers]),
      },
    },
    {
      title: { en: 'The end', ja: '終局' },
      points: [
        { en: 'A side without units has lost at once.', ja: 'ユニットがなくなった側はその時点で負けです。' },
        {
          en: 'When the turn limit of the map is reached (turns of both sides count), the sums of all hit points are compared. A lead that is larger than the map’s threshold wins; otherwise the game is a draw.',
          ja: 'マップのターン上限に達したら（両者のターンを数えます）、HP の合計を比べます。差がマップの基準を超えていれば勝ち、そうでなければ引き分けです。',
        },
        { en: 'Limit and threshold stand below the board: “a final lead over 10 HP wins”. A lead of exactly 10 is then a draw.', ja: '上限と基準は盤の下に出ています。基準が 10 なら、ちょうど 10 の差は引き分けです。' },
      ],
    },
    {
      title: { en: 'Maps', ja: 'マップ' },
      text: [
        {
          en: 'The dialog of a new game offers the maps of the original, of tournaments and of research, puzzles, and random fair maps. On some maps a few units have already acted when the game begins.',
          ja: '「新しい対局」で、原作や大会・研究のマップ、問題、無作為の公平なマップを選べます。一部のユニットが最初から行動済みのマップもあります。',
        },
      ],
    },
  ],
};
