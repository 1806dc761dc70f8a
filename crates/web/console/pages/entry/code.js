// The second step of the sign-in: a code of the authenticator app, a passkey, or a recovery code.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { cancelSignIn, completeSignIn, getPendingSignIn } from '../../../console-client/session.js';
import { focusOn } from '../../focus.js';
import { Form } from '../../form.js';
import { head } from '../../frame.js';
import { Cancelled, account } from '../../service.js';
import { passkeys as passkeyWords } from '../../texts/passkeys.js';
import { code as words } from '../../texts/second-factor.js';
import { passkey } from './passkey.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const form = new Form(context, 'code');
  let isRecovery = false;
  let ways = { has_app: true, has_passkeys: false };

  const gone = async () => {
    await context.exit(words.ended);
    throw new Cancelled();
  };
  const key = passkey(context, { action: passkeyWords.step, unused: passkeyWords.unusedStep, ended: () => context.exit(words.ended) });
  /** Reads what the step can be. Until then, and if that fails, it is a code, which may be a recovery code. */
  const begin = async () => {
    try {
      ways = await getPendingSignIn(account);
    } catch {
      return;
    }
    isRecovery = !ways.has_app;
    if (ways.has_passkeys) await key.begin();
    context.draw();
  };
  begin();

  const send = async () => {
    try {
      const session = await completeSignIn(account, { body: { code: form.text('code') } });
      form.clear();
      await context.enter(session);
    } catch (error) {
      // Another code is typed in from the beginning.
      if (error?.status === 422) form.values.code = '';
      if (error?.status !== 401) throw error;
      await gone();
    }
  };

  const turn = async () => {
    isRecovery = !isRecovery;
    form.clear();
    await context.draw();
    focusOn('main [data-first]');
  };

  const back = async () => {
    // What cannot be ended ends by itself in a few minutes.
    await cancelSignIn(account).catch(() => {});
    await context.exit();
  };

  const field = () => (isRecovery
    ? form.field({ name: 'code', label: words.recoveryCode, inputmode: 'text', isFirst: true })
    : form.field({ name: 'code', label: words.code, inputmode: 'numeric', autocomplete: 'one-time-code', isFirst: true }));

  const hasKey = () => ways.has_passkeys && key.isOffered;
  const isKeyFirst = () => !ways.has_app && hasKey();
  const title = () => (isKeyFirst() ? passkeyWords.stepTitle : isRecovery ? words.recoveryTitle : words.title);
  const lead = () => (isKeyFirst() ? passkeyWords.stepLead : isRecovery ? words.recoveryLead : words.lead);

  return {
    title,
    isDoor: true,
    view: () => html`
      ${head(title(), { lead: lead() })}
      ${hasKey() ? html`${key.view(isKeyFirst())}<p class="or small quiet" aria-hidden="true">${passkeyWords.or}</p>` : nothing}
      ${form.view({
        fields: field(),
        actions: ({ isSending }) => html`<button class="button ${isKeyFirst() ? '' : 'main'}" ?disabled=${isSending}>${words.action}</button>`,
        send,
      })}
      ${ways.has_app ? html`<p><button type="button" class="link" @click=${turn}>${isRecovery ? words.app : words.lost}</button></p>` : nothing}
      <p><button type="button" class="link" @click=${back}>${words.back}</button></p>
      <details>
        <summary>${isKeyFirst() ? passkeyWords.help : words.help}</summary>
        <p class="small quiet">${words.helpText}</p>
        <p class="code">frontdesk user factors EMAIL <span class="whole">--remove</span></p>
      </details>`,
  };
}
