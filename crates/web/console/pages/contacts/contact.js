// One contact: what is known of the person, and everything that they have written.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { getContact, updateContact } from '../../../client/contacts.js';
import { onDay } from '../../format.js';
import { head } from '../../frame.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { texts } from '../../texts/contacts.js';
import { About } from './about.js';
import { customerActions } from './customer.js';
import { Manage } from './manage.js';
import { Team, gone, initials, nameOf, typeBadge } from './person.js';
import { Relations } from './relations.js';
import { backToList, leaveContact } from './way-back.js';

const words = texts.contact;

/** A contact that is shown, and changed at once. */
export class Subject {
  /** Why the last change was undone. @type {import('../../service.js').Problem | undefined} */
  problem;
  /** Whether an erasure has begun, after which there is nothing to read. */
  isBeingErased = false;
  #context; #id; #reading; #changes = 0;

  /**
   * @param {import('../../main.js').Context} context
   * @param {string} id
   */
  constructor(context, id) {
    this.#context = context;
    this.#id = id;
    this.#reading = new Reading(context, async () => {
      try {
        return await getContact(v1, { contact_id: id });
      } catch (error) {
        // What was read of somebody who has been erased must not stay on the screen.
        if (error?.status === 404) return null;
        throw error;
      }
    });
    this.#reading.begin();
  }

  get id() {
    return this.#id;
  }

  /** The contact; null if it is gone. @type {any} */
  get value() {
    return this.#reading.value;
  }

  refresh() {
    if (this.#changes === 0) return this.#reading.begin({ isQuiet: true });
  }

  /** Takes over what a response says. What is being read is older than that. */
  take(contact) {
    this.#reading.value = contact;
    this.#reading.problem = undefined;
    this.#reading.begin({ isQuiet: true });
  }

  /**
   * Changes the contact. It is shown at once, and taken back if the service refuses it.
   *
   * @param {Record<string, any>} body
   * @param {string} note
   */
  async change(body, note) {
    const before = this.value;
    this.problem = undefined;
    this.#changes += 1;
    this.#reading.value = { ...before, ...body };
    this.#context.draw();
    try {
      const contact = await this.#context.call(() => updateContact(v1, { contact_id: this.#id, body }));
      this.#changes -= 1;
      this.take(contact);
      this.#context.say(note);
      return true;
    } catch (error) {
      this.#changes -= 1;
      this.#reading.value = before;
      if (!(error instanceof Cancelled)) this.problem = problemOf(error);
      this.#context.draw();
      return false;
    }
  }

  show(view, waiting) {
    return this.#reading.show(view, waiting);
  }
}

/** @param {import('../../main.js').Context} context */
export function page(context, { contact: id }) {
  const subject = new Subject(context, id);
  const team = new Team(context);
  const about = new About(context, subject, team);
  const manage = new Manage(context, subject);
  const relations = new Relations(context, id);
  context.watch(['contacts', 'conversations', 'threads', 'deals'], () => {
    if (subject.isBeingErased) return;
    subject.refresh();
    relations.refresh();
  });

  const restore = () => subject.change({ archived: false }, words.restored);

  // The heading has the focus after one has come here, so it is the same before and after the contact has been read.
  const heading = contact => head(contact ? html`<span class="who">${initials(contact)}<bdi>${nameOf(contact)}</bdi></span>` : texts.list.one, {
    back: backToList(),
    lead: contact ? html`
      <span class="row">
        ${typeBadge(contact)}
        ${contact.is_verified ? html`<span class="badge good">${texts.verified}</span>` : nothing}
        ${contact.archived_at === null ? nothing : html`<span class="badge caution">${texts.archived}</span>`}
      </span>` : nothing,
    action: contact && context.isManager ? customerActions(context, subject) : nothing,
  });
  const view = contact => (contact === null ? gone() : html`
    <div class="stack">
      ${subject.problem === undefined ? nothing : problem(subject.problem)}
      ${contact.archived_at === null ? nothing : html`
        <div class="hint row">
          <p>${words.archivedHint(onDay(contact.archived_at))}</p>
          ${context.isManager ? html`<button type="button" class="button slim" @click=${restore}>${words.restore}</button>` : nothing}
        </div>`}
      <div class="contact">
        <div class="stack">
          ${about.view(contact)}
          ${context.isManager ? manage.view(contact) : nothing}
        </div>
        ${relations.view()}
      </div>
    </div>`);

  return {
    title: () => (subject.value ? nameOf(subject.value) : texts.list.one),
    leave: leaveContact,
    view: () => html`${heading(subject.value)}${subject.show(view, skeleton(9))}`,
  };
}
