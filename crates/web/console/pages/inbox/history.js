// The messages of a thread or a conversation: the newest at first, earlier ones on demand, and those that others add meanwhile.

/** @template {{ message_id: string }} M */
export class History {
  /** All that is known, oldest first. @type {M[]} */
  messages = [];
  hasEarlier = false;

  /**
   * Takes over the newest messages. Returns those that were not known, unless these are the first ones.
   *
   * @param {M[]} newest Oldest first.
   * @param {number} total How many there are.
   * @returns {M[]}
   */
  renew(newest, total) {
    const known = new Map(this.messages.map((message, place) => [message.message_id, place]));
    const isFirst = this.messages.length === 0;
    const overlaps = newest.some(({ message_id }) => known.has(message_id));
    const added = newest.filter(({ message_id }) => !known.has(message_id));
    if (isFirst || !overlaps) {
      // So much was written meanwhile that there would be a gap. What came before is read again on demand.
      this.messages = [...newest];
    } else {
      const messages = [...this.messages];
      // Deliveries and ratings change afterwards.
      for (const message of newest) {
        const place = known.get(message.message_id);
        if (place !== undefined) messages[place] = message;
      }
      this.messages = [...messages, ...added];
    }
    this.hasEarlier = this.messages.length < total;
    return isFirst ? [] : added;
  }

  /**
   * @param {M[]} earlier Oldest first.
   * @param {boolean} hasEarlier
   */
  precede(earlier, hasEarlier) {
    const known = new Set(this.messages.map(({ message_id }) => message_id));
    this.messages = [...earlier.filter(({ message_id }) => !known.has(message_id)), ...this.messages];
    this.hasEarlier = hasEarlier;
  }
}

/** How near the end somebody is who reads along, in pixels. */
const NEAR = 80;

/** Where somebody reads in a history: at its end they follow, further up nothing moves. */
export class Place {
  /** Whether something was added below. */
  hasNews = false;
  /** @type {HTMLElement | undefined} */
  #log;
  #follows = true;

  /** The element of the history, once it is there. @param {Element | undefined} element */
  take = element => {
    if (!(element instanceof HTMLElement) || element === this.#log) return;
    this.#log = element;
    this.#follows = true;
    requestAnimationFrame(() => this.toEnd());
  };

  /** @param {() => void} draw */
  scrolled(draw) {
    if (this.#log === undefined) return;
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    this.#follows = scrollHeight - scrollTop - clientHeight < NEAR;
    if (!this.#follows || !this.hasNews) return;
    this.hasNews = false;
    draw();
  }

  toEnd() {
    this.hasNews = false;
    this.#follows = true;
    this.#log?.scrollTo({ top: this.#log.scrollHeight });
  }

  /** Something became larger, such as an image that has been loaded. */
  grown = () => {
    if (this.#follows) this.toEnd();
  };

  /**
   * Draws what was added below.
   *
   * @param {() => Promise<void>} draw
   * @param {boolean} isNew Whether something was added.
   */
  async below(draw, isNew) {
    if (isNew && !this.#follows) this.hasNews = true;
    const follows = this.#follows;
    await draw();
    if (follows) this.toEnd();
  }

  /**
   * Draws what was added above, without moving what is read.
   *
   * @param {() => Promise<void>} draw
   */
  async above(draw) {
    const before = this.#log === undefined ? 0 : this.#log.scrollHeight - this.#log.scrollTop;
    await draw();
    if (this.#log !== undefined) this.#log.scrollTop = this.#log.scrollHeight - before;
  }
}
