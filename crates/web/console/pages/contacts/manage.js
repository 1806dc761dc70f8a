// What happens to the data of a person: merging, a copy for the person, archiving, and erasure.

import { html } from '../../../vendor/lit/lit.js';
import { deleteContact, exportContact, getContact } from '../../../client/contacts.js';
import { Form } from '../../form.js';
import { draftKey } from '../../owner.js';
import { path } from '../../paths.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { texts as common } from '../../texts.js';
import { texts } from '../../texts/contacts.js';
import { download, fileName, today } from './download.js';
import { nameOf } from './person.js';

const words = texts.contact;

/** Milliseconds that an export or an erasure may take. */
const LONG = 300_000;

export class Manage {
  #context; #subject; #isExporting = false;

  /**
   * @param {import('../../main.js').Context} context
   * @param {import('./contact.js').Subject} subject
   */
  constructor(context, subject) {
    this.#context = context;
    this.#subject = subject;
  }

  async #try(operation) {
    this.#subject.problem = undefined;
    try {
      await operation();
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#subject.problem = problemOf(error);
    }
    this.#context.draw();
  }

  async #export(contact) {
    this.#isExporting = true;
    this.#context.draw();
    await this.#try(async () => {
      const data = await this.#context.call(() => exportContact(v1, { contact_id: this.#subject.id }, { timeout: LONG }));
      download(texts.exportOne.file(fileName(nameOf(contact)), today()), 'application/json', JSON.stringify(data, null, 2));
      this.#context.say(words.exported);
    });
    this.#isExporting = false;
    this.#context.draw();
  }

  #archive() {
    return this.#try(async () => {
      await this.#context.call(() => deleteContact(v1, { contact_id: this.#subject.id, mode: 'archive' }));
      this.#context.say(words.archived);
      this.#subject.take(await this.#context.call(() => getContact(v1, { contact_id: this.#subject.id })));
    });
  }

  view(contact) {
    const erase = () => this.#context.open(dialog => erasure(this.#context, this.#subject, dialog));
    return html`
      <section class="panel" aria-labelledby="contact-manage">
        <h2 id="contact-manage">${words.actions}</h2>
        <ul class="choices">
          <li><a href=${path(`contacts/${this.#subject.id}/merge`)}>${words.merge}</a><p class="small quiet">${words.mergeText}</p></li>
          <li>
            <button type="button" class="link" ?disabled=${this.#isExporting} @click=${() => this.#export(contact)}>
              ${this.#isExporting ? words.exporting : words.export}</button>
            <p class="small quiet">${words.exportText}</p>
          </li>
          ${contact.archived_at === null
            ? html`<li><button type="button" class="link" data-key="e" @click=${() => this.#archive()}>${words.archive}</button><p class="small quiet">${words.archiveText}</p></li>`
            : html`<li><button type="button" class="link" @click=${() => this.#subject.change({ archived: false }, words.restored)}>${words.restore}</button></li>`}
          <li><button type="button" class="link danger" @click=${erase}>${words.erase}</button><p class="small quiet">${words.eraseText}</p></li>
        </ul>
      </section>`;
  }
}

/**
 * Says what is erased, and asks for a word, since it cannot be undone.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('./contact.js').Subject} subject
 * @param {import('../../dialogs.js').Dialog} dialog
 */
function erasure(context, subject, dialog) {
  const erase = texts.erase;
  const form = new Form(context, 'erase-contact');
  const name = nameOf(subject.value);
  const send = async () => {
    if (form.text('word').toLowerCase() !== erase.word) {
      form.wrong.word = [erase.wrong];
      return;
    }
    subject.isBeingErased = true;
    try {
      await context.call(() => deleteContact(v1, { contact_id: subject.id, mode: 'erase' }, { timeout: LONG }));
    } catch (error) {
      subject.isBeingErased = false;
      throw error;
    }
    // What somebody was writing about the person goes, too.
    for (const draft of [`contact-${subject.id}`, `payment-${subject.id}`]) sessionStorage.removeItem(draftKey(draft));
    dialog.close();
    context.say(erase.done(name));
    context.go('contacts');
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}><bdi>${erase.title(name)}</bdi></h2>
      <p>${erase.text}</p>
      <ul class="points">${erase.what.map(what => html`<li>${what}</li>`)}</ul>
      <p>${erase.only}</p>
      ${form.view({
        fields: form.field({ name: 'word', label: erase.label, isFirst: true }),
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${common.cancel}</button>
            <button class="button danger" ?disabled=${isSending}>${erase.action}</button>
          </div>`,
        send,
      })}
    </div>`;
}
