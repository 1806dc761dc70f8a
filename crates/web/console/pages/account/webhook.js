// One webhook: whether it works, what was delivered, its settings and its secret.

import { html, nothing } from '../../../vendor/lit/lit.js';
import {
  deleteWebhookEndpoint, getWebhookEndpoint, rotateWebhookSecret, testWebhookEndpoint, updateWebhookEndpoint,
} from '../../../client/webhook-endpoints.js';
import { ago, at } from '../../format.js';
import { back, head } from '../../frame.js';
import { v1 } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { texts } from '../../texts/account.js';
import { forbidden } from '../missing.js';
import { deliveries } from './deliveries.js';
import { VERIFYING, examples } from './examples.js';
import { Action, Editor, showOnce } from './parts.js';
import { bodyOf, fields, isComplete, readChatbots, valuesOf } from './webhook-fields.js';
import { stateBadge } from './webhooks.js';

const words = texts.webhooks;

/**
 * @param {import('../../main.js').Context} context
 * @param {{ webhook: string }} parameters
 */
export function page(context, { webhook: webhook_endpoint_id }) {
  if (!context.isManager) return forbidden();
  const editor = new Editor(context, `webhook-${webhook_endpoint_id}`);
  const action = new Action(context);
  const chatbots = new Reading(context, readChatbots);
  const reading = new Reading(context, () => getWebhookEndpoint(v1, { webhook_endpoint_id }));
  const sent = deliveries(context, webhook_endpoint_id, () => reading.value);
  const verifying = examples(context, { title: words.verify, text: words.verifyText, label: words.language, copyLabel: words.copyVerify, code: VERIFYING });

  const read = async options => {
    await Promise.all([reading.begin(options), sent.read()]);
    if (reading.value !== undefined && reading.problem === undefined) editor.take(valuesOf(reading.value));
    context.draw();
  };
  read();
  chatbots.begin();
  context.watch(['webhooks'], () => {
    if (reading.problem?.status !== 404 && !action.isRunning && !editor.form.isSending) read({ isQuiet: true });
  });
  const store = changed => {
    reading.value = changed;
    context.draw();
  };

  const act = {
    test: async () => {
      if (await action.run(() => testWebhookEndpoint(v1, { webhook_endpoint_id })) === undefined) return;
      context.say(words.tested);
      await sent.showAll();
    },
    toggle: async () => {
      const before = reading.value;
      store({ ...before, enabled: !before.enabled, disabled_reason: null });
      const done = await action.run(() => updateWebhookEndpoint(v1, { webhook_endpoint_id, body: { enabled: !before.enabled } }));
      store(done?.value ?? before);
      if (done !== undefined) context.say(before.enabled ? words.pausedNow : words.enabled);
    },
    rotate: async () => {
      const isAgain = reading.value.previous_secret_valid_until !== null;
      const text = isAgain ? `${words.rotateText}\n\n${words.rotateAgain}` : words.rotateText;
      if (!await context.confirm({ title: words.rotateQuestion, text, action: words.rotate })) return;
      const done = await action.run(() => rotateWebhookSecret(v1, { webhook_endpoint_id }));
      if (done === undefined) return;
      const { secret = '', ...changed } = done.value;
      store(changed);
      await showOnce(context, { title: words.newSecret, text: words.newSecretText, done: words.done, entries: [[words.newSecret, secret, words.copySecret]] });
    },
    remove: async () => {
      const question = { title: words.removeQuestion, text: words.removeText(reading.value.url), action: words.removeAction };
      if (!await context.confirm(question)) return;
      if (await action.run(() => deleteWebhookEndpoint(v1, { webhook_endpoint_id })) === undefined) return;
      editor.reset({});
      context.say(words.removed);
      await context.go('webhooks');
    },
    save: async () => {
      if (!isComplete(editor.form)) return;
      const changed = await context.call(() => updateWebhookEndpoint(v1, { webhook_endpoint_id, body: bodyOf(editor.form) }));
      editor.reset(valuesOf(changed));
      store(changed);
      context.say(words.saved);
    },
  };

  return {
    title: () => reading.value?.url ?? words.title,
    leave: () => sent.leave(),
    view: () => html`
      ${head(reading.value?.url ?? words.title, {
        back: back('webhooks', words.back),
        lead: reading.value === undefined ? nothing : html`<span class="title">${stateBadge(reading.value)} <bdi>${reading.value.description}</bdi></span>`,
        action: reading.value === undefined ? nothing : html`
          <div class="row">
            <button type="button" class="button" ?disabled=${action.isRunning} @click=${act.toggle}>${reading.value.enabled ? words.pause : words.enable}</button>
            <button type="button" class="button main" ?disabled=${action.isRunning} @click=${act.test}>${words.test}</button>
          </div>`,
      })}
      ${reading.show(endpoint => html`
        <div class="stack">
          ${action.problem === undefined ? nothing : problem(action.problem)}
          ${state(endpoint)}
        </div>
        ${sent.view()}
        <section class="part" @input=${() => context.draw()}>
          <h2>${words.settings}</h2>
          ${editor.form.view({
            fields: fields(context, editor.form, chatbots.value, endpoint),
            actions: ({ isSending }) => editor.actions(words, () => valuesOf(reading.value), isSending, () => context.draw()),
            send: act.save,
          })}
        </section>
        <section class="part">
          <h2>${words.secretTitle}</h2>
          <p class="lead">${words.secretText}</p>
          ${endpoint.previous_secret_valid_until ? html`<p class="note">${words.previous(at(endpoint.previous_secret_valid_until))}</p>` : nothing}
          <div><button type="button" class="button" ?disabled=${action.isRunning} @click=${act.rotate}>${words.rotate}</button></div>
          ${verifying.view()}
        </section>
        <p class="part"><span><button type="button" class="link danger" @click=${act.remove}>${words.remove}</button></span></p>`, skeleton(8))}`,
  };
}

/** Why a webhook gets nothing at present, or may get nothing soon. */
function state({ enabled, disabled_reason, failing_since }) {
  if (!enabled && disabled_reason !== null) return html`<p class="problem">${words.disabledReasons[disabled_reason] ?? disabled_reason}</p>`;
  if (!enabled) return html`<p class="hint">${words.disabledText}</p>`;
  return failing_since === null ? nothing : html`<p class="problem" title=${at(failing_since)}>${words.failing(ago(failing_since))}</p>`;
}
