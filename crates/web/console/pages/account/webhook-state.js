// What webhooks and events are called, and whether a webhook works.

import { html } from '../../../vendor/lit/lit.js';
import { words } from '../../texts/webhooks.js';

/** What people call an event. */
export function titleOf(type) {
  return words.types[type]?.[0] ?? type;
}

/** Whether a webhook works, in a word. */
export function stateBadge({ enabled, disabled_reason, failing_since, last_success_at }) {
  const [state, kind] = !enabled ? (disabled_reason === null ? ['paused', ''] : ['disabled', 'bad'])
    : failing_since !== null ? ['failing', 'bad']
      : last_success_at === null ? ['waiting', ''] : ['working', 'good'];
  return html`<span class="badge ${kind}">${words.states[state]}</span>`;
}
