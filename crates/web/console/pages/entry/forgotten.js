// A forgotten password: a link by email, if the service sends email; otherwise, whom to ask.

import { html } from '../../../vendor/lit/lit.js';
import { getPasswordResetWays, requestPasswordReset } from '../../../console-client/password-resets.js';
import { focusOn } from '../../focus.js';
import { Form } from '../../form.js';
import { head } from '../../frame.js';
import { account } from '../../service.js';
import { texts } from '../../texts.js';
import { forgotten as words } from '../../texts/team.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {Form} signIn Its email address is taken over.
 */
export function forgotten(context, signIn) {
  const form = new Form(context, 'forgotten');
  let isMailed = false;
  let sentTo;
  const state = {
    isOpen: false,
    /** Reads what the service can do. Until then, and if that fails, people are told whom to ask. */
    async begin() {
      try {
        isMailed = (await getPasswordResetWays(account)).by_email;
      } catch {
        isMailed = false;
      }
      context.draw();
    },
    /** What leads to it from the sign-in. */
    entry: () => (isMailed
      ? html`<p><button type="button" class="link" @click=${show}>${words.open}</button></p>`
      : html`
        <details>
          <summary>${texts.signIn.forgotten}</summary>
          <p class="small quiet">${texts.signIn.forgottenText}</p>
          <p class="code">frontdesk user link EMAIL</p>
        </details>`),
    view: () => (sentTo === undefined ? ask() : sent()),
  };

  const show = async () => {
    form.values.email = signIn.text('email');
    sentTo = undefined;
    state.isOpen = true;
    await context.draw();
    focusOn('main [data-first]');
  };
  const close = async () => {
    state.isOpen = false;
    await context.draw();
    focusOn('main [data-first]');
  };
  const send = async () => {
    const email = form.text('email');
    await requestPasswordReset(account, { body: { email } });
    sentTo = email;
    await context.draw();
    focusOn('main h1');
  };
  const back = () => html`<p><button type="button" class="link" @click=${close}>${words.back}</button></p>`;
  const ask = () => html`
    ${head(words.title, { lead: words.lead })}
    ${form.view({
      fields: form.field({ name: 'email', label: texts.email, type: 'email', autocomplete: 'username', isFirst: true }),
      actions: ({ isSending }) => html`<button class="button main" ?disabled=${isSending}>${words.action}</button>`,
      send,
    })}
    ${back()}`;
  const sent = () => html`
    ${head(words.sentTitle)}
    <p class="words" role="status">${words.sent(sentTo)}</p>
    <p class="small quiet">${words.nothing}</p>
    ${back()}`;
  return state;
}
