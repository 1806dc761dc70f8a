// Tables. On a small screen each row is a block of its own; the roles are written out because browsers drop them with the layout.

import { html, nothing, repeat } from '../vendor/lit/lit.js';

/**
 * @template T
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: T) => unknown} cell
 * @property {'name' | 'text' | 'quiet' | 'number' | 'action'} [kind] A name heads its row; an action needs no title for those who see it.
 * @property {boolean} [isPlain] Whether the cell speaks for itself where its title is not above it.
 */

/**
 * @template T
 * @param {Column<T>[]} columns
 * @param {T[]} rows
 * @param {(row: T) => string} keyOf
 */
export function table(columns, rows, keyOf) {
  return html`
    <div class="sheet">
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">${columns.map(({ title, kind }) => (kind === 'action'
            ? html`<th role="columnheader" scope="col" class="act"><span class="unseen">${title}</span></th>`
            : html`<th role="columnheader" scope="col">${title}</th>`))}</tr>
        </thead>
        <tbody role="rowgroup">
          ${repeat(rows, keyOf, row => html`<tr role="row" data-listed>${columns.map(column => cell(column, row))}</tr>`)}
        </tbody>
      </table>
    </div>`;
}

const CLASSES = { quiet: 'small quiet', number: 'number', action: 'act' };

/**
 * @template T
 * @param {Column<T>} column
 * @param {T} row
 */
function cell({ title, cell: content, kind = 'text', isPlain }, row) {
  if (kind === 'name') return html`<th role="rowheader" scope="row">${content(row)}</th>`;
  const label = isPlain || kind === 'action' ? nothing : title;
  return html`<td role="cell" class=${CLASSES[kind] ?? nothing} data-label=${label}>${content(row)}</td>`;
}
