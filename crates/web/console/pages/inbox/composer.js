// The box in which people write: what is in it survives reloads and failures, and nothing but its button or Ctrl+Enter sends it.

import { draftKey } from '../../owner.js';
import { Cancelled, problemOf } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as all } from '../../texts/inbox.js';
import { part } from './kept.js';

const words = all.reply;
/** The largest file in bytes, and how many files a message has at most. */
const LARGEST = 10 * 1024 * 1024;
const MOST = 10;

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

  /** What keeps it from being sent, or files from being added. @type {string[]} */
  notes = [];
  /** Whether files are held over it. */
  isOver = false;

  #kept; #send; #attempt;
  /** @type {HTMLTextAreaElement | undefined} */
  #field;

  /**
   * @param {import('../../main.js').Context} context
   * @param {string} name Whose draft it is.
   * @param {{ limit: number, send: (message: Message) => Promise<void> }} options
   */
  constructor(context, name, { limit, send: act }) {
    this.context = context;
    this.#kept = draftKey(`reply.${name}`);
    this.limit = limit;
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

  write(text) {
    this.texts[this.type] = text;
    this.problem = undefined;
    this.#keep();
    this.context.draw();
  }

  choose(type) {
    this.type = type;
    this.#keep();
    this.context.draw().then(() => this.focus());
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
    this.context.say(isBelow ? all.draft.below : all.draft.added);
    await this.context.draw();
    this.focus();
  }

  undraft() {
    const { text } = this.drafted;
    if (this.texts.reply.endsWith(text)) this.texts.reply = this.texts.reply.slice(0, -text.length);
    this.drafted = undefined;
    this.#keep();
    this.context.draw().then(() => this.focus());
  }

  // Files

  add(files) {
    this.notes = [];
    for (const file of files) {
      if (this.files.length >= MOST) {
        this.notes.push(words.tooMany);
        break;
      }
      if (file.size > LARGEST || file.size === 0) {
        this.notes.push(file.size === 0 ? words.emptyFile(file.name) : words.tooLarge(file.name));
        continue;
      }
      const upload = { name: file.name, size: file.size, file };
      this.files = [...this.files, upload];
      this.upload(upload);
    }
    this.context.draw();
  }

  async upload(upload) {
    const module = await part(this.context, () => import('./uploads.js'));
    if (module === undefined) upload.problem = { message: texts.problem.load, fields: {} };
    else await module.send(this.context, upload);
    this.#keep();
  }

  drop(upload) {
    upload.left?.abort();
    this.files = this.files.filter(other => other !== upload);
    this.notes = [];
    this.#keep();
    this.context.draw();
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
    if (this.isSending || text.length > this.limit || (isReply && !can.canReply)) return;
    const files = can.canAttach ? this.files : [];
    this.notes = [];
    if (files.some(({ attachment_id }) => !attachment_id)) this.notes = [words.uploadsRun];
    else if (text === '' && files.length > 0) this.notes = [words.needsText];
    if (text === '' || this.notes.length > 0) {
      this.context.draw();
      return this.focus();
    }
    const attachment_ids = files.map(({ attachment_id }) => attachment_id);
    this.isSending = true;
    this.problem = undefined;
    this.context.draw();
    try {
      const key = this.#keyOf(JSON.stringify([this.type, text, attachment_ids]));
      await this.#send({ type: this.type, text, attachment_ids, key, after: can.canSetStatus && isReply ? this.after : '' });
      this.texts[this.type] = '';
      this.files = [];
      this.after = '';
      this.drafted = undefined;
      this.#attempt = undefined;
      this.#keep();
      this.context.say(isReply ? words.sent : words.noted);
    } catch (error) {
      if (!(error instanceof Cancelled)) {
        const found = problemOf(error);
        const details = Object.values(found.fields).flat().join(' ');
        this.problem = { ...found, message: found.status === 409 ? words.closed : [found.message, details].filter(Boolean).join(' ') };
      }
    }
    this.isSending = false;
    await this.context.draw();
    this.focus();
  }

  /** The field, once it is there. @param {Element | undefined} element */
  take = element => { this.#field = /** @type {HTMLTextAreaElement | undefined} */ (element); };
}
