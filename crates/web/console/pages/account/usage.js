// Usage: what the account uses of its plan, what to do near a limit, and where the credits went.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listChatbots } from '../../../client/chatbots.js';
import { getUsage } from '../../../client/usage.js';
import { count, onDay } from '../../format.js';
import { head } from '../../frame.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, skeleton } from '../../states.js';
import { words } from '../../texts/usage.js';
import { bytes } from './sizes.js';
import { spent } from './usage-days.js';

/** Months that can be chosen. */
const MONTHS = 12;
/** Milliseconds for which changes are gathered. */
const PAUSE = 5_000;
/** The share of a limit from which it is said that it comes near. */
const NEAR = 0.8;

const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** @param {import('../../main.js').Context} context */
export function page(context) {
  let month = monthOf(0);
  const usage = new Reading(context, () => getUsage(v1, month === monthOf(0) ? {} : { month }));
  const chatbots = new Reading(context, readChatbots);
  usage.begin();
  chatbots.begin();
  let timer;
  // Many answers a minute are read as one.
  context.watch(['chatbots', 'contacts', 'content', 'conversations', 'threads'], () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      usage.begin({ isQuiet: true });
    }, PAUSE);
  });

  const choose = event => {
    month = event.target.value;
    usage.begin();
  };
  const select = html`
    <label class="row small"><span class="quiet">${words.month}</span>
      <select class="slim" @change=${choose}>
        ${Array.from({ length: MONTHS }, (_, back) => html`<option value=${monthOf(back)}>${monthName.format(new Date(`${monthOf(back)}-01`))}</option>`)}
      </select>
    </label>`;

  return {
    title: words.title,
    leave: () => clearTimeout(timer),
    view: () => html`
      ${head(words.title, { lead: words.lead, action: select })}
      ${usage.show(read => {
        const isPresent = read.month === monthOf(0);
        return html`
          ${isPresent ? advice(read) : nothing}
          ${credits(read, isPresent)}
          ${spent(read, monthName.format(new Date(`${read.month}-01`)), chatbots.value)}
          ${isPresent ? present(read) : nothing}`;
      }, skeleton(8))}`,
  };
}

/** All chatbots, for their names. */
async function readChatbots() {
  const { chatbots } = await listChatbots(v1);
  return new Map(chatbots.map(({ chatbot_id, name }) => [chatbot_id, name]));
}

/** Returns the month that was so many months ago, in UTC. */
function monthOf(back) {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7);
}

function stateOf(used, limit) {
  if (limit === null) return undefined;
  return used >= limit ? 'full' : used >= limit * NEAR ? 'near' : 'fine';
}

const BADGES = { fine: 'good', near: 'caution', full: 'bad' };

function badge(state, names) {
  return html`<span class="badge ${BADGES[state]}">${names[state]}</span>`;
}

/** A share of a limit, rounded so that it is 100% only if nothing is left. */
function percent(used, limit) {
  const share = limit === 0 ? 100 : (used / limit) * 100;
  if (used > 0 && share < 1) return words.little;
  return words.percent(count(used < limit ? Math.min(99, Math.round(share)) : Math.round(share)));
}

function credits(read, isPresent) {
  const { credits_used: used, monthly_limit: limit, monthly_remaining: left } = read;
  if (!isPresent) {
    return html`
      <section class="figure month"><h2 class="small quiet">${words.credits}</h2><p><strong>${count(used)}</strong> ${words.creditsThen}</p></section>`;
  }
  const state = stateOf(used, limit);
  const days = Math.ceil((new Date(read.resets_at).getTime() - Date.now()) / 86_400_000);
  return html`
    <section class="figure month">
      <div class="top"><h2 class="small quiet">${words.credits}</h2>${badge(state, words.creditStates)}</div>
      <p><strong>${count(used)}</strong> ${words.creditsOf(count(limit))}</p>
      <progress class=${state} max=${Math.max(limit, 1)} value=${Math.min(used, limit)} aria-label=${words.credits}></progress>
      <p class="small quiet row between">
        <span>${percent(used, limit)} · ${words.left(count(left))}</span>
        <span>${words.renewed(onDay(read.resets_at), relative.format(Math.max(days, 0), 'day'))}</span>
      </p>
      <p class="small quiet">${words.creditsText}</p>
    </section>`;
}

/** What the account has now of everything else that its plan limits. */
function allowances(read) {
  return [
    ['chatbots', read.chatbots.used, read.chatbots.limit, count],
    ['webpages', read.webpages.used, read.webpages.limit, count],
    ['contacts', read.contacts.used, read.contacts.limit, count],
    ['storage', read.storage.used_bytes, read.storage.limit_bytes, bytes],
  ];
}

function present(read) {
  const isTight = allowances(read).some(([, used, limit]) => ['near', 'full'].includes(stateOf(used, limit) ?? ''));
  return html`
    <section class="part">
      <h2>${words.present}</h2>
      <p class="lead">${words.presentText}${isTight ? ` ${words.advice.more}` : ''}</p>
      <div class="figures">
        ${allowances(read).map(([name, used, limit, written]) => {
          const state = stateOf(used, limit);
          return html`
            <div class="figure">
              <h3 class="small quiet">${words[name]}</h3>
              <p><strong>${written(used)}</strong> <span class="quiet">${limit === null ? words.unlimited : words.of(written(limit))}</span></p>
              ${limit === null ? nothing : html`
                <progress class=${state} max=${Math.max(limit, 1)} value=${Math.min(used, limit)} aria-label=${words[name]}></progress>
                <p class="small quiet row between"><span>${percent(used, limit)} · ${words.left(written(Math.max(limit - used, 0)))}</span>${badge(state, words.states)}</p>`}
              ${state === 'near' || state === 'full'
                ? html`<p class="small">${words.advice[name][state]} <a href=${path(words.advice.links[name][0])}>${words.advice.links[name][1]}</a></p>`
                : html`<p class="small quiet">${words.hints[name]}</p>`}
            </div>`;
        })}
      </div>
    </section>`;
}

/** What happens when the credits run out, once that is near. */
function advice(read) {
  const state = stateOf(read.credits_used, read.monthly_limit);
  if (state === 'fine') return nothing;
  return html`
    <div class="${state === 'full' ? 'problem' : 'hint'} above">
      <p>${words.advice.credits[state](percent(read.credits_used, read.monthly_limit), onDay(read.resets_at))}</p>
      <p class="small">${words.advice.more}</p>
    </div>`;
}
