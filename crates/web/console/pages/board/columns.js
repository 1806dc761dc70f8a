// The columns and rows of the board, in their order.

import { html, nothing, ref, repeat } from '../../../vendor/lit/lit.js';
import { deleteDealRow, listDealRows, orderDealRows } from '../../../client/deal-rows.js';
import { deleteDealStatus, listDealStatuses, orderDealStatuses } from '../../../client/deal-statuses.js';
import { back, head } from '../../frame.js';
import { icon } from '../../icons.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { Reading, skeleton } from '../../states.js';
import { texts as words } from '../../texts/board.js';
import { forbidden } from '../missing.js';
import { tone } from './tone.js';
import { Drag } from './drag.js';
import { openLater } from '../../later.js';

const own = words.columns;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const { account_id } = context.session.account;
  const columns = ordered(context, {
    id: 'deal_status_id',
    read: async () => (await listDealStatuses(v1, { account_id, limit: 100 })).deal_statuses,
    order: ids => orderDealStatuses(v1, { body: { deal_status_ids: ids } }),
    remove: (deal_status_id, move_to) => deleteDealStatus(v1, { deal_status_id, ...(move_to ? { move_to } : {}) }),
    dialog: 'columnDialog',
    // Deals keep their outcome, so they go into a column of the same kind, or an open one.
    targets: (column, all) => all.filter(other => other !== column && (other.kind === column.kind || other.kind === 'open')),
    canRemove: (column, all) => column.kind !== 'open' || all.filter(other => other.kind === 'open').length > 1,
    facts: column => html`
      <span class="badge ${column.kind === 'won' ? 'good' : column.kind === 'lost' ? 'bad' : ''}">${own.kinds[column.kind] ?? column.kind}</span>
      <span>${words.deals(column.deal_count)}</span>
      ${column.probability === null ? nothing : html`<span>${own.chance(column.probability)}</span>`}
      ${column.rot_after_days === null ? nothing : html`<span>${own.idle(column.rot_after_days)}</span>`}`,
  });
  const rows = ordered(context, {
    id: 'deal_row_id',
    read: async () => (await listDealRows(v1, { account_id, limit: 100 })).deal_rows,
    order: ids => orderDealRows(v1, { body: { deal_row_ids: ids } }),
    remove: (deal_row_id, move_to) => deleteDealRow(v1, { deal_row_id, ...(move_to ? { move_to } : {}) }),
    dialog: 'rowDialog',
    targets: (row, all) => all.filter(other => other !== row),
    canRemove: row => !row.is_default,
    facts: row => html`
      ${row.is_default ? html`<span class="badge">${own.isDefault}</span>` : nothing}
      <span>${words.deals(row.deal_count)}</span>
      ${row.is_collapsed ? html`<span>${own.collapsed}</span>` : nothing}`,
  });
  context.watch(['deals'], () => Promise.all([columns.refresh(), rows.refresh()]));

  const part = (list, title, add, lead = /** @type {unknown} */ (nothing)) => html`
    <section class="part">
      <div class="head">
        <h2>${title}</h2>
        <button type="button" class="button slim" @click=${() => list.edit(undefined)}>${icon.plus}${add}</button>
      </div>
      ${lead === nothing ? nothing : html`<p class="lead">${lead}</p>`}
      ${list.view(title)}
    </section>`;
  return {
    title: own.title,
    view: () => html`
      ${head(own.title, { lead: own.lead, back: back('board', words.title) })}
      ${part(columns, own.columns, own.addColumn)}
      ${part(rows, own.rows, own.addRow, own.rowsLead)}`,
  };
}

/**
 * A list that people put into an order: by dragging, or with buttons.
 *
 * @param {import('../../main.js').Context} context
 * @param {any} kind
 */
