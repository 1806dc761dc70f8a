// Importing contacts: a file is chosen and looked at, then imported, and its rejected rows are explained.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { importContacts } from '../../../client/contacts.js';
import { count } from '../../format.js';
import { back, head } from '../../frame.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { problem } from '../../states.js';
import { texts } from '../../texts/contacts.js';
import { forbidden } from '../missing.js';
import { Columns } from './columns.js';
import { MAX_BYTES, MAX_ROWS, lineOf, rowsOf, textOf } from './csv.js';
import { download } from './download.js';
import { result } from './import-result.js';
import { preview } from './preview.js';

const words = texts.import;

/** Milliseconds that the import of a large file may take. */
const LONG = 900_000;
/** Rows that are shown before the import. */
const SHOWN = 5;

/**
 * A file that can be imported.
 *
 * @typedef {{ name: string, text: string, columns: Columns, rows: number, first: import('./csv.js').Row[] }} Sheet
 */

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  return new Import(context);
}

class Import {
  title = words.title;

  #context; #isOver = false; #isReading = false; #isRunning = false; #refusal = ''; #problem; #turn = 0;
  /** @type {Sheet | undefined} */
  #sheet;
  #result;

  /** @param {import('../../main.js').Context} context */
  constructor(context) {
    this.#context = context;
    addEventListener('beforeunload', this.#hold);
  }

  leave() {
    removeEventListener('beforeunload', this.#hold);
    this.#turn += 1;
  }

  /** Asks before the page is left while a file is being imported. */
  #hold = event => {
    if (this.#isRunning) event.preventDefault();
  };

  /** @param {File | undefined} file */
  async #take(file) {
    if (file === undefined || this.#isRunning) return;
    const turn = ++this.#turn;
    [this.#sheet, this.#result, this.#problem, this.#refusal, this.#isReading] = [undefined, undefined, undefined, '', true];
    await this.#context.draw();
    let found;
    try {
      found = file.size > MAX_BYTES ? words.tooLarge : read(file.name, await file.arrayBuffer());
    } catch {
      found = words.unreadable;
    }
    if (turn !== this.#turn) return;
    this.#isReading = false;
    if (typeof found === 'string') this.#refusal = found;
    else this.#sheet = found;
    await this.#context.draw();
    if (this.#sheet !== undefined) document.getElementById('import-file')?.focus();
  }

  async #run(sheet) {
    if (this.#isRunning) return;
    const turn = this.#turn;
    this.#isRunning = true;
    this.#problem = undefined;
    await this.#context.draw();
    try {
      const found = await this.#context.call(() => importContacts(v1, { body: sheet.text }, { timeout: LONG }));
      if (turn === this.#turn) this.#result = found;
    } catch (error) {
      if (!(error instanceof Cancelled) && turn === this.#turn) this.#problem = problemOf(error);
    }
    this.#isRunning = false;
    if (turn !== this.#turn) return;
    await this.#context.draw();
    if (this.#result !== undefined) document.getElementById('import-result')?.focus();
  }

  #again() {
    [this.#sheet, this.#result, this.#problem, this.#refusal] = [undefined, undefined, undefined, ''];
    this.#context.draw().then(() => document.getElementById('import-choose')?.focus());
  }

  view() {
    return html`
      ${head(words.title, { lead: words.lead, back: back('contacts', texts.list.title) })}
      ${this.#result !== undefined && this.#sheet !== undefined
        ? result(this.#result, this.#sheet, () => this.#again())
        : this.#sheet !== undefined ? this.#chosen(this.#sheet) : this.#choice()}`;
  }

  #choice() {
    const over = event => {
      event.preventDefault();
      if (this.#isOver) return;
      this.#isOver = true;
      this.#context.draw();
    };
    const out = event => {
      if (event.currentTarget.contains(event.relatedTarget)) return;
      this.#isOver = false;
      this.#context.draw();
    };
    const drop = event => {
      event.preventDefault();
      this.#isOver = false;
      this.#take(event.dataTransfer.files[0]);
    };
    const choose = event => {
      const [file] = event.target.files;
      // The same file can be chosen again after it was corrected.
      event.target.value = '';
      this.#take(file);
    };
    const example = () => download(words.exampleFile, 'text/csv;charset=utf-8', `\ufeff${[
      ['email', 'name', 'phone', 'company', 'tags'],
      ['cleo@customer.example', 'Cleo Dean', '+44 20 7946 0021', 'Dean, Ltd', 'wholesale; London'],
      ['dora@customer.example', 'Dora Ellis', '', '', ''],
    ].map(lineOf).join('')}`);
    return html`
      <div class="stack">
        ${this.#refusal === '' ? nothing : problem({ message: this.#refusal, fields: {} })}
        <div class="drop ${this.#isOver ? 'over' : ''}" @dragenter=${over} @dragover=${over} @dragleave=${out} @drop=${drop}>
          <input id="import-choose" class="unseen" type="file" accept=".csv,.tsv,.txt,text/csv,text/plain" @change=${choose}>
          <label class="button main" for="import-choose">${words.choose}</label>
          <p>${words.drop}</p>
          <p class="small quiet" role="status">${this.#isReading ? words.reading : words.limits}</p>
        </div>
        <section class="part" aria-labelledby="import-needs">
          <h2 id="import-needs">${words.needTitle}</h2>
          <ul class="points">${words.needs.map(need => html`<li>${need}</li>`)}</ul>
          <p><button type="button" class="link" @click=${example}>${words.example}</button></p>
        </section>
      </div>`;
  }

  #chosen(sheet) {
    const rows = count(sheet.rows);
    const isBroken = this.#problem !== undefined && (this.#problem.status === undefined || this.#problem.status >= 500);
    return html`
      <div class="stack">
        ${this.#problem === undefined ? nothing : problem(this.#problem)}
        ${isBroken ? html`<p>${words.broken}</p>` : nothing}
        <div class="file">
          <div>
            <h2 id="import-file" tabindex="-1"><bdi>${sheet.name}</bdi></h2>
            <p class="small quiet" role="status">${this.#isRunning ? html`${words.running(rows)} ${words.runningText}` : words.rows(rows)}</p>
          </div>
          <div class="row">
            <button type="button" class="button" ?disabled=${this.#isRunning} @click=${() => this.#again()}>${words.other}</button>
            <button type="button" class="button main" ?disabled=${this.#isRunning} @click=${() => this.#run(sheet)}>${words.action(rows)}</button>
          </div>
          ${this.#isRunning ? html`<progress aria-label=${words.running(rows)}></progress>` : nothing}
        </div>
        ${preview(sheet)}
      </div>`;
  }
}

/**
 * Reads a file. Returns why it cannot be imported if that is so.
 *
 * @param {string} name
 * @param {ArrayBuffer} bytes
 * @returns {Sheet | string}
 */
function read(name, bytes) {
  const text = textOf(bytes);
  if (text === undefined) return words.noFile;
  if (new Blob([text]).size > MAX_BYTES) return words.tooLarge;
  const rows = rowsOf(text);
  const columns = new Columns(rows.next().value?.fields ?? []);
  const first = [];
  let found = 0;
  for (const row of rows) {
    found += 1;
    if (found <= SHOWN) first.push(row);
  }
  if (columns.twice !== undefined) return words.twice(columns.twice);
  if (!columns.hasKey) return words.noKey;
  if (found === 0) return words.nothing;
  if (found > MAX_ROWS) return words.tooMany(count(found));
  return { name, text, columns, rows: found, first };
}
