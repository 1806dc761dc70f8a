// The second step of the sign-in: a code of the authenticator app, or a recovery code.

import { html } from '../../../vendor/lit/lit.js';
import { cancelSignIn, completeSignIn } from '../../../console-client/session.js';
import { Form } from '../../form.js';
import { head } from '../../frame.js';
import { Cancelled, account } from '../../service.js';
import { code as words } from '../../texts/second-factor.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const form = new Form(context, 'code');
  let isRecovery = false;

  const send = async () => {
    try {
      const session = await completeSignIn(account, { body: { code: form.text('code') } });
      form.clear();
      await context.enter(session);
    } catch (error) {
      // Another code is typed in from the beginning.
      if (error?.status === 422) form.values.code = '';
      if (error?.status !== 401) throw error;
      await context.exit(words.ended);
      throw new Cancelled();
    }
  };

  const turn = async () => {
    isRecovery = !isRecovery;
    form.clear();
    await context.draw();
    document.querySelector('main [data-first]')?.focus();
  };

  const back = async () => {
    // What cannot be ended ends by itself in a few minutes.
    await cancelSignIn(account).catch(() => {});
    await context.exit();
  };

  const field = () => (isRecovery
    ? form.field({ name: 'code', label: words.recoveryCode, inputmode: 'text', isFirst: true })
    : form.field({ name: 'code', label: words.code, inputmode: 'numeric', autocomplete: 'one-time-code', isFirst: true }));

  return {
    title: () => (isRecovery ? words.recoveryTitle : words.title),
    isDoor: true,
    view: () => html`
      ${head(isRecovery ? words.recoveryTitle : words.title, { lead: isRecovery ? words.recoveryLead : words.lead })}
      ${form.view({
        fields: field(),
        actions: ({ isSending }) => html`<button class="button main" ?disabled=${isSending}>${words.action}</button>`,
        send,
      })}
      <p><button type="button" class="link" @click=${turn}>${isRecovery ? words.app : words.lost}</button></p>
      <p><button type="button" class="link" @click=${back}>${words.back}</button></p>
      <details>
        <summary>${words.help}</summary>
        <p class="small quiet">${words.helpText}</p>
        <p class="code">frontdesk user factors EMAIL <span class="whole">--remove</span></p>
      </details>`,
  };
}
