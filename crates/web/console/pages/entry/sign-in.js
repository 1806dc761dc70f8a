// The sign-in, shown at whatever address somebody without a session opens.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { signIn } from '../../../console-client/session.js';
import { Form } from '../../form.js';
import { head } from '../../frame.js';
import { account } from '../../service.js';
import { texts } from '../../texts.js';
import { passkeys as passkeyWords } from '../../texts/passkeys.js';
import { forgotten } from './forgotten.js';
import { passkey } from './passkey.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const words = texts.signIn;
  const form = new Form(context, 'sign-in', { isKept: true });
  const help = forgotten(context, form);
  const key = passkey(context, { action: passkeyWords.signIn, unused: passkeyWords.unused });
  help.begin();
  key.begin();
  const send = async () => {
    const session = await signIn(account, { body: { email: form.text('email'), password: form.values.password } });
    form.clear();
    await context.enter(session);
  };
  return {
    title: words.title,
    isDoor: true,
    view: () => (help.isOpen ? help.view() : html`
      ${head(words.title)}
      ${context.notice === '' ? nothing : html`<p class="note" role="status">${context.notice}</p>`}
      ${form.view({
        fields: html`
          ${form.field({ name: 'email', label: texts.email, type: 'email', autocomplete: 'username', isFirst: true })}
          ${form.field({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password' })}`,
        actions: ({ isSending }) => html`<button class="button main" ?disabled=${isSending}>${words.action}</button>`,
        send,
      })}
      ${key.isOffered ? html`<p class="or small quiet" aria-hidden="true">${passkeyWords.or}</p>${key.view()}` : nothing}
      ${help.entry()}`),
  };
}
