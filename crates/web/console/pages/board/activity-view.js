// How activities look.

import { html, nothing, repeat, svg } from '../../../vendor/lit/lit.js';
import { at } from '../../format.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { texts as plans } from '../../texts/activities.js';
import { contactName } from './directory.js';
import { moment } from './times.js';

const own = plans.activities;
const drawn = content => html`<svg viewBox="0 0 24 24" aria-hidden="true">${content}</svg>`;
const SYMBOLS = {
  task: drawn(svg`<path d="M5 5h14v14H5zM8.5 12l2.5 2.5 4.5-5"/>`),
  call: drawn(svg`<path d="M6 4h3l1.5 4-2 1.5a11 11 0 0 0 6 6l1.5-2 4 1.5v3c0 1-.8 2-2 2C10.5 20 4 13.5 4 6c0-1.2 1-2 2-2z"/>`),
  meeting: drawn(svg`<path d="M5 6h14v13.5H5zM5 10h14M9 4v3.5M15 4v3.5"/>`),
  deadline: drawn(svg`<path d="M6 20.5V4h11l-2 4 2 4H6"/>`),
  follow_up: drawn(svg`<path d="M4 6h16v12.5H4zM4.5 6.5l7.5 6 7.5-6"/>`),
};
const TICK = drawn(svg`<path d="m5 12.5 4.5 4.5L19 7.5" stroke-width="3"/>`);
const BADGES = { scheduled: '', sending: 'busy', waiting: '', sent: 'good', stopped: 'caution', failed: 'bad' };

/**
 * A list of activities.
 *
 * @param {object} parts
 * @param {any[]} parts.activities
 * @param {import('../../main.js').Context} parts.context
 * @param {import('./directory.js').Directory} parts.directory
 * @param {any} parts.actions
 * @param {import('./menu.js').Menu} parts.menu
 * @param {boolean} [parts.withDeal] Whether each names its deal.
 */
export function activityList(parts) {
  return html`<ul>${repeat(parts.activities, activity => activity.deal_activity_id, activity => entry(activity, parts))}</ul>`;
}

function entry(activity, { context, directory, actions, menu, withDeal = false }) {
  const { title, status, type, due_at, is_overdue, priority, owner_id, contact_id, deal_id, follow_up } = activity;
  const isOpen = status === 'open';
  const contact = contact_id && directory.contacts.get(contact_id);
  const deal = withDeal && directory.deals.get(deal_id);
  const tick = () => (isOpen ? actions.complete(activity) : actions.reopen(activity));
  return html`
    <li class="activity ${isOpen ? '' : 'closed'}" data-listed>
      <button type="button" class="tick ${status === 'done' ? 'on' : ''}" role="checkbox" aria-checked=${status === 'done'} ?disabled=${!context.isManager || status === 'cancelled'}
        aria-label=${own.completeLabel(title)} data-key=${isOpen ? 'e' : nothing} data-does=${own.complete} @click=${tick}>${TICK}</button>
      <div>
        <h3 class="words">${title}</h3>
        <p class="facts small quiet">
          <span>${SYMBOLS[type] ?? nothing}${own.types[type] ?? type}</span>
          ${due_at === null ? nothing : html`<time datetime=${due_at} title=${at(due_at)} class=${is_overdue ? 'late' : ''}>${moment(due_at)}</time>`}
          ${activity.duration_minutes === null ? nothing : html`<span>${own.minutes(activity.duration_minutes)}</span>`}
          ${priority === 'high' ? html`<span class="badge caution">${own.highPriority}</span>` : priority === 'low' ? html`<span>${own.lowPriority}</span>` : nothing}
          ${status === 'cancelled' ? html`<span class="badge">${own.groups.cancelled}</span>` : nothing}
          ${withDeal ? html`<a href=${path(`deals/${deal_id}`)}><bdi>${deal?.title ?? own.dealGone}</bdi></a>` : nothing}
          ${contact ? html`<a href=${path(`contacts/${contact_id}`)}><bdi>${contactName(contact)}</bdi></a>` : nothing}
          ${owner_id === null ? nothing : html`<span><bdi>${directory.memberName(owner_id)}</bdi></span>`}
        </p>
        ${activity.note ? html`<p class="small words">${activity.note}</p>` : nothing}
        ${activity.result ? html`<p class="small words"><span class="quiet">${own.result}:</span> ${activity.result}</p>` : nothing}
        ${activity.done_at === null ? nothing : html`<p class="small quiet">${own.doneAt(moment(activity.done_at))}</p>`}
        ${follow_up === null ? nothing : sending(follow_up)}
      </div>
      ${context.isManager
        ? html`<button type="button" class="round" aria-label=${own.actions(title)} aria-haspopup="menu"
            aria-expanded=${menu.subject?.deal_activity_id === activity.deal_activity_id}
            @click=${event => menu.open(activity, event.currentTarget)}>${icon.dots}</button>`
        : nothing}
    </li>`;
}

/** How far a follow-up has come. */
function sending(follow_up) {
  const { channel, state, attempts, max_attempts, next_attempt_at, last_attempt_at, stopped_reason, last_error } = follow_up;
  const reason = last_error?.message ?? (stopped_reason === null ? undefined : plans.followUp.stopped[stopped_reason] ?? stopped_reason);
  return html`
    <p class="facts small">
      <span class="badge ${BADGES[state] ?? ''}">${plans.followUp.states[state] ?? state}</span>
      <span class="quiet">${plans.followUp.channels[channel] ?? channel}</span>
      ${next_attempt_at === null ? nothing : html`<span class="quiet">${plans.followUp.next(moment(next_attempt_at))}</span>`}
      ${last_attempt_at === null ? nothing : html`<span class="quiet">${plans.followUp.last(moment(last_attempt_at))}</span>`}
      ${max_attempts > 1 ? html`<span class="quiet">${plans.followUp.count(attempts, max_attempts)}</span>` : nothing}
    </p>
    ${reason === undefined ? nothing : html`<p class="small ${last_error ? 'late' : ''}">${reason}</p>`}
    <details>
      <summary>${plans.followUp.show}</summary>
      <div>${follow_up.subject === null ? nothing : html`<strong class="words">${follow_up.subject}</strong>`}<p class="words small">${follow_up.body}</p></div>
    </details>`;
}
