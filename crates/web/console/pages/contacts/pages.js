// A long list that is read in pages, and keeps its place while others change it.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { Cancelled, problemOf } from '../../service.js';
import { problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';

/** @template T */
export class Pages {
  /** @type {T[]} */
  items = [];
  /** Whether the items are those that were asked for last. */
  isCurrent = false;
  /** Whether anything has been read. */
  isKnown = false;
  /** @type {import('../../service.js').Problem | undefined} */
  problem;

  #context; #read; #keyOf; #next = null; #turn = 0; #isReading = false;

  /**
   * @param {import('../../main.js').Context} context
   * @param {(cursor?: string) => PromiseLike<{ items: T[], next: string | null }>} read Reads one page.
   * @param {(item: T) => string} keyOf
   */
  constructor(context, read, keyOf) {
    this.#context = context;
    this.#read = read;
    this.#keyOf = keyOf;
  }

  get hasMore() {
    return this.#next !== null;
  }

  /** Reads the first page. What is shown stays until it is there. */
  async begin() {
    const turn = ++this.#turn;
    this.isCurrent = false;
    this.problem = undefined;
    this.#isReading = false;
    this.#context.draw();
    const page = await this.#page(turn);
    if (turn !== this.#turn) return;
    this.isCurrent = true;
    // Items of an earlier search would look like the result of this one.
    this.isKnown = page !== undefined;
    this.items = page?.items ?? [];
    this.#next = page?.next ?? null;
    this.#context.draw();
  }

  /** Returns what has been read, with which another list can go on. */
  keep() {
    return { items: this.items, next: this.#next, isKnown: this.isKnown && this.isCurrent };
  }

  /** Goes on with what another list has read. */
  restore({ items, next, isKnown }) {
    if (!isKnown) return this.begin();
    [this.items, this.#next, this.isKnown, this.isCurrent] = [items, next, true, true];
    return this.refresh();
  }

  /** Reads the first page again, and puts it in place of its items. Those behind it stay. A problem is not shown: nobody has asked. */
  async refresh() {
    if (!this.isCurrent || !this.isKnown || this.#isReading) return;
    const turn = this.#turn;
    let page;
    try {
      page = await this.#context.call(() => this.#read());
    } catch {
      return;
    }
    if (turn !== this.#turn || this.#isReading) return;
    const keys = new Set(page.items.map(this.#keyOf));
    const last = page.items.at(-1);
    const place = last === undefined ? -1 : this.items.findIndex(item => this.#keyOf(item) === this.#keyOf(last));
    const hasMore = page.next !== null && place !== -1 && place < this.items.length - 1;
    if (hasMore) this.items = [...page.items, ...this.items.slice(place + 1).filter(item => !keys.has(this.#keyOf(item)))];
    else [this.items, this.#next] = [page.items, page.next];
    this.#context.draw();
  }

  /** Reads the next page. */
  async more() {
    const turn = this.#turn;
    this.#isReading = true;
    this.problem = undefined;
    this.#context.draw();
    const page = await this.#page(turn, this.#next);
    if (turn !== this.#turn) return;
    this.#isReading = false;
    if (page !== undefined) {
      const keys = new Set(this.items.map(this.#keyOf));
      this.items = [...this.items, ...page.items.filter(item => !keys.has(this.#keyOf(item)))];
      this.#next = page.next;
    }
    this.#context.draw();
  }

  async #page(turn, cursor) {
    try {
      return await this.#context.call(() => this.#read(cursor ?? undefined));
    } catch (error) {
      if (turn === this.#turn && !(error instanceof Cancelled)) this.problem = problemOf(error);
      return undefined;
    }
  }

  /**
   * Returns what is shown of it.
   *
   * @param {(items: T[]) => unknown} view
   * @param {unknown} [waiting] What is shown until it has been read.
   */
  show(view, waiting = skeleton()) {
    if (!this.isKnown) return this.problem === undefined ? waiting : problem(this.problem, () => this.begin());
    return html`
      <div class="listed" aria-busy=${!this.isCurrent}>
        ${view(this.items)}
        ${this.problem === undefined ? nothing : problem(this.problem)}
        ${this.#next !== null
          ? html`<p><button type="button" class="button" ?disabled=${this.#isReading} @click=${() => this.more()}>${texts.more}</button></p>`
          : nothing}
      </div>`;
  }
}
