// The box in which people write: what is in it survives reloads and failures, and nothing but its button or Ctrl+Enter sends it.

import { html, live, nothing, ref, repeat } from '../../../vendor/lit/lit.js';
import { Cancelled, problemOf } from '../../service.js';
import { problem } from '../../states.js';
import { texts as all } from '../../texts/inbox.js';
import { symbol } from './symbols.js';
import { sizeOf } from './times.js';
import { LARGEST, MOST, send } from './uploads.js';

const words = all.reply;
const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
/** From how many remaining characters on they are counted. */
const COUNTED = 500;

/**
 * What is sent.
 *
 * @typedef {object} Message
 * @property {'reply' | 'note'} type
 * @property {string} text
 * @property {string[]} attachment_ids
 * @property {string} key The same for every attempt to send the same message.
 * @property {string} after The status of the thread afterwards, or nothing.
 */

/** What a box can do. @typedef {{ canNote: boolean, canAttach: boolean, canReply: boolean, canSetStatus: boolean, hint?: string, draft?: () => void }} Abilities */

export class Composer {
  /** @type {'reply' | 'note'} */
  type = 'reply';
  /** What is written, by type, so that a note is never sent as a reply. */
  texts = { reply: '', note: '' };
  /** @type {import('./uploads.js').Upload[]} */
  files = [];
  after = '';
  isSending = false;
  /** @type {import('../../service.js').Problem | undefined} */
  problem;
  /** A drafted reply that is in the text, and what it was written from. @type {{ text: string, sources: any[] } | undefined} */
  drafted;

  #context; #kept; #limit; #send; #notes = []; #isOver = false; #attempt;
  /** @type {HTMLTextAreaElement | undefined} */
  #field;

  /**
   * @param {import('../../main.js').Context} context
   * @param {string} name Whose draft it is.
   * @param {{ limit: number, send: (message: Message) => Promise<void> }} options
   */
  constructor(context, name, { limit, send: act }) {
    this.#context = context;
    this.#kept = `frontdesk.draft.reply.${name}`;
    this.#limit = limit;
    this.#send = act;
    const kept = JSON.parse(sessionStorage.getItem(this.#kept) ?? '{}');
    Object.assign(this.texts, kept.texts);
    this.files = kept.files ?? [];
    this.type = kept.type ?? 'reply';
    this.#attempt = kept.attempt;
  }

  get isWriting() {
    return this.texts[this.type].trim() !== '';
  }

  #keep() {
    const files = this.files.filter(({ attachment_id }) => attachment_id).map(({ name, size, attachment_id }) => ({ name, size, attachment_id }));
    const isEmpty = this.texts.reply === '' && this.texts.note === '' && files.length === 0;
    if (isEmpty) sessionStorage.removeItem(this.#kept);
    else sessionStorage.setItem(this.#kept, JSON.stringify({ texts: this.texts, type: this.type, files, attempt: this.#attempt }));
  }

  #write(text) {
    this.texts[this.type] = text;
    this.#keep();
    this.#context.draw();
  }

  #choose(type) {
    this.type = type;
    this.#keep();
    this.#context.draw().then(() => this.focus());
  }

  focus() {
    this.#field?.focus();
    this.#field?.scrollIntoView({ block: 'nearest' });
  }

  /** Puts a draft into the box, below what is there. */
  async insert(text, sources) {
    this.type = 'reply';
    const isBelow = this.texts.reply.trim() !== '';
    const added = isBelow ? `\n\n${text}` : text;
    this.texts.reply = isBelow ? this.texts.reply.trimEnd() + added : text;
    this.drafted = { text: added, sources };
    this.#keep();
    this.#context.say(isBelow ? all.draft.below : all.draft.added);
    await this.#context.draw();
    this.focus();
  }

  #undraft() {
    const { text } = this.drafted;
    if (this.texts.reply.endsWith(text)) this.texts.reply = this.texts.reply.slice(0, -text.length);
    this.drafted = undefined;
    this.#keep();
    this.#context.draw().then(() => this.focus());
  }

  // Files

