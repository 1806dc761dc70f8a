// The fields of a contact in a form, and what of them is sent.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { icon } from '../../icons.js';
import { texts } from '../../texts/contacts.js';

const words = texts.fields;

/** Fields that are texts. */
const PLAIN = ['name', 'email', 'phone', 'company', 'external_id'];

/**
 * Returns what the fields contain for a contact.
 *
 * @param {any} contact
 * @returns {Record<string, string>}
 */
export function valuesOf(contact) {
  const values = Object.fromEntries(PLAIN.map(name => [name, contact[name] ?? '']));
  values.type = contact.type;
  values.consent = contact.consent === null ? '' : String(contact.consent.marketing);
  values.consent_source = contact.consent?.source ?? '';
  const details = Object.entries(contact.custom_fields);
  values.details = details.map((_, place) => place).join(',');
  for (const [place, [name, value]] of details.entries()) {
    values[`detail-name-${place}`] = name;
    values[`detail-value-${place}`] = value;
  }
  for (const [place, value] of contact.custom.entries()) values[`custom-${place}`] = value ?? '';
  return values;
}

/**
 * Returns what has been changed, so that what others have changed meanwhile stays.
 *
 * @param {import('../../form.js').Form} form
 * @param {any} contact The contact before the change.
 */
export function changesOf(form, contact) {
  const before = valuesOf(contact);
  /** @type {Record<string, any>} */
  const body = {};
  for (const name of PLAIN) {
    if (form.text(name) !== before[name]) body[name] = form.text(name) || null;
  }
  if (contact.type !== 'customer' && form.text('type') !== before.type) body.type = form.text('type');
  const [consent, source] = [form.text('consent'), form.text('consent_source')];
  if (consent !== before.consent || (consent !== '' && source !== before.consent_source)) {
    body.consent = consent === '' ? null : { marketing: consent === 'true', ...(source === '' ? {} : { source }) };
  }
  const named = placesOf(form).map(place => [form.text(`detail-name-${place}`), form.text(`detail-value-${place}`)]);
  const details = Object.fromEntries(named.filter(([name]) => name !== ''));
  if (!equal(details, contact.custom_fields)) body.custom_fields = details;
  const custom = contact.custom.map((_, place) => form.text(`custom-${place}`) || null);
  if (!equal(custom, contact.custom.map(value => value || null))) body.custom = custom;
  return body;
}

/** Returns what is sent of a new contact. */
export function createdOf(form) {
  const body = Object.fromEntries(PLAIN.map(name => [name, form.text(name)]).filter(([, value]) => value !== ''));
  return { ...body, type: form.text('type') || 'lead' };
}

function equal(one, other) {
  const sorted = value => JSON.stringify(Array.isArray(value) ? value : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(one) === sorted(other);
}

/** The fields by which people are known. */
export function mainFields(form, { isVerified = false, isCustomer = false, isNew = false } = {}) {
  return html`
    ${form.field({ name: 'name', label: words.name, isOptional: true, isFirst: isNew })}
    ${form.field({ name: 'email', label: words.email, type: 'email', inputmode: 'email', isOptional: true })}
    ${form.field({ name: 'phone', label: words.phone, type: 'tel', inputmode: 'tel', hint: words.phoneHint, isOptional: true })}
    ${form.field({ name: 'company', label: words.company, isOptional: true })}
    ${isCustomer ? nothing : form.field({ name: 'type', label: words.type, choices: Object.entries(texts.types).filter(([type]) => type !== 'customer') })}
    ${isVerified ? nothing : form.field({ name: 'external_id', label: words.external_id, hint: words.external_idHint, isOptional: true })}`;
}

/** What else is known of a person. */
export function furtherFields(context, form, contact) {
  return html`
    ${form.field({ name: 'consent', label: words.consent, choices: Object.entries(words.consents), isOptional: true })}
    ${form.text('consent') === '' ? nothing : form.field({ name: 'consent_source', label: words.consentSource, hint: words.consentSourceHint, isOptional: true })}
    ${contact.custom.map((_, place) => form.field({ name: `custom-${place}`, label: words.listed(place + 1), isOptional: true }))}
    ${details(context, form)}`;
}

function placesOf(form) {
  return (form.values.details ?? '').split(',').filter(place => place !== '');
}

/** Details with a name of their own. */
function details(context, form) {
  const places = placesOf(form);
  const add = async () => {
    const place = places.length === 0 ? 0 : Math.max(...places.map(Number)) + 1;
    form.write(`detail-name-${place}`, '');
    form.write(`detail-value-${place}`, '');
    form.write('details', [...places, place].join(','));
    await context.draw();
    document.getElementsByName(`detail-name-${place}`)[0]?.focus();
  };
  const drop = async place => {
    form.write('details', places.filter(other => other !== place).join(','));
    await context.draw();
    document.getElementById('detail-add')?.focus();
  };
  const input = (name, label, hint) => {
    const wrong = form.wrong[name];
    const id = `wrong-${name}`;
    return html`
      <div>
        <input name=${name} aria-label=${label} placeholder=${hint} autocomplete="off" .value=${live(form.values[name] ?? '')}
          aria-invalid=${wrong ? 'true' : nothing} aria-describedby=${wrong ? id : nothing} @input=${event => form.write(name, event.target.value)}>
        ${wrong ? html`<p class="wrong" id=${id}>${wrong.join(' ')}</p>` : nothing}
      </div>`;
  };
  return html`
    <fieldset class="details">
      <legend>${words.custom}</legend>
      ${places.map((place, number) => html`
        <div class="field detail">
          ${input(`detail-name-${place}`, words.customName(number + 1), words.customNameHint)}
          ${input(`detail-value-${place}`, words.customValue(number + 1), words.customValueHint)}
          <button type="button" class="round" aria-label=${words.customDrop(number + 1)} @click=${() => drop(place)}>${icon.close}</button>
        </div>`)}
      <p><button type="button" class="link" id="detail-add" @click=${add}>${words.customAdd}</button></p>
    </fieldset>`;
}

/** Marks details that have a value but no name, and names that are there twice. Returns whether all are right. */
export function areDetailsRight(form) {
  const names = new Set();
  for (const place of placesOf(form)) {
    const [name, value] = [form.text(`detail-name-${place}`), form.text(`detail-value-${place}`)];
    if (name === '' && value !== '') form.wrong[`detail-name-${place}`] = [words.customUnnamed];
    if (name !== '' && names.has(name)) form.wrong[`detail-name-${place}`] = [words.customTwice];
    names.add(name);
  }
  return Object.keys(form.wrong).length === 0;
}
