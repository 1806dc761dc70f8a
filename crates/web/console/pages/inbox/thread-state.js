// One thread: what is known of it, and what can be done with it.

import {
  createThreadMessage, draftThreadReply, getThread, listThreadMessages, updateThread,
} from '../../../client/inbox.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { Reading } from '../../states.js';
import { texts as words } from '../../texts/inbox.js';
import { Composer } from './composer.js';
import { History, Place } from './history.js';
import { refocus } from './kept.js';
import { Images } from './messages.js';

/** The longest message that the service takes. */
const LONGEST = 50_000;
const PAGE = 50;

export class ThreadState {
  history = new History();
  place = new Place();
  isReadingEarlier = false;
  /** What went wrong with the last change. @type {import('../../service.js').Problem | undefined} */
  failure;
  /** What screen readers say of new messages. */
  news = '';
  /** Who has answered while somebody writes. */
  other = '';

  #context; #names; #changed; #isBusy = false; #isKeptUnread = false; #changes = 0; #value;

  /**
   * @param {import('../../main.js').Context} context
   * @param {string} thread_id
   * @param {import('./kept.js').Names} names
   * @param {(thread: any) => void} changed Takes over what has changed.
   * @param {any} [known] What a list knows of the thread.
   */
  constructor(context, thread_id, names, changed, known) {
    this.thread_id = thread_id;
    this.#context = context;
    this.#names = names;
    this.#changed = changed;
    this.images = new Images(context);
    this.composer = new Composer(context, `thread.${thread_id}`, { limit: LONGEST, send: message => this.#send(message) });
    this.reading = new Reading(context, () => getThread(v1, { thread_id }));
    /** The thread, with a change that is under way. @type {any} */
    this.thread = known;
  }

  async begin() {
    await this.#read();
    if (this.thread?.contact_id) this.#names.renew(this.thread.contact_id).then(() => this.#context.draw());
  }

  /** Looks whether others have changed something. */
  async refresh() {
    if (this.#isBusy || this.#changes > 0 || this.reading.problem?.status === 404) return;
    this.#isBusy = true;
    await this.#read();
    this.#isBusy = false;
  }

  async #read() {
    const changes = this.#changes;
    await this.reading.begin({ isQuiet: true });
    const { value } = this.reading;
    // A change that began meanwhile is newer than what was read.
    if (value === undefined || changes !== this.#changes || value === this.#value) return;
    this.#value = value;
    const { messages, ...thread } = value;
    this.thread = thread;
    this.#changed(thread);
    const added = this.history.renew(messages, thread.message_count);
    this.#notice(added);
    await this.place.below(() => this.#context.draw(), added.length > 0);
    this.#markRead();
  }

  #notice(added) {
    const others = added.filter(({ author }) => author.id !== this.#context.session.member_id || author.type !== 'team_member');
    if (others.length === 0) return;
    this.news = words.newFrom(others.at(-1).author.name ?? words.visitor);
    const colleague = others.findLast(({ direction, author }) => direction === 'outbound' && author.type === 'team_member');
    if (colleague !== undefined && this.composer.isWriting) this.other = words.reply.otherAnswered(colleague.author.name ?? words.formerMember);
  }

  /** Whoever looks at a thread has read it, unless they said otherwise. */
  async #markRead() {
    const { unread_count } = this.thread;
    if (unread_count === 0) this.#isKeptUnread = false;
    if (unread_count === 0 || this.#isKeptUnread || document.visibilityState !== 'visible') return;
    try {
      this.#take(await updateThread(v1, { thread_id: this.thread_id, body: { read: true } }));
    } catch {
      // It stays unread, and is marked by the next look.
    }
  }

  #take(thread) {
    this.thread = thread;
    this.#changed(thread);
    this.#context.draw();
  }

  async earlier() {
    const [first] = this.history.messages;
    if (this.isReadingEarlier || first === undefined) return;
    this.isReadingEarlier = true;
    this.failure = undefined;
    this.#context.draw();
    try {
      const read = () => listThreadMessages(v1, { thread_id: this.thread_id, before: first.message_id, limit: PAGE });
      const { messages, has_more } = await this.#context.call(read);
      this.history.precede(messages, has_more);
    } catch (error) {
      if (!(error instanceof Cancelled)) this.failure = problemOf(error);
    }
    this.isReadingEarlier = false;
    await this.place.above(() => this.#context.draw());
  }

  /**
   * Changes the thread: shown at once, and undone if it is refused.
   *
   * @param {Record<string, any>} body
   * @param {string} done What is said when it was done.
   * @returns {Promise<boolean>} Whether it was done.
   */
  async change(body, done) {
    const before = this.thread;
    const { read, ...shown } = body;
    this.#changes += 1;
    this.failure = undefined;
    this.thread = { ...before, ...shown, ...(read === undefined ? {} : { unread_count: read ? 0 : Math.max(before.unread_count, 1) }) };
    if (read === false) this.#isKeptUnread = true;
    this.#changed(this.thread);
    this.#context.draw();
    let isDone = false;
    try {
      const thread = await this.#context.call(() => updateThread(v1, { thread_id: this.thread_id, body }));
      isDone = true;
      this.#take(thread);
      this.#context.say(done);
    } catch (error) {
      if (!(error instanceof Cancelled)) this.failure = problemOf(error);
      this.#take(before);
    }
    this.#changes -= 1;
    await this.#context.draw();
    refocus();
    return isDone;
  }

  /** @param {import('./composer.js').Message} message */
  async #send({ type, text, attachment_ids, key, after }) {
    const body = {
      body: text, type, client_message_id: key,
      ...(attachment_ids.length > 0 ? { attachment_ids } : {}),
      ...(after === '' ? {} : { set_status: after }),
    };
    try {
      await this.#context.call(() => createThreadMessage(v1, { thread_id: this.thread_id, body }));
      this.other = '';
      this.place.toEnd();
    } finally {
      await this.#read();
    }
  }

  /** Has a chatbot write into the box. */
  async draft(chatbot_id, instruction) {
    const body = { chatbot_id, ...(instruction === '' ? {} : { instruction }) };
    const options = { timeout: 120_000 };
    const { reply, sources } = await this.#context.call(() => draftThreadReply(v1, { thread_id: this.thread_id, body }, options));
    await this.composer.insert(reply, sources);
  }

  end() {
    this.images.end();
  }
}
