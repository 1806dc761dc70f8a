// A search while somebody types: the newest text wins, and nothing is asked for with every letter.

import { html } from '../../../vendor/lit/lit.js';
import { Reading, skeleton } from '../../states.js';

/** Milliseconds after the last letter. */
const PAUSE = 250;

/** @template T */
export class Search {
  text = '';
  #timer;

  /**
   * @param {import('../../main.js').Context} context
   * @param {(text: string) => Promise<T[]>} read
   */
  constructor(context, read) {
    this.reading = new Reading(context, () => read(this.text.trim()));
    this.reading.begin();
  }

  write(text) {
    this.text = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.reading.begin(), PAUSE);
  }
}

/**
 * Returns what a search has found.
 *
 * @param {Search<any>} search
 * @param {string} label
 * @param {string} none
 * @param {(items: any[]) => unknown} view
 */
export function found(search, label, none, view) {
  return search.reading.show(items => (items.length === 0
    ? html`<p class="quiet" role="status">${none}</p>`
    : html`<ul class="options" aria-label=${label}>${view(items)}</ul>`), skeleton(3));
}
