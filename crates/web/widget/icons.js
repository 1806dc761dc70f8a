// The symbols of the panel, drawn on a grid of 24.

import { svg, html } from '../vendor/lit/lit.js';

const drawn = content => html`<svg viewBox="0 0 24 24" aria-hidden="true">${content}</svg>`;

export const icon = {
  close: drawn(svg`<path d="m6 6 12 12M18 6 6 18"/>`),
  down: drawn(svg`<path d="M17 4v10l-4.5 7a2.4 2.4 0 0 1-2-2.7l.7-4.3H5.4A1.8 1.8 0 0 1 3.6 11.8l1.3-6.3A1.9 1.9 0 0 1 6.8 4zM17 4h3.5v10H17"/>`),
  more: drawn(svg`<path d="M6 12h.01M12 12h.01M18 12h.01" stroke-width="3" stroke-linecap="round"/>`),
  send: drawn(svg`<path d="M12 19V5m-6 6 6-6 6 6"/>`),
  source: drawn(svg`<path d="M6.5 3.5h7l4 4v13h-11zM13.5 3.5v4h4"/>`),
  up: drawn(svg`<path d="M17 20V10l-4.5-7a2.4 2.4 0 0 0-2 2.7l.7 4.3H5.4a1.8 1.8 0 0 0-1.8 2.2l1.3 6.3A1.9 1.9 0 0 0 6.8 20zM17 20h3.5V10H17"/>`),
};
