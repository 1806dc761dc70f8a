// A conversation as it is shown: who answers, what was said, and the box to answer as a person.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { back } from '../../frame.js';
import { path } from '../../paths.js';
import { problem, skeleton } from '../../states.js';
import { texts as all } from '../../texts/inbox.js';
import { askForDraft } from './kept.js';
import { log } from './messages.js';
import { replyBox } from './reply-box.js';
import { ago, at, brief, since } from './times.js';

const words = all.chat;
const STATES = { human_requested: 'caution', human: 'good' };
const KINDS = { visitor: 'theirs', assistant: 'bot', team_member: 'ours', system: 'service' };

/**
 * What people do with a conversation.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('./conversation-state.js').ConversationState} state
 */
export function actionsOf(context, state) {
  return {
    takeOver: () => state.takeOver(),
    handBack: () => state.handBack(),
    close: async () => {
      if (state.conversation === undefined || state.conversation.mode === 'closed') return;
      if (await context.confirm({ title: words.closeTitle, text: words.closeText, action: words.close })) await state.close();
    },
  };
}

/**
 * @param {import('../../main.js').Context} context
 * @param {import('./conversation-state.js').ConversationState} state
 * @param {import('./kept.js').Names} names
 * @param {ReturnType<typeof actionsOf>} act
 */
export function conversationView(context, state, names, act) {
  const { conversation, reading, history, composer, place } = state;
  if (reading.problem?.status === 404) {
    return html`
      <div class="gone">${back('conversations', all.conversations)}<h1 tabindex="-1">${all.conversations}</h1>${problem({ message: words.gone, fields: {} })}</div>`;
  }
  const draw = () => context.draw();
  const contact = conversation === undefined ? '' : names.contact(conversation.contact_id);
  const nameOf = ({ role, team_member_id }) => (role === 'visitor' ? contact
    : role === 'team_member' ? names.member(team_member_id) : role === 'system' ? all.service : names.chatbot(conversation.chatbot_id));
  const entries = history.messages.map(message => ({
    id: message.message_id, kind: KINDS[message.role] ?? 'service', author: nameOf(message), time: message.created_at, text: message.text,
    sources: message.sources, feedback: message.feedback, needsPerson: message.needs_escalation,
  }));
  const mode = conversation?.mode;
  const person = state.assignee_id === null ? lastPerson(history.messages, names) : names.member(state.assignee_id);
  const can = {
    canReply: mode !== 'closed', canNote: false, canAttach: false, canSetStatus: false,
    hint: mode === 'closed' ? all.reply.chatClosed : mode === 'ai' ? all.reply.takesOver : undefined,
    draft: conversation?.thread_id && mode !== 'closed' && names.chatbots.length > 0
      ? () => askForDraft(context, state, names, conversation.chatbot_id) : undefined,
  };
  return html`
    <header class="thread-head">
      ${back(`conversations${location.search}`, all.conversations)}
      <div class="title">
        <h1 tabindex="-1" class="words">${conversation === undefined ? all.conversations : contact}</h1>
        ${reading.value === undefined ? nothing : buttons(mode, state.isChanging, act)}
      </div>
      ${conversation === undefined ? nothing : facts(conversation, names, contact, person)}
      ${state.conflict === '' ? nothing : html`<p class="hint" role="alert">${state.conflict} ${words.conflictState[mode] ?? mode}</p>`}
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

function buttons(mode, isChanging, act) {
  /** @type {(text: string, action: () => unknown, look?: { kind?: string, key?: unknown }) => unknown} */
  const button = (text, action, { kind = '', key = nothing } = {}) => html`
    <button type="button" class="button slim ${kind}" data-key=${key} ?disabled=${isChanging} @click=${action}>${text}</button>`;
  if (mode === 'closed') return nothing;
  return html`
    <div class="acts">
      ${mode === 'human' ? nothing : button(words.takeOver, act.takeOver, { kind: 'main' })}
      ${mode === 'ai' ? nothing : button(words.handBack, act.handBack)}
      ${button(words.close, act.close, { key: 'e' })}
    </div>`;
}

/** The person who has written last. */
function lastPerson(messages, names) {
  const last = messages.findLast(({ role }) => role === 'team_member');
  return last === undefined ? undefined : names.member(last.team_member_id);
}

function facts(conversation, names, contact, person) {
  const { mode, escalation, contact_id, chatbot_id, thread_id, created_at } = conversation;
  const waits = mode === 'human_requested';
  const title = mode === 'human' && person !== undefined ? (person === all.you ? words.byYou : words.by(person)) : all.chats.modes[mode] ?? mode;
  return html`
    <p class="small quiet facts">
      <span class="badge ${STATES[mode] ?? ''}">${waits ? all.waitingFor(since(escalation?.escalated_at ?? created_at)) : title}</span>
      ${conversation.needs_escalation && mode === 'ai' ? html`<span class="caution">${all.chats.needs}</span>` : nothing}
      ${contact_id ? html`<a href=${path(`contacts/${contact_id}`)}>${contact}</a>` : nothing}
      <a href=${path(`chatbots/${chatbot_id}`)}>${names.chatbot(chatbot_id)}</a>
      <span>${all.chats.sources[conversation.source] ?? conversation.source}</span>
      <span title=${at(created_at)}>${words.began(brief(created_at))}</span>
      ${thread_id ? html`<a href=${path(`inbox/${thread_id}`)}>${words.inInbox}</a>` : nothing}
    </p>
    ${escalation && mode !== 'closed'
      ? html`<p class="small ${waits ? 'hint' : 'quiet'}">${words.reasons[escalation.reason] ?? escalation.reason}
        ${escalation.note ? html`<span class="words">“${escalation.note}”</span>` : nothing}
        ${waits ? nothing : html`<span title=${at(escalation.escalated_at)}>${ago(escalation.escalated_at)}</span>`}</p>`
      : nothing}`;
}
