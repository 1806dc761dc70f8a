// The symbols of the console, drawn on a grid of 24.

import { html, svg } from '../vendor/lit/lit.js';

const drawn = content => html`<svg viewBox="0 0 24 24" aria-hidden="true">${content}</svg>`;

export const icon = {
  account: drawn(svg`<path d="M4 10.5h16M5.5 10.5V20h13v-9.5M4 10.5 6 5h12l2 5.5M10 20v-5h4v5"/>`),
  activity: drawn(svg`<path d="M5 5.5h14v14H5zM5 9.5h14M9 3.5V7M15 3.5V7M9 14l2 2 4-4"/>`),
  audit: drawn(svg`<path d="M6 3.5h9l3.5 3.5v13.5H6zM9 10h6M9 13.5h6M9 17h3.5"/>`),
  back: drawn(svg`<path d="m14.5 6-6 6 6 6"/>`),
  board: drawn(svg`<path d="M4 5h4.5v14H4zM9.8 5h4.4v9H9.8zM15.5 5H20v6h-4.5z"/>`),
  brand: drawn(svg`<path d="M4 17.5h16M6 17.5a6 6 0 0 1 12 0M12 11.5V8M9.5 8h5M3 20.5h18"/>`),
  bubble: drawn(svg`<path d="M4 5.5h16v11H11l-4.5 4v-4H4z"/>`),
  calendar: drawn(svg`<path d="M4 6h16v14H4zM4 10.5h16M8 3.5V8M16 3.5V8M8 14h.01M12 14h.01M16 14h.01M8 17h.01M12 17h.01"/>`),
  channel: drawn(svg`<path d="M4 12h3.5l3-7 4 14 2.5-7h3"/>`),
  chatbot: drawn(svg`<path d="M4 5.5h16v11H11l-4.5 4v-4H4zM8.5 11h.01M12 11h.01M15.5 11h.01"/>`),
  check: drawn(svg`<path d="M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM8 12.3l2.7 2.7L16 9.5"/>`),
  close: drawn(svg`<path d="m6 6 12 12M18 6 6 18"/>`),
  contact: drawn(svg`<path d="M6 3.5h12.5v17H6zM4 8h3M4 12h3M4 16h3M12.3 8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4zM9 16.5a3.5 3.5 0 0 1 6.6 0"/>`),
  conversation: drawn(svg`<path d="M4 4.5h11.5v8H8.5l-3 2.5v-2.5H4zM18.5 9H20v8h-1.5v2.5L15.5 17H9.5"/>`),
  domain: drawn(svg`<path d="M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM4 12h16M12 4c-4.5 5-4.5 11 0 16 4.5-5 4.5-11 0-16"/>`),
  dots: drawn(svg`<path d="M6 12h.01M12 12h.01M18 12h.01" stroke-width="2.6"/>`),
  down: drawn(svg`<path d="m6 9.5 6 6 6-6"/>`),
  faq: drawn(svg`<path d="M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM9.7 9.7a2.3 2.3 0 1 1 3.3 2.1c-.7.3-1 .8-1 1.5M12 16.2h.01"/>`),
  grip: drawn(svg`<path d="M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01" stroke-width="2.4"/>`),
  home: drawn(svg`<path d="m4 11 8-7 8 7v9h-5.5v-5.5h-5V20H4z"/>`),
  inbox: drawn(svg`<path d="M4 13.5 6.5 5h11l2.5 8.5V19H4zM4 13.5h4.5l1.5 2.5h4l1.5-2.5H20"/>`),
  key: drawn(svg`<path d="M8 12a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zm2.6 1L19 4.5M15.5 8l2.5 2.5"/>`),
  leave: drawn(svg`<path d="M14 4.5H5v15h9M10 12h10m-3.5-3.5L20 12l-3.5 3.5"/>`),
  menu: drawn(svg`<path d="M4 7h16M4 12h16M4 17h16"/>`),
  plus: drawn(svg`<path d="M12 5v14M5 12h14"/>`),
  profile: drawn(svg`<path d="M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20.5a7.5 7.5 0 0 1 15 0"/>`),
  search: drawn(svg`<path d="M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l5 5"/>`),
  source: drawn(svg`<path d="M6.5 3.5h7l4 4v13h-11zM13.5 3.5v4h4"/>`),
  team: drawn(svg`<path d="M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 19.5a6.5 6.5 0 0 1 13 0M16 5.3a3.5 3.5 0 0 1 0 6.4M18 14a6.5 6.5 0 0 1 3.5 5.5"/>`),
  up: drawn(svg`<path d="m6 14.5 6-6 6 6"/>`),
  usage: drawn(svg`<path d="M4.5 19.5h15M7 16v-4M12 16V6M17 16V9.5"/>`),
  webhook: drawn(svg`<path d="M9 8a3.5 3.5 0 1 1 5 3.2l3 5M7 13.5a3.5 3.5 0 1 0 3 5h6M11.5 8l-3 6"/>`),
};
