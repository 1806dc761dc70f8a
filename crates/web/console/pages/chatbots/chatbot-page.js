// What the pages of one chatbot have in common: its name, its state, and its parts.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { getChatbot } from '../../../client/chatbots.js';
import { back, head } from '../../frame.js';
import { path } from '../../router.js';
import { v1 } from '../../service.js';
import { Reading } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as area } from '../../texts/chatbots.js';

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
  const { tabs } = area;
  const chatbot = reading.value;
  const tab = (name, title) => html`
    <a href=${path(`chatbots/${chatbot_id}${name === '' ? '' : `/${name}`}`)} aria-current=${current === name ? 'page' : nothing}>${title}</a>`;
  return html`
    ${head(chatbot?.name ?? (reading.problem === undefined ? texts.loading : texts.missing.title), {
      back: back('chatbots', texts.chatbots.title),
      action: chatbot === undefined ? nothing : status(chatbot),
    })}
    ${chatbot === undefined && reading.problem !== undefined ? reading.show(() => nothing) : html`
    <nav class="tabs" aria-label=${words.tabs}>
      ${tab('', tabs.overview)}${tab('content', tabs.content)}${tab('questions', tabs.questions)}${tab('playground', tabs.playground)}
      ${reading.isOfManager ? tab('settings', tabs.settings) : nothing}${tab('widget', tabs.widget)}
    </nav>
    ${content()}`}`;
}
