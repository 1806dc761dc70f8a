// A chat with a chatbot as visitors have it, with what visitors do not see: why it answered or not.

import { html, live, nothing, repeat } from '../../../vendor/lit/lit.js';
import { streamMessage } from '../../../client/messages.js';
import { retrievePassages } from '../../../client/passages.js';
import { followable, linked } from '../../../shared/linked.js';
import { icon } from '../../icons.js';
import { draftKey } from '../../owner.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { chatbotPage, readingChatbot } from './chatbot-page.js';

const words = texts.playground;

/** The longest message that the service takes, and from where on the rest is counted. */
const LONGEST = 250;
const COUNTED = 200;
/** Milliseconds that an answer may take. */
const TIMEOUT = 120_000;

/**
 * A question and what became of it.
 *
 * @typedef {object} Turn
 * @property {number} id
 * @property {string} question
 * @property {string} text What has been written of the answer.
 * @property {any} [answer] The whole answer.
 * @property {import('../../service.js').Problem} [problem]
 * @property {Reading<any>} [why]
 * @property {boolean} [isWhyOpen]
 */

/**
 * @param {import('../../main.js').Context} context
 * @param {{ chatbot: string }} parameters
 */
export function page(context, { chatbot: chatbot_id }) {
  const chatbot = readingChatbot(context, chatbot_id);
  chatbot.begin();
  const kept = draftKey(`playground.${chatbot_id}`);
  const left = new AbortController();
  /** @type {Turn[]} */
  let turns = [];
  let conversation_id;
  let isSending = false;
  let draft = sessionStorage.getItem(kept) ?? '';
  let note = '';

  const write = text => {
    draft = text;
    if (text === '') sessionStorage.removeItem(kept);
    else sessionStorage.setItem(kept, text);
    context.draw();
  };

  const ask = async turn => {
    isSending = true;
    turn.text = '';
    turn.problem = undefined;
    note = words.writing;
    await context.draw();
    document.querySelector('.log')?.lastElementChild?.scrollIntoView({ block: 'nearest' });
    try {
      const body = { message: turn.question, conversation_id };
      // Events are read while the answer is written, so the call is over only at its end.
      turn.answer = await context.call(() => answered(turn, body));
      conversation_id = turn.answer.conversation_id;
      note = words.answered;
    } catch (error) {
      note = '';
      if (!(error instanceof Cancelled) && !left.signal.aborted) turn.problem = problemOf(error);
    }
    isSending = false;
    context.draw();
  };

  const answered = async (turn, body) => {
    for await (const event of streamMessage(v1, { chatbot_id, body }, { signal: left.signal, timeout: TIMEOUT })) {
      if (event.type === 'text') {
        turn.text += event.text;
        context.draw();
      } else if (event.type === 'answer') {
        return event.answer;
      } else if (event.type === 'error') {
        throw refused(event.message);
      }
    }
    throw refused(words.noEnd);
  };

  const send = event => {
    event?.preventDefault();
    const question = draft.trim();
    if (question === '' || question.length > LONGEST || isSending) return;
    write('');
    const turn = { id: turns.length, question, text: '' };
    turns = [...turns, turn];
    ask(turn);
  };

  const explain = turn => {
    turn.isWhyOpen = !turn.isWhyOpen;
    turn.why ??= new Reading(context, () => retrievePassages(v1, { chatbot_id, body: { query: turn.question } }));
    if (turn.isWhyOpen && turn.why.value === undefined) turn.why.begin();
    context.draw();
  };

  const restart = () => {
    turns = [];
    conversation_id = undefined;
    note = '';
    context.draw();
    document.getElementById('question')?.focus();
  };

  return {
    title: () => [chatbot.value?.name, words.title].filter(Boolean).join(': '),
    leave: () => left.abort(),
    view: () => chatbotPage(chatbot, chatbot_id, 'playground', () => html`
      ${chatbot.show(({ status }) => (status === 'training' ? html`<p class="hint above">${words.notReady}</p>` : nothing), nothing)}
      <section class="chat" aria-label=${words.conversation}>
        <div class="log">
          ${turns.length === 0 ? html`<div><h2>${words.emptyTitle}</h2><p class="quiet">${words.emptyText}</p></div>` : nothing}
          ${repeat(turns, turn => turn.id, turn => exchange(turn, { ask, explain, isSending }))}
        </div>
        <p class="unseen" role="status">${note}</p>
        ${composer({ draft, isSending, write, send })}
      </section>
      ${turns.length > 0 && !isSending
        ? html`<p class="row end"><button type="button" class="link small" @click=${restart}>${words.restart}</button></p>`
        : nothing}`),
  };
}

