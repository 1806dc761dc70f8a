// A thread that begins with a message to a contact.

import { html, live, nothing, repeat } from '../../../vendor/lit/lit.js';
import { getContact, listContacts } from '../../../client/contacts.js';
import { createThread } from '../../../client/inbox.js';
import { Form } from '../../form.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as all } from '../../texts/inbox.js';
import { Search, found } from './search.js';

const words = all.newThread;

/** Kinds of channels that can begin threads. */
const KINDS = ['email', 'api'];

const nameOf = ({ name, email, phone }) => name || email || phone || all.unknownContact;

/**
 * Asks for a channel, a contact and a message. Closes with the thread.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {import('./kept.js').Names} names
 */
export function newThread(context, dialog, names) {
  const account_id = context.session.account.account_id;
  const channels = () => names.channels.filter(({ kind, enabled }) => KINDS.includes(kind) && enabled)
    .sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
  const form = new Form(context, 'new-thread', { isKept: true, aliases: { contact_id: 'to', channel_id: 'channel' } });
  const search = new Search(context, async q => (await listContacts(v1, { ...(q === '' ? {} : { q }), account_id, limit: 8 })).contacts);
  let contact;
  // The key of this message, so that it is not sent twice if the response gets lost.
  let attempt;
  // The contact of a draft that was kept.
  if (form.values.contact) {
    getContact(v1, { contact_id: form.values.contact }).then(found => {
      contact = found;
      context.draw();
    }, () => {});
  }
  names.read().catch(() => {});

  const choose = chosen => {
    contact = chosen;
    form.write('contact', chosen?.contact_id ?? '');
    delete form.wrong.to;
    context.draw().then(() => document.getElementById(chosen === undefined ? 'new-thread-to' : 'new-thread-subject')?.focus());
  };
  const send = async () => {
    const [first] = channels();
    if (contact === undefined) {
      form.wrong.to = [words.chooseContact];
      return;
    }
    const subject = form.text('subject');
    const body = {
      account_id, channel_id: form.values.channel || first.channel_id, contact_id: contact.contact_id, body: form.text('body'),
      ...(subject === '' ? {} : { subject }),
    };
    const what = JSON.stringify(body);
    if (attempt?.what !== what) attempt = { what, key: crypto.randomUUID() };
    const thread = await context.call(() => createThread(v1, { body }, { idempotencyKey: attempt.key }));
    form.clear();
    dialog.close(thread);
  };

  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.title}</h2>
      ${names.isRead && channels().length === 0
        ? html`
          <p><strong>${words.noChannel}.</strong> ${words.noChannelText}</p>
          <div class="row end">
            <button type="button" class="button" data-first @click=${() => dialog.close()}>${texts.cancel}</button>
            <a class="button main" href=${path('channels')} @click=${() => dialog.close()}>${all.threads.connect}</a>
          </div>`
        : form.view({
          fields: html`
            ${form.field({ name: 'channel', label: words.channel, choices: channels().map(({ channel_id, name, kind }) => [channel_id, `${name} (${all.kinds[kind]})`]) })}
            ${contact === undefined ? recipient(form, search, choose) : html`
              <div class="field">
                <p class="label">${words.to}</p>
                <p class="recipient"><span>${nameOf(contact)}${contact.email && contact.name ? html` <span class="small quiet">${contact.email}</span>` : nothing}</span>
                  <button type="button" class="link small" @click=${() => choose(undefined)}>${words.change}</button></p>
              </div>`}
            ${form.field({ name: 'subject', label: words.subject, isOptional: true })}
            ${form.field({ name: 'body', label: words.message, lines: 6 })}`,
          actions: ({ isSending }) => html`
            <div class="row end">
              <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
              <button class="button main" ?disabled=${isSending}>${words.send}</button>
            </div>`,
          send,
        })}
    </div>`;
}

function recipient(form, search, choose) {
  const wrong = form.wrong.to;
  return html`
    <div class="field">
      <label for="new-thread-to">${words.to}</label>
      <input id="new-thread-to" name="to" type="search" autocomplete="off" maxlength="200" data-first aria-describedby="new-thread-to-hint"
        aria-invalid=${wrong ? 'true' : nothing} .value=${live(search.text)} @input=${event => search.write(event.target.value)}>
      <p class="small quiet" id="new-thread-to-hint">${words.toHint}</p>
      ${wrong ? html`<p class="wrong">${wrong.join(' ')}</p>` : nothing}
      ${found(search, words.found, words.noneFound, contacts => repeat(contacts, ({ contact_id }) => contact_id, contact => html`
        <li><button type="button" @click=${() => choose(contact)}><span>${nameOf(contact)}</span>
          <span class="small quiet">${contact.name ? contact.email ?? contact.phone : nothing}</span></button></li>`))}
    </div>`;
}
