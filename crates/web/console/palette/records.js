// What the palette finds by asking the service: one list for each kind of record, with the operations that
// have a search. Where a list is that of one chatbot or FAQ, they are asked one after the other.

import { getChatbot, listChatbots } from '../../client/chatbots.js';
import { getContact, listContacts } from '../../client/contacts.js';
import { getConversation, listConversations } from '../../client/conversations.js';
import { getDeal, listDeals } from '../../client/deals.js';
import { listFaqItems } from '../../client/faq-items.js';
import { getFaq, listFaqs } from '../../client/faqs.js';
import { getThread, listThreads } from '../../client/inbox.js';
import { listWebpages } from '../../client/webpages.js';
import { ago } from '../format.js';
import { icon } from '../icons.js';
import { money } from '../pages/board/money.js';
import { searched } from '../pages/contacts/searched.js';
import { namesOf } from '../pages/inbox/kept.js';
import { v1 } from '../service.js';
import { texts as words } from '../texts/palette.js';
import { matching } from './entries.js';

/** Records of a kind that are shown. */
export const MOST = 5;
/** Chatbots or FAQs whose content is searched for one text. */
const PARENTS = 4;
/** The most letters that the interface searches for. */
const LONGEST = 200;
/** Letters from which on content is searched: two are in nearly everything. */
const [FEW, MORE] = [2, 3];

/** @typedef {import('./entries.js').Entry} Entry */

/**
 * A kind of record.
 *
 * @typedef {object} Kind
 * @property {string} name
 * @property {number} least The letters of a text that is searched for, at least.
 * @property {(text: string, options: { signal: AbortSignal }) => Promise<Entry[]>} search
 */

const cut = text => text.trim().slice(0, LONGEST);

const asContact = ({ contact_id, name, email, phone, company }) => {
  const title = name || email || phone || words.unnamed;
  const hint = [email, phone, company].filter(part => part && part !== title).join(' · ');
  return { id: contact_id, title, hint, symbol: icon.contact, path: `contacts/${contact_id}` };
};
const asDeal = ({ deal_id, title, value, currency }) => (
  { id: deal_id, title, hint: value === null ? '' : money(value, currency), symbol: icon.board, path: `deals/${deal_id}` });
/** With whom a thread or a conversation is. The name may have to be read first. */
const withWhom = (names, { contact_id, last_message_at }) => `${names.contact(contact_id)} · ${ago(last_message_at)}`;
const asThread = (names, thread) => ({
  id: thread.thread_id, same: thread.conversation_id, title: thread.subject || thread.last_message_preview || words.thread,
  get hint() { return withWhom(names, thread); },
  symbol: icon.inbox, path: `inbox/${thread.thread_id}`,
});
const asConversation = (names, conversation) => ({
  id: conversation.conversation_id, title: conversation.last_message_preview || words.chat,
  get hint() { return withWhom(names, conversation); },
  symbol: icon.conversation, path: `conversations/${conversation.chatbot_id}/${conversation.conversation_id}`,
});
const asChatbot = ({ chatbot_id, name }) => ({ id: chatbot_id, title: name, symbol: icon.chatbot, path: `chatbots/${chatbot_id}` });
const asFaq = ({ faq_id, name }) => ({ id: faq_id, title: name, symbol: icon.faq, path: `faqs/${faq_id}` });

/**
 * Returns the kinds in the order in which they are shown. What several of them need is read once a palette.
 *
 * @param {import('../main.js').Context} context
 * @returns {Kind[]}
 */
