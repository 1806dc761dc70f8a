// Who signed in, and who changed passwords and keys.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listAuditEntries } from '../../../console-client/audit-entries.js';
import { at } from '../../format.js';
import { head } from '../../frame.js';
import { account } from '../../service.js';
import { Listing, empty, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { texts } from '../../texts.js';
import { forbidden } from '../missing.js';

const words = texts.audit;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const list = new Listing(context, async cursor => {
    const { audit_entries, pagination } = await listAuditEntries(account, { limit: 50, cursor });
    return { items: audit_entries, next: pagination.next_cursor };
  });
  list.begin();
  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: words.lead })}
      <div class="stack">${list.show(entries => (entries.length === 0 ? empty(words.empty, words.emptyText) : table(COLUMNS, entries, entry => entry.audit_entry_id)), skeleton(9))}</div>`,
  };
}

/** @type {import('../../table.js').Column<any>[]} */
const COLUMNS = [
  { title: words.when, kind: 'number', cell: entry => at(entry.created_at) },
  { title: words.who, cell: entry => entry.actor.name },
  {
    title: words.what,
    cell: ({ action, subject }) => html`${words.actions[action] ?? action} ${subject ? html`<span class="quiet">${subject}</span>` : nothing}`,
  },
  { title: words.from, kind: 'number', cell: entry => entry.ip_address ?? words.unknown },
];
