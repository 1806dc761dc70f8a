// A list that is read in pages, whose beginning is read again while somebody looks at it.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { Cancelled, problemOf } from '../../service.js';
import { problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';

/** @template T */
export class LiveListing {
  /** @type {T[] | undefined} */
  items;
  /** @type {import('../../service.js').Problem | undefined} */
  problem;
  isReading = false;

  #context; #read; #keyOf; #turn = 0;
  /** Where the page after the last one begins. @type {string | null} */
  #next = null;

  /**
   * @param {import('../../main.js').Context} context
   * @param {(cursor?: string) => PromiseLike<{ items: T[], next: string | null }>} read Reads one page, the newest first.
   * @param {(item: T) => string} keyOf
   */
  constructor(context, read, keyOf) {
    this.#context = context;
    this.#read = read;
    this.#keyOf = keyOf;
  }

  /** Forgets all, for another filter. */
  clear() {
    this.#turn += 1;
    this.items = undefined;
    this.problem = undefined;
    this.isReading = false;
    this.#next = null;
  }

  /** Reads the first page. Items of further pages stay as they were read. */
  async read() {
    const turn = this.#turn;
    const page = await this.#try(() => this.#read());
    if (page === undefined || turn !== this.#turn) return;
    const keys = new Set(page.items.map(this.#keyOf));
    const before = this.items ?? [];
    // What follows the last item of the new page; if that was not there, everything may have moved.
    const last = page.items.at(-1);
    const place = last === undefined ? -1 : before.findIndex(item => this.#keyOf(item) === this.#keyOf(last));
    const rest = place < 0 || page.next === null ? [] : before.slice(place + 1).filter(item => !keys.has(this.#keyOf(item)));
    if (rest.length === 0) this.#next = page.next;
    this.items = [...page.items, ...rest];
    this.#context.draw();
  }

  /** Reads the next page. */
  async more() {
    const turn = this.#turn;
    this.isReading = true;
    this.#context.draw();
    const page = await this.#try(() => this.#read(this.#next ?? undefined));
    if (turn !== this.#turn) return;
    this.isReading = false;
    if (page !== undefined) {
      const keys = new Set(this.items?.map(this.#keyOf));
      this.items = [...(this.items ?? []), ...page.items.filter(item => !keys.has(this.#keyOf(item)))];
      this.#next = page.next;
    }
    this.#context.draw();
  }

  /** Puts an item where it was, once it has changed. */
  put(changed) {
    this.items = this.items?.map(item => (this.#keyOf(item) === this.#keyOf(changed) ? changed : item));
    this.#context.draw();
  }

  drop(key) {
    this.items = this.items?.filter(item => this.#keyOf(item) !== key);
    this.#context.draw();
  }

  async #try(operation) {
    const turn = this.#turn;
    try {
      const page = await this.#context.call(operation);
      if (turn === this.#turn) this.problem = undefined;
      return page;
    } catch (error) {
      if (error instanceof Cancelled || turn !== this.#turn) return undefined;
      this.problem = problemOf(error);
      this.#context.draw();
      return undefined;
    }
  }

  /**
   * Returns what is shown of it.
   *
   * @param {(items: T[]) => unknown} view
   * @param {unknown} [waiting]
   */
  show(view, waiting = skeleton()) {
    const failed = this.problem === undefined ? nothing : problem(this.problem, () => this.read());
    if (this.items === undefined) return this.problem === undefined ? waiting : failed;
    return html`
      ${failed}
      ${view(this.items)}
      ${this.#next === null ? nothing
        : html`<p><button type="button" class="button" ?disabled=${this.isReading} @click=${() => this.more()}>${texts.more}</button></p>`}`;
  }
}
