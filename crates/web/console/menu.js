// The pages of the navigation. The palette and the keys lead to the same ones.

import { icon } from './icons.js';
import { texts } from './texts.js';

/**
 * @typedef {object} Place
 * @property {string} path
 * @property {string} title
 * @property {unknown} symbol
 * @property {string} [key] The letter that leads there after `g`.
 * @property {boolean} [isForManagers]
 */

const { frame } = texts;

/** @type {{ title?: string, places: Place[] }[]} */
const GROUPS = [
  {
    places: [
      { path: '', title: texts.home.title, symbol: icon.home, key: 'h' },
      { path: 'inbox', title: frame.inbox, symbol: icon.inbox, key: 'i' },
      { path: 'conversations', title: frame.conversations, symbol: icon.conversation, key: 'v' },
      { path: 'contacts', title: frame.contacts, symbol: icon.contact, key: 'c' },
      { path: 'board', title: frame.board, symbol: icon.board, key: 'b' },
      { path: 'activities', title: frame.activities, symbol: icon.activity, key: 'a' },
    ],
  },
  {
    title: frame.answers,
    places: [
      { path: 'chatbots', title: texts.chatbots.title, symbol: icon.chatbot, key: 't' },
      { path: 'faqs', title: frame.faqs, symbol: icon.faq, key: 'f' },
    ],
  },
  {
    title: frame.account,
    places: [
      { path: 'usage', title: frame.usage, symbol: icon.usage, key: 'u' },
      { path: 'channels', title: frame.channels, symbol: icon.channel },
      { path: 'calendars', title: frame.calendars, symbol: icon.calendar },
      { path: 'domains', title: frame.domains, symbol: icon.domain, isForManagers: true },
      { path: 'webhooks', title: frame.webhooks, symbol: icon.webhook, key: 'w', isForManagers: true },
      { path: 'team', title: texts.team.title, symbol: icon.team, key: 'm', isForManagers: true },
      { path: 'keys', title: texts.keys.title, symbol: icon.key, key: 'k', isForManagers: true },
      { path: 'audit', title: texts.audit.title, symbol: icon.audit, isForManagers: true },
      { path: 'account', title: frame.ownAccount, symbol: icon.account, key: 's', isForManagers: true },
      { path: 'profile', title: texts.profile.title, symbol: icon.profile, key: 'p' },
    ],
  },
];

/**
 * Returns the pages that the role of the person includes, by group.
 *
 * @param {import('./main.js').Context} context
 */
export function menu({ isManager }) {
  return GROUPS.map(({ title, places }) => ({ title, places: places.filter(({ isForManagers }) => isManager || !isForManagers) }));
}

/**
 * Returns the same pages in one list.
 *
 * @param {import('./main.js').Context} context
 */
export function places(context) {
  return menu(context).flatMap(group => group.places);
}
