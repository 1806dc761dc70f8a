// What the palette offers without asking the service: pages and actions, found by the beginnings of words.

import { leave } from '../frame.js';
import { icon } from '../icons.js';
import { places } from '../menu.js';
import { texts as words } from '../texts/palette.js';

/**
 * Something to choose.
 *
 * @typedef {object} Entry
 * @property {string} id
 * @property {string} title
 * @property {string} [hint]
 * @property {string | null} [same] The id of what is the same to people, such as the conversation of a thread.
 * @property {unknown} symbol
 * @property {string} [path] The page that it leads to.
 * @property {() => unknown} [run] What it does instead.
 * @property {string} [also] Other words by which it is found.
 */

const { also } = words;

/**
 * The pages of the navigation.
 *
 * @param {import('../main.js').Context} context
 * @returns {Entry[]}
 */
export function pages(context) {
  return places(context).map(({ path, title, symbol }) => ({ id: `page ${path}`, title, symbol, path, also: also[path] }));
}

/**
 * What the person may do.
 *
 * @param {import('../main.js').Context} context
 * @returns {Entry[]}
 */
export function actions(context) {
  const { shortcuts, accounts, isManager } = context;
  const titles = words.actions;
  /** Something new, by the button of its page. */
  const create = page => () => shortcuts.create(page);
  const ofEverybody = [
    { id: 'new thread', title: titles.thread, symbol: icon.plus, run: create('inbox'), also: also.thread },
    { id: 'new deal', title: titles.deal, symbol: icon.plus, run: create('board'), also: also.deal },
  ];
  const ofManagers = [
    { id: 'new contact', title: titles.contact, symbol: icon.plus, run: create('contacts'), also: also.contact },
    { id: 'new chatbot', title: titles.chatbot, symbol: icon.plus, path: 'chatbots/new', also: also.chatbot },
    { id: 'new faq', title: titles.faq, symbol: icon.plus, run: create('faqs'), also: also.faq },
    { id: 'new channel', title: titles.channel, symbol: icon.plus, path: 'channels/new', also: also.channel },
    { id: 'new webhook', title: titles.webhook, symbol: icon.plus, path: 'webhooks/new', also: also.webhook },
    { id: 'new key', title: titles.key, symbol: icon.plus, run: create('keys'), also: also.key },
    { id: 'invite', title: titles.invite, symbol: icon.plus, run: create('team'), also: also.invite },
    { id: 'import', title: titles.importContacts, symbol: icon.contact, path: 'contacts/import', also: also.importContacts },
    { id: 'columns', title: titles.columns, symbol: icon.board, path: 'board/columns', also: also.columns },
  ];
  return [
    ...(isManager ? [ofManagers[0], ...ofEverybody, ...ofManagers.slice(1)] : ofEverybody),
    ...(accounts.hasOthers ? [{ id: 'switch', title: titles.account, symbol: icon.account, run: () => accounts.choose(), also: also.switchAccount }] : []),
    { id: 'keys', title: titles.keys, symbol: icon.grip, run: () => shortcuts.openKeys(), also: also.help },
    { id: 'sign out', title: titles.signOut, symbol: icon.leave, run: () => leave(context), also: also.signOut },
  ];
}

/** Returns a text in small letters and without accents. */
function plain(text) {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

const wordsOf = text => plain(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/**
 * Returns the entries with words that begin like all those of a text, those with such a title first.
 *
 * @template {{ title: string, hint?: string, also?: string }} E
 * @param {E[]} entries
 * @param {string} text
 * @returns {E[]}
 */
export function matching(entries, text) {
  const wanted = wordsOf(text);
  if (wanted.length === 0) return [];
  const rank = ({ title, hint = '', also: others = '' }) => {
    const own = wordsOf(title);
    const all = [...own, ...wordsOf(hint), ...wordsOf(others)];
    const fits = list => wanted.every(word => list.some(one => one.startsWith(word)));
    if (!fits(all)) return 0;
    return own[0]?.startsWith(wanted[0]) ? 3 : fits(own) ? 2 : 1;
  };
  const ranked = entries.map(entry => ({ entry, by: rank(entry) })).filter(({ by }) => by > 0);
  return ranked.sort((one, other) => other.by - one.by).map(({ entry }) => entry);
}
