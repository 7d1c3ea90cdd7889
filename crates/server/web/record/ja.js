// The words of whole games in Japanese.

/** @type {Record<string, string>} */
export const words = {
  'share.title': '対局を共有',
  'share.link': 'この対局のリンク',
  'share.copy': 'このリンクをコピーして送ってください。開いた人は対局の続きを指せます。',
  'share.copied': 'リンクをコピーしました。開いた人は対局の続きを指せます。',

  'link.opened': '{game}: 共有された対局を開きました（{count} 手目まで）。',
  'link.bad': 'このリンクは開けません',
  'link.badAbout': 'リンクが途中で切れたか、書き換わったようです。もう一度送ってもらってください。',
  'link.replaceTitle': '共有された対局を開きますか',
  'link.replace': '{game}の対局がまだ終わっていません（{own} 手まで）。開くと、共有された対局（{count} 手まで）に置き換わります。',
  'link.open': '共有された対局を開く',
  'link.keep': '自分の対局を続ける',

  'error.page.linkGame': 'リンクにゲームの名前がありません（「play=」の後が空です）。',
  'error.page.linkUnknown': '「{game}」というゲームはありません。',
  'error.page.linkPlayer': 'このゲームに「{player}」という対局者はいません。',
  'error.page.linkField': 'リンクの「{name}」という項目は使えません。',
  'error.page.linkTwice': 'リンクに「{name}」が二つあります。',
  'error.page.linkEscape': 'リンクの「{part}」に、正しくない % があります。',
  'error.page.linkPacked': 'リンクの圧縮された部分（「z=」の後）が壊れているか、途中で切れています。',
  'error.page.linkLong': 'リンクの対局が長すぎます。',
};
