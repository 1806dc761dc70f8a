// What became of each page of a website, with the reason if it is not used.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { getCrawlReport, getWebsite } from '../../../client/websites.js';
import { ago, at } from '../../format.js';
import { back, head } from '../../frame.js';
import { v1 } from '../../service.js';
import { Listing, Reading, empty, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { texts } from '../../texts.js';

const words = texts.report;
const OUTCOMES = { ready: 'good', unchanged: 'good', failed: 'bad', skipped: 'caution' };

/**
 * @param {import('../../main.js').Context} context
 * @param {{ chatbot: string, website: string }} parameters
 */
export function page(context, { chatbot: chatbot_id, website: website_id }) {
  const website = new Reading(context, () => getWebsite(v1, { chatbot_id, website_id }));
  let outcome = '';
  let list;
  const read = () => {
    const wanted = outcome;
    list = new Listing(context, async cursor => {
      const request = { chatbot_id, website_id, limit: 50, cursor, outcome: wanted === '' ? undefined : wanted };
      const { entries, pagination } = await getCrawlReport(v1, request);
      return { items: entries, next: pagination.next_cursor };
    });
    list.begin();
  };
  website.begin();
  read();
  const choose = event => {
    outcome = event.target.value;
    read();
  };

  return {
    title: words.title,
    view: () => html`
      ${head(words.title, {
        lead: website.value?.url ?? words.lead,
        back: back(`chatbots/${chatbot_id}`, context.chatbots.get(chatbot_id)?.name ?? texts.chatbot.overview),
      })}
      <div class="stack">
        <p class="row">
          <label for="outcome">${words.show}</label>
          <select class="slim" id="outcome" @change=${choose}>
            <option value="">${words.all}</option>
            ${Object.entries(words.outcomes).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
          </select>
        </p>
        ${list.show(entries => (entries.length === 0 ? empty(words.empty, words.emptyText) : table(COLUMNS, entries, entry => entry.url)), skeleton(9))}
      </div>`,
  };
}

/** @type {import('../../table.js').Column<any>[]} */
const COLUMNS = [
  { title: words.page, isPlain: true, cell: entry => entry.url },
  {
    title: words.outcome,
    isPlain: true,
    cell: ({ outcome }) => html`<span class="badge ${OUTCOMES[outcome] ?? ''}">${words.outcomes[outcome] ?? outcome}</span>`,
  },
  {
    title: words.reason,
    isPlain: true,
    cell: ({ reason, http_status }) => (reason
      ? html`<span class="small">${words.reasons[reason] ?? reason}
          ${http_status >= 300 ? html`<span class="quiet">${words.status(http_status)}</span>` : nothing}</span>`
      : nothing),
  },
  {
    title: words.visited,
    kind: 'quiet',
    isPlain: true,
    cell: entry => (entry.at ? html`<span title=${at(entry.at)}>${ago(entry.at)}</span>` : nothing),
  },
];
