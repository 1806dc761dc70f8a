// How contacts and the people of the team are named and shown.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listTeamMembers } from '../../../client/team-members.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, empty } from '../../states.js';
import { texts as words } from '../../texts/contacts.js';

/** Returns by what a contact is known. */
export function nameOf({ name, email, phone, external_id }) {
  return name || email || phone || external_id || words.unnamed;
}

/** Returns the name of a kind, or the kind itself if it is newer than this page. */
export function kindOf(names, kind) {
  return Object.hasOwn(names, kind) ? names[kind] : kind;
}

/** The first letters of a name, beside it. */
export function initials(contact) {
  const parts = nameOf(contact).replace(/@.*/, '').split(/[\s._-]+/u).filter(part => /[\p{L}\p{N}]/u.test(part));
  const letters = [parts[0], parts.length > 1 ? parts.at(-1) : undefined].map(part => /[\p{L}\p{N}]/u.exec(part ?? '')?.[0] ?? '');
  return html`<span class="initials" aria-hidden="true">${letters.join('').toUpperCase() || '?'}</span>`;
}

/** What a person is to the business. */
export function typeBadge({ type }) {
  return html`<span class="badge ${type === 'customer' ? 'good' : ''}">${kindOf(words.types, type)}</span>`;
}

/** The sign of a proven identity. */
export function verifiedSign({ is_verified }) {
  return is_verified
    ? html`<span class="verified" title=${words.verifiedHint}>${icon.check}<span class="unseen">${words.verified}</span></span>`
    : nothing;
}

/** Labels that lead to all contacts that have them. */
export function labelLinks(labels) {
  return labels.length === 0
    ? nothing
    : html`<ul class="labels">${labels.map(label => html`<li><a class="label" href=${withLabel(label)}><bdi>${label}</bdi></a></li>`)}</ul>`;
}

/** Returns the address of the contacts with a label. */
export function withLabel(label) {
  return `${path('contacts')}?${new URLSearchParams({ tag: label })}`;
}

/** What is shown of a contact that is not there. */
export function gone() {
  return empty(words.contact.gone, words.contact.goneText, html`<a class="button" href=${path('contacts')}>${words.import.toContacts}</a>`);
}

/** The people of the account, by whom contacts and calendars are looked after. */
export class Team {
  #reading;

  /** @param {import('../../main.js').Context} context */
  constructor(context) {
    this.#reading = new Reading(context, async () => {
      const members = [];
      for await (const member of listTeamMembers(v1, { limit: 100 }).items()) members.push(member);
      return members;
    });
    this.#reading.begin();
  }

  get members() {
    return this.#reading.value ?? [];
  }

  get active() {
    return this.members.filter(member => member.status === 'active');
  }

  /** Returns the name of a person, or an empty text until it is known. */
  nameOf(id) {
    if (this.#reading.value === undefined) return '';
    return this.members.find(member => member.team_member_id === id)?.name ?? words.somebody;
  }
}