/** An error that has the form of a response. */
function refused(message) {
  return Object.assign(new Error(message), { status: 200, fields: {} });
}

function composer({ draft, isSending, write, send }) {
  const rest = LONGEST - draft.trim().length;
  const key = event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send(event);
  };
  return html`
    <form class="composer" @submit=${send}>
      <div class="field">
        <label class="unseen" for="question">${words.placeholder}</label>
        <textarea id="question" rows="1" placeholder=${words.placeholder} aria-describedby="question-hint" data-first
          .value=${live(draft)} @input=${event => write(event.target.value)} @keydown=${key}></textarea>
        <p class="small quiet" id="question-hint">
          ${rest < 0 ? words.over(-rest) : rest <= LONGEST - COUNTED ? words.left(rest) : words.sendHint}</p>
      </div>
      <button class="button main" ?disabled=${isSending || draft.trim() === '' || rest < 0}>${words.send}</button>
    </form>`;
}

/** @param {Turn} turn */
function exchange(turn, { ask, explain, isSending }) {
  const { answer } = turn;
  const text = answer?.response ?? turn.text;
  return html`
    <div class="entry asked"><p class="words"><span class="unseen">${words.yourQuestion}</span>${turn.question}</p></div>
    <div class="entry answer">
      ${turn.problem !== undefined
        ? problem(turn.problem, isSending ? undefined : () => ask(turn))
        : text === ''
          ? html`<div class="words"><div class="dots" aria-hidden="true"><i></i><i></i><i></i></div></div>`
          : html`<div class="words"><span class="unseen">${words.itsAnswer}</span>${linked(text)}</div>`}
      ${answer === undefined ? nothing : html`
        ${answer.sources.length > 0 ? html`<ul class="sources small" aria-label=${words.sources}>${answer.sources.map(source)}</ul>` : nothing}
        ${answer.needs_escalation ? html`<p class="small quiet">${words.escalated}</p>` : nothing}
        <button type="button" class="link small" aria-expanded=${turn.isWhyOpen === true} @click=${() => explain(turn)}>
          ${turn.isWhyOpen ? words.hideWhy : words.why}</button>
        ${turn.isWhyOpen ? html`<div class="why">${turn.why?.show(reason, skeleton(3))}</div>` : nothing}`}
    </div>`;
}

function source({ title, url, type }) {
  const address = followable(url);
  const name = title || url || words.kinds[type] || type;
  return html`
    <li>${icon.source}
      <span>${address === undefined ? name : html`<a href=${address.href} target="_blank" rel="noopener noreferrer">${name}</a>`}
        <span class="quiet">${words.kinds[type] ?? type}</span></span>
    </li>`;
}

/** Why a question is answered or not, with the passages. */
function reason({ is_supported, decision, passages }) {
  const facts = (decision?.not_stated ?? []).map(fact => words.facts[fact] ?? fact);
  const missing = (decision?.missing_words ?? []).filter(word => !decision.unknown_words.includes(word));
  return html`
    ${decision
      ? html`
        <p class="row"><span class="badge ${is_supported ? 'good' : 'caution'}">${words.reasons[decision.reason] ?? decision.reason}</span></p>
        ${facts.length > 0 ? html`<p class="small">${words.notStated(facts.join(', '))}</p>` : nothing}
        ${missing.length > 0 ? html`<p class="small">${words.missingWords(missing.join(', '))}</p>` : nothing}
        ${decision.unknown_words.length > 0 ? html`<p class="small">${words.unknownWords(decision.unknown_words.join(', '))}</p>` : nothing}
        ${decision.compared_by === 'words' ? html`<p class="small quiet">${words.byWords}</p>` : nothing}`
      : nothing}
    <h3>${passages.length === 0 ? words.noPassages : words.passages}</h3>
    <ol class="passages">
      ${passages.map(passage => html`
        <li class=${passage.is_quoted ? 'quoted' : ''}>
          <p class="small quiet">${[passage.title, passage.headings].filter(Boolean).join(' › ')}
            ${passage.is_quoted ? html`<span class="badge good">${words.quoted}</span>` : nothing}</p>
          <p class="words small">${passage.text}</p>
        </li>`)}
    </ol>`;
}
