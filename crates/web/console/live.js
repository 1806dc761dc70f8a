// What others change while a page is open.

/** Milliseconds after which a page that is shown looks again. */
const INTERVAL = 3_000;

/** Calls back when something may have changed. */
export class Live {
  /** @type {Set<{ topics: string[], again: () => unknown }>} */
  #watchers = new Set();
  #timer;

  /**
   * Calls `again` when something of these topics may have changed.
   *
   * @param {string[]} topics `threads`, `conversations`, `contacts`, `deals`, `activities`, `chatbots`
   * @param {() => unknown} again
   * @returns {() => void} Ends it.
   */
  watch(topics, again) {
    const watcher = { topics, again };
    this.#watchers.add(watcher);
    this.#timer ??= setInterval(() => this.#look(), INTERVAL);
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#timer = clearInterval(this.#timer);
    };
  }

  /** Ends all. */
  end() {
    this.#watchers.clear();
    this.#timer = clearInterval(this.#timer);
  }

  #look() {
    if (document.visibilityState !== 'visible') return;
    for (const { again } of this.#watchers) again();
  }
}
