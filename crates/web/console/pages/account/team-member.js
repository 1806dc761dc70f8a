// One member of the team: their role, whether they may act, and their end.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { removeMember, updateMember } from '../../../console-client/members.js';
import { Form } from '../../form.js';
import { Cancelled, account, problemOf } from '../../service.js';
import { problem } from '../../states.js';
import { texts } from '../../texts.js';
import { team as words } from '../../texts/team.js';
import { meanings, rolesFor } from './team-invitations.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {any} member
 * @param {() => void} changed
 */
export function manage(context, dialog, member, changed) {
  const { member_id, name } = member;
  const form = new Form(context, 'member', { values: { role: member.role } });
  let failed;

  const save = async () => {
    const { role } = form.values;
    await context.call(() => updateMember(account, { member_id, body: { role } }));
    dialog.close();
    changed();
    context.say(words.roleChanged(name, words.roles[role].toLowerCase()));
  };

  const attempt = async action => {
    failed = undefined;
    try {
      const said = await action();
      if (said === undefined) return;
      dialog.close();
      context.say(said);
      changed();
    } catch (error) {
      if (error instanceof Cancelled) return;
      failed = problemOf(error);
      context.draw();
      changed();
    }
  };
  const disable = async () => {
    const question = { title: words.disableQuestion(name), text: words.disableText, action: words.disable };
    if (!await context.confirm(question)) return undefined;
    await context.call(() => updateMember(account, { member_id, body: { status: 'disabled' } }));
    return words.wasDisabled(name);
  };
  const enable = async () => {
    await context.call(() => updateMember(account, { member_id, body: { status: 'active' } }));
    return words.wasEnabled(name);
  };
  const remove = async () => {
    const question = { title: words.removeQuestion(name), text: words.removeText, action: words.removeAction };
    if (!await context.confirm(question)) return undefined;
    await context.call(() => removeMember(account, { member_id }));
    return words.removed(name);
  };

  const isDisabled = member.status === 'disabled';
  return () => html`
    <div class="stack">
      <div>
        <h2 id=${dialog.id}><bdi>${name}</bdi></h2>
        <p class="small quiet words"><bdi>${member.email}</bdi></p>
      </div>
      ${failed === undefined ? nothing : problem(failed)}
      ${form.view({
        fields: html`${form.field({ name: 'role', label: words.role, choices: rolesFor(context) })}${meanings(context)}`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${words.save}</button>
          </div>`,
        send: save,
      })}
      <section class="access" aria-labelledby="access">
        <h3 id="access">${words.access}</h3>
        <div>
          <p class="small quiet">${isDisabled ? words.enableText : words.disableText}</p>
          <button type="button" class="button slim" @click=${() => attempt(isDisabled ? enable : disable)}>${isDisabled ? words.enable : words.disable}</button>
        </div>
        <div>
          <p class="small quiet">${words.removeText}</p>
          <button type="button" class="button slim" aria-label=${words.remove} @click=${() => attempt(remove)}>${words.removeAction}</button>
        </div>
      </section>
    </div>`;
}
