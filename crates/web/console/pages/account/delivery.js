// One delivery: what became of it in a line, and on request each attempt and what was sent.

import { html } from '../../../vendor/lit/lit.js';
import { ago, at, count } from '../../format.js';
import { problem, skeleton } from '../../states.js';
import { words } from '../../texts/webhooks.js';
import { code } from './parts.js';
import { titleOf } from './webhook-state.js';

const BADGES = { pending: 'busy', succeeded: 'good', failed: 'bad' };

/**
 * @param {import('../../main.js').Context} context
 * @param {object} parts
 * @param {any} parts.delivery
 * @param {boolean} parts.isEnabled Whether the webhook gets anything at present.
 * @param {boolean} parts.isBusy
 * @param {import('./event-content.js').Content | undefined} parts.content
 * @param {(delivery: any) => unknown} parts.resend
 * @param {(delivery: any) => unknown} parts.open Reads the content.
 */
export function deliveryEntry(context, { delivery, isEnabled, isBusy, content, resend, open }) {
  const { event_type, status, attempts, created_at, event_id } = delivery;
  const title = titleOf(event_type);
  const name = `${title}, ${at(created_at)}`;
  const toggled = event => {
    if (event.target.open) open(delivery);
  };
  return html`
    <li class="delivery">
      <div class="top">
        <div class="cell">
          <div class="title">
            <h3>${title}</h3>
            <span class="badge ${status === 'pending' && !isEnabled ? '' : BADGES[status] ?? ''}">${words.deliveryStates[status] ?? status}</span>
          </div>
          <p class="small">${summary(delivery, isEnabled)}</p>
          <p class="small quiet"><span class="code">${event_type}</span> · <span title=${at(created_at)}>${ago(created_at)}</span></p>
        </div>
        <div><button type="button" class="button slim" ?disabled=${isBusy} aria-label=${words.resendLabel(name)} @click=${() => resend(delivery)}>${words.resend}</button></div>
      </div>
      <details @toggle=${toggled}>
        <summary aria-label=${words.detailsLabel(name)}>${words.details}</summary>
        <div class="inside">
          ${attempts.length === 0 ? html`<p class="small quiet">${words.attempts(0)}</p>` : html`
            <ol class="attempts">
              ${attempts.map((attempt, index) => html`
                <li><span class="quiet">${words.attempt(index + 1)}</span><span>${outcome(attempt)}</span>
                  <span class="quiet number">${at(attempt.at)} · ${words.took(count(attempt.duration_ms))}</span></li>`)}
            </ol>`}
          <div class="once">
            <h4 class="small">${words.content}</h4>
            ${shown(context, content)}
            <p class="small quiet">${words.eventId} <span class="code">${event_id}</span></p>
          </div>
        </div>
      </details>
    </li>`;
}

/** What became of it, and what comes next. */
function summary({ status, attempts, next_attempt_at }, isEnabled) {
  const last = attempts.at(-1);
  const parts = [last === undefined ? words.attempts(0) : outcome(last)];
  if (attempts.length > 0) parts.push(words.attempts(attempts.length));
  if (status === 'pending' && !isEnabled) parts.push(words.waits);
  else if (status === 'pending' && next_attempt_at !== null) {
    parts.push(new Date(next_attempt_at).getTime() - Date.now() < 60_000 ? words.soon : words.next(ago(next_attempt_at)));
  }
  return parts.join(' · ');
}

function outcome({ outcome: kind, http_status: code }) {
  const text = code >= 300 && code < 400 ? words.redirect : words.outcomes[kind] ?? kind;
  return code === null ? text : `${text} (${words.status(code)})`;
}

/** @param {import('./event-content.js').Content | undefined} content */
function shown(context, content) {
  if (content === undefined || content.isReading) return skeleton(3);
  if (content.problem !== undefined) return problem(content.problem, content.again);
  return content.text === undefined ? html`<p class="small quiet">${words.contentGone}</p>` : code(context, content.text, words.copyContent);
}
