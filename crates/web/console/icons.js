// The symbols of the console, drawn on a grid of 24.

import { html, svg } from '../vendor/lit/lit.js';

const drawn = content => html`<svg viewBox="0 0 24 24" aria-hidden="true">${content}</svg>`;

export const icon = {
  audit: drawn(svg`<path d="M6 3.5h9l3.5 3.5v13.5H6zM9 10h6M9 13.5h6M9 17h3.5"/>`),
  back: drawn(svg`<path d="m14.5 6-6 6 6 6"/>`),
  brand: drawn(svg`<path d="M4 17.5h16M6 17.5a6 6 0 0 1 12 0M12 11.5V8M9.5 8h5M3 20.5h18"/>`),
  chatbot: drawn(svg`<path d="M4 5.5h16v11H11l-4.5 4v-4H4zM8.5 11h.01M12 11h.01M15.5 11h.01"/>`),
  close: drawn(svg`<path d="m6 6 12 12M18 6 6 18"/>`),
  home: drawn(svg`<path d="m4 11 8-7 8 7v9h-5.5v-5.5h-5V20H4z"/>`),
  key: drawn(svg`<path d="M8 12a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zm2.6 1L19 4.5M15.5 8l2.5 2.5"/>`),
  leave: drawn(svg`<path d="M14 4.5H5v15h9M10 12h10m-3.5-3.5L20 12l-3.5 3.5"/>`),
  menu: drawn(svg`<path d="M4 7h16M4 12h16M4 17h16"/>`),
  plus: drawn(svg`<path d="M12 5v14M5 12h14"/>`),
  profile: drawn(svg`<path d="M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20.5a7.5 7.5 0 0 1 15 0"/>`),
  source: drawn(svg`<path d="M6.5 3.5h7l4 4v13h-11zM13.5 3.5v4h4"/>`),
  team: drawn(svg`<path d="M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 19.5a6.5 6.5 0 0 1 13 0M16 5.3a3.5 3.5 0 0 1 0 6.4M18 14a6.5 6.5 0 0 1 3.5 5.5"/>`),
};
