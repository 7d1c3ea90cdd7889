// The words of clocks in Japanese.

/** @type {Record<string, string>} */
export const words = {
  'clock': '持ち時間の方式',
  'clock.move': '一手ごとの時間',
  'clock.sudden': '切れ負け（一局の持ち時間）',
  'clock.fischer': 'フィッシャー（一手ごとに加算）',
  'clock.byoyomi': '秒読み（持ち時間のあと一手ごと）',
  'clock.mainTime': '持ち時間（分）',
  'clock.seconds.move': '一手の時間（秒）',
  'clock.seconds.fischer': '一手ごとの加算（秒）',
  'clock.seconds.byoyomi': '秒読み（秒）',
  'clock.casual': '時間切れ負けなし',
  'clock.said': '{side}の残り時間 {time}。',
  'clock.left': '{side}、残り {time}。',
  'clock.over': '{time}超過',
  'clock.hour': '1 時間',
  'clock.hours': '{n} 時間',
  'clock.minute': '1 分',
  'clock.minutes': '{n} 分',
  'clock.second': '1 秒',
  'clock.seconds': '{n} 秒',
};
