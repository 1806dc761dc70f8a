// An item of an FAQ: how it is shown and written.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { Form } from '../../form.js';
import { count } from '../../format.js';
import { icon } from '../../icons.js';
import { texts } from '../../texts.js';
import { texts as own } from '../../texts/faqs.js';
import { restored } from './form-dialog.js';
import { drag } from './ordering.js';
import { linkOf } from './source.js';

const words = own.faq;

/** The most other wordings of a question. */
const MOST = 10;

/**
 * What can be done with an item.
 *
 * @typedef {object} Acts
 * @property {(item: any) => void} edit
 * @property {(item: any) => void} drop
 * @property {(from: number, to: number) => void} move
 */

/**
 * @param {any} item
 * @param {{ place: number, last: number, act: Acts, isManager: boolean, isMovable: boolean }} about
 */
export function itemView(item, { place, last, act, isManager, isMovable }) {
  const { question, answer, alternative_questions, url } = item;
  const key = event => {
    const to = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: last }[event.key];
    if (to === undefined || to < 0 || to > last || to === place) return;
    event.preventDefault();
    act.move(place, to);
  };
  return html`
    ${isManager
      ? html`<button type="button" class="round handle" id="handle-${item.faq_item_id}" aria-label=${words.handle(question)} title=${words.handleHint}
          aria-describedby="handle-hint" ?disabled=${!isMovable} @pointerdown=${event => drag(event, act.move)} @keydown=${key}>${icon.grip}</button>`
      : html`<span></span>`}
    <div class="what">
      <div class="top">
        <h3 class="words">${question}</h3>
        ${item.status === 'draft' ? html`<span class="badge caution">${words.draft}</span>` : nothing}
      </div>
      ${alternative_questions.length > 0
        ? html`<details class="small"><summary>${words.wordings(alternative_questions.length)}</summary>
            <ul>${alternative_questions.map(other => html`<li class="words">${other}</li>`)}</ul></details>`
        : nothing}
      <p class="words answer">${answer}</p>
      ${url ? html`<p class="small words"><a href=${url} target="_blank" rel="noopener noreferrer">${url}</a></p>` : nothing}
      <div class="row">
        ${isManager
          ? html`
            <button type="button" class="link small" aria-label=${words.editLabel(question)} @click=${() => act.edit(item)}>${words.editItem}</button>
            <button type="button" class="link small danger" aria-label=${words.dropLabel(question)} @click=${() => act.drop(item)}>${words.drop}</button>`
          : nothing}
        <span class="small quiet">${[words.used(item.hit_count === 0 ? 0 : item.hit_count === 1 ? 1 : count(item.hit_count)), words.sources[item.source]].filter(Boolean).join(' · ')}</span>
      </div>
    </div>
    ${isManager
      ? html`
        <div class="moves">
          <button type="button" class="round" aria-label=${words.up(question)} ?disabled=${!isMovable || place === 0} @click=${() => act.move(place, place - 1)}>${icon.up}</button>
          <button type="button" class="round" aria-label=${words.down(question)} ?disabled=${!isMovable || place === last} @click=${() => act.move(place, place + 1)}>${icon.down}</button>
        </div>`
      : nothing}`;
}

/**
 * Writes an item. What is written is kept until it is saved or given up.
 *
 * @param {import('../../main.js').Context} context
 * @param {string} name Under which it is kept.
 * @param {any} item
 * @param {(body: any) => Promise<void>} save
 * @param {() => void} leave
 */
export function itemForm(context, name, item, save, leave) {
  const values = {
    question: item?.question ?? '', answer: item?.answer ?? '', url: item?.url ?? '', others: (item?.alternative_questions ?? []).join('\n'),
    published: item === undefined || item.status === 'published' ? 'true' : '',
  };
  const form = new Form(context, name, { values, isKept: true, aliases: { alternative_questions: 'others' } });
  const send = async () => {
    const others = form.text('others').split('\n').map(line => line.trim()).filter(Boolean);
    if (others.length > MOST) {
      form.wrong.others = [words.tooMany];
      return;
    }
    await save({
      question: form.text('question'), answer: form.text('answer'), url: linkOf(form.text('url')), alternative_questions: others,
      status: form.isOn('published') ? 'published' : 'draft',
    });
    form.clear();
    leave();
  };
  const cancel = () => {
    form.clear();
    leave();
  };
  const key = event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.currentTarget.querySelector('form').requestSubmit();
    }
  };
  return () => html`
    <div class="writing" @keydown=${key}>
      ${form.view({
        fields: html`
          ${restored(form)}
          ${form.field({ name: 'question', label: words.question, hint: words.questionHint, isFirst: true })}
          ${form.field({ name: 'answer', label: words.answer, hint: words.answerHint, lines: 4 })}
          ${form.field({ name: 'others', label: words.others, hint: words.othersHint, lines: 2, isOptional: true })}
          ${form.field({ name: 'url', label: words.url, hint: words.urlHint, inputmode: 'url', isOptional: true })}
          ${form.toggle({ name: 'published', label: words.isPublished, hint: words.isPublishedHint })}`,
        actions: ({ isSending }) => html`
          <div class="row">
            <button class="button main" ?disabled=${isSending}>${words.save}</button>
            <button type="button" class="button" @click=${cancel}>${texts.cancel}</button>
          </div>`,
        send,
      })}
    </div>`;
}
