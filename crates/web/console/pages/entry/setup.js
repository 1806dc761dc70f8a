// The first page of a new installation: the account and its owner.

import { html } from '../../../vendor/lit/lit.js';
import { setUp } from '../../../console-client/setup.js';
import { Form } from '../../form.js';
import { head } from '../../frame.js';
import { account } from '../../service.js';
import { texts } from '../../texts.js';
import { invalidLink, redeeming } from './links.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const words = texts.setup;
  const form = new Form(context, 'setup', { isKept: true });
  const { token } = context.link;
  const link = redeeming(context, words.done);

  const send = () => link.redeem(async () => {
    const body = {
      token, name: form.text('name'), email: form.text('email'), account_name: form.text('account_name'), password: form.values.password,
    };
    const session = await setUp(account, { body });
    form.clear();
    return session;
  });

  return {
    title: words.title,
    isDoor: true,
    view: () => (link.isInvalid ? invalidLink(context) : html`
      ${head(words.title, { lead: words.lead })}
      ${form.view({
        fields: html`
          ${form.field({ name: 'account_name', label: words.business, autocomplete: 'organization', isFirst: true })}
          ${form.field({ name: 'name', label: words.name, autocomplete: 'name' })}
          ${form.field({ name: 'email', label: texts.email, type: 'email', autocomplete: 'username' })}
          ${form.field({ name: 'password', label: texts.password, type: 'password', autocomplete: 'new-password', hint: words.passwordHint })}`,
        actions: ({ isSending }) => html`<button class="button main" ?disabled=${isSending}>${words.action}</button>`,
        send,
      })}`),
  };
}
