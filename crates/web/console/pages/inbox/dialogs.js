// Dialogs of a thread: when it comes back, what a chatbot is to draft, and which deal it is about.

import { html, live, nothing, repeat } from '../../../vendor/lit/lit.js';
import { listDeals } from '../../../client/deals.js';
import { Form } from '../../form.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as all } from '../../texts/inbox.js';
import { Search, found } from './search.js';
import { at } from './times.js';

/** The next 9:00 on a day that is so many days ahead. */
function morning(days) {
  const time = new Date();
  time.setDate(time.getDate() + days);
  time.setHours(9, 0, 0, 0);
  return time;
}

/** Local time as an input has it. */
function local(time) {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/**
 * Asks until when a thread is put aside. Closes with `{ until }`, of which null is "until the next message".
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 */
export function snooze(context, dialog) {
  const words = all.snooze;
  const form = new Form(context, 'snooze', { values: { when: local(morning(2)) } });
  const now = new Date();
  // Monday is the next one, a week ahead on Mondays.
  /** @type {[string, Date][]} */
  const choices = [
    [words.later, new Date(now.getTime() + 3 * 3_600_000)], [words.tomorrow, morning(1)],
    [words.monday, morning((8 - now.getDay()) % 7 || 7)], [words.week, morning(7)],
  ];
  const send = async () => {
    const until = new Date(form.values.when);
    if (!(until.getTime() > Date.now())) form.wrong.when = [words.past];
    else dialog.close({ until: until.toISOString() });
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.title}</h2>
      <p>${words.text}</p>
      <ul class="options">
        ${choices.map(([name, until], place) => html`
          <li><button type="button" ?data-first=${place === 0} @click=${() => dialog.close({ until: until.toISOString() })}>
            <span>${name}</span><span class="small quiet">${at(until)}</span></button></li>`)}
        <li><button type="button" @click=${() => dialog.close({ until: null })}><span>${words.reply}</span></button></li>
      </ul>
      ${form.view({
        fields: form.field({ name: 'when', label: words.own, type: 'datetime-local' }),
        actions: () => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button main">${words.action}</button>
          </div>`,
        send,
      })}
    </div>`;
}

/**
 * Asks what a chatbot is to draft, and has it written into the box.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {{ draft: (chatbot_id: string, instruction: string) => Promise<void> }} state
 * @param {import('./kept.js').Names} names
 * @param {string | null} [chatbot_id] The chatbot of a chat.
 */
export function draftDialog(context, dialog, state, names, chatbot_id) {
  const words = all.draft;
  const { chatbots } = names;
  const own = chatbots.find(chatbot => chatbot.chatbot_id === chatbot_id) ?? chatbots[0];
  const form = new Form(context, 'draft', { values: { chatbot: own.chatbot_id }, aliases: { chatbot_id: 'chatbot' } });
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.title}</h2>
      <p>${words.text}</p>
      ${form.view({
        fields: html`
          ${chatbots.length > 1
            ? form.field({ name: 'chatbot', label: words.chatbot, choices: chatbots.map(({ chatbot_id: id, name }) => [id, name]) }) : nothing}
          ${form.field({ name: 'instruction', label: words.instruction, hint: words.instructionHint, isOptional: true, isFirst: true, lines: 2 })}`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${words.write}</button>
          </div>`,
        send: async () => {
          await state.draft(form.values.chatbot, form.text('instruction'));
          dialog.close();
          // The browser gives the focus back to the button. People go on in the box.
          setTimeout(() => document.getElementById('reply')?.focus());
        },
      })}
    </div>`;
}

/**
 * Asks for a deal. Closes with it.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {string[]} linked Deals that are linked already.
 */
export function linkDeal(context, dialog, linked) {
  const words = all.deal;
  const search = new Search(context, async q => {
    const { deals } = await listDeals(v1, { ...(q === '' ? {} : { q }), limit: 20 });
    return deals.filter(({ deal_id }) => !linked.includes(deal_id));
  });
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.title}</h2>
      <div class="field">
        <label for="deal-search">${words.search}</label>
        <input id="deal-search" type="search" data-first autocomplete="off" maxlength="200" .value=${live(search.text)} @input=${event => search.write(event.target.value)}>
      </div>
      ${found(search, words.found, words.noneFound, deals => repeat(deals, deal => deal.deal_id, deal => html`
        <li><button type="button" aria-label=${words.link(deal.title)} @click=${() => dialog.close(deal)}><span>${deal.title}</span>
          ${deal.value ? html`<span class="small quiet">${deal.value} ${deal.currency}</span>` : nothing}</button></li>`))}
      <div class="row end"><button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button></div>
    </div>`;
}
