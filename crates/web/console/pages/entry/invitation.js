// Joining an account by an invitation: with a new password, or with the one that a person has already.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { previewInvitation, redeemInvitation } from '../../../console-client/invitations.js';
import { focusOn } from '../../focus.js';
import { Form } from '../../form.js';
import { head } from '../../frame.js';
import { account, problemOf } from '../../service.js';
import { problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { invitation as words } from '../../texts/team.js';
import { invalidLink, redeeming } from './links.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const { token } = context.link;
  const link = redeeming(context);
  const form = new Form(context, 'joining', { isKept: true });
  let open, failed, note;
  let isKnown = false;

  // Somebody who is signed in may be no other than the invited person.
  const read = async () => {
    failed = undefined;
    context.draw();
    try {
      open = await previewInvitation(account, { body: { token } });
      form.values.name ??= open.name;
      isKnown = context.session?.person.email === open.email;
    } catch (error) {
      if (error?.status === 404) link.isInvalid = true;
      else failed = problemOf(error);
    }
    await context.draw();
    focusOn('main [data-first]');
  };
  read();

  const send = () => link.redeem(async () => {
    const name = isKnown ? undefined : form.text('name');
    try {
      const session = await redeemInvitation(account, { body: { token, name, password: form.values.password } });
      form.clear();
      // Everybody sees at once where they are.
      if ('account' in session) context.say(words.done(session.account.name));
      return session;
    } catch (error) {
      if (error?.code !== 'already_exists' || isKnown) throw error;
      await choose(true, words.known);
      return undefined;
    }
  });

  const choose = async (isNow, why) => {
    isKnown = isNow;
    note = why;
    form.wrong = {};
    form.problem = undefined;
    form.values.password = '';
    await context.draw();
    focusOn('main [data-first]');
  };

  const fields = () => html`
    <input type="text" name="username" autocomplete="username" .value=${open.email} hidden>
    ${isKnown ? nothing : form.field({ name: 'name', label: words.name, autocomplete: 'name', isFirst: true })}
    ${isKnown
      ? form.field({ name: 'password', label: words.ownPassword, type: 'password', autocomplete: 'current-password', hint: words.ownPasswordHint, isFirst: true })
      : form.field({ name: 'password', label: words.password, type: 'password', autocomplete: 'new-password', hint: texts.setup.passwordHint })}`;

  return {
    title: () => (open === undefined ? words.title : words.heading(open.account_name)),
    isDoor: true,
    view: () => {
      if (link.isInvalid) return invalidLink(context, words.invalid);
      if (failed !== undefined) return html`${head(words.title)}${problem(failed, read)}`;
      if (open === undefined) return html`${head(words.title)}${skeleton(4)}`;
      return html`
        ${head(words.heading(open.account_name), { lead: words.lead(open.inviter_name, words.asRole[open.role] ?? open.role) })}
        <p class="small quiet">${words.signsInAs} <strong><bdi>${open.email}</bdi></strong></p>
        ${note === undefined ? nothing : html`<p class="note" role="status">${note}</p>`}
        ${form.view({
          fields: fields(),
          actions: ({ isSending }) => html`<button class="button main" ?disabled=${isSending}>${words.join}</button>`,
          send,
        })}
        <p><button type="button" class="link" @click=${() => choose(!isKnown)}>${isKnown ? words.isNew : words.isKnown}</button></p>`;
    },
  };
}
