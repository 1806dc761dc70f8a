// Files on their way to the service.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { replaceFileContent, uploadFile } from '../../../client/files.js';
import { Cancelled, problemOf } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as own } from '../../texts/content.js';
import { action } from './source.js';
import { TIMEOUT, uploading } from './upload.js';

const words = own.files;

/** The largest file that the service takes. */
const LARGEST = 25 * 1024 * 1024;
/** Files that are sent at the same time. */
const AT_ONCE = 2;

/** The files that were chosen, until each is stored. */
export class Uploads {
  /** @type {{ id: number, file: File, of?: any, part: number, state: 'waiting' | 'sending' | 'failed', message: string, isFinal: boolean, left: AbortController }[]} */
  #list = [];
  #count = 0;
  #context; #chatbot; #changed;

  constructor(context, chatbot_id, changed) {
    this.#context = context;
    this.#chatbot = chatbot_id;
    this.#changed = changed;
    addEventListener('beforeunload', this.#warn);
  }

  /** Leaving the site would end what is being sent. */
  #warn = event => {
    if (this.#list.some(({ state }) => state !== 'failed')) event.preventDefault();
  };

  end() {
    removeEventListener('beforeunload', this.#warn);
    for (const { left } of this.#list) left.abort();
  }

  /** Sends files, as new ones or instead of the content of one. */
  add(files, of) {
    for (const file of files) {
      this.#count += 1;
      const message = file.size === 0 ? words.isEmpty : file.size > LARGEST ? words.tooLarge(sizeOf(file.size)) : '';
      const state = message === '' ? 'waiting' : 'failed';
      this.#list = [...this.#list, { id: this.#count, file, of, part: 0, state, message, isFinal: message !== '', left: new AbortController() }];
    }
    this.#go();
  }

  #go() {
    const busy = this.#list.filter(({ state }) => state === 'sending').length;
    for (const entry of this.#list.filter(({ state }) => state === 'waiting').slice(0, Math.max(AT_ONCE - busy, 0))) this.#send(entry);
    this.#context.draw();
  }

  async #send(entry) {
    entry.state = 'sending';
    const { file, of, left } = entry;
    const api = uploading(part => {
      entry.part = part;
      this.#context.draw();
    });
    const options = { signal: left.signal, timeout: TIMEOUT };
    const chatbot_id = this.#chatbot;
    try {
      await this.#context.call(() => (of === undefined
        ? uploadFile(api, { chatbot_id, body: { file } }, options)
        : replaceFileContent(api, { chatbot_id, file_id: of.file_id, body: { file } }, options)));
      this.#context.say(of === undefined ? words.uploaded(file.name) : words.replaced(of.title));
      this.drop(entry);
      this.#changed();
    } catch (error) {
      if (left.signal.aborted || error instanceof Cancelled) return this.drop(entry);
      const { message, fields, status = 500 } = problemOf(error);
      const isFinal = status < 500 && status !== 429;
      Object.assign(entry, { state: 'failed', message: [message, ...Object.values(fields).flat()].join(' '), isFinal });
    }
    this.#go();
  }

  drop(entry) {
    entry.left.abort();
    this.#list = this.#list.filter(other => other !== entry);
    this.#go();
  }

  #again(entry) {
    Object.assign(entry, { state: 'waiting', message: '', part: 0 });
    this.#go();
  }

  view() {
    if (this.#list.length === 0) return nothing;
    return html`<ul class="uploads" aria-label=${words.uploads}>${repeat(this.#list, entry => entry.id, entry => this.#row(entry))}</ul>`;
  }

  #row(entry) {
    const { file, state, part, message, isFinal } = entry;
    const percent = Math.round(part * 100);
    return html`
      <li>
        <p class="words"><strong>${file.name}</strong> <span class="small quiet">${sizeOf(file.size)}</span></p>
        ${state === 'failed'
          ? html`<p class="small wrong" role="alert">${message}</p>`
          : html`
            <progress aria-label=${words.progress(file.name)} max="100" value=${percent}></progress>
            <p class="small quiet">${state === 'waiting' ? words.waiting : percent === 100 ? words.checking : words.sending(percent)}</p>`}
        <p class="row">
          ${state === 'failed' && !isFinal ? action(texts.again, words.againLabel(file.name), () => this.#again(entry)) : nothing}
          ${state === 'failed'
            ? action(texts.close, words.closeLabel(file.name), () => this.drop(entry))
            : action(texts.cancel, words.cancelLabel(file.name), () => this.drop(entry))}
        </p>
      </li>`;
  }
}

/** Returns a size in bytes as people read it. */
export function sizeOf(bytes) {
  if (bytes < 1_000_000) return words.kilobytes(Math.max(1, Math.round(bytes / 1000)));
  return words.megabytes((bytes / 1_000_000).toFixed(1));
}
