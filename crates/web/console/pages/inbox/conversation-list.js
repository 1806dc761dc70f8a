// The list of conversations of all chatbots: those in which a visitor waits for a person first.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { listConversations } from '../../../client/conversations.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { empty } from '../../states.js';
import { texts as all } from '../../texts/inbox.js';
import { Feed, merged } from './feed.js';
import { Filters } from './filters.js';
import { at, brief, since } from './times.js';

const words = all.chats;
const NAMES = ['chatbot', 'state', 'rating', 'source', 'q', 'contact'];
/** How many of those who wait are shown of each chatbot. */
const MOST_WAITING = 100;

export class ConversationList {
  /** Those in which a visitor waits, longest first. @type {any[]} */
  waiting = [];
  #place = 0;
  #names;

  /**
   * @param {import('../../main.js').Context} context
   * @param {import('./kept.js').Names} names
   */
  constructor(context, names) {
    this.#names = names;
    this.filters = new Filters(context, NAMES, () => this.feed.restart());
    this.feed = new Feed(context, count => this.#read(count), () => 2 * Math.max(1, this.#chatbots.length));
  }

  get #chatbots() {
    const { chatbot } = this.filters.values;
    return this.#names.chatbots.filter(({ chatbot_id }) => !chatbot || chatbot === chatbot_id);
  }

  /** All in the order in which they are shown. */
  get items() {
    return [...this.waiting, ...this.feed.items];
  }

  open() {
    if (this.filters.take() || !this.feed.isRead) this.feed.restart();
    else this.feed.again();
  }

