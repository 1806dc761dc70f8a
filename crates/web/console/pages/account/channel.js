// One channel: whether it works, what to do elsewhere for it, its settings, and the emails that it has skipped.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { deleteInboxChannel, getInboxChannel, updateInboxChannel } from '../../../client/inbox-channels.js';
import { ago, onDay, sentence } from '../../format.js';
import { back, head } from '../../frame.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { words } from '../../texts/channels.js';
import { connect, toKeep } from './channel-connect.js';
import { kindOf } from './channel-fields.js';
import { stateBadge } from './channel-state.js';
import { Action, Editor, follow, showOnce, titleOf } from './parts.js';
import { skippedMails } from './skipped-mails.js';

/** Milliseconds after which it is read again whether the channel works, and what it has skipped. */
const PAUSE = 5_000;

/**
 * @param {import('../../main.js').Context} context
 * @param {{ channel: string }} parameters
 */
export function page(context, { channel: channel_id }) {
  const editor = new Editor(context, `channel-${channel_id}`);
  const action = new Action(context);
  const skipped = skippedMails(context, channel_id);
  const take = channel => editor.take(valuesOf(channel));
  const reading = new Reading(context, () => getInboxChannel(v1, { channel_id }));
  const read = async options => {
    await reading.begin(options);
    if (reading.value === undefined || reading.problem !== undefined) return;
    take(reading.value);
    if (reading.value.kind === 'email') await skipped.read();
    context.draw();
  };
  read();
  const leave = follow(context, ['account', 'threads'], () => {
    // What was deleted does not come back.
    if (reading.problem?.status !== 404 && !action.isRunning && !editor.form.isSending) read({ isQuiet: true });
  }, () => PAUSE);

  const store = changed => {
    reading.value = changed;
    context.draw();
  };
  const save = async () => {
    const { form } = editor;
    const body = { name: form.text('name'), ...kindOf(reading.value.kind).body(form, reading.value) };
    const changed = await context.call(() => updateInboxChannel(v1, { channel_id, body }));
    const entries = toKeep(changed, form);
    editor.reset(valuesOf(changed));
    store(changed);
    context.say(words.saved);
    if (entries.length > 0) await showOnce(context, { ...words.once, entries });
  };
  const toggle = async () => {
    const before = reading.value;
    // Shown at once, and taken back if it fails.
    store({ ...before, enabled: !before.enabled });
    const done = await action.run(() => updateInboxChannel(v1, { channel_id, body: { enabled: !before.enabled } }));
    store(done?.value ?? before);
    if (done !== undefined) context.say(before.enabled ? words.paused(before.name) : words.resumed(before.name));
  };
  const remove = async () => {
    const { name } = reading.value;
    if (!await context.confirm({ title: words.removeQuestion(name), text: words.removeText, action: words.removeAction })) return;
    if (await action.run(() => deleteInboxChannel(v1, { channel_id })) === undefined) return;
    editor.reset({});
    context.say(words.removed(name));
    await context.go('channels');
  };

  const settings = channel => html`
    <section class="part" @input=${() => context.draw()}>
      <h2>${words.settings}</h2>
      ${editor.form.view({
        fields: html`
          ${editor.form.field({ name: 'name', label: words.name, hint: words.nameHint })}
          ${kindOf(channel.kind).fields(context, editor.form, channel)}`,
        actions: ({ isSending }) => editor.actions(words, () => valuesOf(reading.value), isSending, () => context.draw()),
        send: save,
      })}
    </section>`;

  return {
    title: () => titleOf(reading, 'name'),
    leave,
    view: () => html`
      ${head(titleOf(reading, 'name'), {
        back: back('channels', words.back),
        lead: reading.value === undefined ? nothing : html`<span class="title">${words.kinds[reading.value.kind] ?? reading.value.kind} ${stateBadge(reading.value)}</span>`,
        action: reading.value !== undefined && context.isManager
          ? html`<button type="button" class="button" ?disabled=${action.isRunning} @click=${toggle}>${reading.value.enabled ? words.pause : words.resume}</button>`
          : nothing,
      })}
      ${reading.show(channel => html`
        <div class="stack">
          ${action.problem === undefined ? nothing : problem(action.problem)}
          ${state(context, channel)}
        </div>
        ${connect(context, channel)}
        ${context.isManager ? settings(channel) : details(channel)}
        ${channel.kind === 'email' ? skipped.view() : nothing}
        ${context.isManager
          ? html`<p class="part"><span><button type="button" class="link danger" @click=${remove}>${words.remove}</button></span></p>`
          : nothing}`, skeleton(8))}`,
  };
}

function valuesOf(channel) {
  return { name: channel.name, ...kindOf(channel.kind).values(channel) };
}

/** Why a channel does nothing at present. */
function state(context, { enabled, last_error, error_at }) {
  if (!enabled) return html`<p class="hint">${words.pausedText}</p>`;
  if (last_error === null) return html`<p><a class="small" href=${path('inbox')}>${words.inboxLink}</a></p>`;
  return html`
    <div class="problem">
      <p><strong>${words.failingTitle(ago(error_at))}</strong></p>
      <p class="words">${sentence(last_error)}</p>
      <p class="small">${context.isManager ? words.failingNext : words.failingOther}</p>
    </div>`;
}

/** What people see of the settings who may not change them. */
function details(channel) {
  const own = words.details;
  const server = stored => (stored ? `${stored.host}:${stored.port}` : own.notSet);
  const { email, contact_form: form } = channel;
  const entries = [
    ...(email ? [[own.address, email.address], [own.sender, email.sender_name ?? '–'], [own.receiving, server(email.imap)], [own.sending, server(email.smtp)]] : []),
    ...(form ? [[own.replyTo, form.reply_to ?? '–'], [own.redirect, form.redirect_url ?? '–']] : []),
    ...(channel.whatsapp || channel.messenger ? [[own.senderId, (channel.whatsapp ?? channel.messenger).sender_id]] : []),
    [own.created, onDay(channel.created_at)],
  ];
  return html`
    <section class="part">
      <h2>${words.settings}</h2>
      <dl class="places">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    </section>`;
}
