// A new contact. If somebody with the same address, number or id is here already, the way there.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createContact, getContact } from '../../../client/contacts.js';
import { Form } from '../../form.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { texts as common } from '../../texts.js';
import { texts } from '../../texts/contacts.js';
import { createdOf, mainFields } from './fields.js';
import { nameOf } from './person.js';

const words = texts.create;

/** Another contact that has the address, number or id of this one. */
export class Duplicate {
  /** @type {{ id: string, name: string, what: string, isArchived: boolean } | undefined} */
  found;

  #context;

  /** @param {import('../../main.js').Context} context */
  constructor(context) {
    this.#context = context;
  }

  /**
   * Does what may meet a duplicate. Returns nothing if it has.
   *
   * @template T
   * @param {() => PromiseLike<T>} operation
   * @param {Record<string, any>} sent
   * @returns {Promise<T | undefined>}
   */
  async guard(operation, sent) {
    this.found = undefined;
    try {
      return await this.#context.call(operation);
    } catch (error) {
      const id = error?.status === 409 ? error.body?.existing_id : undefined;
      if (id === undefined) throw error;
      this.found = { id, what: words.exists.other, name: words.another, isArchived: false };
      try {
        const contact = await this.#context.call(() => getContact(v1, { contact_id: id }));
        const same = ['email', 'phone', 'external_id'].filter(name => sent[name] && contact[name] && isSame(name, sent[name], contact[name]));
        this.found = { id, what: words.exists[same[0] ?? 'other'], name: nameOf(contact), isArchived: contact.archived_at !== null };
      } catch {
        // It can be opened without its name.
      }
      return undefined;
    }
  }

  /** @param {{ followed?: () => void, own?: string }} [options] Called when a link is followed; the contact that would be merged. */
  view({ followed = () => {}, own } = {}) {
    if (this.found === undefined) return nothing;
    const { id, what, name, isArchived } = this.found;
    return html`
      <div class="problem" role="alert">
        <p><bdi>${words.existsText(what, name)}</bdi>${isArchived ? ` ${words.existsArchived}` : nothing}</p>
        <p class="row">
          <a href=${path(`contacts/${id}`)} @click=${followed}>${words.open}</a>
          ${own === undefined ? nothing : html`<a href=${`${path(`contacts/${own}/merge`)}?with=${id}`} @click=${followed}>${words.merge}</a>`}
        </p>
      </div>`;
  }
}

/** Whether a value is that of a contact, which has it in the form in which it is stored. */
function isSame(name, sent, stored) {
  if (name === 'phone') return sent.replace(/\D/g, '').endsWith(stored.replace(/\D/g, '').slice(-7));
  return sent.toLowerCase() === stored.toLowerCase();
}

/**
 * Asks for a person and adds them.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 */
export function newContact(context, dialog) {
  const form = new Form(context, 'new-contact', { values: { type: 'lead' }, isKept: true, marksOptional: false });
  const duplicate = new Duplicate(context);
  const send = async () => {
    duplicate.found = undefined;
    const body = createdOf(form);
    if (!body.email && !body.phone && !body.external_id) {
      form.wrong.email = [texts.fields.keyMissing];
      return;
    }
    const created = await duplicate.guard(() => createContact(v1, { body }), body);
    if (created === undefined) return;
    form.clear({ type: 'lead' });
    dialog.close();
    context.say(words.created(nameOf(created)));
    context.go(`contacts/${created.contact_id}`);
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.title}</h2>
      <p class="quiet">${texts.fields.keyMissing}</p>
      ${form.view({
        fields: html`${duplicate.view({ followed: () => dialog.close() })}${mainFields(form, { isNew: true })}`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${common.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${words.action}</button>
          </div>`,
        send,
      })}
    </div>`;
}
