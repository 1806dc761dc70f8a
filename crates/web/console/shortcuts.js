// Keys of one letter, and the palette that finds everything. A page names no list of keys: its rows have
// `data-listed`, and a button says its key in `data-key`. So a key does what the button does, and nothing where
// a role or a state hides the button.

import { focusOn } from './focus.js';
import { areKeysOn } from './key-switch.js';
import { openLater } from './later.js';
import { letterOf, opensPalette } from './letters.js';
import { places } from './menu.js';
import { path } from './paths.js';

const FIELDS = 'input, textarea, select, [contenteditable]';
/** What takes the keys for itself: dialogs, menus, and a card that is being moved. */
const ABOVE = 'dialog[open], :popover-open, .held.keys';
/** What has the focus in a row: its first control, unless that only moves the row. */
const CONTROL = ':is(a[href], button, summary):not(:disabled, .handle)';
const SEARCH = 'main input[type="search"]';
/** Milliseconds in which a letter after `g` leads to a page. */
const LEADING = 1_500;
/** Milliseconds between two looks for a button on a page that is still being read, and how many there are. */
const [PAUSE, LOOKS] = [100, 50];

export class Shortcuts {
  #context;
  /** Until when a letter leads to a page. */
  #leadsUntil = 0;
  /** Where in the list the row is that had the focus last, or was before it left the list. */
  #place = 0;
  /** What is typed while the palette is being loaded. @type {string | undefined} */
  #typed;

  /** @param {import('./main.js').Context} context */
  constructor(context) {
    this.#context = context;
    document.addEventListener('keydown', event => this.#press(event));
  }

  /** Whether somebody is signed in who may use the pages. */
  get areOffered() {
    return this.#context.session?.needs_second_factor === false;
  }

  /** Begins anew with another page. */
  restart() {
    this.#leadsUntil = 0;
    this.#place = 0;
  }

  #press(event) {
    if (event.defaultPrevented || event.isComposing || !this.areOffered) return;
    if (this.#typed !== undefined) return this.#keep(event);
    const isBelow = document.querySelector(ABOVE) !== null;
    if (opensPalette(event)) {
      if (isBelow) return;
      event.preventDefault();
      return this.openPalette();
    }
    if (isBelow || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(FIELDS)) return;
    const key = letterOf(event);
    if (!areKeysOn(this.#context.session) || event.repeat && key !== 'j' && key !== 'k') return;
    const act = this.#actionOf(key);
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  /** Takes what is typed before the palette is there, which must not act on the page. */
  #keep(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.length === 1) this.#typed += event.key;
    else if (event.key === 'Backspace') this.#typed = this.#typed?.slice(0, -1);
    else return;
    event.preventDefault();
  }

  /** @returns {(() => unknown) | undefined} */
  #actionOf(key) {
    const context = this.#context;
    if (Date.now() < this.#leadsUntil) {
      this.#leadsUntil = 0;
      const place = places(context).find(place => place.key === key);
      return place && (() => context.go(place.path));
    }
    if (key === 'g') return () => { this.#leadsUntil = Date.now() + LEADING; };
    if (key === '?') return () => this.openKeys();
    if (key === '/') return () => this.#search();
    const own = context.keys;
    if (Object.hasOwn(own, key)) return own[key];
    if (key === 'j' || key === 'k') return () => this.#step(key === 'j' ? 1 : -1);
    const element = /^[a-z]$/.test(key) ? this.#found(key) : undefined;
    return element && (() => press(element));
  }

  /** The button of a key: that of the row that has the focus, or one outside of rows. */
  #found(key) {
    const buttons = seen(`main [data-key="${key}"]`);
    const row = document.activeElement?.closest('[data-listed]') ?? null;
    const isFree = button => !button.matches(':disabled');
    return buttons.find(button => isFree(button) && row?.contains(button)) ?? buttons.find(button => isFree(button) && button.closest('[data-listed]') === null);
  }

  get #rows() {
    return seen('main [data-listed]').filter(row => row.querySelector(CONTROL) !== null);
  }

  /** Gives the focus to the next row or the one before. */
  #step(step) {
    const rows = this.#rows;
    const now = rows.findIndex(row => row.contains(document.activeElement));
    const next = now !== -1 ? now + step : step > 0 ? Math.min(this.#place, rows.length - 1) : this.#place - 1;
    if (rows[next] === undefined) return;
    this.#place = next;
    focusOn(CONTROL, { within: rows[next] });
  }

  /** Goes to the search of the page. A page without one has that of everything. */
  #search() {
    /** @type {HTMLInputElement[]} */
    const [field] = seen(SEARCH);
    if (field === undefined) return this.openPalette();
    field.focus();
    field.select();
  }

  /** What the keys do on this page: each key, and the button or field that it is for. */
  get ofPage() {
    const own = this.#context.keys;
    const isList = Object.hasOwn(own, 'j') || this.#rows.length > 0;
    /** @type {Map<string, { label: string, isField: boolean }>} */
    const buttons = new Map();
    /** @type {(HTMLButtonElement | HTMLTextAreaElement)[]} */
    const elements = seen('main [data-key]:not(:disabled)');
    for (const element of elements) {
      const { key = '' } = element.dataset;
      const isField = element.matches('textarea');
      const label = element.labels?.[0]?.innerText ?? (element.innerText || element.getAttribute('aria-label') || '');
      if (!buttons.has(key)) buttons.set(key, { label: element.dataset.does ?? label.trim(), isField });
    }
    const hasSearch = seen(SEARCH).length > 0;
    return { isList, buttons, hasSearch };
  }

  /** Opens the palette, and does what is chosen in it. */
  async openPalette() {
    if (this.#typed !== undefined) return;
    this.#typed = '';
    /** @type {any} */
    let opened;
    try {
      const chosen = await openLater(this.#context, () => import('./palette/palette.js'), ({ Palette }, dialog) => {
        opened = new Palette(this.#context, dialog, this.#typed ?? '');
        this.#typed = undefined;
        return () => opened.view();
      });
      opened?.end();
      chosen?.run();
    } finally {
      this.#typed = undefined;
    }
  }

  /** Shows the keys. */
  openKeys() {
    const { ofPage } = this;
    return openLater(this.#context, () => import('./keys-dialog.js'), ({ keysDialog }, dialog) => keysDialog(this.#context, dialog, ofPage));
  }

  /**
   * Goes to a page, and presses its button for something new.
   *
   * @param {string} name The path of the page.
   */
  async create(name) {
    await this.#context.go(name);
    for (let look = 0; look < LOOKS && location.pathname === path(name); look += 1) {
      const button = document.querySelector(ABOVE) === null ? this.#found('n') : undefined;
      if (button !== undefined) return press(button);
      await new Promise(resolve => setTimeout(resolve, PAUSE));
    }
  }
}

/**
 * Returns the elements that a selector finds and people see.
 *
 * @template {HTMLElement} E
 * @param {string} selector
 * @returns {E[]}
 */
function seen(selector) {
  /** @type {NodeListOf<E>} */
  const elements = document.querySelectorAll(selector);
  return [...elements].filter(element => element.checkVisibility());
}

/** Does what a press of the mouse does. */
function press(element) {
  if (element.matches('textarea')) element.focus();
  else element.click();
}
