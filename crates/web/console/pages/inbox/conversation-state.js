// One conversation of a visitor: its history, and who answers.

import {
  closeConversation, createConversationMessage, escalateConversation, getConversation, listConversationMessages, returnConversationToAi,
} from '../../../client/conversations.js';
import { draftThreadReply, getThread, updateThread } from '../../../client/inbox.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { Reading } from '../../states.js';
import { texts as words } from '../../texts/inbox.js';
import { Composer } from './composer.js';
import { History, Place } from './history.js';
import { refocus } from './kept.js';
import { Images } from './messages.js';

/** The longest message that the service takes. */
const LONGEST = 5_000;
const PAGE = 50;

export class ConversationState {
  /** @type {History<import('../../../client/conversations.js').ConversationMessage>} */
  history = new History();
  place = new Place();
  isReadingEarlier = false;
  isChanging = false;
  /** @type {import('../../service.js').Problem | undefined} */
  failure;
  /** Somebody else was faster: how the conversation was found. */
  conflict = '';
  news = '';
  /** @type {string | null} */
  assignee_id = null;
  other = '';

  #context; #ids; #names; #changed; #isBusy = false; #cursor; #value;

  /**
   * @param {import('../../main.js').Context} context
   * @param {{ chatbot_id: string, conversation_id: string }} ids
   * @param {import('./kept.js').Names} names
   * @param {(conversation: any) => void} changed
   * @param {any} [known] What a list knows of it.
   */
  constructor(context, ids, names, changed, known) {
    this.#context = context;
    this.#ids = ids;
    this.#names = names;
    this.#changed = changed;
    this.images = new Images(context);
    this.composer = new Composer(context, `conversation.${ids.conversation_id}`, { limit: LONGEST, send: message => this.#send(message) });
    this.reading = new Reading(context, () => getConversation(v1, ids));
    /** @type {any} */
    this.conversation = known;
  }

  async begin() {
    await this.#read();
    const { contact_id } = this.conversation ?? {};
    if (contact_id) this.#names.renew(contact_id).then(() => this.#context.draw());
  }

  /** Looks whether others have changed something. */
  async refresh() {
    if (this.#isBusy || this.isChanging || this.reading.problem?.status === 404) return;
    this.#isBusy = true;
    await this.#read();
    this.#isBusy = false;
  }

  async #read() {
    await this.reading.begin({ isQuiet: true });
    const { value } = this.reading;
    if (value === undefined || value === this.#value) return;
    this.#value = value;
    const { messages, ...conversation } = value;
    const before = this.conversation;
    this.conversation = conversation;
    const isOther = before?.mode !== conversation.mode;
    if (before !== undefined && isOther) this.#changed(conversation);
    if (isOther || this.history.messages.length === 0 || before.last_message_at !== conversation.last_message_at) this.#readAssignee();
    // What was refused because it was closed can be sent again.
    if (isOther && before?.mode === 'closed') this.composer.problem = undefined;
    const wasKnown = this.history.messages.length;
    const added = this.history.renew(messages, conversation.message_count);
    // Earlier pages are read again from the beginning if there would be a gap.
    if (this.history.messages.length < wasKnown) this.#cursor = undefined;
    this.#notice(added);
    await this.place.below(() => this.#context.draw(), added.length > 0);
  }

  /** Who takes care of it: they may not have written anything yet. */
  async #readAssignee() {
    const { mode, thread_id } = this.conversation;
    if (mode !== 'human' || !thread_id) {
      this.assignee_id = null;
      return;
    }
    try {
      this.assignee_id = (await getThread(v1, { thread_id })).assignee_id;
      this.#context.draw();
    } catch {
      // It is shown without the name.
    }
  }

  #notice(added) {
    const { member_id } = this.#context.session;
    const others = added.filter(({ team_member_id }) => team_member_id !== member_id);
    if (others.length === 0) return;
    const nameOf = ({ role, team_member_id }) => (role === 'team_member' ? this.#names.member(team_member_id)
      : role === 'visitor' ? this.#names.contact(this.conversation.contact_id) : this.#names.chatbot(this.#ids.chatbot_id));
    this.news = words.newFrom(nameOf(others.at(-1)));
    const colleague = others.findLast(({ role }) => role === 'team_member');
    if (colleague !== undefined && this.composer.isWriting) this.other = words.reply.otherAnswered(nameOf(colleague));
  }

  async earlier() {
    if (this.isReadingEarlier) return;
    this.isReadingEarlier = true;
    this.failure = undefined;
    this.#context.draw();
    const before = this.history.messages.length;
    try {
      // The first page may contain nothing but what is shown already.
      do {
        const read = () => listConversationMessages(v1, { ...this.#ids, limit: PAGE, cursor: this.#cursor });
        const { messages, pagination } = await this.#context.call(read);
        this.#cursor = pagination.next_cursor ?? undefined;
        this.history.precede(messages.toReversed(), this.#cursor !== undefined);
      } while (this.history.messages.length === before && this.#cursor !== undefined);
    } catch (error) {
      if (!(error instanceof Cancelled)) this.failure = problemOf(error);
    }
    this.isReadingEarlier = false;
    await this.place.above(() => this.#context.draw());
  }

  /**
   * Changes who answers. If somebody else was faster, says how it stands now.
   *
   * @param {() => Promise<any>} operation
   * @param {string} done
   */
  async #change(operation, done) {
    if (this.isChanging) return false;
    this.isChanging = true;
    this.failure = undefined;
    this.conflict = '';
    this.#context.draw();
    let isDone = false;
    try {
      await this.#context.call(operation);
      isDone = true;
    } catch (error) {
      if (!(error instanceof Cancelled)) {
        const found = problemOf(error);
        if (found.status !== 409) this.failure = found;
        else this.conflict = words.chat.conflict;
      }
    }
    await this.#read();
    this.isChanging = false;
    if (isDone) this.#context.say(done);
    this.#changed(this.conversation);
    await this.#context.draw();
    refocus();
    return isDone;
  }

  /** Silences the chatbot and makes the conversation the person's own. */
  async takeOver() {
    const isDone = await this.#change(async () => {
      const { conversation } = this;
      // Only what waits for a person can be accepted, and has a thread to assign.
      const waiting = conversation.mode === 'ai'
        ? await escalateConversation(v1, { ...this.#ids, body: { reason: 'other' } }) : conversation;
      await updateThread(v1, { thread_id: waiting.thread_id, body: { assignee_id: this.#context.session.member_id, read: true } });
    }, words.chat.takenOver);
    if (isDone) this.composer.focus();
  }

  handBack() {
    return this.#change(() => returnConversationToAi(v1, this.#ids), words.chat.handedBack);
  }

  close() {
    return this.#change(() => closeConversation(v1, this.#ids), words.chat.closed);
  }

  /** @param {import('./composer.js').Message} message */
  async #send({ text, key }) {
    try {
      await this.#context.call(() => createConversationMessage(v1, { ...this.#ids, body: { text } }, { idempotencyKey: key }));
      this.other = '';
      this.conflict = '';
      this.place.toEnd();
    } finally {
      await this.#read();
    }
  }

  /** Has a chatbot write into the box. */
  async draft(chatbot_id, instruction) {
    const { thread_id } = this.conversation;
    const body = { chatbot_id, ...(instruction === '' ? {} : { instruction }) };
    const { reply, sources } = await this.#context.call(() => draftThreadReply(v1, { thread_id, body }, { timeout: 120_000 }));
    await this.composer.insert(reply, sources);
  }

  end() {
    this.images.end();
  }
}
