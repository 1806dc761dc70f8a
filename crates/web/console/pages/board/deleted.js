// Deals that were deleted within the last 30 days, and can be restored.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listDeals, restoreDeal } from '../../../client/deals.js';
import { focusOn } from '../../focus.js';
import { at, onDay } from '../../format.js';
import { path } from '../../paths.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { Reading, empty, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { texts } from '../../texts.js';
import { texts as words } from '../../texts/board.js';
import { contactName } from './directory.js';
import { money } from './money.js';

const PAGE = 100;

/**
 * @param {import('../../main.js').Context} context
 * @param {import('./directory.js').Directory} directory
 * @param {() => any} filters
 */
export function deletedDeals(context, directory, filters) {
  let wanted = PAGE;
  const reading = new Reading(context, async () => {
    const { q, owner_id, contact_id } = filters();
    const deals = [];
    let cursor;
    do {
      const query = Object.entries({ q, owner_id, contact_id, cursor, account_id: context.session.account.account_id }).filter(([, value]) => value !== undefined);
      const page = await listDeals(v1, { ...Object.fromEntries(query), deleted: true, limit: PAGE, sort_by: 'updated_at' });
      deals.push(...page.deals);
      cursor = page.pagination.next_cursor ?? undefined;
    } while (cursor !== undefined && deals.length < wanted);
    directory.contacts.ask(deals.flatMap(deal => deal.contact_ids.slice(0, 1)));
    return { deals, hasMore: cursor !== undefined };
  });
  const more = () => {
    wanted += PAGE;
    return reading.begin({ isQuiet: true });
  };
  const restore = async ({ deal_id, title }) => {
    try {
      await context.call(() => restoreDeal(v1, { deal_id }));
      context.say(words.said.restored(title), { action: words.openDeal, run: () => context.go(`deals/${deal_id}`) });
    } catch (error) {
      if (!(error instanceof Cancelled)) context.say(words.notDone(title, problemOf(error).message));
    }
    await reading.begin({ isQuiet: true });
    focusOn('main h1', { preventScroll: true });
  };

  /** @type {import('../../table.js').Column<any>[]} */
  const columns = [
    { title: words.deal.title, kind: 'name', cell: deal => html`<bdi>${deal.title}</bdi>` },
    {
      title: words.contact.one,
      cell: deal => {
        const contact = directory.contacts.get(deal.contact_ids[0]);
        return contact ? html`<a href=${path(`contacts/${contact.contact_id}`)}><bdi>${contactName(contact)}</bdi></a>` : '–';
      },
    },
    { title: words.deal.value, kind: 'number', cell: deal => (deal.value === null ? '–' : money(deal.value, deal.currency)) },
    { title: words.deletedAt, cell: deal => html`<span title=${at(deal.deleted_at)}>${onDay(deal.deleted_at)}</span>` },
    {
      title: words.remove.restore,
      kind: 'action',
      cell: deal => html`<button type="button" class="link" aria-label=${words.remove.restoreLabel(deal.title)} @click=${() => restore(deal)}>${words.remove.restore}</button>`,
    },
  ];
  return {
    begin: () => reading.begin(),
    refresh: () => reading.begin({ isQuiet: true }),
    view: () => reading.show(({ deals, hasMore }) => (deals.length === 0
      ? empty(words.noDeleted, words.noDeletedText)
      : html`
        <div class="stack">
          <p class="quiet">${words.deletedLead}</p>
          ${table(columns, deals, deal => deal.deal_id)}
          ${hasMore ? html`<p><button type="button" class="button" @click=${more}>${texts.more}</button></p>` : nothing}
        </div>`), skeleton(5)),
  };
}
