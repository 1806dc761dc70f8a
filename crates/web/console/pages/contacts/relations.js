// What a person has written, and the deals with them.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listChatbots } from '../../../client/chatbots.js';
import { listContactConversations, listContactDeals, listContactThreads } from '../../../client/contacts.js';
import { listDealStatuses } from '../../../client/deal-statuses.js';
import { ago, at, count } from '../../format.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, skeleton } from '../../states.js';
import { texts } from '../../texts/contacts.js';
import { Pages } from './pages.js';
import { kindOf } from './person.js';

const words = texts.contact;

/** Items that are read at a time. */
const PAGE = 10;

export class Relations {
  #context; #conversations; #threads; #deals; #statuses; #chatbots;

  /**
   * @param {import('../../main.js').Context} context
   * @param {string} id
   */
  constructor(context, id) {
    this.#context = context;
    const pages = (operation, name, key) => new Pages(context, async cursor => {
      const page = await operation(v1, { contact_id: id, limit: PAGE, cursor });
      return { items: page[name], next: page.pagination.next_cursor };
    }, item => item[key]);
    this.#threads = pages(listContactThreads, 'threads', 'thread_id');
    this.#conversations = pages(listContactConversations, 'conversations', 'conversation_id');
    this.#deals = pages(listContactDeals, 'deals', 'deal_id');
    this.#statuses = new Reading(context, async () => {
      const statuses = [];
      for await (const status of listDealStatuses(v1, { limit: 100 }).items()) statuses.push(status);
      return statuses;
    });
    this.#chatbots = new Reading(context, async () => {
      for (const chatbot of (await listChatbots(v1)).chatbots) context.chatbots.set(chatbot.chatbot_id, chatbot);
      return true;
    });
    for (const part of [this.#threads, this.#conversations, this.#deals, this.#statuses, this.#chatbots]) part.begin();
  }

  refresh() {
    for (const part of [this.#threads, this.#conversations, this.#deals]) part.refresh();
  }

  view() {
    return html`
      <div class="stack">
        ${this.#part('threads', this.#threads, words.threads, words.noThreads, thread => this.#thread(thread))}
        ${this.#part('chats', this.#conversations, words.conversations, words.noConversations, conversation => this.#conversation(conversation))}
        ${this.#part('deals', this.#deals, words.deals, words.noDeals, deal => this.#deal(deal))}
      </div>`;
  }

  #part(id, pages, title, none, item) {
    return html`
      <section class="panel" aria-labelledby="contact-${id}">
        <h2 id="contact-${id}">${title}</h2>
        ${pages.show(items => (items.length === 0
          ? html`<p class="quiet">${none}</p>`
          : html`<ul class="written">${items.map(item)}</ul>`), skeleton(2))}
      </section>`;
  }

  #thread(thread) {
    return entry({
      href: path(`inbox/${thread.thread_id}`),
      title: thread.subject || (thread.channel === 'chatbot' ? kindOf(words.channels, thread.channel) : words.noSubject),
      preview: thread.last_message_preview,
      badge: html`<span class="badge ${thread.status === 'open' ? 'good' : ''}">${kindOf(words.statuses, thread.status)}</span>`,
      details: [
        kindOf(words.channels, thread.channel), words.messages(count(thread.message_count)),
        thread.unread_count > 0 ? words.unread(count(thread.unread_count)) : '',
      ],
      time: thread.last_message_at,
    });
  }

  #conversation(conversation) {
    const chatbot = this.#context.chatbots.get(conversation.chatbot_id);
    const name = chatbot?.name ?? (this.#chatbots.value ? words.chatbotGone : '…');
    return entry({
      href: path(`conversations/${conversation.chatbot_id}/${conversation.conversation_id}`),
      title: words.chat(name),
      badge: html`<span class="badge ${conversation.mode === 'human_requested' ? 'caution' : ''}">${kindOf(words.modes, conversation.mode)}</span>`,
      details: [words.messages(count(conversation.message_count))],
      time: conversation.last_message_at,
    });
  }

  #deal(deal) {
    const status = this.#statuses.value?.find(other => other.deal_status_id === deal.deal_status_id);
    return entry({
      href: path(`deals/${deal.deal_id}`),
      title: deal.title,
      badge: html`<span class="badge ${deal.outcome === 'won' ? 'good' : deal.outcome === 'lost' ? 'bad' : ''}">${kindOf(words.outcomes, deal.outcome)}</span>`,
      details: [deal.value ? [deal.value, deal.currency].filter(Boolean).join(' ') : '', status?.name ?? ''],
      time: deal.updated_at,
    });
  }
}

function entry({ href, title, preview = '', badge, details, time }) {
  const known = details.filter(detail => detail !== '');
  return html`
    <li>
      <div class="top"><a href=${href}><bdi>${title}</bdi></a>${badge}</div>
      ${preview ? html`<p class="preview"><bdi>${preview}</bdi></p>` : nothing}
      <p class="small quiet">${known.map(detail => html`<bdi>${detail}</bdi> · `)}<time datetime=${time} title=${at(time)}>${ago(time)}</time></p>
    </li>`;
}
