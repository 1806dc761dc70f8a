// Where the credits of a month went: by day and by chatbot.

import { html, nothing, svg } from '../../../vendor/lit/lit.js';
import { count } from '../../format.js';
import { empty } from '../../states.js';
import { table } from '../../table.js';
import { words } from '../../texts/usage.js';

/** Parts of the drawing: the width of a day, the gap after it, and the height of the largest one. */
const WIDTH = 10;
const GAP = 3;
const HEIGHT = 100;

const dayName = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/**
 * @param {import('../../../client/usage.js').AccountUsage} usage
 * @param {string} month Its name.
 * @param {Map<string, string> | undefined} names Names of chatbots, once they have been read.
 */
export function spent(usage, month, names) {
  if (usage.credits_used === 0) return html`<section class="part">${empty(words.none, words.noneText)}</section>`;
  const days = total(usage.days, entry => entry.day);
  const recorded = [...days.values()].reduce((sum, value) => sum + value, 0);
  const isIncomplete = recorded < usage.credits_used;
  return html`
    ${isIncomplete ? html`<p class="small quiet part">${words.older(count(usage.credits_used - recorded))}</p>` : nothing}
    ${recorded === 0 ? nothing : html`
      <section class="part">
        <h2>${words.byDay}</h2>
        ${chart(usage.month, days, recorded, month)}
        <details class="days">
          <summary>${words.table}</summary>
          ${table(DAY_COLUMNS, [...days], ([day]) => day)}
          <p class="small quiet">${words.byDayText}</p>
        </details>
      </section>
      <section class="part">
        <h2>${words.byChatbot}</h2>
        ${byChatbot(usage.days, recorded, names)}
      </section>`}`;
}

/** @returns {Map<string, number>} */
function total(entries, keyOf) {
  const sums = new Map();
  for (const entry of entries) sums.set(keyOf(entry), (sums.get(keyOf(entry)) ?? 0) + entry.credits_used);
  return sums;
}

/** @type {import('../../table.js').Column<[string, number]>[]} */
const DAY_COLUMNS = [
  { title: words.day, kind: 'name', cell: ([day]) => dayName.format(new Date(day)) },
  { title: words.total, kind: 'number', cell: ([, sum]) => count(sum) },
];

/** A bar for each day. The table beside it has the same figures. */
function chart(month, days, sum, monthName) {
  const [year, number] = month.split('-').map(Number);
  const length = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const all = Array.from({ length }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`);
  const most = Math.max(...days.values());
  const busiest = all.find(day => days.get(day) === most) ?? all[0];
  return html`
    <figure class="bars">
      <figcaption class="small quiet">${words.most(count(most))}</figcaption>
      <svg viewBox="0 0 ${length * WIDTH - GAP} ${HEIGHT}" preserveAspectRatio="none" role="img"
        aria-label=${words.chart(count(sum), monthName, count(most), dayName.format(new Date(busiest)))}>
        ${all.map((day, index) => {
          const value = days.get(day) ?? 0;
          // A day with any use is seen.
          const height = value === 0 ? 1 : Math.max((value / most) * HEIGHT, 3);
          return svg`<rect class=${value === 0 ? 'none' : ''} x=${index * WIDTH} y=${HEIGHT - height} width=${WIDTH - GAP} height=${height}><title>${dayName.format(new Date(day))}: ${count(value)}</title></rect>`;
        })}
      </svg>
      <p class="small quiet row between" aria-hidden="true"><span>${dayName.format(new Date(all[0]))}</span><span>${dayName.format(new Date(all[length - 1]))}</span></p>
    </figure>`;
}

function byChatbot(days, sum, names) {
  const sums = total(days, ({ chatbot_id, kind }) => `${chatbot_id ?? ''} ${kind}`);
  const rows = [...sums].map(([key, credits]) => {
    const [chatbot, kind] = key.split(' ');
    return { key, chatbot, kind, credits };
  }).sort((a, b) => b.credits - a.credits);
  return table([
    { title: words.chatbot, kind: 'name', cell: ({ chatbot }) => (chatbot === '' ? words.deleted : names?.get(chatbot) ?? '…') },
    { title: words.kindTitle, cell: ({ kind }) => words.kinds[kind] ?? kind },
    { title: words.total, kind: 'number', cell: ({ credits }) => count(credits) },
    { title: words.share, kind: 'number', cell: ({ credits }) => words.percent(count(Math.round((credits / sum) * 100))) },
  ], rows, ({ key }) => key);
}