  async #read(count) {
    if (!this.#names.isRead) await this.#names.read();
    const { state, rating, source, q, contact } = this.filters.values;
    const filters = {
      ...(rating ? { feedback: rating } : {}), ...(source ? { source } : {}), ...(q ? { q } : {}), ...(contact ? { contact_id: contact } : {}),
    };
    const limit = Math.min(100, count);
    const reads = this.#chatbots.map(({ chatbot_id }) => async cursor => {
      const by = state === 'needs' ? { needs_escalation: true } : state ? { mode: state } : {};
      const { conversations, pagination } = await listConversations(v1, { chatbot_id, ...filters, ...by, limit, cursor });
      // Those who wait are above.
      return { items: conversations.filter(({ mode }) => mode !== 'human_requested'), next: pagination.next_cursor };
    });
    const showsWaiting = !state || state === 'human_requested' || state === 'needs';
    const [waiting, others] = await Promise.all([
      showsWaiting ? this.#readWaiting(filters) : [],
      state === 'human_requested' ? { items: [], hasMore: false } : merged(reads, conversation => conversation.last_message_at, count),
    ]);
    this.waiting = waiting;
    return others;
  }

  async #readWaiting(filters) {
    const lists = await Promise.all(this.#chatbots.map(({ chatbot_id }) => listConversations(v1, {
      chatbot_id, ...filters, mode: 'human_requested', limit: MOST_WAITING,
    })));
    const timeOf = ({ escalation, last_message_at }) => Date.parse(escalation?.escalated_at ?? last_message_at);
    return lists.flatMap(({ conversations }) => conversations).sort((one, other) => timeOf(one) - timeOf(other));
  }

  /** Takes over a change of a conversation, so that the list does not lag behind. */
  replace(conversation) {
    const { messages, ...changed } = conversation;
    const renewed = list => list.map(one => (one.conversation_id === changed.conversation_id ? { ...one, ...changed } : one));
    this.waiting = renewed(this.waiting);
    this.feed.items = renewed(this.feed.items);
  }

  neighbor(conversation_id, step) {
    const { items } = this;
    const place = items.findIndex(conversation => conversation.conversation_id === conversation_id);
    if (place !== -1) return items[place + step];
    if (conversation_id === undefined) return items[0];
    return items[step > 0 ? this.#place : this.#place - 1];
  }

  /** @param {string} [current] */
  view(current) {
    const place = this.items.findIndex(({ conversation_id }) => conversation_id === current);
    if (place !== -1) this.#place = place;
    const { waiting } = this;
    const rows = (list, label) => html`
      <ul class="rows" aria-label=${label}>${repeat(list, ({ conversation_id }) => conversation_id, one => this.#row(one, current))}</ul>`;
    return html`
      ${this.#form()}
      ${this.feed.show(others => (waiting.length === 0 && others.length === 0 ? this.#none() : html`
        ${waiting.length > 0 ? html`<p class="rows-title caution" aria-hidden="true">${words.waiting} (${waiting.length})</p>${rows(waiting, words.waiting)}` : nothing}
        ${others.length > 0 ? html`
          ${waiting.length > 0 ? html`<p class="rows-title" aria-hidden="true">${words.others}</p>` : nothing}
          ${rows(others, waiting.length > 0 ? words.others : words.list)}` : nothing}`))}`;
  }

  #none() {
    if (this.filters.areSet) {
      return empty(words.noMatch, words.noMatchText, html`<button type="button" class="button" @click=${() => this.filters.clear()}>${all.clear}</button>`);
    }
    if (this.#names.isRead && this.#names.chatbots.length === 0) {
      return empty(words.noChatbots, words.noChatbotsText, html`<a class="button" href=${path('chatbots')}>${words.toChatbots}</a>`);
    }
    return empty(words.none, words.noneText);
  }

  #form() {
    const { filters } = this;
    const { chatbots } = this.#names;
    return html`
      <form class="filters" role="search" aria-label=${words.filters} @submit=${event => event.preventDefault()}>
        ${filters.search(all.search)}
        <div class="choices">
          ${chatbots.length > 1 || filters.values.chatbot
            ? filters.select('chatbot', words.chatbot, [['', words.everyChatbot], ...chatbots.map(({ chatbot_id, name }) => [chatbot_id, name])]) : nothing}
          ${filters.select('state', words.state, Object.entries(words.states))}
          ${filters.select('rating', words.rating, Object.entries(words.ratings))}
          ${filters.select('source', words.source, Object.entries(words.sources))}
        </div>
        ${filters.values.contact ? html`
          <p class="small row">${words.ofContact(this.#names.contact(filters.values.contact))}
            <button type="button" class="link small" @click=${() => filters.set('contact', '')}>${words.everyContact}</button></p>` : nothing}
      </form>`;
  }

  #row(conversation, current) {
    const names = this.#names;
    const { chatbot_id, conversation_id, mode, escalation } = conversation;
    const waits = mode === 'human_requested';
    return html`
      <li class=${waits ? 'unread' : ''}>
        <a href="${path(`conversations/${chatbot_id}/${conversation_id}`)}${this.filters.query}" aria-current=${conversation_id === current ? 'true' : nothing}>
          <span class="line"><strong class="who">${names.contact(conversation.contact_id)}</strong>
            <time class="small quiet" datetime=${conversation.last_message_at} title=${at(conversation.last_message_at)}>${brief(conversation.last_message_at)}</time></span>
          <span class="excerpt small quiet">${conversation.last_message_preview}</span>
          <span class="marks small">
            ${waits ? html`<span class="caution">${all.waitingFor(since(escalation?.escalated_at ?? conversation.last_message_at))}</span>`
              : conversation.needs_escalation ? html`<span class="caution">${words.needs}</span>` : html`<span>${words.modes[mode] ?? mode}</span>`}
            ${conversation.feedback ? html`<span class=${conversation.feedback === 'down' ? 'wrong' : ''}>${words.rated[conversation.feedback]}</span>` : nothing}
            <span class="quiet">${words.sources[conversation.source] ?? conversation.source}</span>
            <span class="quiet">${names.chatbots.length > 1 ? names.chatbot(chatbot_id) : words.messages(conversation.message_count)}</span>
          </span>
        </a>
      </li>`;
  }
}
