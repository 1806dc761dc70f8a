// The webpages that a chatbot answers from, and single ones to add.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createWebpages, deleteWebpage, getWebpageContent, listWebpages, refreshWebpage, updateWebpage } from '../../../client/webpages.js';
import { listWebsites } from '../../../client/websites.js';
import { Form } from '../../form.js';
import { addressOf, ago } from '../../format.js';
import { icon } from '../../icons.js';
import { v1 } from '../../service.js';
import { Reading, empty } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as area } from '../../texts/chatbots.js';
import { texts as own } from '../../texts/content.js';
import { Collection, Deed } from './collection.js';
import { formDialog } from './form-dialog.js';
import { action, isBusy, pausing, showText, sourceList, usage } from './source.js';
import { listOf, tagField, tagFilter } from './tagging.js';

const words = own.webpages;

/** The most addresses that are added at once. */
const MOST = 100;

/** @param {import('./source.js').Place} place */
export function webpages(place) {
  const { context, chatbot_id, tags } = place;
  // The palette leads to one page among all.
  const given = new URLSearchParams(location.search).get('q') ?? '';
  const wanted = { of: given === '' ? 'single' : 'all', status: '', tag: '', q: given };
  const deed = new Deed(context);
  const websites = new Reading(context, async () => (await listWebsites(v1, { chatbot_id, limit: 100 })).websites);
  const list = new Collection(context, async cursor => {
    const { of, status, tag, q } = wanted;
    const request = {
      chatbot_id, limit: 50, cursor, status: status || undefined, tag_id: tag || undefined, q: q.trim() || undefined,
      standalone: of === 'single' ? true : undefined,
      website_id: of === 'single' || of === 'all' ? undefined : of,
    };
    const read = await listWebpages(v1, request);
    return { items: read.webpages, next: read.pagination.next_cursor };
  });
  const search = pausing(() => list.begin());
  list.begin();
  websites.begin();

  const choose = (name, value) => {
    wanted[name] = value;
    list.begin();
  };
  const name = page => page.title || page.url;
  const act = {
    add: () => context.open(dialog => addPages(place, dialog, () => list.begin())),
    edit: page => context.open(dialog => editPage(place, dialog, page, () => list.refresh())),
    text: page => showText(place, name(page), () => getWebpageContent(v1, { chatbot_id, webpage_id: page.webpage_id })),
    again: async page => {
      await deed.do(() => refreshWebpage(v1, { chatbot_id, webpage_id: page.webpage_id }), words.reading(page.url));
      await list.refresh();
    },
    remove: async page => {
      const text = words.removeText(page.url, page.website_id !== null);
      if (!await context.confirm({ title: words.removeQuestion, text, action: area.source.remove })) return;
      const before = list.items ?? [];
      list.change(before.filter(other => other !== page));
      if (!await deed.do(() => deleteWebpage(v1, { chatbot_id, webpage_id: page.webpage_id }), words.removed(page.url))) list.change(before);
    },
  };
  const add = context.isManager
    ? html`<button type="button" class="button main" data-key="n" @click=${act.add}>${icon.plus}${words.add}</button>`
    : nothing;
  const isFiltered = () => wanted.status !== '' || wanted.tag !== '' || wanted.q.trim() !== '';

  return {
    refresh: () => list.refresh(),
    leave: search.end,
    view: () => html`
      <div class="bar">
        <input type="search" aria-label=${words.search} placeholder=${words.search} maxlength="200" .value=${given} @input=${event => {
          wanted.q = event.target.value;
          search.begin();
        }}>
        <select class="slim" aria-label=${words.of} @change=${event => choose('of', event.target.value)}>
          <option value="single">${words.single}</option>
          <option value="all" .selected=${given !== ''}>${words.all}</option>
          ${(websites.value ?? []).map(site => html`<option value=${site.website_id}>${site.url}</option>`)}
        </select>
        <select class="slim" aria-label=${area.source.filter} @change=${event => choose('status', event.target.value)}>
          <option value="">${area.source.anyStatus}</option>
          ${Object.entries(area.source.status).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
        </select>
        ${tagFilter(tags.value, wanted.tag, value => choose('tag', value))}
        ${add}
      </div>
      ${deed.view()}
      ${list.show(pages => (pages.length === 0
        ? isFiltered()
          ? empty(area.source.nothingFound, area.source.otherFilter)
          : empty(words.empty, wanted.of === 'single' ? words.emptyText : words.emptyAll)
        : sourceList(pages, page => page.webpage_id, page => row(page, act, context.isManager, wanted.of === 'single'), tags.value)))}`,
  };
}

