// The search while somebody types: it begins when they pause, ends when they go on, and never asks for more
// than one list of a kind at a time.

import { Cancelled } from '../service.js';
import { matching } from './entries.js';

/** Milliseconds after the last letter. */
const PAUSE = 220;
/** Seconds until it goes on if the service does not say when it may. */
const LATER = 10;

export class Search {
  /** What was found, by kind. @type {Map<string, import('./entries.js').Entry[]>} */
  found = new Map();
  /** Kinds that are being searched. @type {Set<string>} */
  reading = new Set();
  hasFailed = false;
  /** Until when nothing is asked for, because it was too much. */
  restsUntil = 0;

  #context; #kinds; #changed; #text = ''; #timer; #stop = new AbortController();

  /**
   * @param {import('../main.js').Context} context
   * @param {import('./records.js').Kind[]} kinds
   * @param {() => void} changed
   */
  constructor(context, kinds, changed) {
    this.#context = context;
    this.#kinds = kinds;
    this.#changed = changed;
  }

  /** Seconds for which it rests. */
  get rest() {
    return Math.max(0, Math.ceil((this.restsUntil - Date.now()) / 1000));
  }

  /** Whether something may still be found. */
  get isBusy() {
    return this.reading.size > 0;
  }

  /** Searches for another text. Until then, what was found stays if the text is in it. */
  write(text) {
    this.#text = text;
    for (const [kind, entries] of this.found) this.found.set(kind, matching(entries, text));
    this.#plan();
  }

  /** Begins soon. */
  #plan() {
    this.end();
    this.hasFailed = false;
    this.reading = new Set(this.#wanted.map(({ name }) => name));
    if (this.reading.size > 0) this.#timer = setTimeout(() => this.#begin(), Math.max(PAUSE, this.restsUntil - Date.now()));
  }

  get #wanted() {
    const { length } = this.#text.trim();
    return this.#kinds.filter(({ least }) => length >= least);
  }

  /** Ends what is under way. */
  end() {
    clearTimeout(this.#timer);
    this.#stop.abort();
    this.reading.clear();
  }

  async #begin() {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    for (const { name } of this.#kinds) {
      if (!this.reading.has(name)) this.found.delete(name);
    }
    await Promise.all(this.#wanted.map(kind => this.#one(kind, signal)));
  }

  /** @param {import('./records.js').Kind} kind */
  async #one({ name, search }, signal) {
    try {
      const entries = await this.#context.call(() => search(this.#text, { signal }));
      if (signal.aborted) return;
      this.found.set(name, entries);
    } catch (error) {
      if (signal.aborted || error instanceof Cancelled) return;
      if (error?.status === 429) return this.#wait(error.retryAfter ?? LATER);
      this.found.delete(name);
      this.hasFailed = true;
    }
    this.reading.delete(name);
    this.#changed();
  }

  /** Goes on later. */
  #wait(seconds) {
    this.restsUntil = Date.now() + seconds * 1000;
    this.#plan();
    this.#changed();
  }
}
