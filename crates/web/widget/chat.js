// The conversation of one visitor: what has been said, what is being sent, and who answers.

import { ApiError } from '../client/runtime/errors.js';
import { newKey } from '../client/runtime/keys.js';

/** Seconds that one request waits for replies. */
const WAIT = 25;
/** Milliseconds between requests while the page is not looked at, or after one that ended early. */
const PAUSE = 25_000;
const SHORT_PAUSE = 2_000;
/** Milliseconds for which an interrupted message is sent again. For 20 seconds of them, a service that has died keeps others from answering it. */
const PATIENCE = 45_000;

/**
 * @typedef {object} Entry
 * @property {string} id The message, or a name of this page until the service has one.
 * @property {'visitor' | 'bot' | 'person' | 'notice'} from
 * @property {string} text
 * @property {'done' | 'sending' | 'failed'} state
 * @property {{title: string, url: string, type: string}[]} [sources]
 * @property {boolean} [needsPerson]
 * @property {'up' | 'down'} [rating]
 * @property {Problem} [problem]
 */

/**
 * Why something did not work: a name in the texts, and the seconds to wait if the service says them.
 *
 * @typedef {{ name: 'offline' | 'busy' | 'tooLong' | 'unavailable' | 'failed', seconds?: number }} Problem
 */

/**
 * What is kept of a visitor between pages.
 *
 * @typedef {object} Kept
 * @property {string} [token]
 * @property {string} [conversation]
 * @property {boolean} [isBeginning] Whether a first message was sent whose conversation is not known yet.
 * @property {string} [left] The conversation that the visitor has left for another one.
 * @property {boolean} [isWaiting]
 * @property {boolean} [isIdentified]
 */

export class Chat {
  /** @type {Entry[]} */
  entries = [];
  /** Who answers: the service's `mode`. */
  mode = 'ai';
  isSending = false;
  /** Whether earlier messages are being read, or could not be. @type {'' | 'reading' | Problem} */
  restoring = '';
  isEscalating = false;
  /** Whether the form for contact details is shown, and what became of it. @type {'' | 'open' | 'sending' | 'sent'} */
  form = '';
  /** @type {Record<string, readonly string[]>} */
  formProblems = {};
  isSeen = false;
  unread = 0;

  /** @type {Kept} */
  #record;
  #identity;
  #service; #changed; #tell; #texts;
  #last = '';
  /** @type {AbortController | undefined} */
  #polling;
  /** Aborted by a reset: nothing that was requested for one person is shown to the next. */
  #visit = new AbortController();
  /** The latest of the tasks that run one after the other. @type {Promise<void>} */
  #tasks = Promise.resolve();

  /**
   * @param {import('./service.js').Service} service
   * @param {{ record: Kept, identity?: object, texts: Record<string, string> }} known
   * @param {() => void} changed
   * @param {(message: object) => void} tell
   */
  constructor(service, known, changed, tell) {
    this.#service = service;
    this.#record = known.record;
    this.#identity = known.identity;
    this.#texts = known.texts;
    this.#changed = changed;
    this.#tell = tell;
    service.token = known.record.token;
    if (known.identity) this.identify(known.identity);
  }

  get isAnsweredByPerson() {
    return this.mode === 'human' || this.mode === 'human_requested';
  }

  /** Whether there is something that could be forgotten. */
  get hasRecord() {
    return this.#record.token !== undefined;
  }

  #keep() {
    const record = { ...this.#record, isWaiting: this.isAnsweredByPerson };
    this.#tell({ type: 'keep', record });
  }

