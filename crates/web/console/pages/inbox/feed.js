// A list that others change while it is shown: read again as far as it is shown, and further on demand.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { Reading, problem, skeleton } from '../../states.js';
import { texts as words } from '../../texts/inbox.js';

const PAGE = 25;
/** Milliseconds for each request of a list, so that long lists and many chatbots do not use up the allowance of the session. */
const COST = 500;

/** @template T */
export class Feed {
  /** @type {T[]} */
  items = [];
  hasMore = false;
  isGrowing = false;

  #context; #reading; #shown = PAGE; #isBusy = false; #last = 0; #requests;

  /**
   * @param {import('../../main.js').Context} context
   * @param {(count: number) => Promise<{ items: T[], hasMore: boolean }>} read Reads at least as many, if there are.
   * @param {() => number} [requests] How many requests that takes.
   */
  constructor(context, read, requests = () => 1) {
    this.#context = context;
    this.#requests = requests;
    this.#reading = new Reading(context, async () => {
      const found = await read(this.#shown);
      this.items = found.items;
      this.hasMore = found.hasMore;
      return found;
    });
  }

  get isRead() {
    return this.#reading.value !== undefined;
  }

  /** Reads it from the beginning, with other filters. */
  restart() {
    this.#shown = PAGE;
    this.items = [];
    this.hasMore = false;
    this.#reading.value = undefined;
    return this.again();
  }

  /** Reads again what is shown. */
  async again() {
    this.#last = Date.now();
    await this.#reading.begin({ isQuiet: true });
  }

  /** Reads again what is shown, unless that is under way or was done a moment ago. */
  async refresh() {
    const requests = this.#requests() * Math.ceil(this.#shown / 100);
    if (this.#isBusy || !this.isRead || Date.now() - this.#last < requests * COST) return;
    this.#isBusy = true;
    await this.again();
    this.#isBusy = false;
  }

  async grow() {
    this.isGrowing = true;
    this.#shown += PAGE;
    await this.again();
    this.isGrowing = false;
    this.#context.draw();
  }

  /**
   * @param {(items: T[]) => unknown} view
   * @param {unknown} [waiting]
   */
  show(view, waiting = skeleton(8)) {
    const reading = this.#reading;
    if (reading.value === undefined) return reading.problem === undefined ? waiting : problem(reading.problem, () => reading.begin());
    return html`
      ${reading.problem === undefined ? nothing : problem(reading.problem, () => reading.begin())}
      ${view(this.items)}
      ${this.hasMore
        ? html`<p class="more"><button type="button" class="button slim" ?disabled=${this.isGrowing} @click=${() => this.grow()}>${words.more}</button></p>`
        : nothing}`;
  }
}

/**
 * Merges lists that are sorted by time into one, the latest first. A list is read further only when all that is known of it was taken:
 * until then, whatever it has next is older than that.
 *
 * @template T
 * @param {((cursor?: string) => PromiseLike<{ items: T[], next: string | null }>)[]} reads
 * @param {(item: T) => string} timeOf
 * @param {number} count
 */
export async function merged(reads, timeOf, count) {
  const lists = reads.map(read => ({ read, items: /** @type {T[]} */ ([]), next: /** @type {string | null | undefined} */ (undefined) }));
  const fill = async list => {
    // A page of a search can be empty although there is more.
    while (list.items.length === 0 && list.next !== null) {
      const { items, next } = await list.read(list.next);
      list.items = [...items];
      list.next = next;
    }
  };
  const taken = [];
  await Promise.all(lists.map(fill));
  while (taken.length < count) {
    const [first] = lists.filter(({ items }) => items.length > 0)
      .sort((one, other) => Date.parse(timeOf(other.items[0])) - Date.parse(timeOf(one.items[0])));
    if (first === undefined) break;
    taken.push(first.items.shift());
    await fill(first);
  }
  return { items: taken, hasMore: lists.some(({ items }) => items.length > 0) };
}
