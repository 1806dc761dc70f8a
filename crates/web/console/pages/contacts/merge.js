// Merging: the other contact is searched for, both are shown beside each other, and what becomes of them.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { getContact, listContacts, mergeContact } from '../../../client/contacts.js';
import { count } from '../../format.js';
import { back, head } from '../../frame.js';
import { path } from '../../paths.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { texts } from '../../texts/contacts.js';
import { forbidden } from '../missing.js';
import { comparison } from './comparison.js';
import { Team, gone, initials, nameOf, typeBadge, verifiedSign } from './person.js';
import { searched } from './searched.js';

const words = texts.merge;

/** Contacts that are offered. */
const OFFERED = 10;
/** Milliseconds without a key until a search begins. */
const PAUSE = 250;

/** @param {import('../../main.js').Context} context */
export function page(context, { contact: id }) {
  if (!context.isManager) return forbidden();
  const otherId = new URLSearchParams(location.search).get('with') ?? '';
  const read = async contactId => {
    try {
      return await getContact(v1, { contact_id: contactId });
    } catch (error) {
      if (error?.status === 404) return null;
      throw error;
    }
  };
  const reading = new Reading(context, async () => {
    const [stays, goes] = await Promise.all([read(id), otherId === '' ? undefined : read(otherId)]);
    return { stays, goes };
  });
  const team = new Team(context);
  const search = new Search(context, id);
  reading.begin().then(async () => {
    if (!reading.value?.stays || reading.value.goes !== undefined) return;
    search.begin(reading.value.stays);
    await context.draw();
    document.getElementById('merge-search')?.focus();
  });
  const state = { problem: undefined, isMerging: false };

  const merge = async (stays, goes) => {
    const question = { title: words.question, text: words.questionText(nameOf(stays), nameOf(goes)), action: words.action };
    if (state.isMerging || !await context.confirm(question)) return;
    state.isMerging = true;
    state.problem = undefined;
    context.draw();
    try {
      const merged = await context.call(() => mergeContact(v1, { contact_id: id, body: { source_contact_id: otherId } }));
      context.say(words.done(nameOf(merged)));
      context.go(`contacts/${id}`);
      return;
    } catch (error) {
      if (!(error instanceof Cancelled)) state.problem = problemOf(error);
    }
    state.isMerging = false;
    context.draw();
  };

  const view = ({ stays, goes }) => {
    if (stays === null || goes === null) return gone();
    return goes === undefined ? search.view() : both(stays, goes);
  };

  const both = (stays, goes) => {
    const isSame = stays.contact_id === goes.contact_id;
    const refusal = isSame ? words.same : !goes.is_verified ? undefined : stays.is_verified ? words.provenBoth : words.provenGoes;
    const maySwap = !isSame && !stays.is_verified;
    const swap = html`<a class="button" href=${`${path(`contacts/${otherId}/merge`)}?with=${id}`}>${words.swap}</a>`;
    return html`
      <div class="stack">
        ${state.problem === undefined ? nothing : problem(state.problem)}
        ${refusal === undefined ? nothing : html`<p class="hint">${refusal}</p>`}
        ${comparison(stays, goes, team)}
        ${refusal !== undefined ? nothing : html`
          <section class="panel" aria-labelledby="merge-what">
            <h2 id="merge-what">${words.what}</h2>
            <ul class="points">
              ${words.effects(nameOf(stays), nameOf(goes)).map(effect => html`<li><bdi>${effect}</bdi></li>`)}
              ${stays.is_verified ? html`<li>${words.provenStays}</li>` : nothing}
            </ul>
          </section>`}
        <div class="row">
          ${refusal === undefined
            ? html`<button type="button" class="button main" ?disabled=${state.isMerging} @click=${() => merge(stays, goes)}>${words.action}</button>`
            : nothing}
          ${maySwap ? swap : nothing}
          <a class="button" href=${path(`contacts/${id}/merge`)}>${words.change}</a>
        </div>
      </div>`;
  };

  return {
    title: words.title,
    leave: () => search.end(),
    view: () => html`
      ${head(words.title, { lead: words.lead, back: back(`contacts/${id}`, reading.value?.stays ? nameOf(reading.value.stays) : texts.list.one) })}
      ${reading.show(view, skeleton(6))}`,
  };
}

/** Finds the other contact. Those that are like this one are offered first. */
class Search {
  #own; #text = ''; #first = ''; #timer;
  #reading;

  /**
   * @param {import('../../main.js').Context} context
   * @param {string} own The contact that the other one is merged into.
   */
  constructor(context, own) {
    this.#own = own;
    this.#reading = new Reading(context, async () => {
      const q = searched(this.#text.trim()) || this.#first;
      if (q === '') return [];
      const { contacts } = await listContacts(v1, { q, limit: OFFERED + 1 });
      return contacts.filter(contact => contact.contact_id !== this.#own).slice(0, OFFERED);
    });
  }

  begin({ name, email }) {
    this.#first = (name || email?.split('@')[0] || '').trim().slice(0, 200);
    this.#reading.begin();
  }

  end() {
    clearTimeout(this.#timer);
  }

  view() {
    const write = event => {
      this.#text = event.target.value;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#reading.begin(), PAUSE);
    };
    const isSearch = this.#text.trim() !== '';
    return html`
      <div class="stack">
        <div class="field narrow">
          <label for="merge-search">${words.search}</label>
          <input id="merge-search" type="search" maxlength="200" autocomplete="off" spellcheck="false" placeholder=${words.searchHint} @input=${write}>
        </div>
        <p class="unseen" role="status">${isSearch && this.#reading.value ? words.found(count(this.#reading.value.length)) : nothing}</p>
        ${this.#reading.show(contacts => (contacts.length === 0
          ? isSearch ? html`<p class="quiet">${words.none}</p>` : nothing
          : html`
            ${isSearch ? nothing : html`<h2>${words.similar}</h2>`}
            <ul class="found">${contacts.map(contact => this.#candidate(contact))}</ul>`), skeleton(3))}
      </div>`;
  }

  #candidate(contact) {
    const known = [contact.email, contact.phone, contact.company].filter(Boolean).filter(value => value !== nameOf(contact));
    return html`
      <li>
        <div class="person">
          ${initials(contact)}
          <div>
            <p><strong><bdi>${nameOf(contact)}</bdi></strong>${verifiedSign(contact)}</p>
            <p class="small quiet"><bdi>${known.join(' · ')}</bdi></p>
          </div>
        </div>
        ${typeBadge(contact)}
        <a class="button slim" aria-label=${words.chooseLabel(nameOf(contact))}
          href=${`${path(`contacts/${this.#own}/merge`)}?with=${contact.contact_id}`}>${words.choose}</a>
      </li>`;
  }
}
