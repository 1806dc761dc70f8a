// Two contacts beside each other, and the one that becomes of them.

import { html } from '../../../vendor/lit/lit.js';
import { onDay } from '../../format.js';
import { path } from '../../paths.js';
import { table } from '../../table.js';
import { texts } from '../../texts/contacts.js';
import { kindOf, nameOf } from './person.js';

const words = texts.merge;
const fields = texts.fields;

/**
 * Returns a table with each field of both contacts, and its value after the merge.
 *
 * @param {any} stays
 * @param {any} goes
 * @param {import('./person.js').Team} team
 */
export function comparison(stays, goes, team) {
  const merged = mergedOf(stays, goes);
  const names = [...new Set([stays, goes].flatMap(contact => Object.keys(contact.custom_fields)))];
  const places = Array.from({ length: Math.max(stays.custom.length, goes.custom.length) }, (_, place) => place);
  const rows = [
    row(fields.name, contact => contact.name),
    row(fields.email, contact => contact.email),
    row(fields.phone, contact => contact.phone),
    row(fields.company, contact => contact.company),
    row(fields.type, contact => kindOf(texts.types, contact.type)),
    row(fields.external_id, contact => contact.external_id),
    row(fields.owner, contact => contact.owner_id && team.nameOf(contact.owner_id)),
    row(fields.labels, contact => contact.tags.join(', ')),
    row(fields.consent, ({ consent }) => consent && texts.contact.consentAt(fields.consents[consent.marketing], onDay(consent.at), consent.source)),
    ...names.map(name => row(name, contact => contact.custom_fields[name])),
    ...places.map(place => row(fields.listed(place + 1), contact => contact.custom[place])),
    row(texts.contact.first, contact => onDay(contact.first_seen_at)),
    row(texts.contact.last, contact => onDay(contact.last_seen_at)),
  ].map(({ title, valueOf }, place) => ({ place, title, stays: valueOf(stays), goes: valueOf(goes), merged: valueOf(merged) }));
  const link = contact => html`<a href=${path(`contacts/${contact.contact_id}`)}><bdi>${nameOf(contact)}</bdi></a>`;
  return html`
    <div class="compare">
      <div class="pairs">
        <p><span class="small quiet">${words.stays}</span><strong>${link(stays)}</strong></p>
        <p><span class="small quiet">${words.goes}</span><strong>${link(goes)}</strong></p>
      </div>
      ${table([
        { title: words.field, kind: 'name', cell: ({ title }) => html`<bdi>${title}</bdi>` },
        { title: words.stays, cell: found => shown(found.stays) },
        { title: words.goes, cell: found => shown(found.goes) },
        { title: words.result, cell: found => html`<span class=${found.merged !== found.stays ? 'taken' : ''}>${shown(found.merged)}</span>` },
      ], rows.filter(found => found.stays || found.goes), found => String(found.place))}
    </div>`;
}

function row(title, valueOf) {
  return { title, valueOf };
}

function shown(value) {
  return value ? html`<span class="words">${value}</span>` : html`<span class="quiet">${words.nothing}</span>`;
}

/** Returns the contact that becomes of two, by the rules of the service. */
function mergedOf(stays, goes) {
  const own = name => stays[name] ?? goes[name];
  const claimed = name => (stays.is_verified ? stays[name] : own(name));
  const isCustomer = stays.is_paying_customer || goes.is_paying_customer;
  const consents = [stays.consent, goes.consent].filter(consent => consent !== null);
  const [earlier, later] = [(a, b) => (a <= b ? a : b), (a, b) => (a >= b ? a : b)];
  return {
    name: own('name'),
    email: claimed('email'),
    phone: claimed('phone'),
    company: own('company'),
    type: isCustomer ? 'customer' : stays.type,
    external_id: claimed('external_id'),
    tags: [...new Set([...stays.tags, ...goes.tags])].sort(),
    consent: consents.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))[0] ?? null,
    custom_fields: { ...goes.custom_fields, ...stays.custom_fields },
    // Details without a name are taken over as a whole, since their places have a meaning.
    custom: stays.custom.length > 0 ? stays.custom : goes.custom,
    owner_id: own('owner_id'),
    first_seen_at: earlier(stays.first_seen_at, goes.first_seen_at),
    last_seen_at: later(stays.last_seen_at, goes.last_seen_at),
  };
}
