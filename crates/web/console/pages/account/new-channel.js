// A new channel: first its kind, then what that kind needs, and at the end what has to be entered elsewhere.

import { html } from '../../../vendor/lit/lit.js';
import { createInboxChannel } from '../../../client/inbox-channels.js';
import { Form } from '../../form.js';
import { back, head } from '../../frame.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { words } from '../../texts/channels.js';
import { forbidden } from '../missing.js';
import { toKeep } from './channel-connect.js';
import { KINDS, kindOf } from './channel-fields.js';
import { showOnce } from './parts.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const kind = new URLSearchParams(location.search).get('kind') ?? '';
  return KINDS.includes(kind) ? ofKind(context, kind) : chooser();
}

function chooser() {
  return {
    title: words.new.title,
    view: () => html`
      ${head(words.new.title, { lead: words.new.lead, back: back('channels', words.title) })}
      <ul class="kinds">
        ${KINDS.map(kind => html`
          <li><a href=${path(`channels/new?kind=${kind}`)}><h2>${words.kinds[kind]}</h2><p class="small quiet">${words.kindTexts[kind]}</p></a></li>`)}
      </ul>`,
  };
}

function ofKind(context, kind) {
  const { fields, values, body } = kindOf(kind);
  const form = new Form(context, `new-channel-${kind}`, { isKept: true, values: { name: words.new.names[kind], ...values() } });

  const send = async () => {
    const created = await context.call(() => createInboxChannel(v1, { body: { kind, name: form.text('name'), ...body(form) } }));
    const entries = toKeep(created, form);
    form.clear(values());
    await context.go(`channels/${created.channel_id}`);
    context.say(words.created(created.name));
    if (entries.length > 0) await showOnce(context, { ...words.once, entries });
  };

  return {
    title: words.new.titles[kind],
    view: () => html`
      ${head(words.new.titles[kind], { lead: words.kindTexts[kind], back: back('channels/new', words.new.change) })}
      ${form.view({
        fields: html`
          ${form.field({ name: 'name', label: words.name, hint: words.nameHint, isFirst: true })}
          ${fields(context, form)}`,
        actions: ({ isSending }) => html`
          <div class="row">
            <button class="button main" ?disabled=${isSending}>${words.new.action}</button>
            <a class="button" href=${path('channels')}>${texts.cancel}</a>
          </div>`,
        send,
      })}`,
  };
}
