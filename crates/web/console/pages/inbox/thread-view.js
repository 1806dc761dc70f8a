// A thread as it is shown: its head, its history and the box for a reply.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { back } from '../../frame.js';
import { path } from '../../paths.js';
import { problem, skeleton } from '../../states.js';
import { texts as all } from '../../texts/inbox.js';
import { askForDraft, part } from './kept.js';
import { log } from './messages.js';
import { properties } from './properties.js';
import { replyBox } from './reply-box.js';
import { titleOf } from './thread-list.js';
import { at, since } from './times.js';

const words = all.thread;

/**
 * What people do with a thread by its head and by keys.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('./thread-state.js').ThreadState} state
 * @param {import('./kept.js').Names} names
 */
export function actionsOf(context, state, names) {
  const setStatus = async status => {
    const { thread } = state;
    if (status === 'snoozed') {
      const module = await part(context, () => import('./dialogs.js'));
      const choice = module && await context.open(dialog => module.snooze(context, dialog));
      if (choice === undefined) return context.draw();
      return state.change({ status, snoozed_until: choice.until }, words.changed.snoozed);
    }
    const ends = status === 'resolved' || status === 'spam';
    if (ends && thread.channel === 'chatbot' && !['resolved', 'spam'].includes(thread.status)) {
      const title = status === 'spam' ? words.chatSpam : words.chatResolve;
      const action = status === 'spam' ? all.statuses.spam : words.resolve;
      if (!await context.confirm({ title, text: words.chatEnds, action })) return context.draw();
    }
    return state.change({ status }, words.changed[status]);
  };
  return {
    setStatus,
    resolve: () => (['open', 'pending', 'snoozed'].includes(state.thread?.status) ? setStatus('resolved') : undefined),
    assign: id => {
      const done = id === null ? words.nobodyAssigned : id === context.session.member_id ? words.assignedToYou : words.assigned(names.member(id));
      return state.change({ assignee_id: id }, done);
    },
    prioritize: priority => state.change({ priority }, words.prioritySet(all.priorities[priority])),
  };
}

/** @returns {import('./messages.js').Entry} */
function entryOf(message, names, thread, contact) {
  const { author, direction } = message;
  const kinds = { contact: 'theirs', ai: 'bot', system: 'service', team_member: 'ours' };
  const kind = direction === 'internal' ? 'internal' : kinds[author.type] ?? (direction === 'inbound' ? 'theirs' : 'ours');
  const name = kind === 'theirs' ? author.name ?? contact
    : kind === 'bot' ? author.name ?? names.chatbot(thread.chatbot_id)
      : kind === 'service' ? all.service
        : author.type === 'team_member' ? names.authorName(author) : author.name ?? all.service;
  return {
    id: message.message_id, kind, author: name, time: message.created_at, text: message.body, folded: message.folded_text,
    subject: message.subject, attachments: message.attachments, // A chat is delivered by being read.
    delivery: thread.channel === 'chatbot' && message.delivery_status !== 'failed' ? null : message.delivery_status, deliveryError: message.delivery_error,
  };
}

/**
 * @param {import('../../main.js').Context} context
 * @param {import('./thread-state.js').ThreadState} state
 * @param {import('./kept.js').Names} names
 * @param {ReturnType<typeof actionsOf>} act
 */
export function threadView(context, state, names, act) {
  const { thread, reading, history, composer, place } = state;
  if (reading.problem?.status === 404) {
    return html`<div class="gone">${back('inbox', all.inbox)}<h1 tabindex="-1">${all.inbox}</h1>${problem({ message: words.gone, fields: {} })}</div>`;
  }
  const draw = () => context.draw();
  const contact = thread === undefined ? '' : names.contact(thread.contact_id);
  const entries = history.messages.map(message => entryOf(message, names, thread, contact));
  // A subject that repeats is said once, in the head.
  let subject = thread?.subject;
  for (const entry of entries) {
    if (entry.subject === subject) entry.subject = undefined;
    else if (entry.subject) subject = entry.subject;
  }
  const isOpen = ['open', 'pending', 'snoozed'].includes(thread?.status);
  const isChat = thread?.channel === 'chatbot';
  const can = {
    canReply: true,
    canNote: true,
    canAttach: thread !== undefined && !isChat,
    canSetStatus: true,
    draft: names.chatbots.length > 0 ? () => askForDraft(context, state, names, thread.chatbot_id) : undefined,
  };
  return html`
    <header class="thread-head">
      ${back(`inbox${location.search}`, all.inbox)}
      <div class="title">
        <h1 tabindex="-1" class="words">${thread === undefined ? all.inbox : titleOf(thread, names)}</h1>
        ${thread === undefined ? nothing : html`
          <button type="button" class="button slim" data-key=${isOpen ? 'e' : nothing} @click=${isOpen ? act.resolve : () => act.setStatus('open')}>${isOpen ? words.resolve : words.reopen}</button>`}
      </div>
      ${thread === undefined ? nothing : html`
        <p class="small quiet facts">
          ${thread.contact_id ? html`<a href=${path(`contacts/${thread.contact_id}`)}>${contact}</a>` : html`<span>${contact}</span>`}
          <span>${names.channel(thread)}</span>
          ${thread.waiting_since && thread.status !== 'snoozed'
            ? html`<span class="caution" title=${at(thread.waiting_since)}>${all.waitingFor(since(thread.waiting_since))}</span>` : nothing}
          ${thread.conversation_id && thread.chatbot_id
            ? html`<a href=${path(`conversations/${thread.chatbot_id}/${thread.conversation_id}`)}>${words.wholeChat}</a>` : nothing}
          ${thread.assignee_id === null
            ? html`<button type="button" class="link small" @click=${() => act.assign(context.session.member_id)}>${words.assignToMe}</button>` : nothing}
        </p>
        ${properties(context, state, names, act)}`}
      ${state.failure === undefined ? nothing : problem(state.failure)}
      ${reading.problem === undefined ? nothing : problem(reading.problem, () => state.begin())}
    </header>
    ${reading.value === undefined
      ? html`<div class="history">${reading.problem === undefined ? skeleton(5) : nothing}</div>`
      : log({
        entries, images: state.images, place, draw, news: state.news,
        earlier: { isThere: history.hasEarlier, isReading: state.isReadingEarlier, read: () => state.earlier() },
      })}
    ${reading.value === undefined ? nothing : html`
      ${state.other === '' ? nothing : html`<p class="hint other" role="status">${state.other}</p>`}
      ${replyBox(composer, can)}`}`;
}
