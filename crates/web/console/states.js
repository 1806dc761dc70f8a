// What is read before it is shown, and how that looks while it is read and if it fails.

import { html, nothing } from '../vendor/lit/lit.js';
import { Cancelled, problemOf } from './service.js';
import { texts } from './texts.js';

/** Something that a page reads from the service. @template T */
export class Reading {
  /** @type {T | undefined} */
  value;
  /** @type {import('./service.js').Problem | undefined} */
  problem;

  #context; #read; #turn = 0;

  /**
   * @param {import('./main.js').Context} context
   * @param {() => Promise<T>} read
   */
  constructor(context, read) {
    this.#context = context;
    this.#read = read;
  }

  /**
   * Reads it, or reads it again: what is shown stays until then.
   *
   * @param {{ isQuiet?: boolean }} [options] Whether a problem of the time before stays, too: nobody has asked for it to be tried again.
   */
  async begin({ isQuiet = false } = {}) {
    const turn = ++this.#turn;
    if (!isQuiet) this.problem = undefined;
    this.#context.draw();
    try {
      const value = await this.#context.call(this.#read);
      if (turn === this.#turn) [this.value, this.problem] = [value, undefined];
    } catch (error) {
      if (error instanceof Cancelled) return;
      if (turn === this.#turn) this.problem = problemOf(error);
    }
    this.#context.draw();
  }

  /**
   * Returns what is shown of it.
   *
   * @param {(value: T) => unknown} view
   * @param {unknown} [waiting] What is shown until it has been read.
   */
  show(view, waiting = skeleton()) {
    const failed = this.problem === undefined ? nothing : problem(this.problem, this.problem.status === 404 ? undefined : () => this.begin());
    if (this.value === undefined) return this.problem === undefined ? waiting : failed;
    return html`${failed}${view(this.value)}`;
  }
}

/** The place of something that is being read, with as many lines as it will have. */
export function skeleton(lines = 3) {
  return html`
    <div class="skeleton" aria-hidden="true">${Array.from({ length: lines }, () => html`<span></span>`)}</div>
    <p class="unseen" role="status">${texts.loading}</p>`;
}

/**
 * What went wrong. If it is a fault of the service, with the id of the request, by which its operator finds it in the log.
 *
 * @param {import('./service.js').Problem} found
 * @param {() => void} [again]
 */
export function problem(found, again) {
  return html`
    <div class="problem" role="alert">
      <p>${found.message}</p>
      ${found.requestId && found.status >= 500 ? html`<p class="small">${texts.problem.request} <span class="code">${found.requestId}</span></p>` : nothing}
      ${again ? html`<p><button type="button" class="link" @click=${again}>${texts.again}</button></p>` : nothing}
    </div>`;
}

/**
 * What is shown where there is nothing yet, with the next step.
 *
 * @param {string} title
 * @param {string} text
 * @param {unknown} [step]
 */
export function empty(title, text, step = nothing) {
  return html`<div class="empty"><h2>${title}</h2><p>${text}</p>${step}</div>`;
}

/** A long list, which is read in pages. @template T */
export class Listing {
  /** @type {T[]} */
  items = [];
  isReading = false;
  /** Why the last page could not be read. @type {import('./service.js').Problem | undefined} */
  problem;

  #context; #read; #first; #next;

  /**
   * @param {import('./main.js').Context} context
   * @param {(cursor?: string) => PromiseLike<{ items: T[], next: string | null }>} read Reads one page.
   */
  constructor(context, read) {
    this.#context = context;
    this.#read = read;
    this.#first = new Reading(context, async () => {
      const { items, next } = await read();
      this.items = items;
      this.#next = next;
      return items;
    });
  }

  begin() {
    return this.#first.begin();
  }

  async #more() {
    this.isReading = true;
    this.#context.draw();
    const reading = new Reading(this.#context, () => this.#read(this.#next));
    await reading.begin();
    this.isReading = false;
    if (reading.value !== undefined) {
      this.items = [...this.items, ...reading.value.items];
      this.#next = reading.value.next;
    }
    this.problem = reading.problem;
    this.#context.draw();
  }

  /**
   * Returns what is shown of it.
   *
   * @param {(items: T[]) => unknown} view
   * @param {unknown} [waiting]
   */
  show(view, waiting) {
    return this.#first.show(() => html`
      ${view(this.items)}
      ${this.problem === undefined ? nothing : problem(this.problem)}
      ${this.#next
        ? html`<p><button type="button" class="button" ?disabled=${this.isReading} @click=${() => this.#more()}>${texts.more}</button></p>`
        : nothing}`, waiting);
  }
}
