// The FAQs of the account.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { listChatbots } from '../../../client/chatbots.js';
import { createFaq, listFaqs } from '../../../client/faqs.js';
import { head } from '../../frame.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, empty } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as own } from '../../texts/faqs.js';
import { Collection } from './collection.js';
import { faqDialog } from './faq-dialog.js';

const words = own.faqs;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const chatbots = new Reading(context, async () => (await listChatbots(v1)).chatbots);
  const list = new Collection(context, async cursor => {
    const { faqs, pagination } = await listFaqs(v1, { limit: 50, cursor });
    return { items: faqs, next: pagination.next_cursor };
  });
  chatbots.begin();
  list.begin();
  context.watch(['chatbots', 'content'], () => list.refresh());

  const create = () => context.open(dialog => faqDialog(context, dialog, {
    chatbots: chatbots.value ?? [],
    save: async body => {
      const faq = await context.call(() => createFaq(v1, { body }));
      dialog.close();
      await context.go(`faqs/${faq.faq_id}`);
      context.say(words.created(faq.name));
    },
  }));
  const button = () => (context.isManager
    ? html`<button type="button" class="button main" data-key="n" ?disabled=${chatbots.value === undefined} @click=${create}>${icon.plus}${words.create}</button>`
    : nothing);

  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: words.lead, action: list.items?.length ? button() : nothing })}
      ${list.show(faqs => (faqs.length === 0
        ? empty(words.empty, context.isManager ? words.emptyText : words.emptyOther, button())
        : html`<ul class="cards">${repeat(faqs, faq => faq.faq_id, faq => card(faq, chatbots.value))}</ul>`))}`,
  };
}

function card(faq, chatbots) {
  return html`
    <li class="card" data-listed>
      <h2><a href=${path(`faqs/${faq.faq_id}`)}>${faq.name}</a></h2>
      ${faq.description ? html`<p class="words">${faq.description}</p>` : nothing}
      <p class="small quiet">${words.items(faq.published_item_count, faq.item_count)}</p>
      <p class="small quiet">${usersOf(faq, chatbots)}</p>
    </li>`;
}

/** Says which chatbots answer from an FAQ. */
export function usersOf(faq, chatbots) {
  if (faq.chatbot_ids.length === 0) return words.noChatbot;
  if (chatbots === undefined) return texts.loading;
  const names = faq.chatbot_ids.map(id => chatbots.find(chatbot => chatbot.chatbot_id === id)?.name ?? words.other);
  return words.usedBy(names.join(', '));
}
