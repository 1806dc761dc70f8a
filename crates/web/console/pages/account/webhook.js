// One webhook: whether it works, and what was delivered.

import { forbidden } from '../missing.js';
import { deliveries } from './deliveries.js';
import { WebhookPage } from './webhook-page.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {{ webhook: string }} parameters
 */
export function page(context, { webhook: webhook_endpoint_id }) {
  if (!context.isManager) return forbidden();
  const webhook = new WebhookPage(context, webhook_endpoint_id, () => sent.showAll());
  const sent = deliveries(context, webhook_endpoint_id, () => webhook.endpoint);
  const read = options => Promise.all([webhook.reading.begin(options), sent.read()]);
  read();
  context.watch(['webhooks'], () => {
    if (webhook.isCalm) read({ isQuiet: true });
  });
  return { title: () => webhook.title, leave: () => sent.leave(), view: () => webhook.view('', () => sent.view()) };
}
