// The activities of a deal: what is to be done, and below it what was done.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listActivitiesOfDeal } from '../../../client/deal-activities.js';
import { icon } from '../../icons.js';
import { v1 } from '../../service.js';
import { Reading, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as plans } from '../../texts/activities.js';
import { activityActions } from './activity-actions.js';
import { activityList } from './activity-view.js';
import { openLater } from '../../later.js';
import { Menu } from './menu.js';
import { zone } from './times.js';

const own = plans.activities;
const PAGE = 100;

export class ActivitiesOfDeal {
  #context; #directory; #deal_id; #deal; #reading; #actions; #menu;
  #wanted = PAGE;

  /**
   * @param {import('../../main.js').Context} context
   * @param {import('./directory.js').Directory} directory
   * @param {string} deal_id
   * @param {() => any} deal
   */
  constructor(context, directory, deal_id, deal) {
    this.#context = context;
    this.#directory = directory;
    this.#deal_id = deal_id;
    this.#deal = deal;
    this.#reading = new Reading(context, async () => {
      const found = await listed(cursor => listActivitiesOfDeal(v1, { deal_id, limit: PAGE, ...cursor }), this.#wanted);
      directory.contacts.ask(found.activities.map(one => one.contact_id).filter(Boolean));
      return found;
    });
    this.#actions = activityActions(context, directory, { changed: activity => this.#changed(activity) });
    this.#menu = new Menu(context, activity => this.#actions.items(activity));
    this.#reading.begin();
  }

  refresh() {
    return this.#reading.begin({ isQuiet: true });
  }

  #changed(activity) {
    if (activity === undefined) return this.refresh();
    replaceIn(this.#reading, activity);
    this.#context.draw();
  }

  #add = async () => {
    const options = { directory: this.#directory, deal_id: this.#deal_id, contacts: this.#deal()?.contact_ids ?? [] };
    const added = await openLater(this.#context, () => import('./activity-form.js'), ({ activityDialog }, dialog) => activityDialog(this.#context, dialog, options));
    if (added === undefined) return;
    this.#context.say(own.added(added.title));
    await this.refresh();
  };

  view() {
    const parts = { context: this.#context, directory: this.#directory, actions: this.#actions, menu: this.#menu };
    const more = () => {
      this.#wanted += PAGE;
      return this.refresh();
    };
    return html`
      <section class="part">
        <div class="head">
          <h2>${own.title}</h2>
          ${this.#context.isManager ? html`<button type="button" class="button slim" @click=${this.#add}>${icon.plus}${own.add}</button>` : nothing}
        </div>
        ${this.#reading.show(({ activities, hasMore }) => {
          const open = activities.filter(one => one.status === 'open');
          const closed = activities.filter(one => one.status !== 'open');
          return html`
            ${open.length === 0 ? html`<p class="quiet">${own.emptyDeal}</p>`
              : html`<div class="group">${activityList({ ...parts, activities: open })}<p class="small quiet">${own.zone(zone())}</p></div>`}
            ${closed.length === 0 ? nothing : html`<div class="group"><h3>${own.groups.done}</h3>${activityList({ ...parts, activities: closed })}</div>`}
            ${hasMore ? html`<p><button type="button" class="button" @click=${more}>${texts.more}</button></p>` : nothing}`;
        }, skeleton(3))}
        ${this.#menu.view(own.menu)}
      </section>`;
  }
}

/** Reads activities until there are so many, or no more. */
export async function listed(read, wanted) {
  const activities = [];
  let cursor;
  do {
    const page = await read(cursor === undefined ? {} : { cursor });
    activities.push(...page.activities);
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined && activities.length < wanted);
  return { activities, hasMore: cursor !== undefined };
}

/** Shows what is known of an activity, in its place. */
export function replaceIn(reading, activity) {
  const list = reading.value?.activities ?? [];
  const index = list.findIndex(one => one.deal_activity_id === activity.deal_activity_id);
  if (index >= 0) list[index] = activity;
}
