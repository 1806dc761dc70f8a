// What has to be pasted somewhere else so that a channel works: the HTML of a form, the address of a webhook, a command.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { copyable } from '../../frame.js';
import { path } from '../../paths.js';
import { root } from '../../service.js';
import { words } from '../../texts/channels.js';
import { code, lines } from './parts.js';

/** An address of the public interface. */
const address = (place) => new URL(`api/v1/${place}`, root).href;

/**
 * Returns what to do elsewhere for a channel.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../../client/inbox-channels.js').InboxChannel} channel
 */
export function connect(context, channel) {
  const { kind } = channel;
  const section = (title, content) => html`<section class="part"><h2>${title}</h2>${content}</section>`;
  if (kind === 'contact_form') return section(words.form.embed, form(context, channel.contact_form));
  if (kind === 'email') return channel.email.has_push_secret ? section(words.mail.pushTitle, pushing(context, channel.email)) : nothing;
  if (kind === 'telegram') return section(words.telegram.title, telegram(context, channel.telegram));
  if (kind === 'whatsapp' || kind === 'messenger') return section(words.meta.title, meta(context, kind, channel[kind]));
  if (kind === 'api') return section(words.api.title, pushed(context, channel));
  return nothing;
}

function form(context, { form_key, min_fill_seconds }) {
  const target = address(`public/forms/${form_key}/submissions`);
  const { labels } = words.form;
  const needsToken = min_fill_seconds !== null;
  const markup = lines(
    `<form action="${target}" method="post"${needsToken ? ' id="contact"' : ''}>`,
    `  <p><label>${labels.name}<br><input name="name" autocomplete="name" maxlength="200"></label></p>`,
    `  <p><label>${labels.email}<br><input name="email" type="email" autocomplete="email" required></label></p>`,
    `  <p><label>${labels.message}<br><textarea name="message" rows="6" maxlength="10000" required></textarea></label></p>`,
    '  <p hidden><input name="website" tabindex="-1" autocomplete="off"></p>',
    ...(needsToken ? ['  <input name="token" type="hidden">'] : []),
    `  <button>${labels.send}</button>`,
    '</form>',
  );
  const script = lines(
    '<script>',
    `  fetch('${address(`public/forms/${form_key}/token`)}', { method: 'POST' })`,
    '    .then(response => response.json())',
    `    .then(({ token }) => { document.querySelector('#contact [name=token]').value = token; });`,
    '</script>',
  );
  return html`
    <p class="lead">${words.form.embedText}</p>
    ${code(context, markup, words.form.copyLabel)}
    ${needsToken ? html`<p class="hint">${words.form.tokenText}</p>${code(context, script, words.form.copyScript)}` : nothing}
    <h3>${words.form.where}</h3>
    <p class="small quiet">${words.form.address}</p>
    ${copyable(context, target, words.form.copyAddress)}`;
}

function pushing(context, { channel_key }) {
  const command = lines(
    `curl '${address(`public/channels/${channel_key}/mail`)}' \\`,
    `  -H 'X-Channel-Secret: SECRET' \\`,
    `  -H 'Content-Type: message/rfc822' \\`,
    '  --data-binary @mail.eml',
  );
  return html`<p class="lead">${words.mail.pushText}</p>${code(context, command, words.mail.copyPush)}`;
}

function telegram(context, { channel_key, uses_webhook }) {
  if (!uses_webhook) return html`<p class="lead">${words.telegram.fetched}</p>`;
  const command = lines(
    `curl 'https://api.telegram.org/botTOKEN/setWebhook' \\`,
    `  -d 'url=${address(`public/channels/${channel_key}/telegram`)}' \\`,
    `  -d 'secret_token=SECRET'`,
  );
  return html`<p class="lead">${words.telegram.text}</p>${code(context, command, words.telegram.copyLabel)}`;
}

function meta(context, kind, { channel_key }) {
  return html`
    <p class="lead">${words.meta.text[kind]}</p>
    <h3>${words.meta.callback}</h3>
    ${copyable(context, metaAddress(channel_key), words.meta.copyLabel)}`;
}

/** The address that Meta posts messages to. */
function metaAddress(channel_key) {
  return address(`public/channels/${channel_key}/meta`);
}

function pushed(context, { channel_id }) {
  const body = JSON.stringify({
    thread_key: 'order-1042', message_key: 'order-1042-1', contact: { email: 'jo@customer.example', name: 'Jo' }, body: 'When does my order arrive?',
  }, null, 2);
  const command = lines(
    `curl '${address(`inbox/channels/${channel_id}/messages`)}' \\`,
    `  -H 'Authorization: Bearer API_KEY' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  );
  return html`
    <p class="lead">${words.api.text}</p>
    ${code(context, command, words.api.copyLabel)}
    ${context.isManager ? html`<p><a href=${path('keys')}>${words.api.keys}</a></p>` : nothing}`;
}

/** What has been chosen and is needed elsewhere: it cannot be read again. */
export function toKeep({ kind, ...channel }, form) {
  const entry = (name, value) => /** @type {[string, string, string]} */ ([name, value, words.once.copyLabel(name)]);
  const secret = (field, name) => (form.text(field) === '' ? [] : [entry(name, form.text(field))]);
  if (kind === 'email' && form.isOn('takes_posts')) return secret('email.push_secret', words.mail.pushSecret);
  if (kind === 'telegram' && form.isOn('uses_webhook')) return secret('telegram.webhook_secret', words.telegram.secret);
  if (kind !== 'whatsapp' && kind !== 'messenger') return [];
  const verify = secret(`${kind}.verify_token`, words.meta.verify);
  return verify.length === 0 ? [] : [entry(words.meta.callback, metaAddress(channel[kind].channel_key)), ...verify];
}
