// The content of a chatbot beside its websites: single webpages, files, texts, and the tags of all of them.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { path } from '../../paths.js';
import { texts as own } from '../../texts/content.js';
import { chatbotPage, readingChatbot } from './chatbot-page.js';
import { files } from './files.js';
import { snippets } from './snippets.js';
import { readingTags } from './tagging.js';
import { tagSection } from './tags.js';
import { webpages } from './webpages.js';

const words = own.content;

/**
 * A kind of content.
 *
 * @typedef {object} Section
 * @property {() => unknown} view
 * @property {() => unknown} refresh Reads again what others may have changed.
 * @property {() => void} [leave]
 */

/** @type {Record<string, (place: import('./source.js').Place) => Section>} */
const KINDS = { pages: webpages, files, texts: snippets, tags: tagSection };

/**
 * @param {import('../../main.js').Context} context
 * @param {{ chatbot: string }} parameters
 */
export function page(context, { chatbot: chatbot_id }) {
  const given = new URLSearchParams(location.search).get('kind') ?? '';
  const kind = Object.hasOwn(KINDS, given) ? given : 'pages';
  const chatbot = readingChatbot(context, chatbot_id);
  const tags = readingTags(context, chatbot_id);
  chatbot.begin();
  tags.begin();
  const section = KINDS[kind]({ context, chatbot_id, tags });
  context.watch(['chatbots', 'content'], () => {
    section.refresh();
    tags.begin({ isQuiet: true });
  });
  return {
    title: () => [chatbot.value?.name, words.kinds[kind]].filter(Boolean).join(': '),
    leave: () => section.leave?.(),
    view: () => chatbotPage(chatbot, chatbot_id, 'content', () => html`
      <nav class="kinds" aria-label=${words.title}>
        ${Object.keys(KINDS).map(name => html`
          <a href="${path(`chatbots/${chatbot_id}/content`)}?kind=${name}" aria-current=${name === kind ? 'page' : nothing}>${words.kinds[name]}</a>`)}
      </nav>
      <p class="lead quiet">${words.leads[kind]}</p>
      ${section.view()}`),
  };
}
