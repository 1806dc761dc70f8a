// What is set about a thread: its status, who takes care of it, its priority, labels, subject and deals.

import { html, live, nothing, repeat } from '../../../vendor/lit/lit.js';
import { listDeals } from '../../../client/deals.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading } from '../../states.js';
import { texts as all } from '../../texts/inbox.js';
import { part, refocus } from './kept.js';
import { at, brief } from './times.js';

const words = all.thread;

/** The deals of a thread and whether its details are open, by its state. @type {WeakMap<object, Details>} */
const details = new WeakMap();

/** @typedef {{ isOpen: boolean, deals: Reading<any[]>, tag: string, subject?: string }} Details */

function detailsOf(context, state) {
  const known = details.get(state);
  if (known !== undefined) return known;
  const made = {
    isOpen: false,
    tag: '',
    deals: new Reading(context, async () => (await listDeals(v1, { thread_id: state.thread_id, limit: 50 })).deals),
  };
  details.set(state, made);
  return made;
}

/**
 * @param {import('../../main.js').Context} context
 * @param {import('./thread-state.js').ThreadState} state
 * @param {import('./kept.js').Names} names
 * @param {any} act
 */
export function properties(context, state, names, act) {
  const { thread } = state;
  const detail = detailsOf(context, state);
  const people = names.team.filter(({ status, team_member_id }) => status === 'active' || team_member_id === thread.assignee_id).map(one => names.memberChoice(one));
  if (thread.assignee_id !== null && !people.some(([id]) => id === thread.assignee_id)) people.push([thread.assignee_id, names.member(thread.assignee_id)]);
  const statuses = Object.entries(all.statuses).map(([status, name]) => [status, status === 'snoozed' && thread.status !== 'snoozed' ? words.snoozed : name]);
  const toggle = event => {
    detail.isOpen = event.target.open;
    if (detail.isOpen && detail.deals.value === undefined) detail.deals.begin();
  };
  return html`
    <div class="properties" role="group" aria-label=${words.properties}>
      ${select('thread-status', words.status, thread.status, statuses, act.setStatus)}
      ${select('thread-assignee', words.assignee, thread.assignee_id ?? '', [['', words.unassigned], ...people], id => act.assign(id === '' ? null : id))}
      ${select('thread-priority', words.priority, thread.priority, Object.entries(all.priorities), act.prioritize)}
      ${thread.status === 'snoozed'
        ? html`<span class="small quiet">${thread.snoozed_until ? all.threads.snoozedUntil(at(thread.snoozed_until)) : all.threads.snoozedForReply}</span>`
        : nothing}
      <details class="more" .open=${live(detail.isOpen)} @toggle=${toggle}>
        <summary class="small">${words.details}
          ${thread.tags.length > 0 ? html`<span class="tags">${thread.tags.map(tag => html`<span>${tag}</span>`)}</span>` : nothing}</summary>
        <div class="more-body">${detail.isOpen ? body(context, state, detail) : nothing}</div>
      </details>
    </div>`;
}

function select(id, label, value, choices, change) {
  return html`
    <div class="choice">
      <label class="small quiet" for=${id}>${label}</label>
      <select class="slim" id=${id} @change=${event => change(event.target.value)}>
        ${choices.map(([choice, name]) => html`<option value=${choice} .selected=${live(choice === value)}>${name}</option>`)}
      </select>
    </div>`;
}

function body(context, state, detail) {
  const { thread } = state;
  const addTag = async event => {
    event.preventDefault();
    const tag = detail.tag.trim();
    if (tag === '' || thread.tags.includes(tag)) return;
    if (await state.change({ tags: [...thread.tags, tag] }, words.saved)) detail.tag = '';
    context.draw();
  };
  const removeTag = async tag => {
    document.getElementById('thread-tag')?.focus();
    await state.change({ tags: thread.tags.filter(one => one !== tag) }, words.saved);
  };
  const saveSubject = async event => {
    event.preventDefault();
    const subject = (detail.subject ?? thread.subject ?? '').trim();
    if (await state.change({ subject: subject === '' ? null : subject }, words.saved)) detail.subject = undefined;
  };
  const setDeals = async (deal_ids, done) => {
    if (await state.change({ deal_ids }, done)) await detail.deals.begin({ isQuiet: true });
    await context.draw();
    refocus('.more summary');
  };
  const link = async () => {
    const module = await part(context, () => import('./dialogs.js'));
    const deal = module && await context.open(dialog => module.linkDeal(context, dialog, thread.deal_ids));
    if (deal !== undefined) await setDeals([...thread.deal_ids, deal.deal_id], all.deal.linked);
  };
  const markUnread = () => state.change({ read: false }, words.markedUnread);
  return html`
    <form class="line" @submit=${saveSubject}>
      <label class="small quiet" for="thread-subject">${words.subject}</label>
      <input class="slim" id="thread-subject" maxlength="998" .value=${live(detail.subject ?? thread.subject ?? '')}
        @input=${event => { detail.subject = event.target.value; }}>
      <button class="button slim">${words.saveSubject}</button>
    </form>
    <form class="line" @submit=${addTag}>
      <label class="small quiet" for="thread-tag">${words.tags}</label>
      <input class="slim" id="thread-tag" maxlength="50" placeholder=${words.newTag} .value=${live(detail.tag)} @input=${event => { detail.tag = event.target.value; }}>
      <button class="button slim" ?disabled=${thread.tags.length >= 20}>${words.addTag}</button>
      ${thread.tags.length > 0 ? html`
        <ul class="tags">${repeat(thread.tags, tag => tag, tag => html`
          <li>${tag}<button type="button" aria-label=${words.removeTag(tag)} @click=${() => removeTag(tag)}>${icon.close}</button></li>`)}
        </ul>` : nothing}
    </form>
    <div class="line">
      <span class="small quiet">${words.deals}</span>
      ${detail.deals.show(deals => (deals.length === 0 ? html`<span class="small">${words.noDeals}</span>` : html`
        <ul class="deals">${repeat(deals, deal => deal.deal_id, deal => html`
          <li><a href=${path(`deals/${deal.deal_id}`)}>${deal.title}</a>
            <button type="button" class="round" aria-label=${words.unlinkDeal(deal.title)} title=${words.unlinkDeal(deal.title)}
              @click=${() => setDeals(thread.deal_ids.filter(id => id !== deal.deal_id), all.deal.unlinked)}>${icon.close}</button></li>`)}
        </ul>`), html`<span class="small quiet">…</span>`)}
      <button type="button" class="button slim" @click=${link}>${words.linkDeal}</button>
    </div>
    <p class="small quiet facts">
      <span title=${at(thread.created_at)}>${words.begun(brief(thread.created_at))}</span>
      ${thread.first_reply_at ? html`<span title=${at(thread.first_reply_at)}>${words.firstReply(brief(thread.first_reply_at))}</span>` : nothing}
      ${thread.unread_count === 0 ? html`<button type="button" class="link small" @click=${markUnread}>${words.markUnread}</button>` : nothing}
    </p>`;
}
