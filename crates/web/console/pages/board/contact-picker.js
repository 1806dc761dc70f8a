// A field in which contacts are searched and chosen.

import { html, live, nothing, repeat } from '../../../vendor/lit/lit.js';
import { createContact, listContacts } from '../../../client/contacts.js';
import { icon } from '../../icons.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { texts as words } from '../../texts/board.js';
import { contactName } from './directory.js';

/** Milliseconds after the last key until it searches, and contacts that it offers. */
const PAUSE = 200;
const OFFERED = 8;

export class ContactPicker {
  /** The ids of those that are chosen. @type {string[]} */
  chosen;

  #context; #directory; #id; #changed; #isSingle; #mayCreate;
  #text = '';
  /** @type {any[] | undefined} */
  #found;
  #marked = -1;
  #timer;
  #turn = 0;
  #problem = '';

  /**
   * @param {import('../../main.js').Context} context
   * @param {import('./directory.js').Directory} directory
   * @param {{ id: string, chosen?: string[], isSingle?: boolean, canCreate?: boolean, changed?: () => unknown }} options
   */
  constructor(context, directory, { id, chosen = [], isSingle = false, canCreate = true, changed = () => {} }) {
    this.#context = context;
    this.#directory = directory;
    this.#id = id;
    this.#isSingle = isSingle;
    this.#mayCreate = canCreate && context.isManager;
    this.#changed = changed;
    this.chosen = [...chosen];
    directory.contacts.ask(chosen);
  }

  #write(text) {
    this.#text = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), PAUSE);
  }

  async #search() {
    const turn = ++this.#turn;
    const q = this.#text.trim();
    this.#problem = '';
    try {
      const { contacts } = await this.#context.call(() => listContacts(v1, { limit: OFFERED, ...(q === '' ? {} : { q }) }));
      if (turn !== this.#turn) return;
      this.#found = contacts.filter(contact => !this.chosen.includes(contact.contact_id));
      this.#marked = this.#found.length > 0 && q !== '' ? 0 : -1;
    } catch (error) {
      if (turn !== this.#turn || error instanceof Cancelled) return;
      this.#problem = problemOf(error).message;
    }
    this.#context.draw();
  }

  #close() {
    this.#turn += 1;
    clearTimeout(this.#timer);
    this.#found = undefined;
    this.#context.draw();
  }

  #choose(contact) {
    this.#directory.contacts.put(contact.contact_id, contact);
    this.chosen = this.#isSingle ? [contact.contact_id] : [...this.chosen, contact.contact_id];
    this.#text = '';
    this.#close();
    this.#changed();
    document.getElementById(this.#id)?.focus();
  }

  async #create() {
    const text = this.#text.trim();
    const body = text.includes('@') ? { email: text } : { name: text };
    this.#problem = '';
    try {
      this.#choose(await this.#context.call(() => createContact(v1, { body })));
    } catch (error) {
      if (error instanceof Cancelled) return;
      const found = problemOf(error);
      this.#problem = [found.message, ...Object.values(found.fields).flat()].join(' ');
      this.#context.draw();
    }
  }

  #drop(contact_id) {
    this.chosen = this.chosen.filter(id => id !== contact_id);
    this.#changed();
    this.#context.draw();
    document.getElementById(this.#id)?.focus();
  }

  get #canCreate() {
    return this.#mayCreate && this.#text.trim() !== '';
  }

  #key = event => {
    const count = (this.#found?.length ?? 0) + (this.#canCreate ? 1 : 0);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (this.#found === undefined) return this.#search();
      const next = event.key === 'ArrowDown' ? this.#marked + 1 : this.#marked - 1;
      if (count > 0) this.#marked = next < 0 ? count - 1 : next % count;
      this.#context.draw();
    } else if (event.key === 'Enter' && (this.#found !== undefined || this.#text.trim() !== '')) {
      // It chooses; it does not send the form.
      event.preventDefault();
      const contact = this.#found?.[this.#marked];
      if (contact !== undefined) this.#choose(contact);
      else if (this.#marked >= 0 && this.#canCreate) this.#create();
    } else if (event.key === 'Escape' && this.#found !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      this.#close();
    }
  };

  /** @param {{ label: string, hint?: string, isOptional?: boolean }} field */
  view({ label, hint }) {
    const id = this.#id;
    const isOpen = this.#found !== undefined;
    const isFull = this.#isSingle && this.chosen.length > 0;
    return html`
      <div class="field picker" @focusout=${event => event.currentTarget.contains(event.relatedTarget) || this.#close()}>
        <label for=${id}>${label}</label>
        ${this.chosen.length === 0 ? nothing : html`
          <ul class="chips">
            ${repeat(this.chosen, one => one, one => {
              const contact = this.#directory.contacts.get(one);
              const name = contact ? contactName(contact) : contact === null ? words.contact.gone : '…';
              return html`
                <li class="chip"><bdi>${name}</bdi><button type="button" aria-label=${words.contact.drop(name)} @click=${() => this.#drop(one)}>${icon.close}</button></li>`;
            })}
          </ul>`}
        <div class="combo" ?hidden=${isFull}>
          <input id=${id} type="text" role="combobox" autocomplete="off" placeholder=${words.contact.search} aria-autocomplete="list"
            aria-expanded=${isOpen} aria-controls="${id}-list" aria-activedescendant=${isOpen && this.#marked >= 0 ? `${id}-${this.#marked}` : nothing}
            aria-describedby=${hint ? `${id}-hint` : nothing} .value=${live(this.#text)}
            @input=${event => this.#write(event.target.value)} @click=${() => isOpen || this.#search()} @keydown=${this.#key}>
          <ul id="${id}-list" role="listbox" aria-label=${label} ?hidden=${!isOpen} @pointerdown=${event => event.preventDefault()}>
            ${(this.#found ?? []).map((contact, index) => html`
              <li id="${id}-${index}" role="option" aria-selected=${index === this.#marked} @click=${() => this.#choose(contact)}>
                <bdi>${contactName(contact)}</bdi>
                <span class="small quiet">${[contact.name ? contact.email : undefined, contact.company].filter(Boolean).join(' · ')}</span>
              </li>`)}
            ${isOpen && this.#found?.length === 0 ? html`<li class="small quiet none" role="option" aria-disabled="true" aria-selected="false">${words.contact.none}</li>` : nothing}
            ${isOpen && this.#canCreate ? html`
              <li id="${id}-${this.#found?.length ?? 0}" role="option" aria-selected=${this.#marked === (this.#found?.length ?? 0)}
                @click=${() => this.#create()}>${words.contact.create(this.#text.trim())}</li>` : nothing}
          </ul>
        </div>
        ${hint ? html`<p class="small quiet" id="${id}-hint">${hint}</p>` : nothing}
        ${this.#problem === '' ? nothing : html`<p class="wrong" role="alert">${this.#problem}</p>`}
      </div>`;
  }
}
