// What the page can do with whole games beside playing them. It is fetched when it is first needed.

import { el } from '../js/elements.js';
import { addWords } from '../js/strings.js';

export { openLoad } from './load.js';
export { openLink } from './open.js';
export { share } from './share.js';

const sheet = el('link', { rel: 'stylesheet', href: 'record/record.css' });
const styled = new Promise((resolve, reject) => {
  sheet.onload = resolve;
  sheet.onerror = reject;
});
document.head.append(sheet);
await Promise.all([styled, addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') })]);
