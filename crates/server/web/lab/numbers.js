// Numbers and places as the laboratory writes them.

import { language, text } from '../js/strings.js';

/**
 * A value in the unit of its quantity.
 * @param {number} value
 * @param {{unit: string, kind: string}} quantity
 */
export function number(value, { unit, kind }) {
  const size = Math.abs(value);
  /** @type {Intl.NumberFormatOptions} */
  let format = { maximumSignificantDigits: 4 };
  if (kind === 'exact') format = { maximumFractionDigits: 6 };
  else if (unit === '%') format = { minimumFractionDigits: 1, maximumFractionDigits: 2 };
  else if (size >= 9999.5) format = { maximumFractionDigits: 0 };
  return new Intl.NumberFormat(language(), format).format(value).replace('-', '−');
}

/**
 * The name of a row: a number, alone or with its unit, is written as the axes write it.
 * @param {string} label
 */
export const grouped = (label) => label.replace(/^\d{4,}(?= |$)/, (digits) => new Intl.NumberFormat(language()).format(Number(digits)));

/**
 * Processor time.
 * @param {number} time in minutes
 */
export function minutes(time) {
  if (time < 0.95) return text('lab.seconds', { n: Math.max(1, Math.round(time * 60)) });
  if (time < 95) return text('lab.minutes', { n: Math.round(time) });
  return text('lab.hours', { n: new Intl.NumberFormat(language(), { maximumFractionDigits: 1 }).format(time / 60) });
}

/**
 * The place in a source, such as its table.
 * @param {{section: string | null, table: string | null, figure: string | null}} source
 */
export const place = ({ section, table, figure }) =>
  [section, table && `table ${table}`, figure && `figure ${figure}`].filter(Boolean).join(', ');
