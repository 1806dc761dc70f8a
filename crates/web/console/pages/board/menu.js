// A menu that opens below its button. One element serves all buttons of a page.

import { html, ref } from '../../../vendor/lit/lit.js';

/** @typedef {{ title: string, run: () => unknown, isDangerous?: boolean }} Item */

export class Menu {
  /** What the menu is about, while it is open. */
  subject;

  #context; #items; #button;
  /** @type {HTMLElement | undefined} */
  #element;
  #closedAt = 0;

  /**
   * @param {import('../../main.js').Context} context
   * @param {(subject: any) => Item[]} items
   */
  constructor(context, items) {
    this.#context = context;
    this.#items = items;
  }

  /** Opens the menu for a subject. @param {HTMLElement} button */
  async open(subject, button) {
    // The press that has just closed the menu of this button does not open it again.
    if (this.#button === button && Date.now() - this.#closedAt < 300) return;
    this.subject = subject;
    this.#button = button;
    await this.#context.draw();
    const element = this.#element;
    if (element === undefined || !button.isConnected) return;
    element.showPopover();
    const [box, own] = [button.getBoundingClientRect(), element.getBoundingClientRect()];
    const isBelow = box.bottom + own.height + 8 < innerHeight;
    element.style.top = `${Math.max(8, isBelow ? box.bottom + 4 : box.top - own.height - 4)}px`;
    element.style.left = `${Math.min(Math.max(8, box.right - own.width), innerWidth - own.width - 8)}px`;
    element.querySelector('button')?.focus();
  }

  /** @param {Element} [element] */
  #take = element => {
    if (element instanceof HTMLElement) this.#element = element;
  };

  #toggled = event => {
    if (event.newState !== 'closed') return;
    this.#closedAt = Date.now();
    this.subject = undefined;
    this.#context.draw();
  };

  #key = event => {
    const items = [...this.#element.querySelectorAll('button')];
    const now = items.findIndex(item => item === document.activeElement);
    const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === 'Tab') this.#element.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    items.at(next % items.length)?.focus();
  };

  view(label) {
    const choose = item => {
      this.#button?.focus();
      this.#element?.hidePopover();
      // The next press of the button is not the one that closed the menu.
      this.#button = undefined;
      item.run();
    };
    return html`
      <div class="menu-list" popover="auto" role="menu" aria-label=${label} ${ref(this.#take)}
        @toggle=${this.#toggled} @keydown=${this.#key}>
        ${this.subject === undefined ? '' : this.#items(this.subject).map(item => html`
          <button type="button" role="menuitem" tabindex="-1" class=${item.isDangerous ? 'danger' : ''} @click=${() => choose(item)}>${item.title}</button>`)}
      </div>`;
  }
}
