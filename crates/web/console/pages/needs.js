// What needs a person now: each thing with the page on which it is done.

import { html, nothing, repeat } from '../../vendor/lit/lit.js';
import { listChatbots } from '../../client/chatbots.js';
import { listConversations } from '../../client/conversations.js';
import { listDealActivities } from '../../client/deal-activities.js';
import { listInboxChannels } from '../../client/inbox-channels.js';
import { listUnansweredQuestions } from '../../client/unanswered-questions.js';
import { count, sentence } from '../format.js';
import { icon } from '../icons.js';
import { path } from '../paths.js';
import { v1 } from '../service.js';
import { Reading, skeleton } from '../states.js';
import { texts as words } from '../texts/home.js';
import { since } from './inbox/times.js';

/** How many of a list are counted. */
const PAGE = 100;
/** Chatbots whose conversations and questions are counted, and how many are asked at the same time. */
const [CHATBOTS, AT_ONCE] = [12, 3];
/** Milliseconds between two readings, however much happens. */
const REST = 15_000;

/** @typedef {{ id: string, title: string, hint?: string, symbol: unknown, path: string, isBad?: boolean }} Need */

/** The number of a page of a list, which may go on. */
const numberOf = (items, { has_more }) => `${count(items.length)}${has_more ? '+' : ''}`;

export class Needs {
  /** The chatbots of the account, once they have been read. @type {any[] | undefined} */
  chatbots;
  #context; #reading; #last = 0; #timer;

  /** @param {import('../main.js').Context} context */
  constructor(context) {
    this.#context = context;
    this.#reading = new Reading(context, () => this.#read());
  }

  begin() {
    this.#last = Date.now();
    return this.#reading.begin({ isQuiet: this.#reading.value !== undefined });
  }

  /** Reads again, once it has rested. */
  refresh() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.begin(), Math.max(0, this.#last + REST - Date.now()));
  }

  end() {
    clearTimeout(this.#timer);
  }

  /** Whether they could not be read. */
  get hasFailed() {
    return this.#reading.problem !== undefined;
  }

  /** @returns {Promise<{ needs: Need[], isCut: boolean }>} */
  async #read() {
    const { account_id } = this.#context.session.account;
    const [chatbots, activities, channels] = await Promise.all([
      listChatbots(v1).then(read => read.chatbots), this.#activities(), listInboxChannels(v1, { account_id, limit: PAGE }).then(read => read.channels),
    ]);
    this.chatbots = chatbots;
    const counted = chatbots.slice(0, CHATBOTS);
    const queue = counted.map((chatbot, place) => ({ chatbot, place }));
    /** @type {{ waiting: any[], hasMore: boolean, questions: Need[] }[]} */
    const ofChatbots = [];
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) ofChatbots[next.place] = await this.#ofChatbot(next.chatbot, chatbots.length > 1);
    }));
    const failing = channels.filter(({ enabled, last_error }) => enabled && last_error !== null);
    return {
      needs: [
        ...this.#waiting(ofChatbots), ...activities, ...ofChatbots.flatMap(({ questions }) => questions),
        ...failing.map(({ channel_id, name, last_error }) => (
          { id: channel_id, title: words.failing(name), hint: sentence(last_error), symbol: icon.channel, path: `channels/${channel_id}`, isBad: true })),
        ...chatbots.filter(({ status }) => status === 'failed').map(({ chatbot_id, name }) => (
          { id: chatbot_id, title: words.untrained(name), hint: words.untrainedText, symbol: icon.chatbot, path: `chatbots/${chatbot_id}`, isBad: true })),
      ],
      isCut: chatbots.length > CHATBOTS,
    };
  }

  /** What is due today or was due before. */
  async #activities() {
    const tomorrow = new Date();
    tomorrow.setHours(24, 0, 0, 0);
    const { activities, pagination } = await listDealActivities(v1, { status: 'open', due_before: tomorrow.toISOString(), limit: PAGE });
    const overdue = activities.filter(({ is_overdue }) => is_overdue);
    const due = activities.filter(({ is_overdue }) => !is_overdue);
    const [first] = due.toSorted((one, other) => Date.parse(one.due_at) - Date.parse(other.due_at));
    return [
      ...(overdue.length > 0 ? [{ id: 'overdue', title: words.overdue(numberOf(overdue, pagination)), symbol: icon.activity, path: 'activities', isBad: true }] : []),
      ...(due.length > 0
        ? [{ id: 'due', title: words.due(numberOf(due, pagination)), hint: words.next(first.title), symbol: icon.activity, path: 'activities' }] : []),
    ];
  }

  /** Who waits in the conversations of a chatbot, and what it could not answer. */
  async #ofChatbot({ chatbot_id, name }, isOneOfMany) {
    const [{ conversations, pagination }, { unanswered_questions: questions, pagination: further }] = await Promise.all([
      listConversations(v1, { chatbot_id, mode: 'human_requested', limit: PAGE }), listUnansweredQuestions(v1, { chatbot_id, limit: PAGE }),
    ]);
    return {
      waiting: conversations,
      hasMore: pagination.has_more,
      questions: questions.length === 0 ? [] : [{
        id: `questions ${chatbot_id}`, title: words.questions(numberOf(questions, further)), hint: isOneOfMany ? name : questions[0].question,
        symbol: icon.faq, path: `chatbots/${chatbot_id}/questions`,
      }],
    };
  }

  /** The visitors who wait, in one line. @returns {Need[]} */
  #waiting(ofChatbots) {
    const waiting = ofChatbots.flatMap(one => one.waiting);
    if (waiting.length === 0) return [];
    const first = waiting.map(({ escalation, last_message_at }) => escalation?.escalated_at ?? last_message_at).sort()[0];
    const title = words.conversations(numberOf(waiting, { has_more: ofChatbots.some(({ hasMore }) => hasMore) }));
    return [{ id: 'conversations', title, hint: words.longest(since(first)), symbol: icon.conversation, path: 'conversations?state=human_requested' }];
  }

  /** The threads in which somebody waits, which the frame knows already. @returns {Need[]} */
  get #threads() {
    const { waiting } = this.#context;
    if (waiting.count === 0 || waiting.since === undefined) return [];
    return [{ id: 'threads', title: words.threads(count(waiting.count)), hint: words.longest(since(waiting.since)), symbol: icon.inbox, path: 'inbox' }];
  }

  view() {
    return html`
      <section class="part" aria-labelledby="needs-title">
        <h2 id="needs-title">${words.title}</h2>
        ${this.#reading.show(({ needs, isCut }) => {
          const all = [...this.#threads, ...needs];
          return html`
            ${all.length === 0 ? html`<p class="done-all">${icon.check}${words.none}</p>` : html`
              <ul class="needs">${repeat(all, ({ id }) => id, entry)}</ul>`}
            ${isCut ? html`<p class="small quiet">${words.manyChatbots(CHATBOTS)}</p>` : nothing}`;
        }, skeleton(4))}
      </section>`;
  }
}

/** @param {Need} need */
function entry({ title, hint, symbol, path: target, isBad }) {
  return html`
    <li data-listed><a href=${path(target)} class=${isBad ? 'bad' : ''}>
      ${symbol}<span><strong>${title}</strong>${hint ? html`<span class="small quiet">${hint}</span>` : nothing}</span>
    </a></li>`;
}
