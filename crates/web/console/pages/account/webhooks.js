// Webhooks: addresses that events are sent to, and whether they accept them.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listWebhookEndpoints } from '../../../client/webhook-endpoints.js';
import { ago, at } from '../../format.js';
import { head } from '../../frame.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, empty, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { words } from '../../texts/webhooks.js';
import { forbidden } from '../missing.js';
import { follow } from './parts.js';
import { stateBadge, titleOf } from './webhook-state.js';

/** Milliseconds after which it is read again whether the webhooks work. */
const PAUSE = 10_000;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const list = new Reading(context, async () => {
    // An account has at most 20 webhooks, which are one page.
    const { webhook_endpoints } = await listWebhookEndpoints(v1, { limit: 100 });
    return webhook_endpoints;
  });
  list.begin();
  const leave = follow(context, ['account'], () => list.begin({ isQuiet: true }), () => PAUSE);

  const add = html`<a class="button main" data-key="n" href=${path('webhooks/new')}>${icon.plus}${words.add}</a>`;
  return {
    title: words.title,
    leave,
    view: () => html`
      ${head(words.title, { lead: words.lead, action: list.value?.length ? add : nothing })}
      <div class="stack">
        ${list.show(endpoints => (endpoints.length === 0
          ? empty(words.empty, words.emptyText, add)
          : table(COLUMNS, endpoints, ({ webhook_endpoint_id }) => webhook_endpoint_id)), skeleton(5))}
      </div>`,
  };
}

/** @type {import('../../table.js').Column<any>[]} */
const COLUMNS = [
  {
    title: words.url,
    kind: 'name',
    cell: ({ webhook_endpoint_id, url, description }) => html`
      <div class="cell"><a href=${path(`webhooks/${webhook_endpoint_id}`)}>${url}</a>${description ? html`<span class="small quiet">${description}</span>` : nothing}</div>`,
  },
  { title: words.events, isPlain: true, cell: ({ events }) => html`<span title=${events.map(titleOf).join(', ')}>${words.eventsCount(events.length)}</span>` },
  { title: words.state, isPlain: true, cell: endpoint => stateBadge(endpoint) },
  {
    title: words.success,
    cell: ({ last_success_at: time }) => (time === null ? html`<span class="quiet">${words.never}</span>` : html`<span title=${at(time)}>${ago(time)}</span>`),
  },
];
