// The editor of positions. It is fetched when it is first needed.

import { fetchSheet } from '../js/elements.js';
import { addWords } from '../js/strings.js';

export { Editor } from './editor.js';

const { styled } = fetchSheet('editor/editor.css');
await Promise.all([styled, addWords({ en: () => import('./en.js'), ja: () => import('./ja.js') })]);
