// A new chatbot: the address of a website and the name of a business are enough.

import { html } from '../../../vendor/lit/lit.js';
import { createChatbot } from '../../../client/chatbots.js';
import { Form } from '../../form.js';
import { addressOf } from '../../format.js';
import { back, head } from '../../frame.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { forbidden } from '../missing.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const words = texts.newChatbot;
  const form = new Form(context, 'new-chatbot', {
    isKept: true,
    aliases: { 'training_urls': 'address', 'training_urls.0': 'address', 'name': 'business_name' },
  });

  const send = async () => {
    const address = addressOf(form.text('address'));
    if (address === undefined) {
      form.wrong.address = [words.addressWrong];
      return;
    }
    const name = form.text('business_name');
    const body = { name, business_name: name, training_urls: [address], opening_text: form.text('opening_text') || null };
    const chatbot = await context.call(() => createChatbot(v1, { body }));
    form.clear();
    await context.go(`chatbots/${chatbot.chatbot_id}`);
    context.say(words.created(name));
  };

  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: words.lead, back: back('chatbots', texts.chatbots.title) })}
      ${form.view({
        fields: html`
          ${form.field({ name: 'address', label: words.address, hint: words.addressHint, inputmode: 'url', autocomplete: 'url', isFirst: true })}
          ${form.field({ name: 'business_name', label: words.business, autocomplete: 'organization' })}
          ${form.field({ name: 'opening_text', label: words.opening, hint: words.openingHint, isOptional: true })}`,
        actions: ({ isSending }) => html`
          <div class="row">
            <button class="button main" ?disabled=${isSending}>${words.action}</button>
            <a class="button" href=${path('chatbots')}>${texts.cancel}</a>
          </div>`,
        send,
      })}`,
  };
}
