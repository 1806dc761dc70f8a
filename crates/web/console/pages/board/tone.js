// Colors that people have chosen.

import { html, svg } from '../../../vendor/lit/lit.js';

/** The color of a column or a row. It is an attribute of a drawing, as styles within the page are forbidden. */
export function tone(color) {
  return html`<svg class="tone" viewBox="0 0 10 10" aria-hidden="true">${color === null
    ? svg`<circle cx="5" cy="5" r="4" stroke-width="1.5"/>` : svg`<circle cx="5" cy="5" r="5" fill=${color} stroke="none"/>`}</svg>`;
}
