// The fields of a mailbox: an address, the server that emails are fetched from, and the one that sends.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { words as all } from '../../texts/channels.js';
import { chosenField, given } from './channel-parts.js';

const words = all.mail;

/** Servers of providers that let programs in with a password: IMAP with TLS on port 993, and SMTP. */
const PROVIDERS = {
  Gmail: ['imap.gmail.com', 'smtp.gmail.com', '465', 'tls'],
  'iCloud Mail': ['imap.mail.me.com', 'smtp.mail.me.com', '587', 'starttls'],
  'Yahoo Mail': ['imap.mail.yahoo.com', 'smtp.mail.yahoo.com', '465', 'tls'],
  Fastmail: ['imap.fastmail.com', 'smtp.fastmail.com', '465', 'tls'],
  'Zoho Mail': ['imap.zoho.com', 'smtp.zoho.com', '465', 'tls'],
  IONOS: ['imap.ionos.com', 'smtp.ionos.com', '465', 'tls'],
};

export function mailFields(context, form, channel) {
  return html`
    ${form.field({ name: 'email.address', label: words.address, hint: words.addressHint, type: 'email' })}
    ${form.field({ name: 'email.sender_name', label: words.sender, hint: words.senderHint, isOptional: true })}
    ${channel === undefined ? provider(context, form) : nothing}
    ${server(form, 'imap', channel)}
    ${server(form, 'smtp', channel)}
    ${form.toggle({ name: 'takes_posts', label: words.push, hint: words.pushHint })}
    ${form.isOn('takes_posts')
      ? chosenField(context, form, {
        name: 'email.push_secret', label: words.pushSecret, hint: words.pushSecretHint, isStored: channel?.email.has_push_secret === true,
      })
      : nothing}`;
}

/** Fills in the servers of a provider. */
function provider(context, form) {
  const choose = event => {
    const found = PROVIDERS[event.target.value];
    form.write('provider', event.target.value);
    if (found !== undefined) {
      const [imap, smtp, port, security] = found;
      const values = {
        has_imap: 'true', has_smtp: 'true', 'email.imap.host': imap, 'email.imap.port': '993', 'email.imap.security': 'tls',
        'email.smtp.host': smtp, 'email.smtp.port': port, 'email.smtp.security': security,
      };
      for (const [name, value] of Object.entries(values)) form.write(name, value);
      for (const kind of ['imap', 'smtp']) {
        if (form.text(`email.${kind}.user`) === '' && form.text('email.address') !== '') form.write(`email.${kind}.user`, form.text('email.address'));
      }
    }
    context.draw();
  };
  return html`
    <div @change=${choose}>
      ${form.field({
        name: 'provider', label: words.provider, hint: words.providerHint, isOptional: true,
        choices: [['', words.other], ...Object.keys(PROVIDERS).map(name => /** @type {[string, string]} */ ([name, name]))],
      })}
    </div>`;
}

function server(form, kind, channel) {
  const stored = channel?.email[kind];
  const name = field => `email.${kind}.${field}`;
  const isOn = form.isOn(`has_${kind}`);
  const isSame = kind === 'smtp' && form.isOn('has_imap') && form.isOn('is_same') && channel === undefined;
  const secret = html`
    ${form.field({ name: name('user'), label: words.user, hint: words.userHint, isOptional: kind === 'smtp', autocomplete: 'off', inputmode: 'email' })}
    ${form.field({
      name: name('password'), label: words.password, type: 'password', autocomplete: 'new-password',
      hint: stored?.has_password ? all.kept : words.passwordHint, isOptional: stored?.has_password === true || kind === 'smtp',
    })}`;
  return html`
    <fieldset class="group">
      <legend>${words[kind]}</legend>
      ${stored ? nothing : form.toggle({ name: `has_${kind}`, label: words[`${kind}On`], hint: words[`${kind}OnHint`] })}
      ${isOn
        ? html`
          <div class="pair">
            ${form.field({ name: name('host'), label: words.host, inputmode: 'url' })}
            ${form.field({ name: name('port'), label: words.port, type: 'number', inputmode: 'numeric' })}
          </div>
          ${form.field({ name: name('security'), label: words.security, choices: Object.entries(words.securities) })}
          ${kind === 'smtp' && form.isOn('has_imap') && channel === undefined ? form.toggle({ name: 'is_same', label: words.same }) : nothing}
          ${isSame ? nothing : secret}
          ${kind === 'imap' ? form.field({ name: name('mailbox'), label: words.mailbox, hint: words.mailboxHint, isOptional: true }) : nothing}
          ${stored ? html`<p class="small quiet">${words.kept}</p>` : nothing}`
        : nothing}
    </fieldset>`;
}

/** @returns {Record<string, string>} */
export function mailValues(channel) {
  const stored = channel?.email;
  const of = (kind, security, port) => {
    const { host = '', user = '', mailbox = '' } = stored?.[kind] ?? {};
    return {
      [`has_${kind}`]: stored === undefined || stored[kind] ? 'true' : '',
      [`email.${kind}.host`]: host, [`email.${kind}.port`]: String(stored?.[kind]?.port ?? port),
      [`email.${kind}.security`]: stored?.[kind]?.security ?? security, [`email.${kind}.user`]: user ?? '', [`email.${kind}.password`]: '',
      ...(kind === 'imap' ? { 'email.imap.mailbox': mailbox === 'INBOX' ? '' : mailbox } : {}),
    };
  };
  return {
    'email.address': stored?.address ?? '', 'email.sender_name': stored?.sender_name ?? '', provider: '', is_same: 'true',
    ...of('imap', 'tls', 993), ...of('smtp', 'tls', 465),
    takes_posts: stored?.has_push_secret ? 'true' : '', 'email.push_secret': '',
  };
}

export function mailBody(form, channel) {
  const of = (kind, from = kind) => ({
    [kind]: {
      host: form.text(`email.${kind}.host`),
      port: Number(form.text(`email.${kind}.port`)),
      security: form.values[`email.${kind}.security`],
      ...given('user', form.text(`email.${from}.user`)),
      ...given('password', form.values[`email.${from}.password`]),
      ...(kind === 'imap' ? given('mailbox', form.text('email.imap.mailbox') || 'INBOX') : {}),
    },
  });
  const isSame = channel === undefined && form.isOn('has_imap') && form.isOn('is_same');
  return {
    email: {
      address: form.text('email.address'),
      sender_name: form.text('email.sender_name') || null,
      ...(form.isOn('has_imap') ? of('imap') : {}),
      ...(form.isOn('has_smtp') ? of('smtp', isSame ? 'imap' : 'smtp') : {}),
      ...(form.isOn('takes_posts') ? given('push_secret', form.text('email.push_secret')) : channel?.email.has_push_secret ? { push_secret: null } : {}),
    },
  };
}
