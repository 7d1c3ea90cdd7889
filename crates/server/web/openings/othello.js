// The names of Othello's openings, as players use them. A name belongs to a position: the order of the moves does not matter, nor
// which of the four first moves was played. A game keeps the last name that it had.

/** Moves, and the name in English and in Japanese. @type {[moves: string, en: string, ja: string][]} */
export const NAMES = [
  ['f5d6', 'Perpendicular', '縦取り'],
  ['f5f6', 'Diagonal', '斜め取り'],
  ['f5f4', 'Parallel', '並び取り'],
  ['f5d6c3d3c4', 'Tiger', '虎'],
  ['f5d6c3d3c4b3', 'Aubrey', 'イエス流'],
  ['f5d6c3d3c4b5', 'Berg Tiger', 'Berg Tiger'],
  ['f5d6c3d3c4f4c5b3c2', 'Rose-Bill', 'ローズビル'],
  ['f5d6c3d3c4f4e3', 'Brightwell', 'ブライトウェル'],
  ['f5d6c3d3c4f4e6', 'Leader’s Tiger', 'Leader’s Tiger'],
  ['f5d6c3d3c4f4f6', 'Stephenson', 'ステファンソン'],
  ['f5d6c3d3c4f4f6b4', 'Kung', 'Kung'],
  ['f5d6c3d3c4f4f6f3', 'Comp’Oth', 'コンポス'],
  ['f5d6c3d3c4f4f6f3e3', 'Lightning Bolt', 'ライトニングボルト'],
  ['f5d6c3d3c4f4f6g5', 'No-Kung', 'ノーカン'],
  ['f5d6c3f4f6', 'Dragon', '龍'],
  ['f5d6c3g5', 'Ganglion', 'ミサイル'],
  ['f5d6c4d3c5', 'Cat', '猫'],
  ['f5d6c4d3e6', 'Italian', '羊'],
  ['f5d6c4g5', 'No-Cat', 'ノーキャット'],
  ['f5d6c4g5c6', 'Swallow', '燕'],
  ['f5d6c5f4d3', 'Horse', '馬'],
  ['f5d6c5f4e3', 'Rabbit', '兎'],
  ['f5d6c5f4e3c6d3f3', 'Ralle', 'ラル'],
  ['f5d6c5f4e3c6d3f6e6d7', 'Rose', 'ローズ'],
  ['f5d6c5f4e3c6d3f6e6d7g4', 'Flat Rose', 'フラットローズ'],
  ['f5d6c5f4e3c6d3f6e6d7g3c4', 'Rose-Birth', 'Sローズ'],
  ['f5d6c5f4e3c6d3f6e6d7e7', 'Greenberg', '手塚システム'],
  ['f5d6c5f4e3c6d7', 'Bhagat', 'Bhagat'],
  ['f5d6c5f4e3c6e6', 'Inoue', '井上流'],
  ['f5d6c5f4e3c6f3', 'Shaman', 'シャーマン'],
  ['f5d6c5f4e3d3', 'Mimura', '三村流'],
  ['f5f4e3', 'Mouse', '鼠'],
  ['f5f6e6f4c3', 'Buffalo', 'バッファロー'],
  ['f5f6e6f4c3c4', 'Hokuriku Buffalo', '北陸バッファロー'],
  ['f5f6e6f4c3d6f3', 'Tanida Buffalo', '谷田バッファロー'],
  ['f5f6e6f4c3d7f3', 'Maruoka Buffalo', '丸岡バッファロー'],
  ['f5f6e6f4e3', 'Cow', '牛'],
  ['f5f6e6f4e3c5g5', 'Bat', 'こうもり'],
  ['f5f6e6f4e3d6', 'Chimney', '白大量取り'],
  ['f5f6e6f4g3', 'Rocket', 'ロケット'],
  ['f5f6e6f4g4', 'Raccoon Dog', '狸'],
  ['f5f6e6f4g5', 'Heath', '飛び出し牛'],
  ['f5f6e6f4g5d6', 'Heath-Chimney', '大量取り'],
  ['f5f6e6f4g5e7d7', 'Iwasaki', '岩崎流'],
  ['f5f6e6f4g5e7e3', 'Heath-Bat', '裏こうもり'],
  ['f5f6e6f4g6', 'Snake', '蛇'],
  ['f5f6e6f4g6c6', 'Lysons', 'コブラ'],
  ['f5f6e6f4g7', 'X-square', '暴走牛'],
];

/** The steps to the eight neighbours of a square, on a board of ten by ten squares whose border is empty. */
const STEPS = [-11, -10, -9, -1, 1, 9, 10, 11];

/** @typedef {Int8Array} Position squares of the board and its border, row by row: 1 Black's, −1 White's, 0 empty */

/** @returns {Position} */
function start() {
  const position = new Int8Array(100);
  position[45] = position[54] = 1;
  position[44] = position[55] = -1;
  return position;
}

/** @param {string} move */
const indexOf = (move) => 10 * Number(move[1]) + move.charCodeAt(0) - 96;

/**
 * Plays a move of a side, 1 or −1, which must be legal.
 * @param {Position} position
 * @param {number} at
 * @param {number} side
 */
function play(position, at, side) {
  for (const step of STEPS) {
    let end = at + step;
    while (position[end] === -side) end += step;
    if (position[end] === side) for (let turned = at + step; turned !== end; turned += step) position[turned] = side;
  }
  position[at] = side;
}

/** The same text for the four images of a position, of the symmetries that keep the start. @param {Position} position */
function keyOf(position) {
  const image = (/** @type {(row: number, column: number) => number} */ from) =>
    Array.from({ length: 64 }, (_, at) => '-XO'.at(position[from((at >> 3) + 1, (at & 7) + 1)])).join('');
  return [
    image((row, column) => 10 * row + column),
    image((row, column) => 10 * column + row),
    image((row, column) => 99 - 10 * row - column),
    image((row, column) => 99 - 10 * column - row),
  ].sort()[0];
}

/** The text of every position of a line, from the first move on. @param {string[]} moves */
function keysOf(moves) {
  const position = start();
  return moves.map((move, ply) => {
    play(position, indexOf(move), ply % 2 ? -1 : 1);
    return keyOf(position);
  });
}

/** The names by position. */
const BY_POSITION = new Map(NAMES.map(([line, en, ja]) => [keysOf(line.match(/../g) ?? []).at(-1), { en, ja }]));

/** The number of moves of the longest line. */
const LONGEST = Math.max(...NAMES.map(([line]) => line.length / 2));

/**
 * The name of the opening that a game from the usual start began with, whatever the order of its moves; null before it has one.
 * @param {string[]} moves legal ones; nobody has to pass in an opening
 * @returns {Record<string, string> | null}
 */
export function openingOf(moves) {
  const keys = keysOf(moves.slice(0, LONGEST));
  return keys.map((key) => BY_POSITION.get(key)).findLast(Boolean) ?? null;
}
