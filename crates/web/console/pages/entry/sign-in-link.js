// A sign-in with a link. It takes a click: programs that look at links in messages would use it up otherwise.

import { html } from '../../../vendor/lit/lit.js';
import { signInWithLink } from '../../../console-client/session.js';
import { Form } from '../../form.js';
import { head } from '../../frame.js';
import { account } from '../../service.js';
import { texts } from '../../texts.js';
import { invalidLink, redeeming } from './links.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const words = texts.link;
  const form = new Form(context, 'link');
  const { token } = context.link;
  const link = redeeming(context);
  return {
    title: words.title,
    isDoor: true,
    view: () => (link.isInvalid ? invalidLink(context) : html`
      ${head(words.title, { lead: words.lead })}
      ${form.view({
        fields: '',
        actions: ({ isSending }) => html`<button class="button main" data-first ?disabled=${isSending}>${words.action}</button>`,
        send: () => link.redeem(() => signInWithLink(account, { body: { token } })),
      })}`),
  };
}
