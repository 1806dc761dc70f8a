// Calendars: secret addresses at which calendar programs read the activities of deals.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createCalendarFeed, deleteCalendarFeed, listCalendarFeeds, rotateCalendarFeed } from '../../../client/calendar-feeds.js';
import { Form } from '../../form.js';
import { at, onDay } from '../../format.js';
import { copyable, head } from '../../frame.js';
import { icon } from '../../icons.js';
import { Cancelled, problemOf, root, v1 } from '../../service.js';
import { empty, problem, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { texts as common } from '../../texts.js';
import { texts } from '../../texts/contacts.js';
import { Pages } from './pages.js';
import { Team } from './person.js';

const words = texts.calendars;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const team = new Team(context);
  let failed;
  const list = new Pages(context, async cursor => {
    const { calendar_feeds: items, pagination } = await listCalendarFeeds(v1, { limit: 50, cursor });
    return { items, next: pagination.next_cursor };
  }, feed => feed.calendar_feed_id);
  list.begin();

  const attempt = async operation => {
    failed = undefined;
    context.draw();
    try {
      return await context.call(operation);
    } catch (error) {
      if (!(error instanceof Cancelled)) failed = problemOf(error);
      return undefined;
    } finally {
      // Somebody else may have deleted it, too.
      list.begin();
    }
  };
  const create = () => context.open(dialog => newCalendar(context, team, dialog, () => list.begin()));
  const rotate = async feed => {
    if (!await context.confirm({ title: words.rotateQuestion(feed.name), text: words.rotateText, action: words.rotate })) return;
    const issued = await attempt(() => rotateCalendarFeed(v1, { calendar_feed_id: feed.calendar_feed_id }));
    if (issued !== undefined) await context.open(dialog => () => address(context, dialog, issued, words.rotatedTitle));
  };
  const remove = async feed => {
    if (!await context.confirm({ title: words.removeQuestion(feed.name), text: words.removeText, action: words.remove })) return;
    const isGone = await attempt(async () => {
      await deleteCalendarFeed(v1, { calendar_feed_id: feed.calendar_feed_id });
      return true;
    });
    if (isGone) context.say(words.removed(feed.name));
  };

  const button = html`<button type="button" class="button main" data-key="n" @click=${create}>${icon.plus}${words.create}</button>`;
  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: words.lead, action: context.isManager && list.items.length > 0 ? button : nothing })}
      <div class="stack">
        ${failed === undefined ? nothing : problem(failed)}
        ${list.show(feeds => (feeds.length === 0
          ? empty(words.empty, context.isManager ? words.emptyText : words.emptyOther, context.isManager ? button : nothing)
          : table(columns(context, team, rotate, remove), feeds, feed => feed.calendar_feed_id)), skeleton(4))}
      </div>
      <section class="part" aria-labelledby="calendars-how">
        <h2 id="calendars-how">${words.howTitle}</h2>
        ${how()}
      </section>`,
  };
}

function how() {
  return html`
    <dl class="places">${words.how.map(([program, text]) => html`<div><dt>${program}</dt><dd>${text}</dd></div>`)}</dl>
    <p class="small quiet">${words.delay}</p>`;
}

/** @returns {import('../../table.js').Column<any>[]} */
function columns(context, team, rotate, remove) {
  /** @type {import('../../table.js').Column<any>[]} */
  const all = [
    { title: words.name, kind: 'name', cell: feed => html`<bdi>${feed.name}</bdi>` },
    { title: words.shows, isPlain: true, cell: feed => html`<bdi>${feed.owner_id === null ? words.everybody : words.of(team.nameOf(feed.owner_id))}</bdi>` },
    { title: words.created, kind: 'quiet', cell: feed => html`<span title=${at(feed.created_at)}>${onDay(feed.created_at)}</span>` },
    {
      title: words.address,
      kind: 'quiet',
      cell: feed => (feed.rotated_at === null ? words.first : html`<span title=${at(feed.rotated_at)}>${words.renewed(onDay(feed.rotated_at))}</span>`),
    },
    {
      title: words.actions,
      kind: 'action',
      cell: feed => html`
        <div class="row">
          <button type="button" class="link" aria-label=${words.rotateLabel(feed.name)} @click=${() => rotate(feed)}>${words.rotate}</button>
          <button type="button" class="link danger" aria-label=${words.removeLabel(feed.name)} @click=${() => remove(feed)}>${words.remove}</button>
        </div>`,
    },
  ];
  return context.isManager ? all : all.slice(0, -1);
}

/**
 * Asks for a name and whose activities are shown, and shows the address this once.
 *
 * @param {import('../../main.js').Context} context
 * @param {Team} team
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {() => void} changed
 */
function newCalendar(context, team, dialog, changed) {
  const { member_id: own, person } = context.session;
  const form = new Form(context, 'new-calendar', { values: { owner_id: own, name: words.nameFirst(person.name).slice(0, 100) } });
  let issued;
  const send = async () => {
    const owner = form.text('owner_id');
    const body = { name: form.text('name'), ...(owner === '' ? {} : { owner_id: owner }) };
    issued = await context.call(() => createCalendarFeed(v1, { body }));
    changed();
    await context.draw();
    document.getElementById(dialog.id)?.focus();
  };
  return () => {
    if (issued !== undefined) return address(context, dialog, issued, words.newTitle);
    const others = team.active.filter(member => member.team_member_id !== own).map(member => [member.team_member_id, member.name]);
    return html`
      <div class="stack">
        <h2 id=${dialog.id}>${words.create}</h2>
        ${form.view({
          fields: html`
            ${form.field({ name: 'owner_id', label: words.shows, choices: [[own, words.mine(person.name)], ...others, ['', words.everybody]], isOptional: true })}
            ${form.field({ name: 'name', label: words.name, hint: words.nameHint, isFirst: true })}`,
          actions: ({ isSending }) => html`
            <div class="row end">
              <button type="button" class="button" @click=${() => dialog.close()}>${common.cancel}</button>
              <button class="button main" ?disabled=${isSending}>${words.action}</button>
            </div>`,
          send,
        })}
      </div>`;
  };
}

/** Shows an address, and how a calendar program subscribes to it. */
function address(context, dialog, issued, title) {
  // Without a public address, the service knows the path only.
  const whole = URL.canParse(issued.url) ? issued.url : new URL(issued.url.replace(/^\//, ''), root).href;
  const { hostname, host, pathname, search } = new URL(whole);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  return html`
    <div class="stack">
      <h2 id=${dialog.id} tabindex="-1">${title}</h2>
      <p class="hint">${words.secret}</p>
      ${copyable(context, whole, words.copyLabel)}
      ${isLocal ? html`<p class="small quiet">${words.local}</p>` : nothing}
      <p><a href="webcal://${host}${pathname}${search}">${words.subscribe}</a></p>
      <h3>${words.howTitle}</h3>
      ${how()}
      <div class="row end"><button type="button" class="button main" @click=${() => dialog.close()}>${words.done}</button></div>
    </div>`;
}
