// The chatbots of the account.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { listChatbots } from '../../../client/chatbots.js';
import { count, onDay } from '../../format.js';
import { head } from '../../frame.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, empty, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { status } from './chatbot-page.js';

const words = texts.chatbots;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const list = new Reading(context, async () => {
    const { chatbots } = await listChatbots(v1);
    for (const chatbot of chatbots) context.chatbots.set(chatbot.chatbot_id, chatbot);
    return chatbots;
  });
  list.begin();
  const create = context.isManager
    ? html`<a class="button main" data-key="n" href=${path('chatbots/new')}>${icon.plus}${words.create}</a>`
    : nothing;
  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: words.lead, action: list.value?.length ? create : nothing })}
      ${list.show(chatbots => (chatbots.length === 0
        ? empty(words.empty, context.isManager ? words.emptyText : words.emptyOther, create)
        : html`<ul class="cards">${repeat(chatbots, chatbot => chatbot.chatbot_id, card)}</ul>`), skeleton(6))}`,
  };
}

function card(chatbot) {
  return html`
    <li class="card" data-listed>
      <h2><a href=${path(`chatbots/${chatbot.chatbot_id}`)}>${chatbot.name}</a></h2>
      <p>${status(chatbot)}</p>
      <p class="small quiet">${words.sources(count(chatbot.training_sources))} · ${words.since(onDay(chatbot.created_at))}</p>
    </li>`;
}