function ordered(context, kind) {
  const { id } = kind;
  /** What is dragged, and where it would be. @type {{ item: any, at: number, from: number } | undefined} */
  let held;
  let isSaving = false;
  let announced = '';
  const reading = new Reading(context, async () => {
    const found = await kind.read();
    return (held !== undefined || isSaving) && reading.value !== undefined ? reading.value : found;
  });
  reading.begin();

  /** Puts an item to a place, and back if the service refuses. */
  const place = async (item, index) => {
    const before = reading.value ?? [];
    const next = before.filter(other => other !== item);
    next.splice(index, 0, item);
    reading.value = next;
    announced = own.moved(item.name, index + 1, next.length);
    isSaving = true;
    context.draw();
    try {
      await context.call(() => kind.order(next.map(other => other[id])));
    } catch (error) {
      reading.value = before;
      announced = '';
      if (!(error instanceof Cancelled)) context.say(own.notMoved(problemOf(error).message));
    }
    isSaving = false;
    reading.begin({ isQuiet: true });
  };
  const step = async (item, index, button) => {
    const done = place(item, index);
    await context.draw();
    // Buttons at the end of the list are disabled, where the focus would be lost.
    const row = document.querySelector(`[data-order="${CSS.escape(item[id])}"]`);
    const same = /** @type {HTMLButtonElement | null} */ (row?.querySelector(`.${button}`));
    if (same?.disabled) /** @type {HTMLElement | null} */ (row?.querySelector('.round:not(:disabled)'))?.focus();
    else same?.focus();
    await done;
  };
  const drag = new Drag({
    item: '.order',
    list: '.orders',
    grip: '.grip',
    begin: element => {
      const from = (reading.value ?? []).findIndex(item => item[id] === element.dataset.order);
      if (from < 0 || isSaving) return false;
      held = { item: reading.value?.[from], at: from, from };
      context.draw();
      return true;
    },
    over: (_, index) => {
      if (held === undefined || held.at === index) return;
      held.at = index;
      context.draw();
    },
    end: isDropped => {
      const now = held;
      held = undefined;
      if (isDropped && now !== undefined && now.at !== now.from) place(now.item, now.at);
      context.draw();
    },
  });

  const edit = async item => {
    const saved = await openLater(context, () => import('./column-dialogs.js'), (dialogs, dialog) => dialogs[kind.dialog](context, dialog, item));
    if (saved === undefined) return;
    context.say(item === undefined ? own.added(saved.name) : own.saved(saved.name));
    await reading.begin({ isQuiet: true });
  };
  const remove = async item => {
    const targets = kind.targets(item, reading.value ?? []);
    const isDone = await openLater(context, () => import('./column-dialogs.js'), ({ removalDialog }, dialog) => removalDialog(context, dialog, {
      item, targets: targets.map(other => [other[id], other.name]), remove: move_to => kind.remove(item[id], move_to),
    }));
    if (isDone !== true) return;
    context.say(own.removed(item.name));
    await reading.begin({ isQuiet: true });
  };

  const entry = (item, index, all) => html`
    <li class="order ${held?.item === item ? 'held' : ''}" data-order=${item[id]}>
      <span class="grip" title=${own.drag(item.name)}>${icon.grip}</span>
      ${tone(item.color)}
      <div>
        <h3 class="words">${item.name}</h3>
        <p class="row small quiet">${kind.facts(item)}</p>
      </div>
      <div class="acts">
        <button type="button" class="round up" aria-label=${own.up(item.name)} ?disabled=${index === 0} @click=${() => step(item, index - 1, 'up')}>${icon.up}</button>
        <button type="button" class="round down" aria-label=${own.down(item.name)} ?disabled=${index === all.length - 1} @click=${() => step(item, index + 1, 'down')}>${icon.down}</button>
        <button type="button" class="link" aria-label=${own.editLabel(item.name)} @click=${() => edit(item)}>${own.edit}</button>
        ${kind.canRemove(item, all)
          ? html`<button type="button" class="link danger" aria-label=${own.removeLabel(item.name)} @click=${() => remove(item)}>${own.remove}</button>` : nothing}
      </div>
    </li>`;

  return {
    edit,
    refresh: () => reading.begin({ isQuiet: true }),
    view: label => html`
      ${reading.show(all => {
        const entries = [...all];
        if (held !== undefined && held.at !== held.from) entries.splice(held.at > held.from ? held.at + 1 : held.at, 0, undefined);
        return html`
          <div ${ref(drag.attach)}>
            <ol class="orders" aria-label=${label}>
              ${repeat(entries, item => item?.[id] ?? 'slot', item => (item === undefined
                ? html`<li class="slot" aria-hidden="true"></li>` : entry(item, all.indexOf(item), all)))}
            </ol>
          </div>`;
      }, skeleton(6))}
      <p class="unseen" role="status">${announced}</p>`,
  };
}
