// Filters of a list, which are kept in the address: they survive a reload and can be shared.

import { html, live } from '../../../vendor/lit/lit.js';

/** Milliseconds after the last letter of a search. */
const PAUSE = 300;

export class Filters {
  /** @type {Record<string, string>} */
  values = {};

  #context; #names; #changed; #timer;

  /**
   * @param {import('../../main.js').Context} context
   * @param {string[]} names
   * @param {() => void} changed
   */
  constructor(context, names, changed) {
    this.#context = context;
    this.#names = names;
    this.#changed = changed;
  }

  /** Takes over the filters of the address. Returns whether they are others. */
  take() {
    const before = this.query;
    const parameters = new URLSearchParams(location.search);
    this.values = {};
    for (const name of this.#names) {
      const value = parameters.get(name);
      if (value) this.values[name] = value;
    }
    return this.query !== before;
  }

  /** The filters as an address has them, with `?` if there are any. */
  get query() {
    const text = new URLSearchParams(this.#names.flatMap(name => (this.values[name] ? [[name, this.values[name]]] : []))).toString();
    return text === '' ? '' : `?${text}`;
  }

  get areSet() {
    return this.query !== '';
  }

  set(name, value) {
    if (value) this.values[name] = value;
    else delete this.values[name];
    this.#apply();
  }

  clear() {
    this.values = {};
    this.#apply();
  }

  #apply() {
    clearTimeout(this.#timer);
    history.replaceState(null, '', location.pathname + this.query);
    this.#changed();
    this.#context.draw();
  }

  search(label) {
    const write = event => {
      const text = event.target.value.trim();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.set('q', text), PAUSE);
    };
    return html`<input type="search" class="slim" aria-label=${label} placeholder=${label} maxlength="200" .value=${this.values.q ?? ''} @input=${write}>`;
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {string[][]} choices Values and their names.
   */
  select(name, label, choices) {
    const value = this.values[name] ?? '';
    return html`
      <select class="slim" aria-label=${label} title=${label} @change=${event => this.set(name, event.target.value)}>
        ${choices.map(([choice, text]) => html`<option value=${choice} .selected=${live(choice === value)}>${text}</option>`)}
      </select>`;
  }
}
