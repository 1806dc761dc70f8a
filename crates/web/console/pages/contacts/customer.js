// Whether a contact is a paying customer, and the last payment that is known.

import { html } from '../../../vendor/lit/lit.js';
import { markContactAsCustomer, unmarkContactAsCustomer } from '../../../client/contacts.js';
import { Form } from '../../form.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { texts as common } from '../../texts.js';
import { texts } from '../../texts/contacts.js';
import { dayOf, today } from './download.js';
import { nameOf } from './person.js';

const words = texts.customer;

/**
 * Returns the buttons.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('./contact.js').Subject} subject
 */
export function customerActions(context, subject) {
  const contact = subject.value;
  const mark = () => context.open(dialog => payment(context, subject, dialog));
  if (!contact.is_paying_customer) return html`<button type="button" class="button main" @click=${mark}>${words.mark}</button>`;
  return html`
    <div class="row">
      <button type="button" class="button" @click=${mark}>${words.payment}</button>
      <button type="button" class="button" @click=${() => unmark(context, subject)}>${words.unmark}</button>
    </div>`;
}

/**
 * @param {import('../../main.js').Context} context
 * @param {import('./contact.js').Subject} subject
 */
async function unmark(context, subject) {
  const name = nameOf(subject.value);
  if (!await context.confirm({ title: words.unmarkQuestion(name), text: words.unmarkText, action: words.unmarkAction })) return;
  subject.problem = undefined;
  try {
    subject.take(await context.call(() => unmarkContactAsCustomer(v1, { contact_id: subject.id })));
    context.say(words.unmarked(name));
  } catch (error) {
    if (error instanceof Cancelled) return;
    subject.problem = problemOf(error);
    context.draw();
  }
}

/**
 * Asks for the payment.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('./contact.js').Subject} subject
 * @param {import('../../dialogs.js').Dialog} dialog
 */
function payment(context, subject, dialog) {
  const contact = subject.value;
  const isNew = !contact.is_paying_customer;
  const known = contact.payment;
  const day = known?.paid_at ? dayOf(known.paid_at) : '';
  const form = new Form(context, `payment-${subject.id}`, {
    isKept: true,
    values: { paid_at: day, amount: known?.amount ?? '', currency: known?.currency ?? '', reference: known?.reference ?? '' },
  });
  const send = async () => {
    const body = {};
    const [paidAt, amount, reference] = [form.text('paid_at'), form.text('amount').replace(',', '.'), form.text('reference')];
    // A day is sent as its noon, unless it is the present one, which has not come to that yet.
    if (paidAt !== '' && paidAt !== day) body.paid_at = (paidAt === today() ? new Date() : new Date(`${paidAt}T12:00`)).toISOString();
    else if (known?.paid_at && paidAt !== '') body.paid_at = known.paid_at;
    if (amount !== '') body.amount = amount;
    if (form.text('currency') !== '') body.currency = form.text('currency').toUpperCase();
    if (reference !== '') body.reference = reference;
    const marked = await context.call(() => markContactAsCustomer(v1, { contact_id: subject.id, body }));
    form.clear();
    subject.take(marked);
    dialog.close();
    context.say(isNew ? words.marked(nameOf(marked)) : words.paymentSaved);
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}><bdi>${isNew ? words.title(nameOf(contact)) : words.paymentTitle}</bdi></h2>
      <p>${isNew ? words.lead : words.paymentLead}</p>
      ${form.view({
        fields: html`
          <div class="pair">
            ${form.field({ name: 'amount', label: words.amount, hint: words.amountHint, inputmode: 'decimal', isOptional: true, isFirst: true })}
            ${form.field({ name: 'currency', label: words.currency, hint: words.currencyHint, isOptional: true })}
          </div>
          ${form.field({ name: 'paid_at', label: words.paid_at, type: 'date', isOptional: true })}
          ${form.field({ name: 'reference', label: words.reference, hint: words.referenceHint, isOptional: true })}`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${common.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${isNew ? words.action : words.paymentAction}</button>
          </div>`,
        send,
      })}
    </div>`;
}
