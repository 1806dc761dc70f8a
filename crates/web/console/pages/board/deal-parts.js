// What stands beside a deal, and its history.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { getThread } from '../../../client/inbox.js';
import { ago, at, onDay } from '../../format.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as words } from '../../texts/board.js';
import { contactName } from './directory.js';
import { money } from './money.js';

/** Where the deal stands, and what can be done with it. */
export function aside({ context, directory, deal, statuses, rows, picker, actions, move, change }) {
  const { outcome } = deal;
  const choice = (name, label, choices) => html`
    <div class="field">
      <label for="place-${name}">${label}</label>
      <select id="place-${name}" @change=${event => move(name, event.target.value)}>
        ${choices.map(([id, text]) => html`<option value=${id} ?selected=${deal[name] === id} .selected=${live(deal[name] === id)}>${text}</option>`)}
      </select>
    </div>`;
  return html`
    <aside aria-label=${words.menu.title}>
      <div class="stack">
        <p class="worth">
          ${deal.value === null ? nothing : html`<strong class="number">${money(deal.value, deal.currency)}</strong>`}
          <span class="badge ${outcome === 'won' ? 'good' : outcome === 'lost' ? 'bad' : ''}">${words.outcomes[outcome] ?? outcome}</span>
          ${deal.is_rotten ? html`<span class="badge caution" title=${words.deal.idleText}>${words.idle}</span>` : nothing}
        </p>
        ${outcome === 'lost'
          ? html`
            <div>
              ${deal.lost_reason === null ? nothing : html`<p class="small quiet">${words.deal.reason}</p><p class="words">${deal.lost_reason}</p>`}
              <button type="button" class="link small" @click=${() => actions.lose(deal)}>${deal.lost_reason === null ? words.loss.add : words.loss.change}</button>
            </div>`
          : nothing}
        <div class="buttons">
          ${outcome === 'open'
            ? html`
              <button type="button" class="button main" @click=${() => actions.win(deal)}>${words.menu.win}</button>
              <button type="button" class="button" @click=${() => actions.lose(deal)}>${words.menu.lose}</button>`
            : html`<button type="button" class="button" @click=${() => actions.reopen(deal)}>${words.menu.reopen}</button>`}
        </div>
      </div>
      ${statuses.length === 0 ? nothing : choice('deal_status_id', words.deal.column, statuses.map(one => [one.deal_status_id, one.name]))}
      ${rows.length < 2 ? nothing : choice('deal_row_id', words.deal.row, rows.map(one => [one.deal_row_id, one.name]))}
      <div class="stack">
        ${picker.view({ label: words.deal.contacts })}
        ${deal.contact_ids.length === 0 ? nothing : html`
          <ul class="things small">
            ${deal.contact_ids.map(id => {
              const contact = directory.contacts.get(id);
              if (!contact) return nothing;
              const more = [contact.name ? contact.email : undefined, contact.phone, contact.company].filter(Boolean).join(' · ');
              return html`<li><a href=${path(`contacts/${id}`)}><bdi>${contactName(contact)}</bdi></a>${more === '' ? nothing : html`<br><span class="quiet">${more}</span>`}</li>`;
            })}
          </ul>`}
      </div>
      ${deal.thread_ids.length === 0 ? nothing : threads(context, deal, change)}
      <dl class="things small">
        <div><dt>${words.deal.since}</dt><dd title=${at(deal.status_changed_at)}>${onDay(deal.status_changed_at)}</dd></div>
        ${deal.closed_at === null ? nothing : html`<div><dt>${words.deal.closed}</dt><dd title=${at(deal.closed_at)}>${onDay(deal.closed_at)}</dd></div>`}
        <div><dt>${words.deal.created}</dt><dd title=${at(deal.created_at)}>${onDay(deal.created_at)}</dd></div>
        <div><dt>${words.deal.changed}</dt><dd title=${at(deal.updated_at)}>${ago(deal.updated_at)}</dd></div>
      </dl>
      ${context.isManager
        ? html`<p><button type="button" class="link danger small" @click=${() => actions.remove(deal)}>${words.deal.more}</button></p>` : nothing}
    </aside>`;
}

/** Subjects of threads, by context, so that they go with the page. @type {WeakMap<any, Map<string, string | null>>} */
const subjects = new WeakMap();

function threads(context, { thread_ids }, change) {
  let known = subjects.get(context.session);
  if (known === undefined) subjects.set(context.session, known = new Map());
  for (const thread_id of thread_ids) {
    if (known.has(thread_id)) continue;
    known.set(thread_id, null);
    context.call(() => getThread(v1, { thread_id })).then(({ subject }) => {
      known.set(thread_id, subject);
      context.draw();
    }, () => {});
  }
  return html`
    <div class="stack">
      <h3>${words.deal.threads}</h3>
      <ul class="things small">
        ${thread_ids.map(id => {
          const subject = known.get(id) || words.deal.thread;
          return html`<li class="row"><a class="words" href=${path(`inbox/${id}`)}>${subject}</a>
            <button type="button" class="round" aria-label="${words.deal.dropThread}: ${subject}"
              @click=${() => change({ thread_ids: thread_ids.filter(other => other !== id) })}>${icon.close}</button></li>`;
        })}
      </ul>
    </div>`;
}

/** What has happened to a deal, the newest first. */
export function story(directory, { changes, isCut }, more) {
  if (changes.length === 0) return html`<p class="quiet">${words.history.empty}</p>`;
  return html`
    <ol class="story">
      ${changes.map(change => {
        const who = change.team_member_id === null ? words.someone : directory.memberName(change.team_member_id);
        const sentence = (words.history[change.type] ?? words.history.other)(who, change);
        return html`<li><span class="words">${sentence}</span><span class="small quiet" title=${at(change.created_at)}>${ago(change.created_at)}</span></li>`;
      })}
    </ol>
    ${isCut ? html`<p><button type="button" class="button" @click=${more}>${texts.more}</button></p>` : nothing}`;
}
