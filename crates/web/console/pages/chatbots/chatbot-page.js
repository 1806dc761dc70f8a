// What the pages of one chatbot have in common: its name, its state, and its parts.

import { html, nothing, ref } from '../../../vendor/lit/lit.js';
import { getChatbot } from '../../../client/chatbots.js';
import { back, head } from '../../frame.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading } from '../../states.js';
import { texts } from '../../texts.js';

const STATES = { training: 'busy', ready: 'good', failed: 'bad' };

/** The state of a chatbot in a word. */
export function status(chatbot) {
  return html`<span class="badge ${STATES[chatbot.status] ?? ''}">${texts.chatbots.status[chatbot.status] ?? chatbot.status}</span>`;
}

/** A chatbot, and whether whoever looks at it may change it. */
class ChatbotReading extends Reading {
  isOfManager = false;
}

/**
 * Reads a chatbot. What is already known of it is shown meanwhile, so that the heads of its pages do not jump.
 *
 * @param {import('../../main.js').Context} context
 * @param {string} chatbot_id
 */
export function readingChatbot(context, chatbot_id) {
  const reading = new ChatbotReading(context, async () => {
    const chatbot = await getChatbot(v1, { chatbot_id });
    context.chatbots.set(chatbot_id, chatbot);
    return chatbot;
  });
  reading.value = context.chatbots.get(chatbot_id);
  reading.isOfManager = context.isManager;
  return reading;
}

/** Which tab was brought into view in the row of them, which is wider than a small screen. @type {WeakMap<Element, Element>} */
const revealed = new WeakMap();

function none() {}

function reveal(link) {
  const row = link?.parentElement;
  if (!row) {
    // It is put into its row only after this.
    if (link) queueMicrotask(() => link.parentElement && reveal(link));
    return;
  }
  if (revealed.get(row) === link) return;
  revealed.set(row, link);
  row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
}

/**
 * Returns a page of a chatbot, or what went wrong if there is no such chatbot.
 *
 * @param {ChatbotReading} reading
 * @param {string} chatbot_id
 * @param {'' | 'content' | 'questions' | 'playground' | 'settings' | 'widget'} current
 * @param {() => unknown} content
 */
export function chatbotPage(reading, chatbot_id, current, content) {
  const words = texts.chatbot;
  const chatbot = reading.value;
  const tab = (name, title) => html`
    <a href=${path(`chatbots/${chatbot_id}${name === '' ? '' : `/${name}`}`)} aria-current=${current === name ? 'page' : nothing}
      ${ref(current === name ? reveal : none)}>${title}</a>`;
  return html`
    ${head(chatbot?.name ?? (reading.problem === undefined ? texts.loading : texts.missing.title), {
      back: back('chatbots', texts.chatbots.title),
      action: chatbot === undefined ? nothing : status(chatbot),
    })}
    ${chatbot === undefined && reading.problem !== undefined ? reading.show(() => nothing) : html`
    <nav class="tabs" aria-label=${words.tabs}>
      ${tab('', words.overview)}${tab('content', words.content)}${tab('questions', words.questions)}${tab('playground', words.playground)}
      ${reading.isOfManager ? tab('settings', words.settings) : nothing}${tab('widget', words.widget)}
    </nav>
    ${content()}`}`;
}
