// Inviting people: a link that is shown once, renewed and revoked.

import { html } from '../../../vendor/lit/lit.js';
import { createInvitation, renewInvitation, revokeInvitation } from '../../../console-client/invitations.js';
import { Form } from '../../form.js';
import { copyable } from '../../frame.js';
import { Cancelled, account } from '../../service.js';
import { texts } from '../../texts.js';
import { team as words } from '../../texts/team.js';

/** The roles that a person may give, with their names. Only owners make owners. */
export function rolesFor(context) {
  const names = Object.entries(words.roles).reverse();
  return /** @type {[string, string][]} */ (context.session.role === 'owner' ? names : names.filter(([role]) => role !== 'owner'));
}

/**
 * Asks whom to invite, and shows the link this once.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {() => void} changed
 */
export function invite(context, dialog, changed) {
  const form = new Form(context, 'invitation', { values: { role: 'collaborator' } });
  let made;
  const send = async () => {
    const body = { email: form.text('email'), name: form.text('name'), role: form.values.role };
    made = await context.call(() => createInvitation(account, { body }));
    changed();
    await context.draw();
    document.getElementById(dialog.id)?.focus();
  };
  return () => (made !== undefined ? link(context, dialog, made) : html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.invite}</h2>
      ${form.view({
        fields: html`
          ${form.field({ name: 'email', label: words.email, type: 'email', isFirst: true })}
          ${form.field({ name: 'name', label: words.inviteName, hint: words.inviteNameHint, isOptional: true })}
          ${form.field({ name: 'role', label: words.role, choices: rolesFor(context) })}
          ${meanings(context)}`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${words.inviteAction}</button>
          </div>`,
        send,
      })}
    </div>`);
}

/** What the roles may do. */
export function meanings(context) {
  return html`
    <dl class="meanings small">
      ${rolesFor(context).map(([role, name]) => html`<div><dt>${name}</dt><dd>${words.roleTexts[role]}</dd></div>`)}
    </dl>`;
}

/** The link of an invitation, which nobody sees again. */
function link(context, dialog, made) {
  return html`
    <div class="stack">
      <h2 id=${dialog.id} tabindex="-1">${words.invitedTitle(made.name || made.email)}</h2>
      <p class="hint">${words.linkText}</p>
      ${copyable(context, made.link, words.copyLabel)}
      <p class="small quiet">${made.is_mailed ? words.mailed : words.notMailed}</p>
      <div class="row end"><button type="button" class="button main" @click=${() => dialog.close()}>${words.done}</button></div>
    </div>`;
}

/**
 * Makes a new link for an invitation.
 *
 * @param {import('../../main.js').Context} context
 */
export async function renew(context, { invitation_id, email }, changed) {
  if (!await context.confirm({ title: words.renewQuestion(email), text: words.renewText, action: words.renew, isHarmless: true })) throw new Cancelled();
  const made = await context.call(() => renewInvitation(account, { invitation_id }));
  changed();
  await context.open(dialog => () => link(context, dialog, made));
}

/** @param {import('../../main.js').Context} context */
export async function revoke(context, { invitation_id, email }) {
  if (!await context.confirm({ title: words.revokeQuestion(email), text: words.revokeText, action: words.revoke })) throw new Cancelled();
  await context.call(() => revokeInvitation(account, { invitation_id }));
  context.say(words.revoked(email));
}
