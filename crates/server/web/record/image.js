// The board as a picture of its own: a copy whose parts carry the styles that the page's sheets give them.

/** What a part takes from the part around it. */
const INHERITED = [
  'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'stroke-opacity',
  'font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline',
];
/** What it does not, with the usual value. */
const OWN = { 'opacity': '1', 'stop-color': 'rgb(0, 0, 0)', 'stop-opacity': '1' };
/** The wider side, in pixels. */
const SIZE = 800;

/** @returns {string | null} the picture of the board on the page, as SVG */
export function picture() {
  const board = document.querySelector('#board svg');
  if (!(board instanceof SVGSVGElement)) return null;
  const copy = /** @type {SVGSVGElement} */ (board.cloneNode(true));
  const parts = [copy, ...copy.querySelectorAll('*')];
  [board, ...board.querySelectorAll('*')].forEach((part, i) => {
    const style = getComputedStyle(part);
    const outside = part === board || !part.parentElement ? null : getComputedStyle(part.parentElement);
    const value = (/** @type {string} */ name) => style.getPropertyValue(name);
    const put = (/** @type {string} */ name) => parts[i].setAttribute(name, value(name).replace(/url\(".*?(#[^"]+)"\)/g, 'url($1)'));
    for (const name of INHERITED) if (value(name) !== outside?.getPropertyValue(name)) put(name);
    for (const [name, usual] of Object.entries(OWN)) if (value(name) !== usual) put(name);
    if (value('display') === 'none' || value('opacity') === '0') parts[i].setAttribute('display', 'none');
    parts[i].removeAttribute('class');
    parts[i].removeAttribute('style');
  });
  for (const part of copy.querySelectorAll('[display="none"]')) part.remove();
  const { width, height } = board.viewBox.baseVal;
  const scale = SIZE / Math.max(width, height);
  copy.setAttribute('width', String(Math.round(width * scale)));
  copy.setAttribute('height', String(Math.round(height * scale)));
  copy.removeAttribute('aria-hidden');
  return new XMLSerializer().serializeToString(copy);
}
