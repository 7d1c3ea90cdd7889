// TUBSTAP: terrain distinguished by patterns and tones, and units: squares of the first side, discs of the second, each with a sign
// of its kind and its hit points.

import { svg } from '../js/elements.js';
import { text, textOr } from '../js/strings.js';

/**
 * @typedef {import('../js/views.js').Board} Board
 * @typedef {import('../js/views.js').Side} Side
 * @typedef {import('../js/orders.js').Action} Action
 */

/** @param {number} x @param {number} y @param {number} r */
const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

/**
 * The sign of each kind of unit: what is filled, and what is drawn with a broad line.
 * @type {Record<string, [string, string]>}
 */
const SIGNS = {
  F: ['M0-29 5-11 25 7v7L6 9 4 20l8 6v4L0 27l-12 3v-4l8-6L-6 9l-19 5V7L-5-11z', ''],
  A: [`M0-27q5 4 5 13l22 5v8H5L4 13l9 6v6h-26v-6l9-6L-5-1h-22v-8l22-5q0-9 5-13z${disc(-17, 7, 4.5)}${disc(17, 7, 4.5)}`, ''],
  P: ['M-20 7h40a8 8 0 0 1 0 16h-40a8 8 0 0 1 0-16zM-20 4l5-9h30l5 9zM-11-7v-8q0-3 3-3H6q3 0 3 3v8z', 'M9-13h18'],
  U: [disc(-7, 12, 4), `${disc(-7, 12, 11)}M-27 22-7 12M-13 5 23-19`],
  R: ['M-24 11h48v6q0 7-7 7h-34q-7 0-7-7zM-14 8V1q0-3 3-3h22q3 0 3 3v7z', 'M-7-2 3-24M5-2 15-24'],
  I: [`${disc(0, -15, 9)}M-15 25V11Q-15-3 0-3t15 14v14z`, ''],
};

/** @param {string} kind @param {Side | null} owner */
function unit(kind, owner) {
  const [filled, line] = SIGNS[kind] ?? ['', ''];
  const body =
    owner === 'second'
      ? svg('circle', { class: 'body', r: 38 })
      : svg('rect', { class: 'body', x: -36, y: -36, width: 72, height: 72, rx: 9 });
  const sign = svg('g', { class: 'sign' }, svg('path', { d: filled }), svg('path', { class: 'line', d: line }));
  return svg('g', { class: `unit ${owner}` }, body, sign);
}

/** @param {number} x @param {number} y */
const tree = (x, y) => `M${x} ${y - 13}l10 17h-7v5h-6v-5h-7z`;

/** The pattern of each terrain but roads. @type {Record<string, string>} */
const PATTERNS = {
  plain: 'M-38 38l3-8 3 8m64-68 3-8 3 8M-40-30l3-8 3 8m68 68 3-8 3 8',
  forest: [[-36, -33], [0, -36], [36, -33], [-37, 2], [37, 2], [-36, 38], [0, 40], [36, 38], [0, 3]].map(([x, y]) => tree(x, y)).join(''),
  mountain: 'M-50 50-28-8-12 28 8-46 32 16 40 0 50 22V50z',
  sea: [-36, -12, 12, 36].map((y) => `M-46 ${y}q11.5-12 23 0t23 0 23 0 23 0`).join(''),
  fortress: 'M-46 46v-92h15v12h16v-12h30v12h16v-12h15v92H17V22q0-14-17-14t-17 14v24z',
  'no-entry': 'M-50 0 0-50M-50 50 50-50M0 50 50 0',
};

/** From the middle up, right, down and left; square ends lead to the edge of the cell. */
const WAYS = ['M0 0V-33', 'M0 0H33', 'M0 0V33', 'M0 0H-33'];

/** @param {string} move @returns {Action | null} */
function read(move) {
  const parts = /^(\d+)@(\d+,\d+)(?:>(\d+))?$/.exec(move);
  return parts && { unit: parts[1], to: parts[2], target: parts[3] ?? null };
}

/** "panzer 3" @param {unknown} kind @param {unknown} number */
const named = (kind, number) => text('act.unit', { kind: textOr(`piece.${kind}`, ''), number });

