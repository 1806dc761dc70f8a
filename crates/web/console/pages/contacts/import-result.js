// What became of an imported file. Rejected rows can be corrected and imported again.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { count } from '../../format.js';
import { path } from '../../paths.js';
import { table } from '../../table.js';
import { texts } from '../../texts/contacts.js';
import { rowsOf } from './csv.js';
import { download } from './download.js';

const words = texts.import;

/** Rejected rows that are shown. */
const SHOWN = 50;

/**
 * @param {import('../../../client/contacts.js').ContactImport} found
 * @param {import('./import.js').Sheet} sheet
 * @param {() => void} again
 */
export function result(found, sheet, again) {
  const rejected = found.lines.filter(line => line.outcome === 'rejected');
  return html`
    <div class="stack">
      <h2 id="import-result" tabindex="-1">${rejected.length === 0 ? words.done : words.doneSome}</h2>
      <div class="figures outcome">
        ${figure(found.created, words.created)}${figure(found.updated, words.updated)}${figure(found.rejected, words.rejected)}
      </div>
      ${found.ignored_columns.length === 0 ? nothing : html`
        <p class="small quiet">
          ${words.ignoredColumns}: ${found.ignored_columns.filter(Boolean).map((name, place) => html`${place > 0 ? ', ' : ''}<bdi>${name}</bdi>`)}
        </p>`}
      ${rejected.length === 0 ? nothing : refused(rejected, sheet)}
      <div class="row">
        <a class="button main" href=${path('contacts')}>${words.toContacts}</a>
        <button type="button" class="button" @click=${again}>${words.another}</button>
      </div>
    </div>`;
}

function figure(number, title) {
  return html`<div class="figure"><strong>${count(number)}</strong><span class="quiet">${title}</span></div>`;
}

function refused(rejected, sheet) {
  const shown = rejected.slice(0, SHOWN);
  const rows = rowsAt(sheet.text, new Set(shown.map(line => line.line)));
  const save = () => {
    const lines = new Set(rejected.map(line => line.line));
    const parts = [];
    const named = /^\ufeff?"?sep=.*?(\r\n|\r|\n)/i.exec(sheet.text);
    if (named !== null) parts.push(named[0].replace('\ufeff', '').trim());
    let isFirst = true;
    for (const row of rowsOf(sheet.text)) {
      if (isFirst || lines.has(row.line)) parts.push(sheet.text.slice(row.start, row.end).replace('\ufeff', ''));
      isFirst = false;
    }
    download(words.rejectedFile(sheet.name.replace(/\.[a-z]{2,4}$/i, '')), 'text/csv;charset=utf-8', `\ufeff${parts.join('\r\n')}\r\n`);
  };
  return html`
    <section class="part" aria-labelledby="import-rejected">
      <div class="head">
        <div><h2 id="import-rejected">${words.rejectedTitle}</h2><p class="quiet">${words.rejectedText}</p></div>
        <button type="button" class="button" @click=${save}>${words.download}</button>
      </div>
      ${table([
        { title: words.line, kind: 'name', cell: line => html`<span class="number">${line.line}</span>` },
        { title: words.row, kind: 'quiet', cell: line => html`<bdi class="raw">${(rows.get(line.line) ?? []).filter(Boolean).join(' · ')}</bdi>` },
        { title: words.why, cell: line => line.message },
      ], shown, line => String(line.line))}
      ${rejected.length > SHOWN ? html`<p class="quiet">${words.more(count(rejected.length - SHOWN))}</p>` : nothing}
    </section>`;
}

/** Returns the fields of rows by their line. */
function rowsAt(text, lines) {
  const found = new Map();
  for (const row of rowsOf(text)) {
    if (lines.has(row.line)) found.set(row.line, row.fields);
    if (found.size === lines.size) break;
  }
  return found;
}
