// Passkeys on the profile: adding, renaming and removing them.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { listPasskeys, removePasskey, renamePasskey } from '../../../console-client/passkeys.js';
import { Form } from '../../form.js';
import { ago, at, onDay } from '../../format.js';
import { add as createPasskey, support } from '../../passkeys.js';
import { account } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { passkeys as words } from '../../texts/passkeys.js';
import { Action } from './parts.js';
import { actions, recoveryCodes, showCodes } from './second-factor.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {{ ended: () => void, added?: () => void, hasApp: () => boolean }} outside What follows when other sessions have ended, and when one was
 *   added and its recovery codes are no longer shown; whether there is an authenticator app as well.
 */
export function passkeys(context, { ended, added = () => {}, hasApp }) {
  const reading = new Reading(context, async () => {
    const [list, usable] = await Promise.all([listPasskeys(account), support()]);
    return { list: list.passkeys, ...usable };
  });
  const removing = new Action(context);
  const again = () => reading.begin();
  // Another tab may change them.
  context.watch(['account'], again);

  const add = async () => {
    const isFirst = reading.value?.list.length === 0 && !hasApp();
    let isAdded = false;
    await context.open(dialog => adding(context, dialog, isFirst, hasCodes => {
      isAdded = true;
      again();
      if (hasCodes) ended();
    }));
    if (isAdded) added();
  };
  const rename = passkey => context.open(dialog => renaming(context, dialog, passkey, again));
  const remove = async ({ passkey_id, name }) => {
    const isLast = reading.value?.list.length === 1 && !hasApp();
    const text = isLast ? `${words.removeLast}\n${words.removeText}` : words.removeText;
    if (!await context.confirm({ title: words.removeTitle(name), text, action: words.remove })) return;
    const removed = await removing.run(() => removePasskey(account, { passkey_id }));
    if (removed !== undefined) context.say(words.wasRemoved(name));
    // Another tab may have removed it, too.
    await again();
  };

  const shown = ({ list, obstacle, origin }) => html`
    ${list.length === 0 ? nothing : html`<ul class="stack">${repeat(list, key => key.passkey_id, key => entry(key, rename, remove))}</ul>`}
    ${obstacle === ''
      ? html`<div><button type="button" class="button ${list.length === 0 ? 'main' : ''}" @click=${add}>${words.add}</button></div>`
      : html`<p class="hint">${words.obstacles[obstacle](origin)}</p>`}`;

  return {
    begin: again,
    view: () => html`
      <section class="part" aria-labelledby="passkeys">
        <h2 id="passkeys">${words.title}</h2>
        <p class="lead">${words.lead}</p>
        ${removing.problem === undefined ? nothing : problem(removing.problem)}
        ${reading.show(shown, skeleton(2))}
      </section>`,
  };
}

function entry(passkey, rename, remove) {
  const { name, created_at, last_used_at } = passkey;
  return html`
    <li class="site">
      <div class="top">
        <h3 class="address">${name}</h3>
        <div class="row">
          <button type="button" class="button slim" aria-label=${words.renameLabel(name)} @click=${() => rename(passkey)}>${words.rename}</button>
          <button type="button" class="button slim" aria-label=${words.removeLabel(name)} @click=${() => remove(passkey)}>${words.remove}</button>
        </div>
      </div>
      <p class="small quiet">
        <span title=${at(created_at)}>${words.added(onDay(created_at))}</span> · ${last_used_at === null
          ? words.never : html`<span title=${at(last_used_at)}>${words.used(ago(last_used_at))}</span>`}
      </p>
    </li>`;
}

/** Asks for a name, has the browser make the passkey, and shows the recovery codes if there are new ones. */
function adding(context, dialog, isFirst, changed) {
  const form = new Form(context, 'passkey');
  let codes = [];
  const send = async () => {
    const { recovery_codes } = await createPasskey(context, form.text('name'));
    codes = recovery_codes;
    changed(codes.length > 0);
    context.say(codes.length > 0 ? words.wasFirst : words.wasAdded);
    if (codes.length > 0) await showCodes(context, dialog);
    else dialog.close();
  };
  return () => (codes.length > 0 ? recoveryCodes(context, dialog, codes) : html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.addTitle}</h2>
      <p>${words.addText}</p>
      ${isFirst ? html`<p class="hint">${words.addFirst}</p>` : nothing}
      ${form.view({
        fields: form.field({ name: 'name', label: words.name, hint: words.nameHint, isFirst: true }),
        actions: ({ isSending }) => actions(dialog, words.next, isSending),
        send,
      })}
    </div>`);
}

function renaming(context, dialog, { passkey_id, name }, changed) {
  const form = new Form(context, 'passkey-name', { values: { name } });
  const send = async () => {
    await context.call(() => renamePasskey(account, { passkey_id, body: { name: form.text('name') } }));
    dialog.close();
    changed();
    context.say(words.wasRenamed);
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.renameTitle}</h2>
      ${form.view({
        fields: form.field({ name: 'name', label: words.name, isFirst: true }),
        actions: ({ isSending }) => actions(dialog, words.save, isSending),
        send,
      })}
    </div>`;
}
