// One FAQ: its questions and answers in their order.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { listChatbots } from '../../../client/chatbots.js';
import { createFaqItem, deleteFaqItem, listFaqItems, orderFaqItems, updateFaqItem } from '../../../client/faq-items.js';
import { deleteFaq, getFaq, updateFaq } from '../../../client/faqs.js';
import { back, head } from '../../frame.js';
import { icon } from '../../icons.js';
import { draftKey } from '../../owner.js';
import { v1 } from '../../service.js';
import { Reading, empty } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as area } from '../../texts/chatbots.js';
import { texts as own } from '../../texts/faqs.js';
import { Collection, Deed } from './collection.js';
import { faqDialog } from './faq-dialog.js';
import { importDialog } from './faq-import.js';
import { itemForm, itemView } from './faq-item.js';
import { usersOf } from './faqs.js';
import { moved } from './ordering.js';

const words = own.faq;

/** How the draft of an item is kept. */
const draftOf = id => `faq-item.${id}`;
const isKept = id => sessionStorage.getItem(draftKey(draftOf(id))) !== null;

/**
 * @param {import('../../main.js').Context} context
 * @param {{ faq: string }} parameters
 */
export function page(context, { faq: faq_id }) {
  const faq = new Reading(context, () => getFaq(v1, { faq_id }));
  const chatbots = new Reading(context, async () => (await listChatbots(v1)).chatbots);
  // All of them, as an order names every item.
  const list = new Collection(context, async cursor => {
    const { items, pagination } = await listFaqItems(v1, { faq_id, limit: 100, cursor });
    return { items, next: pagination.next_cursor };
  }, { isWhole: true });
  const deed = new Deed(context);
  /** Forms of the items that are being written, by their id; that of a new one by the id of the FAQ. @type {Map<string, () => unknown>} */
  const forms = new Map();
  // The palette leads to one item.
  const given = new URLSearchParams(location.search).get('q') ?? '';
  const wanted = { q: given, status: '' };
  let isOrdering = false;

  const refresh = () => {
    faq.begin({ isQuiet: true });
    // An order that is being saved is newer than what would be read.
    if (!isOrdering) list.refresh();
  };
  const write = item => {
    const id = item?.faq_item_id ?? faq_id;
    const save = async body => {
      const faq_item_id = item?.faq_item_id;
      await context.call(() => (faq_item_id === undefined ? createFaqItem(v1, { faq_id, body }) : updateFaqItem(v1, { faq_id, faq_item_id, body })));
      context.say(item === undefined ? words.added : words.saved);
      refresh();
    };
    const leave = async () => {
      forms.delete(id);
      await context.draw();
      /** @type {HTMLElement | null} */
      const next = document.querySelector(item === undefined ? '#add-item' : `[data-item="${id}"] .link`);
      next?.focus();
    };
    forms.set(id, itemForm(context, draftOf(id), item, save, leave));
  };
  const open = async item => {
    write(item);
    await context.draw();
    /** @type {HTMLElement | null} */
    const first = document.querySelector(`[data-item="${item?.faq_item_id ?? faq_id}"] [data-first]`);
    first?.focus();
  };

  const act = {
    edit: open,
    drop: async item => {
      if (!await context.confirm({ title: words.dropQuestion, text: item.question, action: words.drop })) return;
      const before = list.items ?? [];
      list.change(before.filter(other => other !== item));
      const isDone = await deed.do(() => deleteFaqItem(v1, { faq_id, faq_item_id: item.faq_item_id }), words.dropped);
      if (isDone) refresh();
      else list.change(before);
    },
    move: async (from, to) => {
      const before = list.items ?? [];
      const after = moved(before, from, to);
      isOrdering = true;
      list.change(after);
      context.say(words.moved(to + 1, after.length));
      await context.draw();
      document.getElementById(`handle-${before[from].faq_item_id}`)?.focus();
      const isDone = await deed.do(() => orderFaqItems(v1, { faq_id, body: { faq_item_ids: after.map(item => item.faq_item_id) } }));
      isOrdering = false;
      // Somebody else may have added or deleted an item.
      if (!isDone) {
        list.change(before);
        list.refresh();
      }
    },
  };
  const edit = () => context.open(dialog => faqDialog(context, dialog, {
    chatbots: chatbots.value ?? [],
    faq: faq.value,
    save: async body => {
      await context.call(() => updateFaq(v1, { faq_id, body }));
      dialog.close();
      context.say(area.source.saved);
      refresh();
    },
  }));
  const remove = async () => {
    const { name, item_count } = faq.value;
    if (!await context.confirm({ title: words.removeQuestion(name), text: words.removeText(item_count), action: words.drop })) return;
    if (!await deed.do(() => deleteFaq(v1, { faq_id }))) return;
    await context.go('faqs');
    context.say(words.removed(name));
  };
  const importItems = () => context.open(dialog => importDialog(context, dialog, faq_id, refresh));

  faq.begin();
  chatbots.begin();
  list.begin();
  context.watch(['chatbots', 'content'], refresh);
  if (context.isManager && isKept(faq_id)) write();

  const item = (one, place, all) => {
    const id = one.faq_item_id;
    // What was being written before a reload goes on where it was.
    if (context.isManager && !forms.has(id) && isKept(id)) write(one);
    const form = forms.get(id);
    const isMovable = wanted.q.trim() === '' && wanted.status === '' && all.length > 1;
    return html`<li data-item=${id} data-listed>${form === undefined
      ? itemView(one, { place, last: all.length - 1, act, isManager: context.isManager, isMovable })
      : form()}</li>`;
  };
  const found = items => {
    const text = wanted.q.trim().toLowerCase();
    return items.filter(one => (wanted.status === '' || one.status === wanted.status)
      && [one.question, one.answer, ...one.alternative_questions].some(part => part.toLowerCase().includes(text)));
  };
  const set = (name, event) => {
    wanted[name] = event.target.value;
    context.draw();
  };

  return {
    title: () => faq.value?.name ?? own.faqs.title,
    view: () => html`
      ${head(faq.value?.name ?? (faq.problem === undefined ? texts.loading : texts.missing.title), {
        back: back('faqs', own.faqs.title),
        lead: faq.value === undefined ? nothing : html`${faq.value.description ? html`<span class="words">${faq.value.description}</span><br>` : nothing}
          <span class="small">${usersOf(faq.value, chatbots.value)}</span>`,
        action: context.isManager && faq.value !== undefined
          ? html`<button type="button" class="button" ?disabled=${chatbots.value === undefined} @click=${edit}>${words.edit}</button>`
          : nothing,
      })}
      ${faq.show(({ chatbot_ids }) => (chatbot_ids.length === 0 && context.isManager ? html`<p class="hint above">${words.noChatbot}</p>` : nothing), nothing)}
      ${faq.value === undefined ? nothing : html`
        <div class="bar">
          <input type="search" aria-label=${words.search} placeholder=${words.search} .value=${given} @input=${event => set('q', event)}>
          <select class="slim" aria-label=${words.status} @change=${event => set('status', event)}>
            <option value="">${words.any}</option><option value="published">${words.published}</option><option value="draft">${words.drafts}</option>
          </select>
          ${context.isManager
            ? html`
              <span class="row main-actions">
                <button type="button" class="button" @click=${importItems}>${words.import}</button>
                <button type="button" class="button main" data-key="n" id="add-item" ?disabled=${forms.has(faq_id)} @click=${() => open()}>${icon.plus}${words.add}</button>
              </span>`
            : nothing}
        </div>
        ${forms.has(faq_id) ? html`<section class="above-items" data-item=${faq_id} aria-label=${words.add}><h2>${words.add}</h2>${forms.get(faq_id)?.()}</section>` : nothing}
        ${deed.view()}
        <p class="unseen" id="handle-hint">${words.handleHint}</p>
        ${list.show(items => {
          const shown = found(items);
          if (items.length === 0) return forms.has(faq_id) ? nothing : empty(words.empty, words.emptyText);
          return html`
            ${shown.length === items.length ? nothing : html`<p class="small quiet above" role="status">${words.shown(shown.length, items.length)} ${words.notMovable}</p>`}
            ${shown.length === 0
              ? html`<p class="quiet">${words.nothing}</p>`
              : html`<ol class="items">${repeat(shown, one => one.faq_item_id, (one, place) => item(one, place, shown))}</ol>`}`;
        })}
        ${context.isManager
          ? html`<p class="part"><span><button type="button" class="link danger" @click=${remove}>${words.remove}</button></span></p>`
          : nothing}`}`,
  };
}
