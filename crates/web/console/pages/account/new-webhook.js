// A new webhook. Its secret is shown this once.

import { html } from '../../../vendor/lit/lit.js';
import { createWebhookEndpoint } from '../../../client/webhook-endpoints.js';
import { Form } from '../../form.js';
import { back, head } from '../../frame.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading } from '../../states.js';
import { texts } from '../../texts.js';
import { words } from '../../texts/webhooks.js';
import { forbidden } from '../missing.js';
import { showOnce } from './parts.js';
import { bodyOf, fields, isComplete, readChatbots, valuesOf } from './webhook-fields.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const form = new Form(context, 'new-webhook', { isKept: true, values: valuesOf() });
  const chatbots = new Reading(context, readChatbots);
  chatbots.begin();

  const send = async () => {
    if (!isComplete(form)) return;
    const created = await context.call(() => createWebhookEndpoint(v1, { body: bodyOf(form) }));
    form.clear(valuesOf());
    await context.go(`webhooks/${created.webhook_endpoint_id}`);
    context.say(words.created);
    await showOnce(context, {
      title: words.newSecret, text: words.newSecretText, done: words.done, entries: [[words.newSecret, created.secret ?? '', words.copySecret]],
    });
  };

  return {
    title: words.add,
    view: () => html`
      ${head(words.add, { back: back('webhooks', words.back) })}
      ${form.view({
        fields: fields(context, form, chatbots.value),
        actions: ({ isSending }) => html`
          <div class="row">
            <button class="button main" ?disabled=${isSending}>${words.action}</button>
            <a class="button" href=${path('webhooks')}>${texts.cancel}</a>
          </div>`,
        send,
      })}`,
  };
}
