// A file before its import: what each column becomes, and the first rows as contacts.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { count } from '../../format.js';
import { table } from '../../table.js';
import { texts } from '../../texts/contacts.js';

const words = texts.import;

/** Values of a column that are shown. */
const VALUES = 3;

/** @param {import('./import.js').Sheet} sheet */
export function preview({ columns, first }) {
  const all = columns.names.map((name, place) => ({ name, place, target: columns.targetOf(place) }));
  const used = all.filter(column => column.target !== undefined);
  const unused = all.filter(column => column.target === undefined);
  const values = ({ place }) => {
    const found = [...new Set(first.map(row => row.fields[place] ?? '').filter(value => value !== ''))].slice(0, VALUES);
    return found.length === 0
      ? html`<span class="quiet">${words.noValue}</span>`
      : html`<ul class="values">${found.map(value => html`<li><bdi>${value}</bdi></li>`)}</ul>`;
  };
  const name = column => html`<bdi>${column.name || words.unnamedColumn(column.place + 1)}</bdi>`;
  const key = column => String(column.place);
  return html`
    <section class="part" aria-labelledby="import-columns">
      <h2 id="import-columns">${words.columns}</h2>
      ${table([
        { title: words.column, kind: 'name', cell: name },
        { title: words.values, cell: values, kind: 'quiet' },
        { title: words.becomes, cell: ({ target }) => title(target) },
      ], used, key)}
      ${unused.length === 0 ? nothing : html`
        <details class="unused">
          <summary>${words.unused(count(unused.length))}</summary>
          ${table([{ title: words.column, kind: 'name', cell: name }, { title: words.values, cell: values, kind: 'quiet' }], unused, key)}
        </details>`}
    </section>
    <section class="part" aria-labelledby="import-first">
      <h2 id="import-first">${words.first}</h2>
      ${table([
        { title: texts.fields.name, kind: 'name', cell: ({ contact }) => text(contact.name) },
        {
          title: texts.fields.email,
          cell: ({ contact, hasKey }) => html`${text(contact.email)}${hasKey ? nothing : html`<p class="wrong small">${words.noContact}</p>`}`,
        },
        { title: texts.fields.phone, cell: ({ contact }) => text(contact.phone) },
        { title: texts.fields.company, cell: ({ contact }) => text(contact.company) },
        { title: words.line, kind: 'quiet', cell: ({ line }) => line },
      ], first.map(({ line, fields }) => {
        const contact = columns.contact(fields);
        return { line, contact, hasKey: Boolean(contact.email || contact.phone || contact.external_id) };
      }), row => String(row.line))}
    </section>`;
}

function title({ field, isSecond }) {
  return isSecond ? words.second(words.targets[field]) : html`<strong>${words.targets[field]}</strong>`;
}

function text(value) {
  return value ? html`<bdi>${value}</bdi>` : html`<span class="quiet">–</span>`;
}
