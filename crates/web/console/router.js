// Which page an address means.

import { decoded, name } from './paths.js';

/**
 * The pages: a path, the area whose styles apply, and its module. A name after a colon is a parameter.
 *
 * @type {[string, string, () => Promise<any>][]}
 */
const PAGES = [
  ['', 'home', () => import('./pages/home.js')],
  ['inbox', 'inbox', () => import('./pages/inbox/inbox.js')],
  ['inbox/:thread', 'inbox', () => import('./pages/inbox/thread.js')],
  ['conversations', 'inbox', () => import('./pages/inbox/conversations.js')],
  ['conversations/:chatbot/:conversation', 'inbox', () => import('./pages/inbox/conversation.js')],
  ['contacts', 'contacts', () => import('./pages/contacts/contacts.js')],
  ['contacts/import', 'contacts', () => import('./pages/contacts/import.js')],
  ['contacts/:contact', 'contacts', () => import('./pages/contacts/contact.js')],
  ['contacts/:contact/merge', 'contacts', () => import('./pages/contacts/merge.js')],
  ['board', 'board', () => import('./pages/board/board.js')],
  ['board/columns', 'board', () => import('./pages/board/columns.js')],
  ['deals/:deal', 'board', () => import('./pages/board/deal.js')],
  ['activities', 'board', () => import('./pages/board/activities.js')],
  ['chatbots', 'chatbots', () => import('./pages/chatbots/chatbots.js')],
  ['chatbots/new', 'chatbots', () => import('./pages/chatbots/new-chatbot.js')],
  ['chatbots/:chatbot', 'chatbots', () => import('./pages/chatbots/chatbot.js')],
  ['chatbots/:chatbot/content', 'chatbots', () => import('./pages/chatbots/content.js')],
  ['chatbots/:chatbot/questions', 'chatbots', () => import('./pages/chatbots/questions.js')],
  ['chatbots/:chatbot/playground', 'chatbots', () => import('./pages/chatbots/playground.js')],
  ['chatbots/:chatbot/settings', 'chatbots', () => import('./pages/chatbots/settings.js')],
  ['chatbots/:chatbot/widget', 'chatbots', () => import('./pages/chatbots/widget.js')],
  ['chatbots/:chatbot/websites/:website', 'chatbots', () => import('./pages/chatbots/crawl-report.js')],
  ['faqs', 'chatbots', () => import('./pages/chatbots/faqs.js')],
  ['faqs/:faq', 'chatbots', () => import('./pages/chatbots/faq.js')],
  ['account', 'account', () => import('./pages/account/account.js')],
  ['usage', 'account', () => import('./pages/account/usage.js')],
  ['channels', 'account', () => import('./pages/account/channels.js')],
  ['channels/new', 'account', () => import('./pages/account/new-channel.js')],
  ['channels/:channel', 'account', () => import('./pages/account/channel.js')],
  ['calendars', 'contacts', () => import('./pages/contacts/calendars.js')],
  ['domains', 'account', () => import('./pages/account/domains.js')],
  ['domains/:domain', 'account', () => import('./pages/account/domain.js')],
  ['webhooks', 'account', () => import('./pages/account/webhooks.js')],
  ['webhooks/new', 'account', () => import('./pages/account/new-webhook.js')],
  ['webhooks/:webhook', 'account', () => import('./pages/account/webhook.js')],
  ['webhooks/:webhook/settings', 'account', () => import('./pages/account/webhook-settings.js')],
  ['keys', 'account', () => import('./pages/account/keys.js')],
  ['team', 'account', () => import('./pages/account/team.js')],
  ['audit', 'account', () => import('./pages/account/audit.js')],
  ['profile', 'account', () => import('./pages/account/profile.js')],
];
const MISSING = () => import('./pages/missing.js');

/** Returns the page of the present address, or one that says that there is none. */
export function here() {
  const given = name() === '' ? [] : name().split('/');
  for (const [pattern, area, load] of PAGES) {
    const wanted = pattern === '' ? [] : pattern.split('/');
    if (wanted.length !== given.length) continue;
    const parameters = {};
    const fits = wanted.every((part, place) => {
      if (!part.startsWith(':')) return part === given[place];
      parameters[part.slice(1)] = decoded(given[place]);
      return true;
    });
    if (fits) return { area, load, parameters };
  }
  return { area: 'home', load: MISSING, parameters: {} };
}
