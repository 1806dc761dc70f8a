// Whether a channel works.

import { html } from '../../../vendor/lit/lit.js';
import { words } from '../../texts/channels.js';

/** Whether a channel works, in a word. */
export function stateBadge({ enabled, last_error }) {
  if (!enabled) return html`<span class="badge">${words.states.paused}</span>`;
  return last_error === null
    ? html`<span class="badge good">${words.states.working}</span>`
    : html`<span class="badge bad">${words.states.failing}</span>`;
}
