// What was sent to a webhook, with the result of each attempt; what has failed can be sent again.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { listWebhookDeliveries, recoverWebhookEndpoint, resendWebhookDelivery } from '../../../client/webhook-endpoints.js';
import { Form } from '../../form.js';
import { v1 } from '../../service.js';
import { empty, problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { words } from '../../texts/webhooks.js';
import { deliveryEntry } from './delivery.js';
import { Contents } from './event-content.js';
import { LiveListing } from './live-listing.js';
import { Action } from './parts.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {string} webhook_endpoint_id
 * @param {() => any} endpoint What is known of the webhook.
 */
export function deliveries(context, webhook_endpoint_id, endpoint) {
  let status = '';
  const action = new Action(context);
  const contents = new Contents(context);
  const list = new LiveListing(context, async cursor => {
    const { webhook_deliveries, pagination } = await listWebhookDeliveries(v1, {
      webhook_endpoint_id, limit: 25, cursor, ...(status === '' ? {} : { status }),
    });
    return { items: webhook_deliveries, next: pagination.next_cursor };
  }, delivery => delivery.webhook_delivery_id);

  const choose = async chosen => {
    status = chosen;
    list.clear();
    context.draw();
    await list.read();
  };
  const resend = async ({ webhook_delivery_id }) => {
    const done = await action.run(() => resendWebhookDelivery(v1, { webhook_delivery_id }));
    if (done === undefined) return;
    list.put(done.value);
    context.say(words.resent);
  };
  const recover = () => context.open(dialog => recovery(context, dialog, webhook_endpoint_id, endpoint()?.failing_since, () => choose('')));
  const open = delivery => contents.read(delivery, list.items ?? []);

  const filter = () => html`
    <div class="filter" role="group" aria-label=${words.show}>
      ${Object.entries(words.statuses).map(([value, title]) => html`
        <button type="button" aria-pressed=${status === value} @click=${() => choose(value)}>${title}</button>`)}
    </div>`;

  return {
    read: () => list.read(),
    /** Whether something is on its way. */
    get isWaiting() {
      return list.items?.some(delivery => delivery.status === 'pending') ?? false;
    },
    /** Shows all, so that what was just sent is among them. */
    showAll: () => choose(''),
    leave: () => contents.leave(),
    view: () => html`
      <section class="stack">
        <p class="quiet">${words.deliveriesText}</p>
        <div class="row between">
          ${filter()}
          <button type="button" class="button slim" @click=${recover}>${words.recover}</button>
        </div>
        ${action.problem === undefined ? nothing : problem(action.problem)}
        ${list.show(all => (all.length > 0
          ? html`<ul class="stack deliveries">${repeat(all, delivery => delivery.webhook_delivery_id, delivery => deliveryEntry(context, {
            delivery, isEnabled: endpoint()?.enabled !== false, isBusy: action.isRunning, content: contents.of(delivery), resend, open,
          }))}</ul>`
          : status === '' ? empty(words.noDeliveries, words.noDeliveriesText) : html`<p class="quiet">${words.noneWithStatus}</p>`), skeleton(5))}
      </section>`,
  };
}

/** Returns a time as a field for local times has it. */
function local(time) {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Asks for a time, and sends again what was missed in it.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {string} webhook_endpoint_id
 * @param {string | null | undefined} failing_since
 * @param {() => unknown} changed
 */
function recovery(context, dialog, webhook_endpoint_id, failing_since, changed) {
  const since = failing_since ? new Date(failing_since) : new Date(Date.now() - 86_400_000);
  const form = new Form(context, 'recovery', { values: { since: local(since), until: '' } });
  const send = async () => {
    const until = form.text('until');
    const body = { since: new Date(form.text('since')).toISOString(), ...(until === '' ? {} : { until: new Date(until).toISOString() }) };
    const { queued } = await context.call(() => recoverWebhookEndpoint(v1, { webhook_endpoint_id, body }));
    dialog.close();
    context.say(words.recovered(queued));
    await changed();
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.recoverTitle}</h2>
      <p>${words.recoverText}</p>
      ${form.view({
        fields: html`
          ${form.field({ name: 'since', label: words.since, hint: words.sinceHint, type: 'datetime-local', isFirst: true })}
          ${form.field({ name: 'until', label: words.until, hint: words.untilHint, type: 'datetime-local', isOptional: true })}`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${words.recoverAction}</button>
          </div>`,
        send,
      })}
    </div>`;
}
