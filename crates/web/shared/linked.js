// Text with its web addresses as links. Nothing of a text is ever read as markup.

import { html } from '../vendor/lit/lit.js';

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`{}|\\^]+/gi;

/**
 * Returns an address if a browser may follow it: only `http:` and `https:`.
 *
 * @param {string} text
 * @returns {URL | undefined}
 */
export function followable(text) {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

/**
 * Returns the characters of an address that belong to the sentence around it.
 *
 * @param {string} address
 */
function trailing(address) {
  const end = /[.,:;!?…»”’]*$/.exec(address)?.[0] ?? '';
  const rest = address.slice(0, address.length - end.length);
  // A bracket belongs to the sentence unless it was opened within the address.
  const isOpened = rest.split('(').length >= rest.split(')').length;
  return rest.endsWith(')') && !isOpened ? `)${end}` : end;
}

/**
 * Returns a text as parts of a template.
 *
 * @param {string} text
 */
export function linked(text) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(ADDRESS)) {
    const written = found[0].slice(0, found[0].length - trailing(found[0]).length);
    const address = followable(written);
    if (address === undefined) continue;
    parts.push(text.slice(from, found.index));
    parts.push(html`<a href=${address.href} target="_blank" rel="noopener noreferrer">${written}</a>`);
    from = found.index + written.length;
  }
  parts.push(text.slice(from));
  return parts;
}
