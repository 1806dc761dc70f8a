// What a list of contacts is limited to. It is in the address, so that the list can be reloaded, kept and shared.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { onDay } from '../../format.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { texts } from '../../texts/contacts.js';
import { kindOf } from './person.js';
import { searched } from './searched.js';
import { noteQuery } from './way-back.js';

const words = texts.list;

/** The names of the filters, in the address as in the interface. */
const NAMES = ['q', 'type', 'source', 'owner_id', 'chatbot_id', 'is_verified', 'tag', 'external_id', 'updated_since', 'archived'];
/** Those that are behind "Filters". */
const FURTHER = NAMES.slice(3);
/** Milliseconds without a key until a search begins. */
const PAUSE = 250;

/** Reads the filters of the address. */
function given() {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(NAMES.map(name => [name, (query.get(name) ?? '').trim().slice(0, 320)]).filter(([, value]) => value !== ''));
}

export class Filters {
  /** @type {Record<string, string>} */
  values = given();

  #changed; #team; #chatbots; #timer;
  /** Whether the address has any of the further ones. Whoever opens and closes them later is the person. */
  #isOpen = FURTHER.some(name => this.values[name] !== undefined);

  /**
   * @param {object} known
   * @param {import('./person.js').Team} known.team
   * @param {() => any[]} known.chatbots
   * @param {() => void} known.changed Called when other contacts are to be shown.
   */
  constructor({ team, chatbots, changed }) {
    this.#team = team;
    this.#chatbots = chatbots;
    this.#changed = changed;
  }

  get isEmpty() {
    return Object.keys(this.values).length === 0;
  }

  /** Returns the filters as the interface has them. */
  request() {
    const { q, updated_since: since, ...others } = this.values;
    const request = { ...others };
    if (q !== undefined) request.q = searched(q);
    // A day begins where the person is.
    if (since !== undefined) request.updated_since = Number.isNaN(Date.parse(since)) ? since : new Date(`${since.slice(0, 10)}T00:00`).toISOString();
    return request;
  }

  #set(name, value) {
    clearTimeout(this.#timer);
    const trimmed = value.trim();
    if ((this.values[name] ?? '') === trimmed) return;
    if (trimmed === '') delete this.values[name];
    else this.values[name] = trimmed;
    this.#apply();
  }

  #apply() {
    const query = new URLSearchParams(this.values);
    history.replaceState(history.state, '', `${path('contacts')}${this.isEmpty ? '' : `?${query}`}`);
    noteQuery();
    this.#changed();
  }

  /** Shows all contacts. */
  clear() {
    clearTimeout(this.#timer);
    this.values = {};
    this.#apply();
    document.getElementById('contacts-q')?.focus();
  }

  /** Ends what is waiting. */
  end() {
    clearTimeout(this.#timer);
  }

  #written(name) {
    return event => {
      const { value } = event.target;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#set(name, value), PAUSE);
    };
  }

  view() {
    const further = FURTHER.filter(name => this.values[name] !== undefined).length;
    const submit = event => {
      event.preventDefault();
      const field = document.activeElement;
      if (field instanceof HTMLInputElement && NAMES.includes(field.name)) this.#set(field.name, field.value);
    };
    return html`
      <form class="filters" role="search" @submit=${submit}>
        <div class="field find">
          <label class="unseen" for="contacts-q">${words.search}</label>
          ${icon.search}
          <input id="contacts-q" name="q" type="search" maxlength="200" placeholder=${words.searchHint} autocomplete="off" spellcheck="false"
            .value=${live(this.values.q ?? '')} @input=${this.#written('q')}>
        </div>
        ${this.#choice('type', Object.entries(texts.types))}
        ${this.#choice('source', Object.entries(texts.sources))}
        <details class="further" ?open=${this.#isOpen}>
          <summary class="button">${further > 0 ? words.filtersOn(further) : words.filters}</summary>
          <div class="fields">
            ${this.#labeled('owner_id', this.#choice('owner_id', this.#team.members.map(member => [member.team_member_id, member.name])))}
            ${this.#labeled('chatbot_id', this.#choice('chatbot_id', this.#chatbots().map(chatbot => [chatbot.chatbot_id, chatbot.name])))}
            ${this.#labeled('is_verified', this.#choice('is_verified', Object.entries(words.identity)))}
            ${this.#labeled('archived', this.#choice('archived', Object.entries(words.archived)))}
            ${this.#labeled('updated_since', this.#text('updated_since', 'date'))}
            ${this.#labeled('tag', this.#text('tag', 'text', 50))}
            ${this.#labeled('external_id', this.#text('external_id', 'text', 255))}
          </div>
        </details>
      </form>
      ${this.#chips()}`;
  }

  #choice(name, choices) {
    const value = this.values[name] ?? '';
    const isKnown = value === '' || choices.some(([choice]) => choice === value);
    const isLabeled = FURTHER.includes(name);
    return html`
      <select id="contacts-${name}" name=${name} class="slim" aria-label=${isLabeled ? nothing : words.names[name]}
        @change=${event => this.#set(name, event.target.value)}>
        <option value="" .selected=${value === ''}>${words.all[name]}</option>
        ${choices.map(([choice, title]) => html`<option value=${choice} .selected=${value === choice}>${title}</option>`)}
        ${isKnown ? nothing : html`<option value=${value} .selected=${true}>${value}</option>`}
      </select>`;
  }

  #text(name, type, longest) {
    const isDay = type === 'date';
    return html`<input id="contacts-${name}" name=${name} type=${type} maxlength=${longest ?? nothing} autocomplete="off" .value=${live(this.values[name] ?? '')}
      @input=${isDay ? nothing : this.#written(name)} @change=${event => this.#set(name, event.target.value)}>`;
  }

  #labeled(name, control) {
    return html`<div class="field"><label for="contacts-${name}">${words.names[name]}</label>${control}</div>`;
  }

  /** Each filter with a button that removes it. What is searched for stands in its field. */
  #chips() {
    const set = NAMES.filter(name => name !== 'q' && this.values[name] !== undefined);
    if (set.length === 0) return nothing;
    return html`
      <div class="chips">
        ${set.map(name => {
          const title = `${words.names[name]}: ${this.#titleOf(name)}`;
          const drop = () => {
            this.#set(name, '');
            document.getElementById('contacts-q')?.focus();
          };
          return html`<button type="button" class="chip" aria-label=${words.drop(title)} @click=${drop}><bdi>${title}</bdi>${icon.close}</button>`;
        })}
        <button type="button" class="link" @click=${() => this.clear()}>${words.clear}</button>
      </div>`;
  }

  #titleOf(name) {
    const value = this.values[name];
    if (name === 'type') return kindOf(texts.types, value);
    if (name === 'source') return kindOf(texts.sources, value);
    if (name === 'is_verified') return kindOf(words.identity, value);
    if (name === 'archived') return kindOf(words.archived, value);
    if (name === 'owner_id') return this.#team.nameOf(value);
    if (name === 'chatbot_id') return this.#chatbots().find(chatbot => chatbot.chatbot_id === value)?.name ?? value;
    if (name === 'updated_since' && !Number.isNaN(Date.parse(value))) return onDay(`${value.slice(0, 10)}T00:00`);
    return value;
  }
}