/** @type {import('../js/views.js').Units} */
const units = {
  end: 'end',
  pace: 1000,
  read,
  write: ({ unit, to, target }) => `${unit}@${to}${target === null ? '' : `>${target}`}`,
  word: (key, args) => text(`act.${key}`, args),
  named,

  said(move, { cells, extra }) {
    const action = read(move);
    if (!action) return text('act.ended');
    const { unit, to, target } = action;
    /** @type {Record<string, any>} */
    const { last, units: places, attacks } = extra;
    const done = last?.move === move ? last : null;
    const kindOf = (/** @type {string | null} */ number) => cells.find(({ at }) => number !== null && at === places[number])?.piece;
    const parts = { unit: named(done?.kind ?? kindOf(unit), unit), to, target: named(done?.target_kind ?? kindOf(target), target) };
    if (target === null) return text(done?.from === to ? 'act.stayed' : 'act.moved', parts);
    const [damage, counter] = done ? [done.damage, done.counter] : (attacks?.[move] ?? [0, 0]);
    return text(counter ? 'act.fought' : 'act.attacked', { ...parts, damage, counter });
  },

  facts({ extra: { turn, limit, threshold } }, map) {
    const now = Math.min(Number(turn) + 1, Number(limit));
    // The name of a map, not the text of a position.
    return [map.length < 40 && map, text('act.facts', { now, limit, threshold })].filter(Boolean).join(' · ');
  },

  summary: ({ width, height, extra }) => text('act.map', { width, height, limit: extra.limit }),
};

