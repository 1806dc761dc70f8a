// Dialogs about deals: a new one, why one was lost, and where one goes.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createDeal } from '../../../client/deals.js';
import { Form } from '../../form.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as words } from '../../texts/board.js';
import { ContactPicker } from './contact-picker.js';
import { amount, amountFields } from './amount-fields.js';
import { keepCurrency, likelyCurrency } from './money.js';

/** The buttons at the end of a dialog. */
function ending(dialog, isSending, action, kind = 'main') {
  return html`
    <div class="row end">
      <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
      <button class="button ${kind}" ?disabled=${isSending}>${action}</button>
    </div>`;
}

/**
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {{ directory: import('./directory.js').Directory, columns: any[], rows: any[], status?: string, row?: string, contacts?: string[] }} options
 */
export function newDeal(context, dialog, { directory, columns, rows, status, row, contacts }) {
  const form = new Form(context, 'new-deal', {
    values: { currency: likelyCurrency(), owner_id: directory.me }, isKept: true,
  });
  form.values.deal_status_id = status ?? columns[0]?.deal_status_id;
  form.values.deal_row_id = row ?? rows.find(one => one.is_default)?.deal_row_id ?? rows[0]?.deal_row_id;
  const picker = new ContactPicker(context, directory, { id: 'new-deal-contact', chosen: contacts });
  const send = async () => {
    const value = amount(form.text('value'));
    const currency = form.text('currency');
    const body = {
      title: form.text('title'),
      deal_status_id: form.text('deal_status_id'),
      deal_row_id: form.text('deal_row_id'),
      contact_ids: picker.chosen,
      ...(value === '' ? {} : { value, currency }),
      ...(form.text('expected_close_date') === '' ? {} : { expected_close_date: form.text('expected_close_date') }),
      ...(form.text('owner_id') === '' ? {} : { owner_id: form.text('owner_id') }),
    };
    const deal = await context.call(() => createDeal(v1, { body }));
    if (value !== '') keepCurrency(currency);
    form.clear();
    dialog.close(deal);
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.newDeal.title}</h2>
      ${form.view({
        fields: html`
          ${form.field({ name: 'title', label: words.deal.title, hint: words.newDeal.titleHint, isFirst: true })}
          ${picker.view({ label: words.deal.contacts })}
          ${amountFields(form)}
          <div class="pair even">
            ${form.field({ name: 'deal_status_id', label: words.deal.column, choices: columns.map(one => [one.deal_status_id, one.name]) })}
            ${rows.length > 1 ? form.field({ name: 'deal_row_id', label: words.deal.row, choices: rows.map(one => [one.deal_row_id, one.name]) }) : nothing}
          </div>
          <div class="pair even">
            ${form.field({ name: 'expected_close_date', label: words.deal.expected, type: 'date', isOptional: true })}
            ${form.field({ name: 'owner_id', label: words.deal.owner, choices: directory.choices(form.values.owner_id), isOptional: true })}
          </div>`,
        actions: ({ isSending }) => ending(dialog, isSending, words.newDeal.action),
        send,
      })}
    </div>`;
}

/**
 * Asks why a deal was lost. It is closed with the reason, which may be empty, or with nothing.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 */
export function lossReason(context, dialog, deal) {
  const isLost = deal.outcome === 'lost';
  const form = new Form(context, 'loss', { values: { reason: deal.lost_reason ?? '' }, aliases: { lost_reason: 'reason' } });
  const suggest = reason => {
    form.write('reason', reason);
    context.draw();
    document.getElementById('loss-reason')?.focus();
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.loss.title}</h2>
      <p class="quiet words">${deal.title}</p>
      ${form.view({
        fields: html`
          <div class="suggestions">
            ${words.loss.usual.map(reason => html`<button type="button" class="button slim" @click=${() => suggest(reason)}>${reason}</button>`)}
          </div>
          ${form.field({ name: 'reason', label: words.loss.reason, hint: words.loss.hint, lines: 2, isOptional: true, isFirst: true })}`,
        actions: ({ isSending }) => ending(dialog, isSending, isLost ? words.deal.save : words.loss.action),
        send: async () => {
          if ([...form.text('reason')].length > 500) form.wrong.reason = [words.loss.long];
          else dialog.close({ reason: form.text('reason') });
        },
      })}
    </div>`;
}

/**
 * Asks where a deal goes. It is closed with the place, or with nothing.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {import('./board-state.js').BoardState} state
 */
export function moveTo(context, dialog, state, deal) {
  const form = new Form(context, 'move', { values: { status: deal.deal_status_id, row: deal.deal_row_id } });
  const columns = state.value?.columns.map(({ status }) => status) ?? [];
  const rows = state.value?.rows ?? [];
  const now = state.placeOf(deal.deal_id);
  const isHere = () => form.values.status === now?.status && form.values.row === now?.row;
  const fit = () => { form.values.index = isHere() ? String(now?.index) : '0'; };
  fit();
  const places = () => {
    const others = state.others(form.values.status, form.values.row, deal.deal_id);
    /** @type {[string, string][]} */
    const choices = others.map((other, index) => [String(index + 1), words.move.after(other.title)]);
    return [/** @type {[string, string]} */ (['0', words.move.top]), ...choices];
  };
  const changed = event => {
    if (event.target.name !== 'index') fit();
    context.draw();
  };
  return () => html`
    <div class="stack" @change=${changed}>
      <h2 id=${dialog.id}>${words.move.title}</h2>
      <p class="quiet words">${deal.title}</p>
      ${form.view({
        fields: html`
          ${form.field({ name: 'status', label: words.deal.column, choices: columns.map(one => [one.deal_status_id, one.name]) })}
          ${rows.length > 1 ? form.field({ name: 'row', label: words.deal.row, choices: rows.map(one => [one.deal_row_id, one.name]) }) : nothing}
          ${form.field({ name: 'index', label: words.move.place, choices: places() })}`,
        actions: ({ isSending }) => ending(dialog, isSending, words.move.action),
        send: async () => dialog.close({ status: form.values.status, row: form.values.row, index: Number(form.values.index) }),
      })}
    </div>`;
}

/**
 * Asks for a contact. It is closed with its id, or with nothing.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {import('./directory.js').Directory} directory
 */
export function contactChoice(context, dialog, directory) {
  const picker = new ContactPicker(context, directory, {
    id: 'filter-contact', isSingle: true, canCreate: false, changed: () => dialog.close(picker.chosen[0]),
  });
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.filters.contactTitle}</h2>
      ${picker.view({ label: words.contact.one })}
      <div class="row end"><button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button></div>
    </div>`;
}
