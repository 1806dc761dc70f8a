// One webhook: whether it works, and what was delivered.

import { forbidden } from '../missing.js';
import { deliveries } from './deliveries.js';
import { follow } from './parts.js';
import { WebhookPage } from './webhook-page.js';

/** Topics of which there are events. */
const TOPICS = ['account', 'chatbots', 'contacts', 'content', 'conversations', 'deals', 'threads'];
/** Milliseconds after which the deliveries are read again, while one waits and otherwise. */
const PAUSE = 2_000;
const LONG_PAUSE = 10_000;

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
  const end = follow(context, TOPICS, () => {
    if (webhook.isCalm) read({ isQuiet: true });
  }, () => (sent.isWaiting ? PAUSE : LONG_PAUSE));
  const leave = () => {
    end();
    sent.leave();
  };
  return { title: () => webhook.title, leave, view: () => webhook.view('', () => sent.view()) };
}
