// A new password, chosen with a link.

import { html } from '../../../vendor/lit/lit.js';
import { redeemPasswordReset } from '../../../console-client/password-resets.js';
import { Form } from '../../form.js';
import { head } from '../../frame.js';
import { account } from '../../service.js';
import { texts } from '../../texts.js';
import { invalidLink, redeeming } from './links.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const words = texts.reset;
  const form = new Form(context, 'reset');
  const { token } = context.link;
  const link = redeeming(context, words.done);
  const send = () => link.redeem(() => redeemPasswordReset(account, { body: { token, password: form.values.password } }));
  return {
    title: words.title,
    isDoor: true,
    view: () => (link.isInvalid ? invalidLink(context) : html`
      ${head(words.title, { lead: words.lead })}
      ${form.view({
        fields: form.field({
          name: 'password', label: words.password, type: 'password', autocomplete: 'new-password', hint: texts.setup.passwordHint, isFirst: true,
        }),
        actions: ({ isSending }) => html`<button class="button main" ?disabled=${isSending}>${words.action}</button>`,
        send,
      })}`),
  };
}
