// How many people wait for an answer, on whatever page somebody is: in the title of the tab, and by a sound when there is one more.

import { listThreads } from '../client/inbox.js';
import { v1 } from './service.js';
import { isSoundOn, play } from './sound.js';
import { texts as words } from './texts/inbox.js';

/** Pages of threads that are read at first; from then on only what has changed. */
const PAGES = 5;
/** Milliseconds after which all are read again, because what was erased does not change. */
const ANEW = 15 * 60_000;
/** Until when somebody has been heard, in any tab of this browser. */
const HEARD = 'frontdesk.heard';

export class Waiting {
  /** @type {Map<string, any>} */
  #threads = new Map();
  #context; #since = ''; #who = ''; #isBusy = false; #anewAt = 0;

  /** @param {import('./main.js').Context} context */
  constructor(context) {
    this.#context = context;
    // Tabs in the background look, too: that is when the title matters.
    context.watchAlways(['conversations', 'threads'], () => this.look());
  }

  get count() {
    return this.#threads.size;
  }

  /** Since when somebody has waited longest. @type {string | undefined} */
  get since() {
    return [...this.#threads.values()].map(({ waiting_since: since }) => since).sort()[0];
  }

  /** The title of the tab with the number of those who wait. */
  title(title) {
    return this.count === 0 || this.#context.session === undefined ? title : `(${this.count}) ${title}`;
  }

  /** Looks who waits. */
  async look() {
    const { session } = this.#context;
    const who = session === undefined || session.needs_second_factor ? '' : `${session.account.account_id} ${session.member_id}`;
    if (who !== this.#who) {
      this.#who = who;
      this.#threads.clear();
      this.#since = '';
    }
    if (who === '' || this.#isBusy) return;
    this.#isBusy = true;
    try {
      const before = this.count;
      const isFirst = this.#since === '';
      const isAnew = isFirst || Date.now() > this.#anewAt;
      const changed = isAnew ? await this.#all(session) : await this.#changed(session);
      if (this.#who === who) {
        if (isAnew) this.#anewAt = Date.now() + ANEW;
        const latest = this.#take(changed, isAnew);
        if (latest > 0) this.#hear(latest, isFirst);
        if (before !== this.count) this.#context.draw();
      }
    } catch {
      // The pages say what is wrong. The next look tries again.
    }
    this.#isBusy = false;
  }

  async #all({ account: { account_id } }) {
    const found = [];
    for (const status of ['open', 'pending']) {
      let pages = 0;
      for await (const { threads } of listThreads(v1, { status, account_id, limit: 100 }).pages()) {
        found.push(...threads);
        pages += 1;
        if (pages === PAGES) break;
      }
    }
    // The clock of this computer may be wrong.
    if (found.length === 0) this.#since = new Date(Date.now() - 24 * 3_600_000).toISOString();
    return found;
  }

  async #changed({ account: { account_id } }) {
    const found = [];
    for await (const thread of listThreads(v1, { updated_since: this.#since, account_id, limit: 100 }).items()) found.push(thread);
    return found;
  }

  /** Takes over threads. Returns the time of the latest message that somebody waits with and that was not known. */
  #take(threads, isAnew) {
    let latest = 0;
    const before = new Map(this.#threads);
    if (isAnew) this.#threads.clear();
    for (const thread of threads) {
      const known = before.get(thread.thread_id);
      const waits = thread.waiting_since !== null && ['open', 'pending'].includes(thread.status);
      if (thread.updated_at > this.#since) this.#since = thread.updated_at;
      if (!waits) {
        this.#threads.delete(thread.thread_id);
        continue;
      }
      this.#threads.set(thread.thread_id, thread);
      if (known === undefined || thread.unread_count > known.unread_count) {
        latest = Math.max(latest, Date.parse(thread.last_message_at), Date.parse(thread.waiting_since));
      }
    }
    return latest;
  }

  #hear(latest, isFirst) {
    const heard = Number(localStorage.getItem(HEARD) ?? 0);
    if (latest <= heard) return;
    localStorage.setItem(HEARD, String(latest));
    // Who has waited since before the page was opened is on it.
    if (!isFirst && isSoundOn()) play();
  }

  /** What the navigation says beside the inbox. */
  get label() {
    return words.waiting(this.count);
  }
}
