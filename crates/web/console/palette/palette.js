// The palette: a field above a list of pages, actions and records, for the keyboard and for fingers.

import { html, live, nothing, repeat } from '../../vendor/lit/lit.js';
import { icon } from '../icons.js';
import { name as nameOfPage, path } from '../paths.js';
import { forgetVisit, recentOf } from '../recent.js';
import { isMac, opensPalette } from '../letters.js';
import { texts as words } from '../texts/palette.js';
import { actions, matching, pages } from './entries.js';
import { kinds, readRecord } from './records.js';
import { Search } from './search.js';

/** @typedef {import('./entries.js').Entry} Entry */
/** @typedef {{ name: string, entries: Entry[] }} Group */

const LIST = 'palette-list';
/** Pages and actions that are shown for a text. */
const MOST = 6;
/** What was opened last, as far as it is shown. */
const RECENT = 5;

/** Whether somebody is on the page of a record already. */
const isOpen = one => `${nameOfPage()}/`.startsWith(`${one}/`);

export class Palette {
  #context; #dialog; #text; #search; #pages; #actions; #kinds;
  /** What was opened last, by its path; what is not read yet is missing. @type {Map<string, Entry>} */
  #recent = new Map();
  /** The paths in their order. @type {string[]} */
  #order = [];
  /** The entry that Enter chooses. It stays while others are found. @type {string | undefined} */
  #marked;
  #stop = new AbortController();

  /**
   * @param {import('../main.js').Context} context
   * @param {import('../dialogs.js').Dialog} dialog Is closed with what was chosen.
   * @param {string} text What has been typed already.
   */
  constructor(context, dialog, text) {
    this.#context = context;
    this.#dialog = dialog;
    this.#text = text;
    this.#pages = pages(context);
    this.#actions = actions(context);
    this.#kinds = kinds(context);
    this.#search = new Search(context, this.#kinds, () => context.draw());
    if (text !== '') this.#search.write(text);
    this.#readRecent();
  }

  /** Ends what is under way. */
  end() {
    this.#stop.abort();
    this.#search.end();
  }