export function kinds(context) {
  const { account_id } = context.session.account;
  const names = namesOf(context);
  /** Reads a list that is kept; one that could not be read is read again with the next text. */
  const kept = read => {
    let reading;
    return () => {
      reading ??= read().catch(error => {
        reading = undefined;
        throw error;
      });
      return reading;
    };
  };
  const chatbots = kept(async () => (await listChatbots(v1)).chatbots);
  const faqs = kept(async () => (await listFaqs(v1, { limit: 100 })).faqs);
  /** Asks for the records of each parent until there are enough. */
  const across = async (parents, read, { signal }) => {
    const found = [];
    for (const parent of (await parents()).slice(0, PARENTS)) {
      if (signal.aborted || found.length >= MOST) break;
      found.push(...await read(parent));
    }
    return found.slice(0, MOST);
  };
  /** The parts of chatbots, found by the name of both. */
  const partsOf = ({ chatbot_id, name }) => Object.entries(words.parts)
    .filter(([part]) => context.isManager || part !== 'settings')
    .map(([part, title]) => ({ id: `${chatbot_id} ${part}`, title: `${name}: ${title}`, symbol: icon.chatbot, path: `chatbots/${chatbot_id}/${part}` }));

  return [
    {
      name: 'contacts', least: FEW,
      search: async (text, options) => (await listContacts(v1, { q: searched(cut(text)), limit: MOST }, options)).contacts.map(asContact),
    },
    { name: 'deals', least: FEW, search: async (text, options) => (await listDeals(v1, { q: cut(text), limit: MOST }, options)).deals.map(asDeal) },
    {
      name: 'inbox', least: FEW,
      search: async (text, options) => (await listThreads(v1, { q: cut(text), account_id, limit: MOST }, options)).threads.map(one => asThread(names, one)),
    },
    {
      name: 'conversations', least: MORE,
      search: (text, options) => across(chatbots, async ({ chatbot_id }) => {
        const { conversations } = await listConversations(v1, { chatbot_id, q: cut(text), limit: MOST }, options);
        return conversations.map(one => asConversation(names, one));
      }, options),
    },
    {
      name: 'chatbots', least: 1,
      search: async text => {
        const all = await chatbots();
        return matching([...all.map(asChatbot), ...all.flatMap(partsOf)], text).slice(0, MOST);
      },
    },
    {
      name: 'faqs', least: FEW,
      search: async (text, options) => {
        const named = matching((await faqs()).map(asFaq), text);
        const items = text.trim().length < MORE ? [] : await across(faqs, async ({ faq_id, name }) => {
          const read = await listFaqItems(v1, { faq_id, q: cut(text), limit: MOST }, options);
          return read.items.map(({ faq_item_id, question }) => (
            { id: faq_item_id, title: question, hint: name, symbol: icon.faq, path: `faqs/${faq_id}?${new URLSearchParams({ q: cut(question) })}` }));
        }, options);
        return [...named, ...items].slice(0, MOST);
      },
    },
    {
      name: 'webpages', least: MORE,
      search: (text, options) => across(chatbots, async ({ chatbot_id }) => {
        const { webpages } = await listWebpages(v1, { chatbot_id, q: cut(text), limit: MOST }, options);
        return webpages.map(({ webpage_id, title, url }) => ({
          id: webpage_id, title: title || url, hint: title ? url : '', symbol: icon.source,
          path: `chatbots/${chatbot_id}/content?${new URLSearchParams({ q: cut(url) })}`,
        }));
      }, options),
    },
  ];
}

/** How a record is read by its path. @type {Record<string, (ids: string[], options: { signal: AbortSignal }, names: any) => Promise<Entry>>} */
const READ = {
  contacts: async ([contact_id], options) => asContact(await getContact(v1, { contact_id }, options)),
  deals: async ([deal_id], options) => asDeal(await getDeal(v1, { deal_id }, options)),
  inbox: async ([thread_id], options, names) => asThread(names, await getThread(v1, { thread_id }, options)),
  conversations: async ([chatbot_id, conversation_id], options, names) =>
    asConversation(names, await getConversation(v1, { chatbot_id, conversation_id }, options)),
  chatbots: async ([chatbot_id], options) => asChatbot(await getChatbot(v1, { chatbot_id }, options)),
  faqs: async ([faq_id], options) => asFaq(await getFaq(v1, { faq_id }, options)),
};

/**
 * Reads the record of a path.
 *
 * @param {import('../main.js').Context} context
 * @param {string} path
 * @param {{ signal: AbortSignal }} options
 */
export async function readRecord(context, path, options) {
  const [kind, ...ids] = path.split('/');
  return READ[kind](ids, options, namesOf(context));
}
