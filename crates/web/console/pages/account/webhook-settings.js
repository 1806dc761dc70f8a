// The settings of a webhook, its secret, and how its receiver verifies what it gets.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { deleteWebhookEndpoint, rotateWebhookSecret, updateWebhookEndpoint } from '../../../client/webhook-endpoints.js';
import { at } from '../../format.js';
import { v1 } from '../../service.js';
import { Reading } from '../../states.js';
import { words } from '../../texts/webhooks.js';
import { forbidden } from '../missing.js';
import { VERIFYING, examples } from './examples.js';
import { Editor, showOnce } from './parts.js';
import { bodyOf, fields, isComplete, readChatbots, valuesOf } from './webhook-fields.js';
import { WebhookPage } from './webhook-page.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {{ webhook: string }} parameters
 */
export function page(context, { webhook: webhook_endpoint_id }) {
  if (!context.isManager) return forbidden();
  const webhook = new WebhookPage(context, webhook_endpoint_id);
  const editor = new Editor(context, `webhook-${webhook_endpoint_id}`);
  const chatbots = new Reading(context, readChatbots);
  const verifying = examples(context, { title: words.verify, text: words.verifyText, label: words.language, copyLabel: words.copyVerify, code: VERIFYING });
  const read = async options => {
    await webhook.reading.begin(options);
    if (webhook.endpoint !== undefined && webhook.reading.problem === undefined) editor.take(valuesOf(webhook.endpoint));
    context.draw();
  };
  read();
  chatbots.begin();
  context.watch(['account'], () => {
    if (webhook.isCalm && !editor.form.isSending) read({ isQuiet: true });
  });

  const save = async () => {
    if (!isComplete(editor.form)) return;
    const changed = await context.call(() => updateWebhookEndpoint(v1, { webhook_endpoint_id, body: bodyOf(editor.form) }));
    editor.reset(valuesOf(changed));
    webhook.store(changed);
    context.say(words.saved);
  };
  const rotate = async () => {
    const isAgain = webhook.endpoint.previous_secret_valid_until !== null;
    const text = isAgain ? `${words.rotateText}\n\n${words.rotateAgain}` : words.rotateText;
    if (!await context.confirm({ title: words.rotateQuestion, text, action: words.rotate })) return;
    const done = await webhook.action.run(() => rotateWebhookSecret(v1, { webhook_endpoint_id }));
    if (done === undefined) return;
    const { secret = '', ...changed } = done.value;
    webhook.store(changed);
    await showOnce(context, { title: words.newSecret, text: words.newSecretText, done: words.done, entries: [[words.newSecret, secret, words.copySecret]] });
  };
  const remove = async () => {
    const question = { title: words.removeQuestion, text: words.removeText(webhook.endpoint.url), action: words.removeAction };
    if (!await context.confirm(question)) return;
    if (await webhook.action.run(() => deleteWebhookEndpoint(v1, { webhook_endpoint_id })) === undefined) return;
    editor.reset({});
    context.say(words.removed);
    await context.go('webhooks');
  };

  return {
    title: () => `${words.settings}: ${webhook.title}`,
    view: () => webhook.view('settings', endpoint => html`
      <section @input=${() => context.draw()}>
        ${editor.form.view({
          fields: fields(context, editor.form, chatbots.value, endpoint),
          actions: ({ isSending }) => editor.actions(words, () => valuesOf(webhook.endpoint), isSending, () => context.draw()),
          send: save,
        })}
      </section>
      <section class="part">
        <h2>${words.secretTitle}</h2>
        <p class="lead">${words.secretText}</p>
        ${endpoint.previous_secret_valid_until ? html`<p class="note">${words.previous(at(endpoint.previous_secret_valid_until))}</p>` : nothing}
        <div><button type="button" class="button" ?disabled=${webhook.action.isRunning} @click=${rotate}>${words.rotate}</button></div>
      </section>
      <section class="part">${verifying.view()}</section>
      <p class="part"><span><button type="button" class="link danger" @click=${remove}>${words.remove}</button></span></p>`),
  };
}