function row(page, act, isManager, isSingle) {
  const name = page.title || page.url;
  const link = html`<a href=${page.final_url ?? page.url} target="_blank" rel="noopener noreferrer">${page.url}</a>`;
  return {
    title: page.title || link,
    below: page.title ? link : undefined,
    facts: [
      page.last_fetched_at ? words.lastRead(ago(page.last_fetched_at)) : words.notRead, ...usage(page),
      !isSingle && page.website_id === null ? words.alone : undefined,
    ],
    notes: page.last_error ? [page.last_error.message] : [],
    actions: html`
      ${isBusy(page) && page.char_count === 0 ? nothing : action(area.source.read, area.source.readLabel(name), () => act.text(page))}
      ${isManager
        ? html`
          ${isBusy(page) ? nothing : action(words.again, words.againLabel(name), () => act.again(page))}
          ${action(area.source.edit, area.source.editLabel(name), () => act.edit(page))}
          ${action(area.source.remove, area.source.removeLabel(name), () => act.remove(page), true)}`
        : nothing}`,
  };
}

/** Asks for the addresses of pages, one on each line. What cannot be added stays in the field, with the reason. */
function addPages({ context, chatbot_id, tags }, dialog, added) {
  const form = new Form(context, `webpages.${chatbot_id}`, { isKept: true, aliases: { urls: 'addresses' } });
  let rejected = [];
  let count = 0;
  const send = async () => {
    const lines = form.text('addresses').split('\n').map(line => line.trim()).filter(Boolean);
    const urls = [...new Set(lines.map(line => addressOf(line) ?? line))];
    if (urls.length > MOST) {
      form.wrong.addresses = [words.tooMany(MOST)];
      return;
    }
    const result = await context.call(() => createWebpages(v1, { chatbot_id, body: { urls, tag_ids: listOf(form, 'tag_ids') } }));
    [rejected, count] = [result.rejected, result.webpages.length];
    if (count > 0) {
      context.say(words.added(count));
      added();
    }
    if (rejected.length === 0) {
      form.clear();
      dialog.close();
    } else {
      form.write('addresses', rejected.map(({ url }) => url).join('\n'));
    }
  };
  return formDialog(dialog, {
    title: words.add,
    lead: words.addLead,
    form,
    fields: () => html`
      ${rejected.length === 0 ? nothing : html`
        <div class="problem" role="alert">
          <p>${words.rejected(count)}</p>
          <ul class="small">${rejected.map(({ url, message }) => html`<li><span class="words">${url}</span>: ${message}</li>`)}</ul>
        </div>`}
      ${form.field({ name: 'addresses', label: words.addresses, hint: words.addressesHint(MOST), lines: 5, isFirst: true })}
      ${tagField(form, tags.value)}`,
    action: words.adding,
    send,
  });
}

/** Changes how a page is cited, whether it is used, and its tags. */
function editPage({ context, chatbot_id, tags }, dialog, page, changed) {
  const before = { title: page.title ?? '', enabled: page.enabled ? 'true' : '', tag_ids: JSON.stringify(page.tag_ids) };
  const form = new Form(context, 'webpage', { values: { ...before } });
  const send = async () => {
    const body = { enabled: form.isOn('enabled'), tag_ids: listOf(form, 'tag_ids') };
    if (form.values.title !== before.title) body.title = form.text('title') || null;
    await context.call(() => updateWebpage(v1, { chatbot_id, webpage_id: page.webpage_id, body }));
    dialog.close();
    context.say(area.source.saved);
    changed();
  };
  return formDialog(dialog, {
    title: words.edit,
    lead: page.url,
    form,
    fields: () => html`
      ${form.field({ name: 'title', label: area.source.title, hint: words.titleHint, isOptional: true, isFirst: true })}
      ${tagField(form, tags.value)}
      ${form.toggle({ name: 'enabled', label: area.source.enabled, hint: area.source.enabledHint })}`,
    action: texts.profile.save,
    send,
  });
}
