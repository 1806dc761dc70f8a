// The import of a table of questions and answers, and what became of each row.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { importFaqItems } from '../../../client/faq-items.js';
import { Form } from '../../form.js';
import { v1 } from '../../service.js';
import { texts as own } from '../../texts/faqs.js';
import { formDialog } from './form-dialog.js';

const words = own.import;

/** Milliseconds that an import may take: a thousand items are indexed. */
const TIMEOUT = 120_000;

/**
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {string} faq_id
 * @param {() => void} imported
 */
export function importDialog(context, dialog, faq_id, imported) {
  const form = new Form(context, 'import', { values: { status: 'published' }, aliases: { body: 'table' } });
  let result;
  /** @type {File | undefined} */
  let file;
  const choose = event => {
    [file] = event.target.files;
    delete form.wrong.table;
    context.draw();
  };
  const send = async () => {
    if (file === undefined && form.text('table') === '') {
      form.wrong.table = [words.none];
      return;
    }
    // The service finds out how the bytes of a file are encoded, so they are sent as they are.
    const api = file === undefined ? v1 : bytesOf(file);
    const body = file === undefined ? form.values.table : file.name;
    const status = form.values.status;
    result = await context.call(() => importFaqItems(api, { faq_id, status, body }, { timeout: TIMEOUT }));
    imported();
    await context.draw();
    document.getElementById(dialog.id)?.focus();
  };
  const form_view = formDialog(dialog, {
    title: words.title,
    lead: words.lead,
    form,
    isWide: true,
    fields: () => html`
      <p class="row">
        <label class="button pick">${words.file}<input type="file" accept=".csv,.tsv,.txt,text/csv" data-first @change=${choose}></label>
        ${file === undefined ? nothing : html`<span class="words" role="status">${words.chosen(file.name)}</span>`}
      </p>
      ${file === undefined ? form.field({ name: 'table', label: words.paste, hint: words.pasteHint, lines: 6, isOptional: true }) : nothing}
      ${form.field({ name: 'status', label: words.status, choices: [['published', words.published], ['draft', words.draft]] })}`,
    action: words.action,
    send,
  });
  return () => (result === undefined ? form_view() : report(dialog, result));
}

/** Returns the interface with a file in the place of a body. The client would read it as UTF-8. */
function bytesOf(file) {
  return Object.create(v1, { fetch: { value: (url, init) => fetch(url, { ...init, body: file }) } });
}

function report(dialog, { created, rejected, ignored_columns }) {
  return html`
    <div class="stack wide">
      <h2 id=${dialog.id} tabindex="-1">${words.done(created)}</h2>
      ${rejected.length === 0 ? nothing : html`
        <p>${words.rejected(rejected.length)}</p>
        <div class="read" tabindex="0" role="region" aria-label=${words.rejected(rejected.length)}>
          <ul class="rejected">${rejected.map(({ line, message }) => html`<li><strong>${words.line} ${line}</strong> ${message}</li>`)}</ul>
        </div>`}
      ${ignored_columns.length === 0 ? nothing : html`<p class="quiet words">${words.ignored(ignored_columns.join(', '))}</p>`}
      <div class="row end"><button type="button" class="button main" @click=${() => dialog.close()}>${words.finish}</button></div>
    </div>`;
}
