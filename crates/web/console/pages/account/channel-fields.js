// The fields of each kind of channel, and what is sent of them. They are named as in the interface, so that its problems find them.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { words } from '../../texts/channels.js';
import { mailBody, mailFields, mailValues } from './channel-mail.js';
import { chosenField, given, secretField } from './channel-parts.js';

/** Kinds in the order in which they are offered. */
export const KINDS = ['email', 'contact_form', 'whatsapp', 'messenger', 'telegram', 'api'];

/**
 * What is asked of a kind, and what is sent.
 *
 * @typedef {object} Kind
 * @property {(context: import('../../main.js').Context, form: import('../../form.js').Form, channel?: any) => unknown} fields
 * @property {(channel?: any) => Record<string, string>} values What the fields contain at first.
 * @property {(form: import('../../form.js').Form, channel?: any) => Record<string, any>} body
 */

/** @type {Record<string, Kind>} */
const kinds = {
  api: {
    fields: (_, __, channel) => (channel === undefined ? html`<p class="small quiet">${words.api.none}</p>` : nothing),
    values: () => ({}),
    body: () => ({}),
  },
  contact_form: { fields: formFields, values: formValues, body: formBody },
  email: { fields: mailFields, values: mailValues, body: mailBody },
  telegram: { fields: telegramFields, values: telegramValues, body: telegramBody },
  whatsapp: meta('whatsapp'),
  messenger: meta('messenger'),
};

/** Returns what is known of a kind. One of a later version of the service has only a name here. */
export function kindOf(kind) {
  return kinds[kind] ?? { fields: () => nothing, values: () => ({}), body: () => ({}) };
}

/** Returns the number in a field, or `null` if it is empty. */
function number(form, name) {
  const written = form.text(name);
  return written === '' ? null : Number(written);
}

function formFields(_, form) {
  const own = words.form;
  const name = field => `contact_form.${field}`;
  return html`
    ${form.field({ name: name('redirect_url'), label: own.redirect, hint: own.redirectHint, type: 'url', isOptional: true })}
    ${form.field({ name: name('reply_to'), label: own.replyTo, hint: own.replyToHint, type: 'email', isOptional: true })}
    <fieldset class="group">
      <legend>${own.spam}</legend>
      ${form.field({ name: name('max_links'), label: own.maxLinks, hint: own.maxLinksHint, type: 'number', inputmode: 'numeric', isOptional: true })}
      ${form.field({ name: name('min_fill_seconds'), label: own.fill, hint: own.fillHint, type: 'number', inputmode: 'numeric', isOptional: true })}
      ${form.field({ name: name('blocked'), label: own.blocked, hint: own.blockedHint, lines: 4, isOptional: true })}
    </fieldset>`;
}

function formValues(channel) {
  const stored = channel?.contact_form;
  return {
    'contact_form.redirect_url': stored?.redirect_url ?? '',
    'contact_form.reply_to': stored?.reply_to ?? '',
    'contact_form.max_links': String(stored?.max_links ?? ''),
    'contact_form.min_fill_seconds': String(stored?.min_fill_seconds ?? ''),
    'contact_form.blocked': (stored?.blocked ?? []).join('\n'),
  };
}

function formBody(form) {
  return {
    contact_form: {
      redirect_url: form.text('contact_form.redirect_url') || null,
      reply_to: form.text('contact_form.reply_to') || null,
      max_links: number(form, 'contact_form.max_links'),
      min_fill_seconds: number(form, 'contact_form.min_fill_seconds'),
      blocked: form.text('contact_form.blocked').split('\n').map(line => line.trim()).filter(Boolean),
    },
  };
}

function telegramFields(context, form, channel) {
  const own = words.telegram;
  return html`
    ${secretField(form, channel, { name: 'telegram.token', label: own.token, hint: own.tokenHint })}
    ${form.toggle({ name: 'uses_webhook', label: own.hook, hint: own.hookHint })}
    ${form.isOn('uses_webhook')
      ? chosenField(context, form, {
        name: 'telegram.webhook_secret', label: own.secret, hint: own.secretHint, isStored: channel?.telegram.uses_webhook === true,
      })
      : nothing}`;
}

function telegramValues(channel) {
  return { 'telegram.token': '', uses_webhook: channel?.telegram.uses_webhook ? 'true' : '', 'telegram.webhook_secret': '' };
}

function telegramBody(form) {
  return {
    telegram: {
      ...given('token', form.text('telegram.token')),
      ...(form.isOn('uses_webhook') ? given('webhook_secret', form.text('telegram.webhook_secret')) : { webhook_secret: null }),
    },
  };
}

/** @returns {Kind} */
function meta(kind) {
  const own = words.meta;
  const name = field => `${kind}.${field}`;
  return {
    fields: (context, form, channel) => html`
      ${form.field({ name: name('sender_id'), label: own.sender[kind], hint: own.senderHint[kind], inputmode: 'numeric' })}
      ${secretField(form, channel, { name: name('access_token'), label: own.token, hint: own.tokenHint[kind] })}
      ${secretField(form, channel, { name: name('app_secret'), label: own.secret, hint: own.secretHint })}
      ${chosenField(context, form, {
        name: name('verify_token'), label: own.verify, hint: own.verifyHint, isStored: channel !== undefined,
      })}`,
    values: channel => ({
      [name('sender_id')]: channel?.[kind].sender_id ?? '', [name('access_token')]: '', [name('app_secret')]: '', [name('verify_token')]: '',
    }),
    body: form => ({
      [kind]: {
        sender_id: form.text(name('sender_id')),
        ...given('access_token', form.text(name('access_token'))),
        ...given('app_secret', form.text(name('app_secret'))),
        ...given('verify_token', form.text(name('verify_token'))),
      },
    }),
  };
}
