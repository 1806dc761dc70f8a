// What others change while a page is open: the service says which topics may have changed, and pages read again what they show.

import { streamChanges } from '../console-client/changes.js';
import { account } from './service.js';

/** The name of the lock and of the channel: one page of a browser follows the changes, and tells the others. */
const SHARED = 'frontdesk-changes';
/** Milliseconds before a connection is made again that was lost, at first and at most. */
const [SOON, LATEST] = [500, 20_000];
/** Milliseconds between two looks of a page, at least; a tab that nobody looks at has more time. */
const [REST, HIDDEN_REST] = [1_000, 5_000];
/** Milliseconds after a change at which pages look again, because a page that is just reading or saving leaves a look out. */
const ECHOES = [1_500, 5_000];
/** Milliseconds after which a page that somebody looks at reads again without a reason, in case a change was missed. */
const ANYWAY = 30_000;

const wait = milliseconds => new Promise(resolve => {
  setTimeout(resolve, milliseconds);
});

/** Calls back when something may have changed. */
export class Live {
  /** @type {Set<{ topics: string[], again: () => unknown, isLasting: boolean, isDue: boolean, echoes: any[] }>} */
  #watchers = new Set();
  #channel = new BroadcastChannel(SHARED);
  /** Ends following. @type {AbortController | undefined} */
  #following;
  #timer;

  constructor() {
    this.#channel.onmessage = event => this.#note(event.data);
    setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      for (const watcher of this.#watchers) watcher.isDue = true;
      this.#look();
    }, ANYWAY);
    // What has changed while the page was hidden is read when somebody looks at it.
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#look();
    });
  }

  /**
   * Calls `again` when something of these topics may have changed.
   *
   * @param {string[]} topics `account`, `activities`, `chatbots`, `contacts`, `content`, `conversations`, `deals`, `threads`
   * @param {() => unknown} again
   * @param {{ isLasting?: boolean }} [options] Whether it is not for one page only, and also called while nobody looks at the tab.
   * @returns {() => void} Ends it.
   */
  watch(topics, again, { isLasting = false } = {}) {
    const watcher = { topics, again, isLasting, isDue: false, echoes: [] };
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Ends what is watched for one page, which is left. */
  clear() {
    for (const watcher of this.#watchers) {
      if (!watcher.isLasting) this.#watchers.delete(watcher);
    }
  }

  /** Follows the changes of the account of the person who is signed in, or lets another page of this browser do so. */
  async follow() {
    if (this.#following !== undefined) return;
    const following = new AbortController();
    this.#following = following;
    const { signal } = following;
    try {
      // Where the browser has no locks, each page follows for itself.
      if (navigator.locks === undefined) await this.#connect(signal);
      else await navigator.locks.request(SHARED, { signal }, () => this.#connect(signal));
    } catch (error) {
      if (!signal.aborted) console.error(error);
    }
  }

  /** Follows no longer: nobody is signed in. */
  stop() {
    this.#following?.abort();
    this.#following = undefined;
  }

  /** @param {AbortSignal} signal */
  async #connect(signal) {
    for (let delay = SOON; !signal.aborted; delay = Math.min(2 * delay, LATEST)) {
      try {
        for await (const { topics } of streamChanges(account, {}, { signal })) {
          delay = SOON;
          this.#note(topics);
          this.#channel.postMessage(topics);
        }
      } catch (error) {
        // The next request of the page finds that the session has ended, and asks to sign in.
        if (error?.status === 401 || error?.status === 403) return;
      }
      if (!signal.aborted) await wait(delay * (0.75 + Math.random() / 2));
    }
  }

  /** @param {string[]} topics */
  #note(topics) {
    for (const watcher of this.#watchers) {
      if (watcher.topics.some(topic => topics.includes(topic))) this.#call(watcher);
    }
    this.#look();
  }

  #call(watcher) {
    watcher.isDue = true;
    watcher.echoes.forEach(clearTimeout);
    watcher.echoes = ECHOES.map(delay => setTimeout(() => {
      watcher.isDue = true;
      this.#look();
    }, delay));
  }

  /** Has pages read what is due, if anybody looks at them. */
  #look() {
    if (this.#timer !== undefined) return;
    const isSeen = document.visibilityState === 'visible';
    const due = [...this.#watchers].filter(watcher => watcher.isDue && (isSeen || watcher.isLasting));
    if (due.length === 0) return;
    for (const watcher of due) {
      watcher.isDue = false;
      watcher.again();
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, isSeen ? REST : HIDDEN_REST);
  }
}
