// The authenticator app on the profile, with the recovery codes, which replace passkeys as well.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { confirmSecondFactor, createSecondFactor, getSecondFactor, removeSecondFactor, renewRecoveryCodes } from '../../../console-client/second-factors.js';
import { Form } from '../../form.js';
import { onDay } from '../../format.js';
import { copyable } from '../../frame.js';
import { account } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { secondFactor as words } from '../../texts/second-factor.js';
import { download } from '../contacts/download.js';
import { Action } from './parts.js';

/** Recovery codes below this number are few. */
const FEW = 4;

/**
 * @param {import('../../main.js').Context} context
 * @param {() => void} ended Called when other sessions have ended.
 * @param {() => void} [added] Called when one was added and its recovery codes are no longer shown.
 */
export function secondFactor(context, ended, added = () => {}) {
  const reading = new Reading(context, () => getSecondFactor(account));
  const beginning = new Action(context);
  const again = () => reading.begin();
  // Another tab may change it.
  context.watch(['account'], again);

  const add = async () => {
    const begun = await beginning.run(() => createSecondFactor(account));
    if (begun === undefined) {
      // Another tab may have added one.
      if (beginning.problem?.status === 409) await again();
      return;
    }
    let isAdded = false;
    await context.open(dialog => adding(context, dialog, begun.value, () => {
      isAdded = true;
      again();
      ended();
    }));
    if (isAdded) added();
  };
  const renew = () => context.open(dialog => renewing(context, dialog, again));
  const remove = () => context.open(dialog => removing(context, dialog, again));

  const codes = left => html`<p class=${left < FEW ? 'hint' : 'small quiet'}>${words.left(left)}${left < FEW ? html` ${words.few}` : nothing}</p>`;
  const renewal = () => html`<button type="button" class="button slim" @click=${renew}>${words.renew}</button>`;
  const off = ({ recovery_codes_left: left }) => html`
    ${left === 0 ? nothing : html`<div class="site">${codes(left)}<div class="row">${renewal()}</div></div>`}
    <div><button type="button" class="button main" ?disabled=${beginning.isRunning} @click=${add}>${words.add}</button></div>`;
  const on = ({ enabled_at, recovery_codes_left: left }) => html`
    <div class="site">
      <p><span class="badge good">${words.on}</span> ${words.since(onDay(enabled_at))}</p>
      ${codes(left)}
      <div class="row">
        ${renewal()}
        <button type="button" class="button slim" aria-label=${words.removeLabel} @click=${remove}>${words.remove}</button>
      </div>
    </div>`;

  return {
    begin: again,
    get hasApp() {
      return typeof reading.value?.enabled_at === 'string';
    },
    view: () => html`
      <section class="part" aria-labelledby="second-factor">
        <h2 id="second-factor">${words.title}</h2>
        <p class="lead">${words.lead}</p>
        ${beginning.problem === undefined ? nothing : problem(beginning.problem)}
        ${reading.show(factor => (factor.enabled_at === null ? off(factor) : on(factor)), skeleton(2))}
      </section>`,
  };
}

/** Buttons of a form in a dialog. */
export function actions(dialog, action, isSending, kind = 'main') {
  return html`
    <div class="row end">
      <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
      <button class="button ${kind}" ?disabled=${isSending}>${action}</button>
    </div>`;
}

/** Shows the secret, asks for a code of the app, and shows the recovery codes. */
function adding(context, dialog, { secret, qr_code }, changed) {
  const form = new Form(context, 'second-factor');
  const picture = `data:image/svg+xml,${encodeURIComponent(qr_code)}`;
  const spaced = secret.match(/.{1,4}/g).join(' ');
  let codes;
  const send = async () => {
    codes = (await context.call(() => confirmSecondFactor(account, { body: { code: form.text('code') } }))).recovery_codes;
    changed();
    context.say(words.wasAdded);
    await showCodes(context, dialog);
  };
  return () => (codes !== undefined ? recoveryCodes(context, dialog, codes) : html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.addTitle}</h2>
      <p>${words.scan}</p>
      <img class="qr" src=${picture} alt=${words.picture} width="200" height="200">
      <p class="small quiet">${words.type}</p>
      ${copyable(context, spaced, words.copyLabel)}
      ${form.view({
        fields: form.field({ name: 'code', label: words.code, hint: words.codeHint, inputmode: 'numeric', autocomplete: 'one-time-code', isFirst: true }),
        actions: ({ isSending }) => actions(dialog, words.confirm, isSending),
        send,
      })}
    </div>`);
}

function renewing(context, dialog, changed) {
  const form = new Form(context, 'recovery-codes');
  let codes;
  const send = async () => {
    codes = (await context.call(() => renewRecoveryCodes(account, { body: { code: form.text('code') } }))).recovery_codes;
    changed();
    context.say(words.wasRenewed);
    await showCodes(context, dialog);
  };
  return () => (codes !== undefined ? recoveryCodes(context, dialog, codes) : html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.renewTitle}</h2>
      <p>${words.renewText}</p>
      ${form.view({ fields: proof(form), actions: ({ isSending }) => actions(dialog, words.renewAction, isSending), send })}
    </div>`);
}

function removing(context, dialog, changed) {
  const form = new Form(context, 'second-factor-end');
  const send = async () => {
    await context.call(() => removeSecondFactor(account, { body: { code: form.text('code') } }));
    dialog.close();
    changed();
    context.say(words.wasRemoved);
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.removeTitle}</h2>
      <p>${words.removeText}</p>
      ${form.view({ fields: proof(form), actions: ({ isSending }) => actions(dialog, words.removeAction, isSending, 'danger'), send })}
    </div>`;
}

function proof(form) {
  return form.field({ name: 'code', label: words.anyCode, inputmode: 'text', autocomplete: 'one-time-code', isFirst: true });
}

/** Draws the recovery codes in place of the form, and moves the focus to their heading. */
export async function showCodes(context, dialog) {
  await context.draw();
  document.getElementById(dialog.id)?.focus();
}

export function recoveryCodes(context, dialog, codes) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(codes.join('\n'));
      context.say(texts.copied);
    } catch {
      context.say(texts.copyFailed);
    }
  };
  const save = () => download(words.fileName, 'text/plain', words.file(context.session.person.email, codes));
  return html`
    <div class="stack">
      <h2 id=${dialog.id} tabindex="-1">${words.codesTitle}</h2>
      <p class="hint">${words.codesLead}</p>
      <ul class="recovery code" aria-label=${words.codesLabel}>${codes.map(code => html`<li>${code}</li>`)}</ul>
      <div class="row end">
        <button type="button" class="button" @click=${copy}>${words.copyCodes}</button>
        <button type="button" class="button" @click=${save}>${words.download}</button>
        <button type="button" class="button main" @click=${() => dialog.close()}>${words.kept}</button>
      </div>
    </div>`;
}
