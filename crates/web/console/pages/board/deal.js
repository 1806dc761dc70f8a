// One deal: what is known of it, what is to be done for it, and what has happened to it.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { getDeal, listDealChanges, moveDeal, updateDeal } from '../../../client/deals.js';
import { listDealRows } from '../../../client/deal-rows.js';
import { listDealStatuses } from '../../../client/deal-statuses.js';
import { back, head } from '../../frame.js';
import { path } from '../../paths.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { Reading, empty, problem, skeleton } from '../../states.js';
import { texts as words } from '../../texts/board.js';
import { ActivitiesOfDeal } from './deal-activities.js';
import { ContactPicker } from './contact-picker.js';
import { dealActions, putBack } from './deal-actions.js';
import { DealFields } from './deal-fields.js';
import { aside, story } from './deal-parts.js';
import { Directory } from './directory.js';
import { openLater } from '../../later.js';

const PAGE = 50;

/**
 * @param {import('../../main.js').Context} context
 * @param {{ deal: string }} parameters
 */
export function page(context, { deal: deal_id }) {
  const directory = new Directory(context);
  const { account_id } = context.session.account;
  const statuses = new Reading(context, async () => (await listDealStatuses(v1, { account_id, limit: 100 })).deal_statuses);
  const rows = new Reading(context, async () => (await listDealRows(v1, { account_id, limit: 100 })).deal_rows);
  let wanted = PAGE;
  const changes = new Reading(context, async () => {
    const all = [];
    let isCut = false;
    for await (const change of listDealChanges(v1, { deal_id, limit: PAGE }).items()) {
      isCut = all.length >= wanted;
      if (isCut) break;
      all.push(change);
    }
    return { changes: all, isCut };
  });
  let working = 0;
  /** @type {import('../../service.js').Problem | undefined} */
  let failure;

  const take = deal => {
    fields.take(deal);
    directory.contacts.ask(deal.contact_ids);
    if (String(picker.chosen) !== String(deal.contact_ids)) picker.chosen = [...deal.contact_ids];
    return deal;
  };
  const deal = new Reading(context, async () => {
    const found = await getDeal(v1, { deal_id });
    // What is being changed at this moment is newer.
    return working > 0 && deal.value !== undefined ? deal.value : take(found);
  });
  const fields = new DealFields(context, directory, deal_id, saved => show(saved));
  const picker = new ContactPicker(context, directory, { id: 'deal-contacts', changed: () => change({ contact_ids: picker.chosen }) });
  const activities = new ActivitiesOfDeal(context, directory, deal_id, () => deal.value);

  const show = now => {
    deal.value = take(now);
    changes.begin({ isQuiet: true });
    context.draw();
  };
  /** Does something to the deal; readings meanwhile do not undo it on the screen. */
  const during = async work => {
    working += 1;
    failure = undefined;
    try {
      return await work();
    } finally {
      working -= 1;
    }
  };
  const fail = error => {
    if (!(error instanceof Cancelled)) failure = problemOf(error);
    if (deal.value !== undefined) take(deal.value);
    context.draw();
  };
  const change = async body => {
    try {
      show(await during(() => context.call(() => updateDeal(v1, { deal_id, body }))));
      context.say(words.deal.saved);
    } catch (error) {
      fail(error);
    }
  };
  const actions = dealActions(context, {
    change: during,
    changed: now => (location.pathname === path(`deals/${deal_id}`) ? show(now) : context.go(`deals/${deal_id}`)),
    removed: () => context.go('board'),
    failed: message => context.say(message),
    neighbors: () => ({}),
  });

  /** Moves the deal into another column or row. */
  const move = async (name, id) => {
    const before = deal.value;
    const target = statuses.value?.find(status => name === 'deal_status_id' && status.deal_status_id === id);
    try {
      const loss = target?.kind === 'lost' && before.outcome !== 'lost' 
        ? await openLater(context, () => import('./deal-dialogs.js'), ({ lossReason }, dialog) => lossReason(context, dialog, before)) : { reason: '' };
      if (loss === undefined) return context.draw();
      const now = await during(async () => {
        const moved = await context.call(() => moveDeal(v1, { deal_id, body: { [name]: id } }));
        // It is lost already, so only the reason is added.
        return loss.reason === '' ? moved : putBack(context, { ...moved, lost_reason: loss.reason }, {}, moved);
      });
      show(now);
      context.say(words.said.moved(now.title, target?.name ?? rows.value?.find(row => row.deal_row_id === id)?.name ?? ''), {
        action: words.undo, run: () => actions.undo(before, {}, now),
      });
    } catch (error) {
      fail(error);
    }
  };

  const isGone = () => deal.problem?.status === 404;
  const refresh = async () => {
    await deal.begin({ isQuiet: true });
    if (!isGone()) await Promise.all([changes.begin({ isQuiet: true }), activities.refresh()]);
  };
  deal.begin();
  changes.begin();
  statuses.begin();
  rows.begin();
  context.watch(['deals', 'activities'], () => isGone() || refresh());

  const more = () => {
    wanted += PAGE;
    changes.begin({ isQuiet: true });
  };
  return {
    title: () => deal.value?.title ?? words.title,
    view: () => (isGone()
      ? html`${head(words.title, { back: back('board', words.title) })}${empty(words.deal.gone, words.deal.goneText,
        html`<a class="button" href="${path('board')}?show=deleted">${words.deal.toDeleted}</a>`)}`
      : html`
        ${head(deal.value?.title ?? '…', { back: back('board', words.title) })}
        ${failure === undefined ? nothing : html`<div class="above">${problem(failure)}</div>`}
        ${deal.show(value => html`
          <div class="deal-page">
            <div>
              ${fields.view(statuses.value?.find(status => status.deal_status_id === value.deal_status_id)?.probability ?? null)}
              ${activities.view()}
              <section class="part">
                <h2>${words.history.title}</h2>
                ${changes.show(found => story(directory, found, more), skeleton(3))}
              </section>
            </div>
            ${aside({ context, directory, deal: value, statuses: statuses.value ?? [], rows: rows.value ?? [], picker, actions, move, change })}
          </div>`, skeleton(8))}`),
  };
}