  /** Reads the names of what was opened last, which may have changed. One request of a kind at a time. */
  async #readRecent() {
    const { session } = this.#context;
    this.#order = recentOf(session).filter(one => !isOpen(one));
    const { signal } = this.#stop;
    const kindOf = one => one.split('/')[0];
    await Promise.all([...new Set(this.#order.map(kindOf))].map(async kind => {
      for (const one of this.#order.filter(other => kindOf(other) === kind)) {
        if (signal.aborted) return;
        try {
          this.#recent.set(one, await this.#context.call(() => readRecord(this.#context, one, { signal })));
        } catch (error) {
          // What cannot be read is not offered; what is gone is not asked for again.
          if (error?.status === 404) forgetVisit(session, one);
        }
        if (!signal.aborted) this.#context.draw();
      }
    }));
  }

  /** What can be chosen. @returns {Group[]} */
  get #groups() {
    const text = this.#text.trim();
    if (text === '') {
      const recent = this.#order.flatMap(one => this.#recent.get(one) ?? []).slice(0, RECENT);
      return [{ name: 'recent', entries: recent }, { name: 'actions', entries: this.#actions }, { name: 'pages', entries: this.#pages }];
    }
    return [
      { name: 'pages', entries: matching(this.#pages, text).slice(0, MOST) },
      { name: 'actions', entries: matching(this.#actions, text).slice(0, MOST) },
      ...this.#kinds.map(({ name }) => ({ name, entries: this.#found(name) })),
    ];
  }

  /** What was found of a kind. A chat in the inbox is not shown a second time as a conversation. */
  #found(name) {
    const { found } = this.#search;
    const inInbox = new Set(name === 'conversations' ? found.get('inbox')?.map(({ same }) => same) : []);
    return (found.get(name) ?? []).filter(({ id }) => !inInbox.has(id));
  }

  #write = event => {
    this.#text = event.target.value;
    this.#marked = undefined;
    this.#search.write(this.#text);
    this.#context.draw();
  };

  /** @param {KeyboardEvent} event */
  #key = event => {
    if (event.isComposing) return;
    if (opensPalette(event)) {
      event.preventDefault();
      return this.#dialog.close();
    }
    const all = this.#groups.flatMap(group => group.entries);
    const now = this.#placeIn(all);
    const next = { ArrowDown: (now + 1) % all.length, ArrowUp: (now + all.length - 1) % all.length, Home: 0, End: all.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      this.#mark(all[next]);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (all[now] !== undefined) this.#choose(all[now], isMac ? event.metaKey : event.ctrlKey);
    }
  };

  /** The place of the entry that is marked: the first one, until another is. */
  #placeIn(all) {
    return Math.max(0, all.findIndex(({ id }) => id === this.#marked));
  }

  async #mark(entry) {
    this.#marked = entry?.id;
    await this.#context.draw();
    document.querySelector(`#${LIST} [aria-selected="true"]`)?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {Entry} entry */
  #choose(entry, isApart) {
    const { path: target, run } = entry;
    if (isApart && target !== undefined) {
      open(path(target), '_blank', 'noopener');
      return this.#dialog.close();
    }
    this.#dialog.close({ run: run ?? (() => this.#context.go(target ?? '')) });
  }

  view() {
    const groups = this.#groups.filter(({ entries }) => entries.length > 0);
    const all = groups.flatMap(({ entries }) => entries);
    const marked = all[this.#placeIn(all)];
    // It stays marked while others are found above it. What was opened last comes first of all.
    if (this.#text.trim() !== '') this.#marked = marked?.id;
    const idOf = entry => `palette-${all.indexOf(entry)}`;
    return html`
      <div class="palette">
        <h2 class="unseen" id=${this.#dialog.id}>${words.title}</h2>
        <div class="ask">
          ${icon.search}
          <input type="text" role="combobox" data-first aria-label=${words.label} placeholder=${words.placeholder} maxlength="200" autocomplete="off"
            autocapitalize="none" spellcheck="false" enterkeyhint="go" aria-autocomplete="list" aria-expanded=${all.length > 0} aria-controls=${LIST}
            aria-activedescendant=${marked === undefined ? nothing : idOf(marked)} .value=${live(this.#text)} @input=${this.#write} @keydown=${this.#key}>
          <button type="button" class="round" aria-label=${words.close} @click=${() => this.#dialog.close()}>${icon.close}</button>
        </div>
        <div id=${LIST} role="listbox" aria-label=${words.results} ?hidden=${all.length === 0} @pointerdown=${event => event.preventDefault()}>
          ${repeat(groups, ({ name }) => name, ({ name, entries }) => html`
            <div role="group" aria-label=${words.groups[name]}>
              <p class="small quiet" aria-hidden="true">${words.groups[name]}</p>
              ${repeat(entries, ({ id }) => id, entry => this.#option(entry, idOf(entry), entry === marked))}
            </div>`)}
        </div>
        ${this.#remarks(all.length)}
      </div>`;
  }

  /** @param {Entry} entry */
  #option(entry, id, isMarked) {
    const { title, hint, symbol } = entry;
    const press = event => this.#choose(entry, event.button === 1 || event.ctrlKey || event.metaKey);
    return html`
      <div role="option" id=${id} aria-selected=${isMarked} @click=${press} @auxclick=${event => event.button === 1 && press(event)}>
        ${symbol}<span class="line"><bdi>${title}</bdi>${hint ? html`<bdi class="small quiet">${hint}</bdi>` : nothing}</span>
      </div>`;
  }

  /** What is under way, missing, or can be done. */
  #remarks(count) {
    const { isBusy, hasFailed, rest } = this.#search;
    const isSearching = this.#text.trim() !== '';
    const state = !isSearching ? '' : rest > 0 ? words.slow(rest) : isBusy ? words.reading : count === 0 ? words.none : words.found(count);
    const isSeen = isSearching && (rest > 0 || isBusy || count === 0);
    return html`
      <p class=${isSeen ? 'small quiet' : 'unseen'} role="status">${state}</p>
      ${isSearching && !isBusy && count === 0 ? html`<p class="small quiet">${words.noneText}</p>` : nothing}
      ${isSearching && hasFailed ? html`<p class="small quiet">${words.failed}</p>` : nothing}
      <p class="small quiet hints" aria-hidden="true"><kbd>↑</kbd> <kbd>↓</kbd> <kbd>↵</kbd> ${words.hint}, <kbd>${isMac ? '⌘' : 'Ctrl'} ↵</kbd> ${words.newTab}</p>`;
  }
}
