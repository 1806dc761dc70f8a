// Activities of all deals, by the time when they are due.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { listDealActivities } from '../../../client/deal-activities.js';
import { head } from '../../frame.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, empty, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as plans } from '../../texts/activities.js';
import { texts as words } from '../../texts/board.js';
import { activityActions } from './activity-actions.js';
import { activityList } from './activity-view.js';
import { listed, replaceIn } from './deal-activities.js';
import { Directory } from './directory.js';
import { Menu } from './menu.js';
import { groupOf, zone } from './times.js';

const own = plans.activities;
const PAGE = 100;
const GROUPS = ['overdue', 'today', 'week', 'later', 'none'];
const NAMES = ['state', 'owner', 'type'];

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const given = new URLSearchParams(location.search);
  /** @type {Record<string, string>} */
  const chosen = Object.fromEntries(NAMES.map(name => [name, given.get(name) ?? '']));
  const directory = new Directory(context);
  let wanted = PAGE;
  const stateOf = () => (own.states.some(([state]) => state === chosen.state) ? chosen.state : 'open');
  const reading = new Reading(context, async () => {
    const query = {
      status: stateOf(),
      ...(chosen.owner ? { owner_id: chosen.owner === 'me' ? directory.me : chosen.owner } : {}),
      ...(chosen.type ? { type: chosen.type } : {}),
    };
    const found = await listed(cursor => listDealActivities(v1, { ...query, limit: PAGE, ...cursor }), wanted);
    directory.deals.ask(found.activities.map(one => one.deal_id));
    directory.contacts.ask(found.activities.map(one => one.contact_id).filter(Boolean));
    return { ...found, state: query.status };
  });
  const actions = activityActions(context, directory, {
    changed: activity => {
      if (activity === undefined) return reading.begin({ isQuiet: true });
      replaceIn(reading, activity);
      context.draw();
    },
  });
  const menu = new Menu(context, activity => actions.items(activity));

  const choose = (name, value) => {
    chosen[name] = value;
    wanted = PAGE;
    const query = new URLSearchParams(NAMES.filter(one => chosen[one]).map(one => [one, chosen[one]])).toString();
    history.replaceState(null, '', path('activities') + (query === '' ? '' : `?${query}`));
    reading.begin();
  };
  const more = () => {
    wanted += PAGE;
    reading.begin({ isQuiet: true });
  };
  reading.begin();
  context.watch(['activities', 'deals'], () => reading.begin({ isQuiet: true }));

  const action = context.isManager
    ? html`<a class="button" href=${path('calendars')}>${icon.calendar}${plans.calendar}</a>` : nothing;
  const parts = { context, directory, actions, menu, withDeal: true };
  return {
    title: own.title,
    view: () => html`
      ${head(own.title, { lead: html`${own.lead} ${own.zone(zone())}`, action })}
      ${filters(directory, chosen, stateOf(), choose)}
      <div class="stack">
        ${reading.show(({ activities, hasMore, state }) => html`
          ${activities.length > 0 ? groups(activities, state, parts) : nothingToDo(chosen)}
          ${hasMore ? html`<p><button type="button" class="button" @click=${more}>${texts.more}</button></p>` : nothing}`, skeleton(6))}
      </div>
      ${menu.view(own.menu)}`,
  };
}

function nothingToDo(chosen) {
  if (NAMES.some(name => chosen[name])) return html`<p class="quiet">${own.emptyFound}</p>`;
  return empty(own.empty, own.emptyText, html`<a class="button" href=${path('board')}>${own.toBoard}</a>`);
}

function groups(activities, state, parts) {
  if (state !== 'open') return html`<section class="group"><h2 class="unseen">${own.groups[state]}</h2>${activityList({ ...parts, activities })}</section>`;
  return GROUPS.map(group => {
    // What was just completed stays where it was until the list is read again.
    const members = activities.filter(activity => groupOf(activity) === group);
    return members.length === 0 ? nothing : html`
      <section class="group">
        <h2 class=${group === 'overdue' ? 'wrong' : ''}>${own.groups[group]} <span class="quiet number small">${members.length}</span></h2>
        ${activityList({ ...parts, activities: members })}
      </section>`;
  });
}

function filters(directory, chosen, state, choose) {
  const choice = (name, label, choices) => html`
    <select class="slim" aria-label=${label} @change=${event => choose(name, event.target.value)}>
      ${choices.map(([value, text]) => html`<option value=${value} .selected=${live(chosen[name] === value)}>${text}</option>`)}
    </select>`;
  const show = (event, value) => {
    event.preventDefault();
    choose('state', value === 'open' ? '' : value);
  };
  const others = directory.choices(chosen.owner === 'me' ? '' : chosen.owner).slice(1).filter(([id]) => id !== directory.me);
  return html`
    <div class="filters">
      <nav class="tabs" aria-label=${own.statesTitle}>
        ${own.states.map(([value, text]) => html`
          <a href="${path('activities')}${value === 'open' ? '' : `?state=${value}`}" aria-current=${state === value ? 'page' : nothing}
            @click=${event => show(event, value)}>${text}</a>`)}
      </nav>
      ${choice('owner', words.deal.owner, [['', own.everyone], ['me', own.mine], ...others])}
      ${choice('type', own.type, [['', own.allTypes], ...Object.entries(own.types)])}
    </div>`;
}
