// The fields of a webhook: its address, its events, and the chatbots that they are about.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listChatbots } from '../../../client/chatbots.js';
import { focusOn } from '../../focus.js';
import { v1 } from '../../service.js';
import { words } from '../../texts/webhooks.js';
import { choice } from './parts.js';

/** Events that a new webhook gets, as in the interface. */
const USUAL = ['lead.created', 'conversation.created', 'conversation.handoff_requested'];
const KNOWN = words.groups.flatMap(([, types]) => /** @type {string[]} */ (types));

/** All chatbots, for their names. */
export async function readChatbots() {
  return (await listChatbots(v1)).chatbots;
}

/** @param {any} [endpoint] */
export function valuesOf(endpoint) {
  return {
    url: endpoint?.url ?? '',
    description: endpoint?.description ?? '',
    ...Object.fromEntries((endpoint?.events ?? USUAL).map(type => [`event ${type}`, 'true'])),
    scope: endpoint?.chatbot_ids.length > 0 ? 'some' : 'all',
    ...Object.fromEntries((endpoint?.chatbot_ids ?? []).map(id => [`chatbot ${id}`, 'true'])),
  };
}

/** Returns the names of the boxes of a kind that are ticked. */
function ticked(form, kind) {
  return Object.entries(form.values).filter(([name, value]) => name.startsWith(`${kind} `) && value === 'true').map(([name]) => name.slice(kind.length + 1));
}

export function bodyOf(form) {
  return {
    url: form.text('url'),
    description: form.text('description') || null,
    events: ticked(form, 'event'),
    chatbot_ids: form.values.scope === 'some' ? ticked(form, 'chatbot') : [],
  };
}

/** Returns whether the choices are complete, after it has been said beside them if they are not. */
export function isComplete(form) {
  const { events, chatbot_ids } = bodyOf(form);
  if (events.length === 0) form.wrong.events = [words.noEvents];
  if (form.values.scope === 'some' && chatbot_ids.length === 0) form.wrong.chatbot_ids = [words.noChatbots];
  const isGood = Object.keys(form.wrong).length === 0;
  // After it has been drawn, people go on where something is missing.
  if (!isGood) setTimeout(() => focusOn('fieldset:has(> .wrong) input'));
  return isGood;
}

/**
 * @param {import('../../main.js').Context} context
 * @param {import('../../form.js').Form} form
 * @param {{ chatbot_id: string, name: string }[] | undefined} chatbots
 * @param {any} [endpoint]
 */
export function fields(context, form, chatbots, endpoint) {
  return html`
    ${form.field({ name: 'url', label: words.url, hint: words.urlHint, type: 'url', inputmode: 'url', isFirst: endpoint === undefined })}
    ${form.field({ name: 'description', label: words.description, hint: words.descriptionHint, isOptional: true })}
    ${events(context, form)}
    ${about(context, form, chatbots)}`;
}

function events(context, form) {
  // A later version of the service may have events that have no words here.
  const others = ticked(form, 'event').filter(type => !KNOWN.includes(type));
  /** @type {[string, string[]][]} */
  const groups = others.length > 0 ? [...words.groups, [words.others, others]] : words.groups;
  const set = value => {
    for (const type of KNOWN) form.write(`event ${type}`, value);
    changed();
  };
  const changed = () => {
    delete form.wrong.events;
    context.draw();
  };
  return html`
    <fieldset class="events" name="events" aria-describedby=${form.wrong.events ? 'events-wrong' : nothing} @change=${changed}>
      <legend>${words.events}</legend>
      <p class="small row">
        <span class="quiet">${words.eventsText}</span>
        <button type="button" class="link" aria-label="${words.all}: ${words.events}" @click=${() => set('true')}>${words.all}</button>
        <button type="button" class="link" aria-label="${words.noneChosen}: ${words.events}" @click=${() => set('')}>${words.noneChosen}</button>
      </p>
      ${form.wrong.events ? html`<p class="wrong" id="events-wrong">${form.wrong.events.join(' ')}</p>` : nothing}
      ${groups.map(([title, types]) => html`
        <div class="group" role="group" aria-label=${title}>
          <h3>${title}</h3>
          ${types.map(type => form.toggle({ name: `event ${type}`, label: words.types[type]?.[0] ?? type, hint: words.types[type]?.[1] ?? '' }))}
        </div>`)}
    </fieldset>`;
}

function about(context, form, chatbots) {
  const known = chatbots ?? [];
  const gone = chatbots === undefined ? [] : ticked(form, 'chatbot').filter(id => !known.some(({ chatbot_id }) => chatbot_id === id));
  const changed = () => {
    delete form.wrong.chatbot_ids;
    context.draw();
  };
  return html`
    ${choice(context, form, { name: 'scope', label: words.chatbots, choices: [['all', words.allChatbots], ['some', words.someChatbots]] })}
    ${form.values.scope === 'some'
      ? html`
        <fieldset class="group" name="chatbot_ids" aria-label=${words.someChatbots} @change=${changed}>
          ${form.wrong.chatbot_ids ? html`<p class="wrong">${form.wrong.chatbot_ids.join(' ')}</p>` : nothing}
          ${known.map(({ chatbot_id, name }) => form.toggle({ name: `chatbot ${chatbot_id}`, label: name }))}
          ${gone.map(id => form.toggle({ name: `chatbot ${id}`, label: words.unknownChatbot, hint: id }))}
        </fieldset>`
      : nothing}`;
}