  #add(files) {
    this.#notes = [];
    for (const file of files) {
      if (this.files.length >= MOST) {
        this.#notes.push(words.tooMany);
        break;
      }
      if (file.size > LARGEST || file.size === 0) {
        this.#notes.push(file.size === 0 ? words.emptyFile(file.name) : words.tooLarge(file.name));
        continue;
      }
      const upload = { name: file.name, size: file.size, file };
      this.files = [...this.files, upload];
      this.#upload(upload);
    }
    this.#context.draw();
  }

  async #upload(upload) {
    await send(this.#context, upload);
    this.#keep();
  }

  #drop(upload) {
    upload.left?.abort();
    this.files = this.files.filter(other => other !== upload);
    this.#notes = [];
    this.#keep();
    this.#context.draw();
    this.focus();
  }

  // Sending

  /** The key of this very message: an attempt whose response was lost does not send it twice. */
  #keyOf(what) {
    if (this.#attempt?.what !== what) this.#attempt = { what, key: crypto.randomUUID() };
    this.#keep();
    return this.#attempt.key;
  }

  /** @param {Abilities} can */
  async submit(can) {
    const isReply = this.type === 'reply';
    const text = this.texts[this.type].trim();
    if (this.isSending || text.length > this.#limit || (isReply && !can.canReply)) return;
    const files = can.canAttach ? this.files : [];
    this.#notes = [];
    if (files.some(({ attachment_id }) => !attachment_id)) this.#notes = [words.uploadsRun];
    else if (text === '' && files.length > 0) this.#notes = [words.needsText];
    if (text === '' || this.#notes.length > 0) {
      this.#context.draw();
      return this.focus();
    }
    const attachment_ids = files.map(({ attachment_id }) => attachment_id);
    this.isSending = true;
    this.problem = undefined;
    this.#context.draw();
    try {
      const key = this.#keyOf(JSON.stringify([this.type, text, attachment_ids]));
      await this.#send({ type: this.type, text, attachment_ids, key, after: can.canSetStatus && isReply ? this.after : '' });
      this.texts[this.type] = '';
      this.files = [];
      this.after = '';
      this.drafted = undefined;
      this.#attempt = undefined;
      this.#keep();
      this.#context.say(isReply ? words.sent : words.noted);
    } catch (error) {
      if (!(error instanceof Cancelled)) {
        const found = problemOf(error);
        const details = Object.values(found.fields).flat().join(' ');
        this.problem = { ...found, message: found.status === 409 ? words.closed : [found.message, details].filter(Boolean).join(' ') };
      }
    }
    this.isSending = false;
    await this.#context.draw();
    this.focus();
  }

  /** @param {Abilities} can */
  view(can) {
    const isNote = can.canNote && this.type === 'note';
    const type = isNote ? 'note' : 'reply';
    const text = this.texts[type];
    const rest = this.#limit - text.trim().length;
    const remark = rest < 0 ? words.over(-rest) : rest < COUNTED ? words.left(rest) : isNote ? undefined : can.hint;
    const mayWrite = isNote || can.canReply;
    const submit = event => {
      event.preventDefault();
      this.submit(can);
    };
    const key = event => {
      if (event.key === 'Escape') return event.target.blur();
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.submit(can);
    };
    const over = isOver => event => {
      if (!can.canAttach || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      this.#isOver = isOver;
      if (event.type === 'drop') this.#add(event.dataTransfer.files);
      this.#context.draw();
    };
    const paste = event => {
      const files = event.clipboardData?.files ?? [];
      if (!can.canAttach || files.length === 0) return;
      event.preventDefault();
      this.#add(files);
    };
    return html`
      <form class="reply ${isNote ? 'internal' : ''} ${this.#isOver ? 'over' : ''}" aria-busy=${this.isSending} @submit=${submit}
        @dragover=${over(true)} @dragleave=${over(false)} @drop=${over(false)}>
        ${this.problem === undefined ? nothing : problem(this.problem)}
        ${can.canNote ? html`
          <div class="kinds" role="group" aria-label=${words.mode}>
            ${['reply', 'note'].map(kind => html`
              <button type="button" aria-pressed=${type === kind} @click=${() => this.#choose(kind)}>${words[kind]}</button>`)}
          </div>` : nothing}
        ${mayWrite ? html`
          <label class="unseen" for="reply">${isNote ? words.noteLabel : words.label}</label>
          <textarea id="reply" rows="2" aria-describedby="reply-hint" .value=${live(text)} ?readonly=${this.isSending}
            placeholder=${isNote ? words.notePlaceholder : words.placeholder}
            @input=${event => this.#write(event.target.value)} @keydown=${key} @paste=${paste} ${ref(this.#take)}></textarea>
          ${this.drafted && !isNote ? this.#origin() : nothing}
          ${can.canAttach && this.files.length > 0 ? this.#list() : nothing}
          ${this.#notes.length > 0 ? html`<p class="wrong small" role="alert">${this.#notes.join(' ')}</p>` : nothing}
          <div class="tools">
            ${can.canAttach ? html`
              <input type="file" multiple hidden aria-hidden="true" tabindex="-1" @change=${this.#chosen}>
              <button type="button" class="round" aria-label=${words.attach} title=${words.attach}
                @click=${event => event.target.closest('form').querySelector('[type=file]').click()}>${symbol.clip}</button>` : nothing}
            ${can.draft && !isNote ? html`<button type="button" class="button slim draft" aria-label=${all.draft.action} title=${all.draft.action} @click=${can.draft}>${symbol.spark}<span>${all.draft.action}</span></button>` : nothing}
            <p class="small ${rest < 0 ? 'wrong' : 'quiet'} ${remark === undefined ? 'keys-hint' : ''}" id="reply-hint">${remark ?? (isMac ? words.macHint : words.hint)}</p>
            ${can.canSetStatus && !isNote ? html`
              <label class="unseen" for="reply-after">${words.after}</label>
              <select id="reply-after" class="slim" title=${words.after} .value=${live(this.after)} @change=${event => { this.after = event.target.value; }}>
                <option value="">${words.keep}</option>
                <option value="pending">${words.thenPending}</option>
                <option value="resolved">${words.thenResolved}</option>
              </select>` : nothing}
            <button class="button main slim" ?disabled=${this.isSending || text.trim() === '' || rest < 0}>
              ${this.isSending ? words.sending : isNote ? words.addNote : words.send}</button>
          </div>` : html`
          ${text === '' ? nothing : html`
            <label class="unseen" for="kept-reply">${words.kept}</label><textarea id="kept-reply" rows="2" readonly .value=${text}></textarea>`}
          <p class="quiet">${can.hint}</p>`}
      </form>`;
  }

  #take = element => { this.#field = element; };

  #chosen = event => {
    this.#add(event.target.files);
    event.target.value = '';
  };

  #origin() {
    const { sources } = this.drafted;
    return html`
      <p class="small quiet">${sources.length === 0
        ? all.draft.noSources
        : html`${all.draft.from}: ${sources.map(({ title, url }) => title || url).filter(Boolean).join(', ')}`}
        <button type="button" class="link small" @click=${() => this.#undraft()}>${all.draft.undo}</button></p>`;
  }

  #list() {
    return html`
      <ul class="uploads small" aria-label=${words.attached}>
        ${repeat(this.files, upload => upload, upload => html`
          <li>
            ${symbol.file}<span class="name">${upload.name}</span>
            ${upload.problem
              ? html`<span class="wrong">${upload.problem.message}</span>
                <button type="button" class="link small" aria-label=${words.retryFile(upload.name)} @click=${() => this.#upload(upload)}>${all.tryAgain}</button>`
              : upload.attachment_id
                ? html`<span class="quiet">${sizeOf(upload.size)}</span>`
                : html`<progress max="1" value=${upload.share ?? 0} aria-label=${words.uploading(upload.name)}></progress>`}
            <button type="button" class="link small" aria-label=${words.removeFile(upload.name)} @click=${() => this.#drop(upload)}>${all.remove}</button>
          </li>`)}
      </ul>`;
  }
}
