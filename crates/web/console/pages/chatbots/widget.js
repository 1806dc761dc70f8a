// The line of HTML that shows the chat on a website.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { getWidget } from '../../../client/widgets.js';
import { copyable } from '../../frame.js';
import { root, v1 } from '../../service.js';
import { Reading, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { chatbotPage, readingChatbot } from './chatbot-page.js';

const words = texts.widget;

/**
 * @param {import('../../main.js').Context} context
 * @param {{ chatbot: string }} parameters
 */
export function page(context, { chatbot: chatbot_id }) {
  const chatbot = readingChatbot(context, chatbot_id);
  const widget = new Reading(context, () => getWidget(v1, { chatbot_id }));
  chatbot.begin();
  widget.begin();
  return {
    title: () => [chatbot.value?.name, words.title].filter(Boolean).join(': '),
    view: () => chatbotPage(chatbot, chatbot_id, 'widget', () => html`
      ${widget.show(shown => html`
        <section class="stack">
          <p>${words.lead}</p>
          ${copyable(context, `<script async src="${new URL(`widget/${shown.widget_key}.js`, root).href}"></script>`, words.copyLabel)}
          ${shown.enabled ? nothing : html`<p class="hint">${words.off}</p>`}
          ${shown.allowed_origins.length === 0
            ? html`<p class="small quiet">${words.everywhere}</p>`
            : html`<div class="small quiet"><p>${words.only}</p><ul>${shown.allowed_origins.map(origin => html`<li>${origin}</li>`)}</ul></div>`}
        </section>
        <section class="part">
          <h2>${words.howTitle}</h2>
          <dl class="places">${words.how.map(([name, place]) => html`<div><dt>${name}</dt><dd>${place}</dd></div>`)}</dl>
        </section>`, skeleton(3))}`),
  };
}
