// Conversations of visitors with all chatbots, and one of them beside the list, or instead of it on a small screen.

import { nothing } from '../../../vendor/lit/lit.js';
import { texts as all } from '../../texts/inbox.js';
import { ConversationList } from './conversation-list.js';
import { ConversationState } from './conversation-state.js';
import { actionsOf, conversationView } from './conversation-view.js';
import { namesOf, once } from './kept.js';
import { keys } from './keys.js';
import { beside, split } from './split.js';

const words = all.chats;

/**
 * @param {import('../../main.js').Context} context
 * @param {{ chatbot?: string, conversation?: string }} parameters
 */
export function page(context, { chatbot: chatbot_id, conversation: conversation_id }) {
  const names = namesOf(context);
  /** @type {ConversationList} */
  const list = once(context, 'conversations', () => new ConversationList(context, names));
  names.read().catch(() => {});
  list.open();

  let state;
  let act;
  if (conversation_id !== undefined) {
    const changed = conversation => {
      list.replace(conversation);
      list.feed.again();
      context.waiting.look();
    };
    const known = list.items.find(conversation => conversation.conversation_id === conversation_id);
    state = new ConversationState(context, { chatbot_id, conversation_id }, names, changed, known);
    act = actionsOf(context, state);
    state.begin();
  }
  context.watch(['conversations'], () => {
    list.feed.refresh();
    state?.refresh();
  });

  const open = conversation => {
    if (conversation === undefined) return;
    context.go(`conversations/${conversation.chatbot_id}/${conversation.conversation_id}${list.filters.query}`).then(beside);
  };
  const endKeys = keys(context, {
    j: () => open(list.neighbor(conversation_id, 1)),
    k: () => open(list.neighbor(conversation_id, -1)),
    e: () => act?.close(),
    r: () => act?.reply(),
  });

  return {
    title: () => (state?.conversation === undefined ? all.conversations : all.chat.titleOf(names.contact(state.conversation.contact_id))),
    leave: () => {
      endKeys();
      state?.end();
    },
    view: () => split(context, {
      title: all.conversations,
      isChosen: state !== undefined,
      action: nothing,
      list: list.view(conversation_id),
      one: state === undefined ? nothing : conversationView(context, state, names, act),
      none: { title: words.choose, text: words.chooseText },
    }),
  };
}
