// The content of events that were sent. A delivery names its event; the journal, which lists events in their order, has the content.

import { listEvents } from '../../../client/events.js';
import { Cancelled, problemOf, v1 } from '../../service.js';

/** Pages of the journal that are read for one event, at most. */
const PAGES = 20;

/**
 * @typedef {object} Content
 * @property {boolean} isReading
 * @property {string} [text] Absent if the journal does not have the event.
 * @property {import('../../service.js').Problem} [problem]
 * @property {() => unknown} [again]
 */

export class Contents {
  /** By the id of the event. @type {Map<string, Content>} */
  #found = new Map();
  #context;
  #isLeft = false;

  /** @param {import('../../main.js').Context} context */
  constructor(context) {
    this.#context = context;
  }

  leave() {
    this.#isLeft = true;
  }

  /** @returns {Content | undefined} */
  of({ event_id }) {
    return this.#found.get(event_id);
  }

  /**
   * Reads the content of a delivery.
   *
   * @param {any} delivery
   * @param {any[]} others Deliveries whose events are in the journal, too.
   */
  async read(delivery, others) {
    const { event_id } = delivery;
    const before = this.#found.get(event_id);
    if (before !== undefined && before.problem === undefined) return;
    const set = content => {
      this.#found.set(event_id, content);
      if (!this.#isLeft) this.#context.draw();
    };
    set({ isReading: true });
    try {
      const event = await this.#find(delivery, others);
      set({ isReading: false, text: event === undefined ? undefined : JSON.stringify(event, null, 2) });
    } catch (error) {
      if (error instanceof Cancelled) this.#found.delete(event_id);
      else set({ isReading: false, problem: problemOf(error), again: () => this.read(delivery, others) });
    }
  }

  /** Looks for an event after the nearest one before it that is known. Ids of events ascend with their time (UUIDv7). */
  async #find({ event_id, event_type }, others) {
    const earlier = others.map(other => other.event_id).filter(id => id < event_id).sort();
    let after = earlier.at(-1);
    for (let page = 0; page < PAGES && !this.#isLeft; page += 1) {
      const { events, pagination } = await this.#page(event_type, after);
      const found = events.find(({ id }) => id === event_id);
      if (found !== undefined) return found;
      if (pagination.next_cursor === null || events.at(-1)?.id > event_id) return undefined;
      after = pagination.next_cursor;
    }
    return undefined;
  }

  async #page(type, after) {
    const read = start => this.#context.call(() => listEvents(v1, { types: [type], limit: 100, ...(start === undefined ? {} : { after: start }) }));
    try {
      return await read(after);
    } catch (error) {
      // The event before is not in the journal, such as a test.
      if (error?.status !== 422 || after === undefined) throw error;
      return read(undefined);
    }
  }
}
