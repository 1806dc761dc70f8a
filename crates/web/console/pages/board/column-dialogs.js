// Dialogs about columns and rows of the board.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createDealRow, updateDealRow } from '../../../client/deal-rows.js';
import { createDealStatus, updateDealStatus } from '../../../client/deal-statuses.js';
import { Form } from '../../form.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as words } from '../../texts/board.js';
import { tone } from './tone.js';

const own = words.columns;

function ending(dialog, isSending, action, kind = 'main') {
  return html`
    <div class="row end">
      <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
      <button class="button ${kind}" ?disabled=${isSending}>${action}</button>
    </div>`;
}

/** A choice of colors. One that a program has set is among them. */
function colors(context, form, id) {
  const chosen = form.values.color;
  const all = Object.entries(own.colors);
  if (!(chosen in own.colors)) all.push([chosen, own.other]);
  const choose = color => {
    form.write('color', color);
    context.draw();
  };
  return html`
    <fieldset class="field">
      <legend>${own.color}</legend>
      <div class="swatches">
        ${all.map(([color, name]) => html`
          <label title=${name}><input type="radio" name="${id}-color" value=${color} aria-label=${name} .checked=${chosen === color} @change=${() => choose(color)}>
            ${tone(color === '' ? null : color)}</label>`)}
      </div>
    </fieldset>`;
}

/** Reads a whole number, or null if the field is empty. */
function whole(form, name) {
  const text = form.text(name);
  if (text !== '' && !/^\d+$/.test(text)) form.wrong[name] = [words.whole];
  return text === '' ? null : Number(text);
}

/** Says beside the name that another one has it. */
async function named(form, work) {
  try {
    return await work();
  } catch (error) {
    if (error?.code !== 'already_exists') throw error;
    form.wrong.name = [own.taken];
    return undefined;
  }
}

/**
 * A new column, or the change of one. It is closed with the column.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {any} column
 */
export function columnDialog(context, dialog, column) {
  const isNew = column === undefined;
  const text = value => (value === null || value === undefined ? '' : String(value));
  const form = new Form(context, 'column', {
    values: {
      name: column?.name ?? '', color: column?.color ?? '', kind: column?.kind ?? 'open', probability: text(column?.probability),
      rot: text(column?.rot_after_days),
    },
    aliases: { rot_after_days: 'rot' },
  });
  const isFixed = !isNew && column.deal_count > 0;
  const send = async () => {
    const probability = whole(form, 'probability');
    const isOpen = form.text('kind') === 'open';
    const rot_after_days = isOpen ? whole(form, 'rot') : null;
    if (Object.keys(form.wrong).length > 0) return;
    const color = form.values.color === '' ? null : form.values.color;
    const body = {
      name: form.text('name'), color, rot_after_days,
      // Without one, a new column gets that of its kind.
      ...(isNew && probability === null ? {} : { probability }),
      ...(isFixed || form.text('kind') === column?.kind ? {} : { kind: form.text('kind') }),
    };
    const saved = await named(form, () => context.call(() => (isNew
      ? createDealStatus(v1, { body }) : updateDealStatus(v1, { deal_status_id: column.deal_status_id, body }))));
    if (saved !== undefined) dialog.close(saved);
  };
  return () => html`
    <div class="stack" @change=${() => context.draw()}>
      <h2 id=${dialog.id}>${isNew ? own.addColumn : own.editColumn}</h2>
      ${form.view({
        fields: html`
          ${form.field({ name: 'name', label: own.name, isFirst: true })}
          ${colors(context, form, 'column')}
          ${isFixed
            ? html`<p class="small quiet">${own.kind}: ${own.kinds[column.kind]}. ${own.kindFixed}</p>`
            : form.field({ name: 'kind', label: own.kind, hint: own.kindHint, choices: Object.entries(own.kinds) })}
          ${form.field({ name: 'probability', label: own.probability, inputmode: 'numeric', isOptional: true })}
          ${form.text('kind') === 'open' ? form.field({ name: 'rot', label: own.rot, hint: own.rotHint, inputmode: 'numeric', isOptional: true }) : nothing}`,
        actions: ({ isSending }) => ending(dialog, isSending, isNew ? own.add : own.save),
        send,
      })}
    </div>`;
}

/**
 * A new row, or the change of one. It is closed with the row.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {any} row
 */
export function rowDialog(context, dialog, row) {
  const isNew = row === undefined;
  const form = new Form(context, 'row', {
    values: { name: row?.name ?? '', color: row?.color ?? '', is_collapsed: row?.is_collapsed ? 'true' : '' },
  });
  const send = async () => {
    const body = { name: form.text('name'), color: form.values.color === '' ? null : form.values.color, is_collapsed: form.isOn('is_collapsed') };
    const saved = await named(form, () => context.call(() => (isNew
      ? createDealRow(v1, { body }) : updateDealRow(v1, { deal_row_id: row.deal_row_id, body }))));
    if (saved !== undefined) dialog.close(saved);
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${isNew ? own.addRow : own.editRow}</h2>
      ${form.view({
        fields: html`
          ${form.field({ name: 'name', label: own.name, isFirst: true })}
          ${colors(context, form, 'row')}
          ${form.toggle({ name: 'is_collapsed', label: own.collapsed, hint: own.collapsedHint })}`,
        actions: ({ isSending }) => ending(dialog, isSending, isNew ? own.add : own.save),
        send,
      })}
    </div>`;
}

/**
 * Asks whether to delete a column or a row, and where its deals go.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {{ item: any, targets: [string, string][], remove: (move_to?: string) => PromiseLike<any> }} options
 */
export function removalDialog(context, dialog, { item, targets, remove }) {
  const form = new Form(context, 'removal', { values: { move_to: targets[0]?.[0] ?? '' } });
  const hasDeals = item.deal_count > 0;
  const send = async () => {
    await context.call(() => remove(hasDeals ? form.text('move_to') : undefined));
    dialog.close(true);
  };
  if (hasDeals && targets.length === 0) {
    return () => html`
      <div class="stack">
        <h2 id=${dialog.id}>${own.removeTitle(item.name)}</h2>
        <p>${own.noTarget}</p>
        <div class="row end"><button type="button" class="button" data-first @click=${() => dialog.close()}>${texts.close}</button></div>
      </div>`;
  }
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${own.removeTitle(item.name)}</h2>
      <p>${hasDeals ? own.removeDeals(item.deal_count) : own.removeEmpty}</p>
      ${form.view({
        fields: hasDeals ? form.field({ name: 'move_to', label: own.moveTo, choices: targets }) : nothing,
        actions: ({ isSending }) => ending(dialog, isSending, own.remove, 'danger'),
        send,
      })}
    </div>`;
}