/** @type {import('../js/views.js').View} */
export const view = {
  ground: (width, height) => [svg('rect', { class: 'field', width: width * 100, height: height * 100 })],

  terrain(name, beside) {
    const ground = svg('rect', { class: 'tone', x: -50, y: -50, width: 100, height: 100 });
    if (name !== 'road') return [ground, svg('path', { class: 'pattern', d: PATTERNS[name] ?? '' })];
    const ways = WAYS.filter((_, i) => ['road', 'fortress'].includes(beside[i] ?? '')).join('') || 'M-33 0H33';
    return [ground, svg('path', { class: 'way', d: ways }), svg('path', { class: 'dashes', d: ways })];
  },

  piece: unit,

  mark(tag, { piece }) {
    const frame = { class: piece ? `${tag} over` : tag, x: -46, y: -46, width: 92, height: 92, rx: 7 };
    // Over a unit there is a frame only, and its own cell needs none beside that of the chosen unit.
    if (tag === 'threat' && !piece) return svg('path', { class: tag, d: 'M-46-14-14-46M-46 18 18-46M-46 46 46-46M-18 46 46-18M14 46 46 14' });
    if (tag === 'threat' || tag === 'reach' || (tag === 'goal' && !piece)) return svg('rect', frame);
    if (tag === 'target' || tag === 'aimed') return svg('path', { class: tag, d: `${disc(0, 0, 41)}M0-49v18M0 49V31M-49 0h18M49 0H31` });
    if (tag === 'acted') return svg('g', { class: 'done' }, svg('circle', { cx: -34, cy: -34, r: 13 }), svg('path', { d: 'M-40-34l5 5 8-10' }));
    return null;
  },

  last: () => svg('rect', { class: 'last-cell', x: -46, y: -46, width: 92, height: 92, rx: 8 }),

  units,

  words: {
    en: {
      'board.about':
        'Arrow keys move. Enter chooses a unit, then a cell or an enemy, and plays on the second press. Escape takes a choice back. J and K go to the units that can act, D to where the unit can go, V shows threats, O ends the turn.',
      'keys.enter': 'On the board: choose a unit, a cell, an enemy; again: play',
      'piece.F': 'fighter',
      'piece.A': 'attacker',
      'piece.P': 'panzer',
      'piece.U': 'cannon',
      'piece.R': 'antiair',
      'piece.I': 'infantry',
      'terrain.no-entry': 'no entry',
      'terrain.plain': 'plain',
      'terrain.sea': 'sea',
      'terrain.forest': 'forest',
      'terrain.mountain': 'mountain',
      'terrain.road': 'road',
      'terrain.fortress': 'fortress',
      'cell.label': '{label} HP',
      'cell.acted': 'has acted',
      'cell.goal': 'in reach',
      'cell.reach': 'in reach',
      'cell.threat': 'threatened',
      'cell.target': 'can be attacked',
      'cell.aimed': 'to be attacked',
      'act.unit': '{kind} {number}',
      'act.owned': '{side} {unit}',
      'act.moved': '{unit} to {to}',
      'act.stayed': '{unit} stays on {to}',
      'act.attacked': '{unit} from {to} attacks {target}: {damage} damage, no counter',
      'act.fought': '{unit} from {to} attacks {target}: {damage} damage, counter {counter}',
      'act.ended': 'end of the turn',
      'act.facts': 'Turn {now} of {limit} · a final lead over {threshold} HP wins',
      'act.map': '{width}×{height}, {limit} turns',
      'act.choose': 'Choose a unit. Still to act: {count}.',
      'act.held': '{unit}: choose a cell or an enemy.',
      'act.cell': '{unit} to {to}. Choose an enemy, or {to} again to only move.',
      'act.stay': '{unit} on {to}. Choose an enemy, or {to} again to stay.',
      'act.only': '{unit} on {to}. Choose {to} again to stay.',
      'act.aim': '{unit} attacks {target} from {to}: {damage} damage, counter {counter}.',
      'act.terrain': '{at}: {terrain}, defence {stars}',
      'act.stands': '{unit}, {hp} HP, on {at} ({terrain}, defence {stars})',
      'act.reaches': 'reaches {count} cells',
      'act.threats': 'threatened by {units}',
      'act.danger': '{count} HP at risk',
      'act.attack': 'Attack',
      'act.move': 'Move',
      'act.wait': 'Stay',
      'act.play': 'Play',
      'act.back': 'Back',
      'act.threat': 'Threats',
      'act.end': 'End turn',
      'act.shown': 'Threats are shown. Cells: {count}.',
      'act.hidden': 'Threats are hidden.',
      'act.none': '{at}: no unit of yours that can act.',
      'act.acted': '{at}: that unit has acted.',
      'act.far': '{at}: out of reach.',
      'act.safe': '{at}: that unit cannot be attacked now.',
      'dialog.time': 'Time per turn',
      'dialog.positions': 'Map',
      'by.annihilation': 'the other side has no unit left',
      'by.hit points': 'hit points at the turn limit',
      'player.smaef': 'Rule-based',
      'player.m-uct': 'M-UCT',
      'player.m-uct-plus': 'M-UCT, improved',
      'player.s-uct': 'S-UCT',
      'player.rhea': 'Evolved plans',
      'player.tbets': 'Tree of plans',
      'error.illegal_move.no_unit': '{move}: there is no such unit.',
      'error.illegal_move.destroyed': '{move}: that unit has been destroyed.',
      'error.illegal_move.wrong_side': '{move}: that unit belongs to the other side.',
      'error.illegal_move.acted': '{move}: the unit has acted in this turn.',
      'error.illegal_move.out_of_reach': '{move}: the unit cannot get there.',
      'error.illegal_move.occupied': '{move}: another unit is there.',
      'error.illegal_move.no_enemy': '{move}: that is no enemy.',
      'error.illegal_move.moves_and_fires': '{move}: the cannon attacks only from where it stands.',
      'error.illegal_move.out_of_range': '{move}: the target is out of range.',
      'about.engine': 'Our strongest: tree search over plans for whole turns.',
      'about.smaef': 'The rule-based player of the original: the best attack, else a step of a random unit.',
      'about.m-uct': 'Muto’s M-UCT: a tree of unit actions, with playouts that attack.',
      'about.m-uct-plus': 'M-UCT whose opponent plays for itself, with a kept tree.',
      'about.s-uct': 'S-UCT: the tree has two stages, the unit and its action.',
      'about.rhea': 'Evolves plans for the turn.',
      'about.tbets': 'A tree of whole turns, whose plans are made by evolution.',
    },
    ja: {
      'board.about':
        '矢印キーで移動、Enter でユニット、次に行き先か敵を選び、もう一度 Enter で実行、Escape で選択を戻します。J と K で行動可能なユニット、D で行けるマスへ、V で脅威の表示、O でターン終了。',
      'keys.enter': '盤上: ユニット、マス、敵を選ぶ。もう一度で実行',
      'piece.F': '戦闘機',
      'piece.A': '攻撃機',
      'piece.P': '戦車',
      'piece.U': '自走砲',
      'piece.R': '対空砲',
      'piece.I': '歩兵',
      'terrain.no-entry': '進入不可',
      'terrain.plain': '平地',
      'terrain.sea': '海',
      'terrain.forest': '森',
      'terrain.mountain': '山',
      'terrain.road': '道路',
      'terrain.fortress': '要塞',
      'cell.label': 'HP {label}',
      'cell.acted': '行動済み',
      'cell.goal': '移動可能',
      'cell.reach': '移動範囲',
      'cell.threat': '攻撃される',
      'cell.target': '攻撃可能',
      'cell.aimed': '攻撃目標',
      'act.unit': '{kind}{number}',
      'act.owned': '{side}の{unit}',
      'act.moved': '{unit} が {to} へ',
      'act.stayed': '{unit} は {to} で待機',
      'act.attacked': '{unit} が {to} から {target} を攻撃: ダメージ {damage}、反撃なし',
      'act.fought': '{unit} が {to} から {target} を攻撃: ダメージ {damage}、反撃 {counter}',
      'act.ended': 'ターン終了',
      'act.facts': 'ターン {now} / {limit}・終了時に HP 差が {threshold} を超えれば勝ち',
      'act.map': '{width}×{height}、{limit} ターン',
      'act.choose': 'ユニットを選んでください。残り {count}。',
      'act.held': '{unit}: 行き先か敵を選んでください。',
      'act.cell': '{unit} を {to} へ。敵を選ぶか、もう一度 {to} で移動のみ。',
      'act.stay': '{unit} は {to}。敵を選ぶか、もう一度 {to} で待機。',
      'act.only': '{unit} は {to}。もう一度 {to} で待機。',
      'act.aim': '{unit} が {to} から {target} を攻撃: ダメージ {damage}、反撃 {counter}。',
      'act.terrain': '{at}: {terrain}、防御 {stars}',
      'act.stands': '{unit}、HP {hp}、{at}（{terrain}、防御 {stars}）',
      'act.reaches': '移動範囲 {count} マス',
      'act.threats': '{units} に攻撃される',
      'act.danger': '{count} HP の損害の恐れ',
      'act.attack': '攻撃',
      'act.move': '移動',
      'act.wait': '待機',
      'act.play': '実行',
      'act.back': '戻す',
      'act.threat': '脅威',
      'act.end': 'ターン終了',
      'act.shown': '脅威を表示: {count} マス。',
      'act.hidden': '脅威を隠しました。',
      'act.none': '{at}: 行動できる自分のユニットがありません。',
      'act.acted': '{at}: そのユニットは行動済みです。',
      'act.far': '{at}: 移動範囲の外です。',
      'act.safe': '{at}: そのユニットは今は攻撃できません。',
      'dialog.time': '1 ターンの時間',
      'dialog.positions': 'マップ',
      'by.annihilation': '相手のユニットが全滅',
      'by.hit points': 'ターン上限での HP',
      'player.smaef': 'ルールベース',
      'player.m-uct': 'M-UCT',
      'player.m-uct-plus': 'M-UCT 改',
      'player.s-uct': 'S-UCT',
      'player.rhea': '計画の進化',
      'player.tbets': '計画の木',
      'error.illegal_move.no_unit': '{move}: そのユニットはありません。',
      'error.illegal_move.destroyed': '{move}: そのユニットは撃破されました。',
      'error.illegal_move.wrong_side': '{move}: 相手のユニットです。',
      'error.illegal_move.acted': '{move}: そのユニットは行動済みです。',
      'error.illegal_move.out_of_reach': '{move}: そこへは移動できません。',
      'error.illegal_move.occupied': '{move}: 他のユニットがいます。',
      'error.illegal_move.no_enemy': '{move}: 敵ではありません。',
      'error.illegal_move.moves_and_fires': '{move}: 自走砲は動かずにだけ攻撃できます。',
      'error.illegal_move.out_of_range': '{move}: 射程の外です。',
      'about.engine': 'いちばん強いプレイヤー。一ターン分の計画を木探索で選びます。',
      'about.smaef': '元のソフトのルールベースのプレイヤー。いちばん得な攻撃を選び、なければユニットを一つ動かします。',
      'about.m-uct': 'Muto の M-UCT。ユニットの行動の木で、攻撃を優先するプレイアウトを使います。',
      'about.m-uct-plus': 'M-UCT の改良版。相手も自分のために指すと考え、木を使い続けます。',
      'about.s-uct': 'S-UCT。ユニットを選ぶ段と行動を選ぶ段に分けた木を使います。',
      'about.rhea': 'ターンの計画を進化計算で作ります。',
      'about.tbets': 'ターン全体の木を作り、計画は進化計算で作ります。',
    },
  },
};
