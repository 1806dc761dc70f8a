// Conversations of visitors with all chatbots. One of them is beside the list, or instead of it on a small screen.

import { nothing } from '../../../vendor/lit/lit.js';
import { texts as all } from '../../texts/inbox.js';
import { ConversationList } from './conversation-list.js';
import { namesOf, once } from './kept.js';
import { beside, split } from './split.js';

const words = all.chats;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  return conversations(context);
}

/**
 * @param {import('../../main.js').Context} context
 * @param {string} [conversation_id] The conversation that was chosen.
 * @param {(names: import('./kept.js').Names, changed: (conversation: any) => void, known: any) => import('./inbox.js').Chosen} [open] Shows it.
 */
export function conversations(context, conversation_id, open) {
  const names = namesOf(context);
  /** @type {ConversationList} */
  const list = once(context, 'conversations', () => new ConversationList(context, names));
  names.read().catch(() => {});
  list.open();

  const changed = conversation => {
    list.replace(conversation);
    list.feed.again();
    context.waiting.look();
  };
  const chosen = open?.(names, changed, list.items.find(conversation => conversation.conversation_id === conversation_id));
  chosen?.begin();
  context.watch(['conversations'], () => {
    list.feed.refresh();
    chosen?.refresh();
  });

  const go = conversation => {
    if (conversation === undefined) return;
    context.go(`conversations/${conversation.chatbot_id}/${conversation.conversation_id}${list.filters.query}`).then(beside);
  };

  return {
    title: () => chosen?.title() ?? all.conversations,
    leave: () => chosen?.end(),
    keys: {
      j: () => go(list.neighbor(conversation_id, 1)),
      k: () => go(list.neighbor(conversation_id, -1)),
    },
    view: () => split(context, {
      title: all.conversations,
      isChosen: chosen !== undefined,
      action: nothing,
      list: list.view(conversation_id),
      one: chosen?.view() ?? nothing,
      none: { title: words.choose, text: words.chooseText },
    }),
  };
}