  #emit(event, detail) {
    this.#tell({ type: 'event', event, detail });
  }

  /** Runs a task after those before it: reading a message while it is sent would show it twice. */
  #inTurn(task) {
    const visit = this.#visit.signal;
    const done = this.#tasks.then(() => (visit.aborted ? undefined : task(visit)));
    this.#tasks = done.catch(() => {});
    return done;
  }

  /** Reads the conversation that a page before has begun. */
  restore() {
    return this.#inTurn(visit => this.#restore(visit));
  }

  async #restore(visit) {
    if (this.#service.token === undefined) return;
    if (this.#record.conversation === undefined && !this.#record.isBeginning) return;
    this.restoring = 'reading';
    this.#changed();
    try {
      const conversation = this.#record.conversation ?? (await this.#begun(visit));
      if (visit.aborted) return;
      if (conversation === undefined) {
        this.restoring = '';
        return this.#changed();
      }
      const read = await this.#service.messages(conversation, undefined, undefined, visit);
      if (visit.aborted) return;
      const known = new Set(this.entries.map(entry => entry.id));
      const before = read.messages.map(entryOf).filter(entry => !known.has(entry.id));
      this.entries = [...before, ...this.entries];
      this.#last = read.last_message_id;
      this.restoring = '';
      this.#enter(read.mode);
    } catch (error) {
      if (visit.aborted) return;
      if (error instanceof ApiError && [401, 404].includes(error.status)) {
        this.restoring = '';
        this.#forget();
      } else {
        this.restoring = problemOf(error);
      }
    }
    this.#changed();
  }

  /** Finds the conversation of a first message whose answer the page before has not received. */
  async #begun(visit) {
    const [latest] = await this.#service.conversations(visit);
    visit.throwIfAborted();
    if (latest === undefined || latest.conversation_id === this.#record.left) return undefined;
    this.#settle(latest.conversation_id);
    this.#keep();
    return latest.conversation_id;
  }

  /** Notes which conversation this is. */
  #settle(conversation) {
    const { token, isIdentified } = this.#record;
    this.#record = { token, isIdentified, conversation };
  }

  /** Sends what a visitor has written. */
  send(text) {
    const entry = /** @type {Entry} */ ({ id: newKey(), from: 'visitor', text, state: 'sending' });
    this.entries = [...this.entries, entry];
    this.#changed();
    return this.#inTurn(visit => this.#deliver(entry, visit));
  }

  /** Sends a message again that did not arrive. */
  retry(entry) {
    entry.state = 'sending';
    entry.problem = undefined;
    this.#changed();
    return this.#inTurn(visit => this.#deliver(entry, visit));
  }

  async #deliver(entry, visit) {
    this.isSending = true;
    const answer = /** @type {Entry} */ ({ id: `answer-${entry.id}`, from: 'bot', text: '', state: 'sending' });
    const isForPerson = this.isAnsweredByPerson;
    if (!isForPerson) this.entries = [...this.entries, answer];
    this.#changed();
    try {
      const whole = await this.#answered(entry, answer, visit);
      if (visit.aborted) return;
      entry.state = 'done';
      this.#settle(whole.conversation_id);
      // Replies may have come before this one that are not read yet.
      this.#last ||= whole.message_id;
      this.entries = this.entries.filter(one => one !== answer && one.id !== whole.message_id);
      if (whole.response !== '') this.entries.push({ ...answer, ...answerOf(whole) });
      this.entries = [...this.entries];
      this.#enter(whole.mode);
      this.#keep();
      this.#emit('message', { from: 'visitor', text: entry.text });
      if (whole.response !== '') this.#emit('message', { from: 'bot', text: whole.response });
    } catch (error) {
      if (visit.aborted) return;
      this.entries = this.entries.filter(one => one !== answer);
      if (error instanceof ApiError && error.status === 402) {
        // The service has stored the message for people, and handed the conversation over if it asks for one.
        entry.state = 'done';
        this.#settle(error.body?.conversation_id ?? this.#record.conversation);
        this.#keep();
        this.#notice(this.#texts.storedForPeople);
        this.form = this.form || 'open';
        await this.#look(visit);
      } else {
        entry.state = 'failed';
        entry.problem = problemOf(error);
      }
    }
    this.isSending = false;
    this.#changed();
  }

  /** Finds out who answers now. If that fails, the next message finds it out. */
  async #look(visit) {
    try {
      const read = await this.#service.messages(this.#record.conversation, undefined, undefined, visit);
      if (visit.aborted) return;
      this.#last = read.last_message_id;
      this.#enter(read.mode);
      this.#keep();
    } catch {
      // The visitor has been told what became of the message.
    }
  }

  /** Sends a message, again if need be, and returns the whole answer. The service stores and answers it once. */
  async #answered(entry, answer, visit) {
    const until = Date.now() + PATIENCE;
    for (let pause = 1_000; ; pause = Math.min(pause * 2, 8_000)) {
      try {
        return await this.#ask(entry, answer, visit);
      } catch (error) {
        if (visit.aborted || !isPassing(error) || Date.now() + pause > until) throw error;
      }
      await paused(pause, visit);
      visit.throwIfAborted();
    }
  }

  /** Sends a message and returns the whole answer; its sentences are shown as they come. */
  async #ask(entry, answer, visit, isSecond = false) {
    let text = '';
    try {
      await this.#session(visit);
      if (this.#record.conversation === undefined && !this.#record.isBeginning) {
        this.#record.isBeginning = true;
        this.#keep();
      }
      const events = this.#service.ask({
        message: entry.text,
        conversation_id: this.#record.conversation,
        client_message_id: entry.id,
      }, visit);
      for await (const event of events) {
        if (event.type === 'text') {
          text += event.text;
          // What came of an answer that broke off is shown until there is more of it.
          if (!answer.text.startsWith(text)) answer.text = text;
          this.#changed();
        } else if (event.type === 'answer') {
          return event.answer;
        } else if (event.type === 'error') {
          break;
        }
      }
      throw new Error('the answer has no end');
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      const isForgotten = status === 401 || (status === 404 && this.#record.conversation !== undefined);
      if (!isForgotten || isSecond || visit.aborted) throw error;
      // The service has forgotten this visitor or the conversation, as it does after a time or on request.
      if (status === 401) this.#forget();
      else this.#record.conversation = undefined;
      answer.text = '';
      return this.#ask(entry, answer, visit, true);
    }
  }

  /** Begins to be somebody to the service. Nothing is stored anywhere before the first message. */
  async #session(visit) {
    if (this.#service.token !== undefined) return;
    const identity = this.#identity;
    const token = await this.#service.begin(identity, visit);
    visit.throwIfAborted();
    // The page may have identified the visitor meanwhile.
    if (identity !== this.#identity) return this.#session(visit);
    this.#service.token = token;
    this.#record = { token, isIdentified: identity !== undefined };
    this.#keep();
  }

  /** @param {Kept} record What is kept all the same. */
  #forget(record = {}) {
    this.#record = record;
    this.#service.token = record.token;
    this.#last = '';
    this.#polling?.abort();
    this.mode = 'ai';
    this.#keep();
  }

  #notice(text) {
    const entry = /** @type {Entry} */ ({ id: newKey(), from: 'notice', text, state: 'done' });
    this.entries = [...this.entries, entry];
  }

  /** Takes over who answers now, and waits for people's replies if they do. */
  #enter(mode) {
    const before = this.mode;
    this.mode = mode;
    if (mode !== before && mode !== 'ai') this.#emit('handoff', { mode });
    if (this.isAnsweredByPerson) this.#poll();
    else this.#polling?.abort();
  }

  async #poll() {
    if (this.#polling && !this.#polling.signal.aborted) return;
    const polling = new AbortController();
    this.#polling = polling;
    let failures = 0;
    while (!polling.signal.aborted) {
      const begun = Date.now();
      const isWatched = document.visibilityState === 'visible';
      try {
        const wait = isWatched ? WAIT : undefined;
        const after = this.#last || undefined;
        const read = await this.#service.messages(this.#record.conversation, after, wait, polling.signal);
        if (polling.signal.aborted) return;
        failures = 0;
        this.#take(read);
        if (!this.isAnsweredByPerson) return polling.abort();
        const isEarly = read.messages.length === 0 && Date.now() - begun < SHORT_PAUSE;
        await paused(isWatched && !isEarly ? read.poll_after_ms : isWatched ? SHORT_PAUSE : PAUSE, polling.signal);
      } catch (error) {
        if (polling.signal.aborted) return;
        if (error instanceof ApiError && [401, 404].includes(error.status)) {
          this.#forget();
          return this.#changed();
        }
        failures += 1;
        await paused(Math.min(SHORT_PAUSE * 2 ** failures, 60_000), polling.signal);
      }
    }
  }

  #take(read) {
    const known = new Set(this.entries.map(entry => entry.id));
    const fresh = read.messages.map(entryOf).filter(entry => entry.from !== 'visitor' && !known.has(entry.id));
    this.#last = read.last_message_id;
    if (read.mode !== this.mode) this.#enter(read.mode);
    this.#keep();
    if (fresh.length === 0) return this.#changed();
    this.entries = [...this.entries, ...fresh];
    for (const entry of fresh) this.#emit('message', { from: entry.from, text: entry.text });
    if (!this.isSeen) {
      this.unread += fresh.length;
      this.#emit('unread', { count: this.unread });
    }
    this.#changed();
  }

  /** Notes whether the visitor looks at the conversation. */
  see(isSeen) {
    this.isSeen = isSeen;
    if (isSeen) this.#countNone();
  }

  #countNone() {
    if (this.unread === 0) return;
    this.unread = 0;
    this.#emit('unread', { count: 0 });
  }

  /** Asks for a person. */
  async escalate() {
    if (this.isEscalating || this.isAnsweredByPerson) return;
    const visit = this.#visit.signal;
    this.isEscalating = true;
    this.#changed();
    try {
      if (this.#record.conversation === undefined) {
        // There is nothing to hand over before the first message, so this is one.
        this.isEscalating = false;
        return await this.send(this.#texts.person);
      }
      const handed = await this.#service.escalate(this.#record.conversation);
      if (visit.aborted) return;
      this.#notice(this.#texts.requested);
      if (!this.#service.isSomebodyThere) this.form = this.form || 'open';
      this.#enter(handed.mode);
      this.#keep();
    } catch (error) {
      if (visit.aborted) return;
      this.#notice(this.#texts[problemOf(error).name]);
    }
    this.isEscalating = false;
    this.#changed();
  }

  /** Leaves contact details. */
  leaveContact(contact) {
    this.form = 'sending';
    this.formProblems = {};
    this.#changed();
    return this.#inTurn(visit => this.#introduce(contact, visit));
  }

  async #introduce(contact, visit) {
    try {
      await this.#session(visit);
      await this.#service.contact(contact);
      if (visit.aborted) return;
      this.form = 'sent';
      this.#emit('contact', {});
    } catch (error) {
      if (visit.aborted) return;
      this.form = 'open';
      const fields = error instanceof ApiError ? error.fields : {};
      this.formProblems = Object.keys(fields).length > 0 ? fields : { '': [this.#texts[problemOf(error).name]] };
    }
    this.#changed();
  }

  /** Rates an answer. A second click on the same rating keeps it. */
  async rate(entry, rating) {
    const before = entry.rating;
    if (before === rating) return;
    entry.rating = rating;
    this.#changed();
    try {
      await this.#service.rate(this.#record.conversation, entry.id, rating);
    } catch {
      entry.rating = before;
      this.#changed();
    }
  }

  /** Takes a person's identity. A conversation without one ends, because it is not known to be of that person. */
  identify(identity) {
    this.#identity = identity;
    if (this.#record.token === undefined || this.#record.isIdentified) return;
    this.reset(identity);
  }

  /** Begins another conversation of the same visitor. */
  startOver() {
    const { token, isIdentified, conversation } = this.#record;
    this.reset(this.#identity, { token, isIdentified, left: conversation });
  }

  /** Begins anew, as another person would unless something is kept. */
  reset(identity, record = {}) {
    this.#visit.abort();
    this.#visit = new AbortController();
    this.#tasks = Promise.resolve();
    this.#forget(record);
    this.#identity = identity;
    this.entries = [];
    [this.form, this.formProblems, this.restoring] = ['', {}, ''];
    [this.isSending, this.isEscalating] = [false, false];
    this.#countNone();
    this.#changed();
  }

  /** Has the service forget the visitor. */
  async erase() {
    try {
      await this.#service.erase();
    } catch (error) {
      if (!(error instanceof ApiError && [401, 404].includes(error.status))) {
        this.#notice(this.#texts[problemOf(error).name]);
        return this.#changed();
      }
    }
    this.reset(this.#identity);
  }
}

function entryOf(message) {
  const from = { visitor: 'visitor', assistant: 'bot', team_member: 'person' }[message.role] ?? 'notice';
  return /** @type {Entry} */ ({
    id: message.message_id,
    from,
    text: message.text,
    state: 'done',
    sources: message.sources,
    rating: message.rating ?? undefined,
  });
}

function answerOf(whole) {
  return {
    id: whole.message_id,
    text: whole.response,
    sources: whole.sources,
    needsPerson: whole.needs_escalation && whole.mode === 'ai',
    state: /** @type {const} */ ('done'),
  };
}

/** @returns {Problem} */
function problemOf(error) {
  if (!(error instanceof ApiError)) return { name: navigator.onLine ? 'failed' : 'offline' };
  if (error.status === 429) return { name: 'busy', seconds: error.retryAfter };
  if (error.status === 422 && error.code !== 'invalid_identity') return { name: 'tooLong' };
  return { name: error.status === 404 ? 'unavailable' : 'failed' };
}

/** Whether sending again helps: the connection broke, the service restarts, or the answer is being written. */
function isPassing(error) {
  if (!(error instanceof ApiError)) return navigator.onLine;
  return [502, 503, 504].includes(error.status) || (error.status === 409 && error.code === 'in_progress');
}

function paused(milliseconds, signal) {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(undefined);
    }, { once: true });
  });
}
