// Addresses at which calendars show activities. An address is a secret, which is shown once.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { createCalendarFeed, deleteCalendarFeed, listCalendarFeeds, rotateCalendarFeed } from '../../../client/calendar-feeds.js';
import { Form } from '../../form.js';
import { onDay } from '../../format.js';
import { copyable } from '../../frame.js';
import { Cancelled, problemOf, root, v1 } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as plans } from '../../texts/activities.js';

const own = plans.calendar;

/**
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {import('./directory.js').Directory} directory
 */
export function calendarDialog(context, dialog, directory) {
  const feeds = new Reading(context, async () => {
    const all = [];
    for await (const feed of listCalendarFeeds(v1, { limit: 100 }).items()) all.push(feed);
    return all;
  });
  const form = new Form(context, 'calendar', { values: { name: own.usual, owner_id: directory.me } });
  /** The calendar with its new address. @type {any} */
  let issued;
  /** @type {import('../../service.js').Problem | undefined} */
  let failure;
  feeds.begin();

  const show = async feed => {
    issued = feed;
    feeds.begin({ isQuiet: true });
    await context.draw();
    document.getElementById(dialog.id)?.focus();
  };
  const act = async work => {
    failure = undefined;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Cancelled)) failure = problemOf(error);
    }
    context.draw();
  };
  const rotate = ({ calendar_feed_id, name }) => act(async () => {
    if (!await context.confirm({ title: own.rotateQuestion(name), text: own.rotateText, action: own.rotate })) return;
    await show(await context.call(() => rotateCalendarFeed(v1, { calendar_feed_id })));
  });
  const remove = ({ calendar_feed_id, name }) => act(async () => {
    if (!await context.confirm({ title: own.removeQuestion(name), text: own.removeText, action: own.remove })) return;
    await context.call(() => deleteCalendarFeed(v1, { calendar_feed_id }));
    context.say(own.removed(name));
    feeds.begin({ isQuiet: true });
  });
  const send = async () => {
    const owner_id = form.text('owner_id');
    const body = { name: form.text('name'), ...(owner_id === '' ? {} : { owner_id }) };
    await show(await context.call(() => createCalendarFeed(v1, { body })));
  };

  const list = all => (all.length === 0 ? nothing : html`
    <ul class="feeds">
      ${repeat(all, feed => feed.calendar_feed_id, feed => html`
        <li>
          <div>
            <h3 class="words">${feed.name}</h3>
            <p class="small quiet">${feed.owner_id === null ? own.everyone : directory.memberName(feed.owner_id)} · ${own.since(onDay(feed.rotated_at ?? feed.created_at))}</p>
          </div>
          <p class="row small">
            <button type="button" class="link" aria-label=${own.rotateLabel(feed.name)} @click=${() => rotate(feed)}>${own.rotate}</button>
            <button type="button" class="link danger" aria-label=${own.removeLabel(feed.name)} @click=${() => remove(feed)}>${own.remove}</button>
          </p>
        </li>`)}
    </ul>`);

  return () => (issued !== undefined
    ? html`
      <div class="stack">
        <h2 id=${dialog.id} tabindex="-1">${own.newTitle}</h2>
        <p class="hint">${own.newText}</p>
        ${copyable(context, new URL(issued.url, root).href, own.copyLabel)}
        <p class="small quiet">${own.how}</p>
        <div class="row end"><button type="button" class="button main" @click=${() => dialog.close()}>${own.done}</button></div>
      </div>`
    : html`
      <div class="stack">
        <h2 id=${dialog.id} tabindex="-1">${own.title}</h2>
        <p class="quiet">${own.lead}</p>
        ${failure === undefined ? nothing : problem(failure)}
        ${feeds.show(list, skeleton(2))}
        ${form.view({
          fields: html`
            ${form.field({ name: 'name', label: own.name, isFirst: true })}
            ${form.field({ name: 'owner_id', label: own.whose, choices: directory.choices(form.values.owner_id, own.everyone), isOptional: true })}`,
          actions: ({ isSending }) => html`
            <div class="row end">
              <button type="button" class="button" @click=${() => dialog.close()}>${texts.close}</button>
              <button class="button main" ?disabled=${isSending}>${own.action}</button>
            </div>`,
          send,
        })}
      </div>`);
}
