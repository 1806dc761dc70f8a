// A list that is read in pages and again while it is looked at: what has been read stays as long as it was.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { Cancelled, problemOf } from '../../service.js';
import { problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';

/** @template T */
export class Collection {
  /** @type {T[] | undefined} */
  items;
  /** @type {import('../../service.js').Problem | undefined} */
  problem;
  isReading = false;

  #context; #read; #isWhole; #next; #turn = 0;

  /**
   * @param {import('../../main.js').Context} context
   * @param {(cursor?: string) => PromiseLike<{ items: T[], next: string | null }>} read Reads one page.
   * @param {{ isWhole?: boolean }} [options] Whether all pages are read at once.
   */
  constructor(context, read, { isWhole = false } = {}) {
    this.#context = context;
    this.#read = read;
    this.#isWhole = isWhole;
  }

  /** Reads the first page. What is shown stays until then. */
  begin() {
    this.problem = undefined;
    return this.#load(0);
  }

  /** Reads as much again as is shown. */
  refresh() {
    return this.isReading ? undefined : this.#load(this.items?.length ?? 0, true);
  }

  #more = () => this.#load((this.items?.length ?? 0) + 1);

  async #load(wanted, isQuiet = false) {
    const turn = ++this.#turn;
    if (!isQuiet) {
      this.isReading = true;
      this.#context.draw();
    }
    try {
      const items = [];
      let next;
      do {
        const page = await this.#context.call(() => this.#read(next));
        if (turn !== this.#turn) return;
        items.push(...page.items);
        next = page.next ?? undefined;
      } while (next !== undefined && (this.#isWhole || items.length < wanted));
      [this.items, this.#next, this.problem] = [items, next, undefined];
    } catch (error) {
      if (turn !== this.#turn) return;
      if (!(error instanceof Cancelled)) this.problem = problemOf(error);
    }
    this.isReading = false;
    this.#context.draw();
  }

  /** Changes what is shown at once. What is being read meanwhile is older, and not used. */
  change(items) {
    this.#turn += 1;
    this.isReading = false;
    this.items = items;
    this.#context.draw();
  }

  /**
   * Returns what is shown of it.
   *
   * @param {(items: T[]) => unknown} view
   * @param {unknown} [waiting]
   */
  show(view, waiting = skeleton(5)) {
    const failed = this.problem === undefined ? nothing : problem(this.problem, () => this.begin());
    if (this.items === undefined) return this.problem === undefined ? waiting : failed;
    return html`
      ${failed}
      ${view(this.items)}
      ${this.#next === undefined
        ? nothing
        : html`<p><button type="button" class="button" ?disabled=${this.isReading} @click=${this.#more}>${texts.more}</button></p>`}`;
  }
}

/** Changes something, says so, and keeps why it did not work. */
export class Deed {
  /** @type {import('../../service.js').Problem | undefined} */
  problem;
  #context;

  /** @param {import('../../main.js').Context} context */
  constructor(context) {
    this.#context = context;
  }

  /**
   * Returns whether it was done.
   *
   * @param {() => PromiseLike<unknown>} operation
   * @param {string} [done] What is said afterwards.
   */
  async do(operation, done) {
    this.problem = undefined;
    try {
      await this.#context.call(operation);
    } catch (error) {
      if (!(error instanceof Cancelled)) this.problem = problemOf(error);
      this.#context.draw();
      return false;
    }
    if (done === undefined) this.#context.draw();
    else this.#context.say(done);
    return true;
  }

  view() {
    return this.problem === undefined ? nothing : html`<div class="above">${problem(this.problem)}</div>`;
  }
}
