// Which page an address means. Addresses are paths below `/console`: they can be reloaded, kept and opened in another tab.

import { root } from './service.js';

const base = new URL('console', root).pathname;

/** Kinds of links with a token behind `#`, where servers do not see it. */
const LINKS = ['setup', 'invite', 'reset', 'link'];
/** Where the token of this tab is until it has been used, so that a reload does not lose it. */
const KEPT = 'frontdesk.link';

/**
 * The pages: a path and its module. A name after a colon is a parameter.
 *
 * @type {[string, () => Promise<any>][]}
 */
const PAGES = [
  ['', () => import('./pages/home.js')],
  ['inbox', () => import('./pages/inbox/inbox.js')],
  ['inbox/:thread', () => import('./pages/inbox/thread.js')],
  ['conversations', () => import('./pages/inbox/conversations.js')],
  ['conversations/:chatbot/:conversation', () => import('./pages/inbox/conversation.js')],
  ['contacts', () => import('./pages/contacts/contacts.js')],
  ['contacts/import', () => import('./pages/contacts/import.js')],
  ['contacts/:contact', () => import('./pages/contacts/contact.js')],
  ['contacts/:contact/merge', () => import('./pages/contacts/merge.js')],
  ['board', () => import('./pages/board/board.js')],
  ['board/columns', () => import('./pages/board/columns.js')],
  ['deals/:deal', () => import('./pages/board/deal.js')],
  ['activities', () => import('./pages/board/activities.js')],
  ['chatbots', () => import('./pages/chatbots/chatbots.js')],
  ['chatbots/new', () => import('./pages/chatbots/new-chatbot.js')],
  ['chatbots/:chatbot', () => import('./pages/chatbots/chatbot.js')],
  ['chatbots/:chatbot/content', () => import('./pages/chatbots/content.js')],
  ['chatbots/:chatbot/questions', () => import('./pages/chatbots/questions.js')],
  ['chatbots/:chatbot/playground', () => import('./pages/chatbots/playground.js')],
  ['chatbots/:chatbot/settings', () => import('./pages/chatbots/settings.js')],
  ['chatbots/:chatbot/widget', () => import('./pages/chatbots/widget.js')],
  ['chatbots/:chatbot/websites/:website', () => import('./pages/chatbots/crawl-report.js')],
  ['faqs', () => import('./pages/chatbots/faqs.js')],
  ['faqs/:faq', () => import('./pages/chatbots/faq.js')],
  ['usage', () => import('./pages/account/usage.js')],
  ['channels', () => import('./pages/account/channels.js')],
  ['channels/new', () => import('./pages/account/new-channel.js')],
  ['channels/:channel', () => import('./pages/account/channel.js')],
  ['calendars', () => import('./pages/contacts/calendars.js')],
  ['domains', () => import('./pages/account/domains.js')],
  ['domains/:domain', () => import('./pages/account/domain.js')],
  ['webhooks', () => import('./pages/account/webhooks.js')],
  ['webhooks/new', () => import('./pages/account/new-webhook.js')],
  ['webhooks/:webhook', () => import('./pages/account/webhook.js')],
  ['webhooks/:webhook/settings', () => import('./pages/account/webhook-settings.js')],
  ['keys', () => import('./pages/account/keys.js')],
  ['team', () => import('./pages/account/team.js')],
  ['audit', () => import('./pages/account/audit.js')],
  ['profile', () => import('./pages/account/profile.js')],
];
const MISSING = () => import('./pages/missing.js');

/** Returns the address of a page. */
export function path(name = '') {
  return name === '' ? base : `${base}/${name}`;
}

/** Returns the page of the present address, or one that says that there is none. */
export function here() {
  const rest = location.pathname.slice(base.length).replace(/^\/|\/$/g, '');
  const given = rest === '' ? [] : rest.split('/');
  for (const [pattern, load] of PAGES) {
    const wanted = pattern === '' ? [] : pattern.split('/');
    if (wanted.length !== given.length) continue;
    const parameters = {};
    const fits = wanted.every((part, place) => {
      if (!part.startsWith(':')) return part === given[place];
      parameters[part.slice(1)] = decoded(given[place]);
      return true;
    });
    if (fits) return { name: rest, load, parameters };
  }
  return { name: rest, load: MISSING, parameters: {} };
}

/** Decodes a segment of a path. One that is not encoded well stays as it is, and is not found. */
function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Takes the token of a link out of the address, where others could read it, or the one that this tab has kept.
 *
 * @returns {{ kind: string, token: string } | undefined}
 */
export function takeLink() {
  const [, kind, token] = /^#([a-z]+)=(.+)$/.exec(location.hash) ?? [];
  if (LINKS.includes(kind)) {
    history.replaceState(null, '', location.pathname + location.search);
    sessionStorage.setItem(KEPT, JSON.stringify({ kind, token: decoded(token) }));
  }
  // Links lead to the start page. Whoever has gone on to another page does not want it any more.
  const kept = location.pathname === base ? sessionStorage.getItem(KEPT) : null;
  return kept === null ? undefined : JSON.parse(kept);
}

/** Forgets the token: it was used, or is no longer wanted. */
export function dropLink() {
  sessionStorage.removeItem(KEPT);
}

/** Returns the path of a link within the console that a click follows, or nothing if the browser is to follow it. */
export function followed(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target.closest?.('a[href]');
  if (!link || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return undefined;
  if (link.hash !== '' && link.pathname === location.pathname) return undefined;
  return link.pathname === base || link.pathname.startsWith(`${base}/`) ? link.pathname + link.search : undefined;
}
