// Contacts: searched as one types, filtered, added, and exported.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listChatbots } from '../../../client/chatbots.js';
import { exportContacts, listContacts } from '../../../client/contacts.js';
import { Form } from '../../form.js';
import { ago, at, count } from '../../format.js';
import { head } from '../../frame.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, empty, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { texts as common } from '../../texts.js';
import { texts } from '../../texts/contacts.js';
import { download, fileName, today } from './download.js';
import { Filters } from './filters.js';
import { newContact } from './new-contact.js';
import { Pages } from './pages.js';
import { Team, initials, labelLinks, nameOf, typeBadge, verifiedSign } from './person.js';
import { leaveList, noteQuery, takeList } from './way-back.js';

const words = texts.list;

/** Contacts that are read at a time. */
const PAGE = 50;
/** Milliseconds that an export may take. */
const EXPORT = 300_000;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const team = new Team(context);
  const chatbots = new Reading(context, async () => (await listChatbots(v1)).chatbots);
  const list = new Pages(context, async cursor => {
    const { contacts, pagination } = await listContacts(v1, { ...filters.request(), limit: PAGE, cursor });
    return { items: contacts, next: pagination.next_cursor };
  }, contact => contact.contact_id);
  const filters = new Filters({ team, chatbots: () => chatbots.value ?? [], changed: () => list.begin() });
  chatbots.begin();
  noteQuery();
  const before = takeList();
  if (before === undefined) list.begin();
  else {
    list.restore(before.list);
    // Pages begin at their top, unless this comes after that.
    context.draw().then(() => setTimeout(() => scrollTo(0, before.scroll)));
  }
  context.watch(['contacts'], () => list.refresh());

  const create = () => context.open(dialog => newContact(context, dialog));
  const save = () => context.open(dialog => exportDialog(context, dialog));
  const createButton = html`<button type="button" class="button main" data-key="n" @click=${create}>${icon.plus}${words.create}</button>`;
  const importLink = html`<a class="button" href=${path('contacts/import')}>${words.import}</a>`;
  const actions = html`
    <div class="row">
      <button type="button" class="button" @click=${save}>${words.export}</button>
      ${importLink}${createButton}
    </div>`;

  const none = () => (filters.isEmpty
    ? empty(words.empty, context.isManager ? words.emptyText : words.emptyOther, context.isManager ? html`<div class="row">${createButton}${importLink}</div>` : nothing)
    : empty(words.nothing, words.nothingText, html`<button type="button" class="button" @click=${() => filters.clear()}>${words.clear}</button>`));

  return {
    title: words.title,
    leave: () => {
      filters.end();
      leaveList(list.keep(), scrollY);
    },
    view: () => html`
      ${head(words.title, { lead: words.lead, action: context.isManager ? actions : nothing })}
      <div class="stack">
        ${filters.view()}
        <p class="small quiet shown" role="status">${!list.isKnown ? nothing : shown(list)}</p>
        ${list.show(contacts => (contacts.length === 0 ? none() : table(columns(team), contacts, contact => contact.contact_id)), skeleton(9))}
      </div>`,
  };
}

function shown(list) {
  if (list.items.length === 0) return words.noneShown;
  return (list.hasMore ? words.shownOfMore : words.shown)(count(list.items.length));
}

/** @returns {import('../../table.js').Column<any>[]} */
function columns(team) {
  return [
    {
      title: words.name,
      kind: 'name',
      cell: contact => html`
        <div class="person">
          ${initials(contact)}
          <div>
            <a href=${path(`contacts/${contact.contact_id}`)}><bdi>${nameOf(contact)}</bdi></a>${verifiedSign(contact)}
            ${contact.company ? html`<p class="small quiet"><bdi>${contact.company}</bdi></p>` : nothing}
            ${labelLinks(contact.tags)}
          </div>
        </div>`,
    },
    {
      title: words.reach,
      isPlain: true,
      cell: ({ email, phone }) => html`${email ? html`<p>${email}</p>` : nothing}${phone ? html`<p class="small quiet number">${phone}</p>` : nothing}`,
    },
    { title: words.type, isPlain: true, cell: typeBadge },
    {
      title: words.owner,
      cell: ({ owner_id: owner }) => (owner ? html`<bdi>${team.nameOf(owner)}</bdi>` : html`<span class="quiet whole">${texts.nobody}</span>`),
    },
    { title: words.seen, kind: 'quiet', cell: contact => html`<span class="whole" title=${at(contact.last_seen_at)}>${ago(contact.last_seen_at)}</span>` },
  ];
}

/**
 * Says what is in the file, and downloads it.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 */
function exportDialog(context, dialog) {
  const form = new Form(context, 'export-contacts');
  const send = async () => {
    const text = await context.call(() => exportContacts(v1, {}, { timeout: EXPORT }));
    // Excel reads a file without this mark in the encoding of the country.
    download(words.file(fileName(context.session.account.name), today()), 'text/csv;charset=utf-8', `\ufeff${text}`);
    dialog.close();
    context.say(words.exported);
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.exportTitle}</h2>
      ${form.view({
        fields: html`<p>${words.exportText}</p>`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${common.cancel}</button>
            <button class="button main" data-first ?disabled=${isSending}>${isSending ? words.exporting : words.exportAction}</button>
          </div>`,
        send,
      })}
    </div>`;
}
