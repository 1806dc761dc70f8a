// Symbols that only the inbox and the conversations have.

import { html, svg } from '../../../vendor/lit/lit.js';

const drawn = content => html`<svg viewBox="0 0 24 24" aria-hidden="true">${content}</svg>`;

export const symbol = {
  clip: drawn(svg`<path d="m18.5 11.5-6.8 6.8a4 4 0 0 1-5.7-5.7l7.4-7.4a2.7 2.7 0 0 1 3.8 3.8l-7 7a1.3 1.3 0 0 1-1.9-1.9l6.2-6.2"/>`),
  down: drawn(svg`<path d="M7 4.5v9m0-9H4v9h3m0 0 3.5 7c2 0 2.5-1.5 2-3.5L12 14h5.5c1.5 0 2.4-1.2 2-2.6l-1.5-5.4c-.3-1-1-1.5-2-1.5H7"/>`),
  file: drawn(svg`<path d="M6.5 3.5h7l4 4v13h-11zM13.5 3.5v4h4"/>`),
  keys: drawn(svg`<path d="M3.5 6.5h17v11h-17zM7 10h.01M10.3 10h.01M13.7 10h.01M17 10h.01M8 14h8"/>`),
  note: drawn(svg`<path d="M5 4.5h14v10l-5 5H5zM14 19.5v-5h5M8.5 9h7M8.5 12.5h4"/>`),
  spark: drawn(svg`<path d="M11 4.5 12.8 10l5.7 2-5.7 2L11 19.5 9.2 14l-5.7-2 5.7-2zM18.5 4v4M16.5 6h4"/>`),
  up: drawn(svg`<path d="M7 19.5v-9m0 9H4v-9h3m0 0 3.5-7c2 0 2.5 1.5 2 3.5L12 10h5.5c1.5 0 2.4 1.2 2 2.6l-1.5 5.4c-.3 1-1 1.5-2 1.5H7"/>`),
};
