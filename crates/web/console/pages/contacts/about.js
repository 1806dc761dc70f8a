// What is known of a person. Owners and labels are changed where they are shown, all else in a form.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { updateContact } from '../../../client/contacts.js';
import { focusOn } from '../../focus.js';
import { Form } from '../../form.js';
import { at, onDay } from '../../format.js';
import { icon } from '../../icons.js';
import { draftKey } from '../../owner.js';
import { v1 } from '../../service.js';
import { texts as common } from '../../texts.js';
import { texts } from '../../texts/contacts.js';
import { areDetailsRight, changesOf, furtherFields, mainFields, valuesOf } from './fields.js';
import { Duplicate } from './new-contact.js';
import { kindOf, withLabel } from './person.js';

const words = texts.contact;

export class About {
  #context; #subject; #team; #duplicate; #draft;
  /** @type {Form | undefined} */
  #form;
  /** The contact as it was when the form was opened. @type {any} */
  #base;
  #isRestored = false;
  #label = '';
  #labelWrong = '';

  /**
   * @param {import('../../main.js').Context} context
   * @param {import('./contact.js').Subject} subject
   * @param {import('./person.js').Team} team
   */
  constructor(context, subject, team) {
    this.#context = context;
    this.#subject = subject;
    this.#team = team;
    this.#duplicate = new Duplicate(context);
    this.#draft = `contact-${subject.id}`;
    this.#isRestored = sessionStorage.getItem(draftKey(this.#draft)) !== null;
  }

