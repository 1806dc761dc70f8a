// The list of threads with its filters, which are in the address.

import { html, live, nothing, repeat } from '../../../vendor/lit/lit.js';
import { listThreads } from '../../../client/inbox.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { empty } from '../../states.js';
import { texts as all } from '../../texts/inbox.js';
import { Feed } from './feed.js';
import { Filters } from './filters.js';
import { at, brief, since } from './times.js';

const words = all.threads;
const NAMES = ['status', 'assignee', 'channel', 'unread', 'q', 'contact'];

/** The title of a thread, also of one without a subject. */
export function titleOf(thread, names) {
  if (thread.subject) return thread.subject;
  const name = names.contact(thread.contact_id);
  return thread.channel === 'chatbot' ? words.chatWith(name) : words.messageOf(name);
}

export class ThreadList {
  /** Where in the list the thread is that is shown, or was before it left the list. */
  #place = 0;
  #context; #names;

  /**
   * @param {import('../../main.js').Context} context
   * @param {import('./kept.js').Names} names
   */
  constructor(context, names) {
    this.#context = context;
    this.#names = names;
    this.filters = new Filters(context, NAMES, () => this.feed.restart());
    this.feed = new Feed(context, count => this.#read(count));
  }

  get items() {
    return this.feed.items;
  }

  /** Shows the list with the filters of the address. */
  open() {
    if (this.filters.take() || !this.feed.isRead) this.feed.restart();
    else this.feed.again();
  }

  async #read(count) {
    const { status, assignee, channel, unread, q, contact } = this.filters.values;
    const [kind, chatbot_id] = channel?.split(':') ?? [];
    const filters = {
      account_id: this.#context.session.account.account_id,
      ...(status === 'all' ? {} : { status: status ?? 'open' }),
      ...(assignee === 'nobody' ? { unassigned: true } : assignee ? { assignee_id: assignee === 'me' ? this.#context.session.member_id : assignee } : {}),
      ...(kind === 'chats' ? { channel: 'chatbot', ...(chatbot_id ? { chatbot_id } : {}) } : kind ? { channel_id: kind } : {}),
      ...(unread ? { unread: true } : {}), ...(q ? { q } : {}), ...(contact ? { contact_id: contact } : {}),
    };
    const items = [];
    let cursor;
    do {
      const { threads, pagination } = await listThreads(v1, { ...filters, limit: Math.min(100, count - items.length), cursor });
      items.push(...threads);
      cursor = pagination.next_cursor ?? undefined;
    } while (cursor !== undefined && items.length < count);
    return { items, hasMore: cursor !== undefined };
  }

  /** Takes over a change of a thread, so that the list does not lag behind. */
  replace(thread) {
    const place = this.items.findIndex(({ thread_id }) => thread_id === thread.thread_id);
    if (place !== -1) this.feed.items = this.items.with(place, { ...this.items[place], ...thread });
  }

  /** The thread before or after another one. */
  neighbor(thread_id, step) {
    const place = this.items.findIndex(thread => thread.thread_id === thread_id);
    if (place !== -1) return this.items[place + step];
    if (thread_id === undefined) return this.items[0];
    return this.items[step > 0 ? this.#place : this.#place - 1];
  }

  /** @param {string} [current] The thread that is shown. */
  view(current) {
    const place = this.items.findIndex(({ thread_id }) => thread_id === current);
    if (place !== -1) this.#place = place;
    return html`
      ${this.#form()}
      ${this.feed.show(threads => (threads.length === 0 ? this.#none() : html`
        <ul class="rows" aria-label=${words.list}>${repeat(threads, ({ thread_id }) => thread_id, thread => this.#row(thread, current))}</ul>`))}`;
  }

  #none() {
    if (this.filters.areSet) {
      const clear = html`<button type="button" class="button" @click=${() => this.filters.clear()}>${all.clear}</button>`;
      return empty(words.noMatch, words.noMatchText, clear);
    }
    const hasChannels = this.#names.channels.length > 0 || !this.#names.isRead;
    return empty(words.none, words.noneText, hasChannels ? nothing : html`<a class="button" href=${path('channels')}>${words.connect}</a>`);
  }

  #form() {
    const { filters } = this;
    const names = this.#names;
    const people = names.team.filter(({ team_member_id, status }) => status === 'active' && team_member_id !== this.#context.session.member_id);
    const chats = names.chatbots.length > 1 ? names.chatbots.map(({ chatbot_id, name }) => [`chats:${chatbot_id}`, words.chatsOf(name)]) : [];
    return html`
      <form class="filters" role="search" aria-label=${words.filters} @submit=${event => event.preventDefault()}>
        ${filters.search(all.search)}
        <div class="choices">
          ${filters.select('status', words.status, [
            ['', all.statuses.open], ...Object.entries(all.statuses).filter(([status]) => status !== 'open'), ['all', words.everyStatus],
          ])}
          ${filters.select('assignee', words.assignee, [
            ['', words.anyone], ['me', words.me], ['nobody', words.nobody], ...people.map(({ team_member_id, name }) => [team_member_id, name]),
          ])}
          ${filters.select('channel', words.channel, [
            ['', words.everyChannel], ['chats', words.chats], ...chats, ...names.channels.map(({ channel_id, name }) => [channel_id, name]),
          ])}
          <label class="tick small"><input type="checkbox" .checked=${live(filters.values.unread === '1')}
            @change=${event => filters.set('unread', event.target.checked ? '1' : '')}>${words.unreadOnly}</label>
        </div>
        ${filters.values.contact ? html`
          <p class="small row">${words.ofContact(names.contact(filters.values.contact))}
            <button type="button" class="link small" @click=${() => filters.set('contact', '')}>${words.everyContact}</button></p>` : nothing}
      </form>`;
  }

  #row(thread, current) {
    const names = this.#names;
    const isUnread = thread.unread_count > 0;
    const waits = thread.waiting_since !== null && thread.status !== 'snoozed';
    const title = titleOf(thread, names);
    const isOwn = thread.assignee_id === this.#context.session.member_id;
    const assignee = isOwn ? words.assignedToYou : words.assignedTo(names.member(thread.assignee_id));
    return html`
      <li class=${isUnread ? 'unread' : ''}>
        <a href="${path(`inbox/${thread.thread_id}`)}${this.filters.query}" aria-current=${thread.thread_id === current ? 'true' : nothing}>
          <span class="line"><strong class="who">${names.contact(thread.contact_id)}</strong>
            <time class="small quiet" datetime=${thread.last_message_at} title=${at(thread.last_message_at)}>${brief(thread.last_message_at)}</time></span>
          <span class="line"><span class="subject">${title}</span>
            ${isUnread ? html`<span class="count" aria-hidden="true">${thread.unread_count}</span>
              <span class="unseen">${words.unreadCount(thread.unread_count)}</span>` : nothing}</span>
          <span class="excerpt small quiet">${thread.last_message_preview}</span>
          <span class="marks small">
            <span class="quiet">${names.channel(thread)}</span>
            ${waits ? html`<span class="caution">${all.waitingFor(since(thread.waiting_since))}</span>` : nothing}
            ${thread.status !== 'open' ? html`<span>${thread.status === 'snoozed' && thread.snoozed_until
              ? words.snoozedUntil(brief(thread.snoozed_until)) : all.statuses[thread.status] ?? thread.status}</span>` : nothing}
            ${['high', 'urgent'].includes(thread.priority) ? html`<span class="wrong">${all.priorities[thread.priority]}</span>` : nothing}
            ${thread.assignee_id ? html`<span class="quiet">${assignee}</span>` : nothing}
          </span>
        </a>
      </li>`;
  }
}
