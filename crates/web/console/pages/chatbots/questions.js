// What visitors asked and the chatbot could not answer.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createFaq, listFaqs } from '../../../client/faqs.js';
import { deleteUnansweredQuestion, listUnansweredQuestions, makeFaqItem } from '../../../client/unanswered-questions.js';
import { Form } from '../../form.js';
import { ago, at, count } from '../../format.js';
import { draftKey } from '../../owner.js';
import { v1 } from '../../service.js';
import { Reading, empty, skeleton } from '../../states.js';
import { texts as own } from '../../texts/faqs.js';
import { texts } from '../../texts.js';
import { chatbotPage, readingChatbot } from './chatbot-page.js';
import { Collection, Deed } from './collection.js';
import { formDialog } from './form-dialog.js';

const words = own.questions;

/** The choice of an FAQ that does not exist yet. */
const NEW = 'new';
/** The longest question that the playground takes. */
const LONGEST = 250;

/**
 * @param {import('../../main.js').Context} context
 * @param {{ chatbot: string }} parameters
 */
export function page(context, { chatbot: chatbot_id }) {
  const chatbot = readingChatbot(context, chatbot_id);
  const list = new Collection(context, async cursor => {
    const read = await listUnansweredQuestions(v1, { chatbot_id, limit: 50, cursor });
    return { items: read.unanswered_questions, next: read.pagination.next_cursor };
  });
  const deed = new Deed(context);
  chatbot.begin();
  list.begin();
  context.watch(['conversations', 'chatbots', 'content'], () => list.refresh());
  const drop = question => list.change((list.items ?? []).filter(other => other.unanswered_question_id !== question.unanswered_question_id));

  const act = {
    answer: question => context.open(dialog => answerDialog(context, dialog, chatbot, question, () => {
      drop(question);
      list.refresh();
    })),
    again: async ({ question }) => {
      sessionStorage.setItem(draftKey(`playground.${chatbot_id}`), question.slice(0, LONGEST));
      await context.go(`chatbots/${chatbot_id}/playground`);
    },
    dismiss: async question => {
      const text = words.dismissText(question.question);
      if (!await context.confirm({ title: words.dismissQuestion, text, action: words.dismiss })) return;
      const before = list.items ?? [];
      drop(question);
      const { unanswered_question_id } = question;
      if (!await deed.do(() => deleteUnansweredQuestion(v1, { chatbot_id, unanswered_question_id }), words.dismissed)) list.change(before);
    },
  };

  return {
    title: () => [chatbot.value?.name, words.title].filter(Boolean).join(': '),
    view: () => chatbotPage(chatbot, chatbot_id, 'questions', () => html`
      <p class="above quiet lead">${words.lead}</p>
      ${deed.view()}
      ${list.show(questions => (questions.length === 0
        ? empty(words.empty, words.emptyText)
        : html`<ul class="source-list">${questions.map(question => row(question, act, context.isManager))}</ul>`), skeleton(5))}`),
  };
}

function row(entry, act, isManager) {
  const { question, times_asked, first_asked_at, last_asked_at } = entry;
  const facts = [words.asked(times_asked === 1 ? 1 : count(times_asked)), words.last(ago(last_asked_at))];
  if (ago(first_asked_at) !== ago(last_asked_at)) facts.push(words.first(ago(first_asked_at)));
  return html`
    <li data-listed>
      <h3 class="words">${question}</h3>
      <div class="row">
        ${isManager
          ? html`<button type="button" class="button slim" data-key="r" aria-label=${words.answerLabel(question)} @click=${() => act.answer(entry)}>${words.answer}</button>`
          : nothing}
        <button type="button" class="link small" aria-label=${words.tryLabel(question)} @click=${() => act.again(entry)}>${words.try}</button>
        ${isManager
          ? html`<button type="button" class="link small danger" data-key="e" aria-label=${words.dismissLabel(question)} @click=${() => act.dismiss(entry)}>${words.dismiss}</button>`
          : nothing}
        <span class="small quiet facts" title=${at(last_asked_at)}>${facts.join(' · ')}</span>
      </div>
    </li>`;
}

/** @type {(faq: { faq_id: string, name: string }) => [string, string]} */
const choiceOf = ({ faq_id, name }) => [faq_id, name];

/** Makes an item of a question. A chatbot without an FAQ gets one. */
function answerDialog(context, dialog, chatbot, entry, answered) {
  const { unanswered_question_id } = entry;
  const { chatbot_id, name } = chatbot.value ?? {};
  const faqs = new Reading(context, async () => {
    const read = await listFaqs(v1, { chatbot_id, limit: 100 });
    const isKnown = form.values.faq === NEW || read.faqs.some(({ faq_id }) => faq_id === form.values.faq);
    if (!isKnown) form.values.faq = read.faqs[0]?.faq_id ?? NEW;
    return read.faqs;
  });
  const values = { question: entry.question, answer: '', faq: '', faq_name: words.standardName(name) };
  const form = new Form(context, `answer.${unanswered_question_id}`, { values, isKept: true, aliases: { faq_id: 'faq', name: 'faq_name' } });
  const write = form.write.bind(form);
  form.write = (field, value, isSecret) => {
    write(field, value, isSecret);
    if (field === 'faq') context.draw();
  };
  faqs.begin();

  const send = async () => {
    if (form.values.faq === NEW) {
      const faq = await context.call(() => createFaq(v1, { body: { name: form.text('faq_name'), chatbot_ids: [chatbot_id] } }));
      // If the next step fails, the FAQ is there already.
      faqs.value = [...faqs.value ?? [], faq];
      form.write('faq', faq.faq_id);
    }
    const body = { faq_id: form.values.faq, question: form.text('question'), answer: form.text('answer') };
    await context.call(() => makeFaqItem(v1, { chatbot_id, unanswered_question_id, body }));
    form.clear();
    dialog.close();
    context.say(words.answered);
    answered();
  };
  const ready = formDialog(dialog, {
    title: words.answerTitle,
    lead: words.answerLead,
    form,
    isWide: true,
    fields: () => html`
      ${form.field({ name: 'question', label: own.faq.question, hint: own.faq.questionHint, lines: 2 })}
      ${form.field({ name: 'answer', label: own.faq.answer, hint: own.faq.answerHint, lines: 5, isFirst: true })}
      ${form.field({ name: 'faq', label: words.faq, choices: [...(faqs.value ?? []).map(choiceOf), [NEW, words.newFaq]] })}
      ${form.values.faq === NEW ? form.field({ name: 'faq_name', label: words.newName }) : nothing}`,
    action: words.save,
    send,
  });
  return () => (faqs.value === undefined
    ? html`<div class="stack wide"><h2 id=${dialog.id}>${words.answerTitle}</h2>${faqs.show(() => nothing)}
        <div class="row end"><button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button></div></div>`
    : ready());
}