  #open(contact) {
    this.#base = contact;
    this.#form = new Form(this.#context, this.#draft, { values: valuesOf(contact), isKept: true, marksOptional: false });
    this.#duplicate.found = undefined;
  }

  async #edit(contact) {
    this.#open(contact);
    await this.#context.draw();
    focusOn('.about [name="name"]');
  }

  async #close() {
    this.#form?.clear();
    this.#form = undefined;
    this.#isRestored = false;
    await this.#context.draw();
    document.getElementById('contact-edit')?.focus();
  }

  async #save() {
    const form = this.#form;
    if (form === undefined || !areDetailsRight(form)) return;
    const body = changesOf(form, this.#base);
    if (Object.keys(body).length > 0) {
      const saved = await this.#duplicate.guard(() => updateContact(v1, { contact_id: this.#subject.id, body }), body);
      if (saved === undefined) return;
      this.#subject.take(saved);
      this.#context.say(words.saved);
    } else {
      this.#context.say(words.same);
    }
    await this.#close();
  }

  view(contact) {
    const mayChange = this.#context.isManager;
    if (this.#isRestored && this.#form === undefined && mayChange) this.#open(contact);
    return html`
      <section class="panel about" aria-labelledby="contact-details">
        <div class="head">
          <h2 id="contact-details">${words.details}</h2>
          ${mayChange && this.#form === undefined
            ? html`<button type="button" id="contact-edit" class="button slim" @click=${() => this.#edit(contact)}>${words.edit}</button>`
            : nothing}
        </div>
        ${this.#form === undefined ? this.#facts(contact) : this.#editor(this.#form)}
      </section>`;
  }

  #editor(form) {
    const base = this.#base;
    return form.view({
      fields: html`
        ${this.#isRestored ? html`<p class="note small">${words.restoredDraft}</p>` : nothing}
        ${this.#duplicate.view({ own: this.#subject.id })}
        ${mainFields(form, { isVerified: base.is_verified, isCustomer: base.type === 'customer' })}
        ${base.is_verified ? html`<p class="small quiet">${texts.fields.external_idFixed}</p>` : nothing}
        ${furtherFields(this.#context, form, base)}`,
      actions: ({ isSending }) => html`
        <div class="row">
          <button class="button main" ?disabled=${isSending}>${words.save}</button>
          <button type="button" class="button" @click=${() => this.#close()}>${common.cancel}</button>
        </div>`,
      send: () => this.#save(),
    });
  }

  #facts(contact) {
    const { email, phone, payment, consent } = contact;
    const fields = texts.fields;
    return html`
      <dl class="facts">
        ${fact(fields.email, email && html`<a href=${`mailto:${encodeURIComponent(email).replace('%40', '@')}`}>${email}</a>`)}
        ${fact(fields.phone, phone && html`<a href=${`tel:${phone.replace(/[^\d+]/g, '')}`} class="number">${phone}</a>`)}
        ${fact(fields.company, contact.company && html`<bdi>${contact.company}</bdi>`)}
        ${fact(fields.owner, this.#owner(contact))}
        ${fact(fields.labels, this.#labels(contact))}
        ${fact(fields.consent, consent && words.consentAt(texts.fields.consents[consent.marketing], onDay(consent.at), consent.source))}
        ${contact.is_verified ? fact(texts.list.names.is_verified, texts.verifiedHint) : nothing}
        ${contact.external_id ? fact(fields.external_id, html`<bdi>${contact.external_id}</bdi>`) : nothing}
        ${Object.entries(contact.custom_fields).map(([name, value]) => fact(html`<bdi>${name}</bdi>`, value && html`<span class="words">${value}</span>`))}
        ${contact.custom.map((value, place) => (value ? fact(fields.listed(place + 1), html`<span class="words">${value}</span>`) : nothing))}
        ${contact.became_customer_at ? fact(words.customerSince, moment(contact.became_customer_at)) : nothing}
        ${payment ? fact(words.payment, paid(payment)) : nothing}
        ${fact(words.source, kindOf(texts.sources, contact.source))}
        ${fact(words.first, moment(contact.first_seen_at))}
        ${fact(words.last, moment(contact.last_seen_at))}
        ${fact(words.changed, moment(contact.updated_at))}
      </dl>`;
  }

  #owner({ owner_id: owner }) {
    if (!this.#context.isManager) return owner ? html`<bdi>${this.#team.nameOf(owner)}</bdi>` : words.noneOwner;
    const choices = this.#team.active.map(member => [member.team_member_id, member.name]);
    const isKnown = owner === null || choices.some(([id]) => id === owner);
    const change = event => {
      const id = event.target.value || null;
      this.#subject.change({ owner_id: id }, words.ownerSaved(id === null ? words.noneOwner : this.#team.nameOf(id)));
    };
    return html`
      <select class="slim" aria-label=${texts.fields.owner} @change=${change}>
        <option value="" .selected=${owner === null}>${words.noneOwner}</option>
        ${choices.map(([id, name]) => html`<option value=${id} .selected=${owner === id}>${name}</option>`)}
        ${isKnown ? nothing : html`<option value=${owner} .selected=${true}>${this.#team.nameOf(owner)}</option>`}
      </select>`;
  }

  #labels({ tags }) {
    const mayChange = this.#context.isManager;
    if (!mayChange && tags.length === 0) return undefined;
    const drop = async label => {
      this.#labelWrong = '';
      document.getElementById('contact-label')?.focus();
      await this.#subject.change({ tags: tags.filter(tag => tag !== label) }, words.labelDropped(label));
    };
    return html`
      ${tags.length === 0 ? nothing : html`
        <ul class="labels">${tags.map(label => html`
          <li class="label">
            <a href=${withLabel(label)} aria-label=${words.filterLabel(label)}><bdi>${label}</bdi></a>
            ${mayChange ? html`<button type="button" aria-label=${words.dropLabel(label)} @click=${() => drop(label)}>${icon.close}</button>` : nothing}
          </li>`)}
        </ul>`}
      ${mayChange ? this.#labelForm(tags) : nothing}`;
  }

  #labelForm(tags) {
    const add = async event => {
      event.preventDefault();
      const label = this.#label.trim();
      if (label === '') return;
      if (tags.includes(label)) {
        this.#labelWrong = words.labelTaken(label);
        return this.#context.draw();
      }
      this.#label = '';
      const isAdded = await this.#subject.change({ tags: [...tags, label].sort() }, words.labelAdded(label));
      // What was refused can be corrected.
      if (!isAdded && this.#label === '') this.#label = label;
      this.#context.draw();
    };
    const write = event => {
      this.#label = event.target.value;
      if (this.#labelWrong === '') return;
      this.#labelWrong = '';
      this.#context.draw();
    };
    return html`
      <form class="add" @submit=${add}>
        <input id="contact-label" maxlength="50" autocomplete="off" aria-label=${words.addLabel} placeholder=${words.addLabel} .value=${live(this.#label)}
          aria-invalid=${this.#labelWrong ? 'true' : nothing} aria-describedby=${this.#labelWrong ? 'contact-label-wrong' : nothing} @input=${write}>
        <button class="button slim">${words.addLabelAction}</button>
        ${this.#labelWrong ? html`<p class="wrong small" id="contact-label-wrong">${this.#labelWrong}</p>` : nothing}
      </form>`;
  }
}

function fact(title, value) {
  return html`<div><dt>${title}</dt><dd>${value || html`<span class="quiet">${words.none}</span>`}</dd></div>`;
}

function moment(time) {
  return html`<time datetime=${time} title=${at(time)}>${onDay(time)}</time>`;
}

function paid({ amount, currency, paid_at: paidAt, reference }) {
  const sum = [amount, currency].filter(Boolean).join(' ');
  const parts = [sum, paidAt && onDay(paidAt), reference && `${words.paymentReference} ${reference}`].filter(Boolean);
  return html`<span class="words">${parts.join(' · ')}</span>`;
}
