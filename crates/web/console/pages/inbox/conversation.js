// One conversation, beside the list of all.

import { texts as all } from '../../texts/inbox.js';
import { ConversationState } from './conversation-state.js';
import { actionsOf, conversationView } from './conversation-view.js';
import { conversations } from './conversations.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {{ chatbot: string, conversation: string }} parameters
 */
export function page(context, { chatbot: chatbot_id, conversation: conversation_id }) {
  return conversations(context, conversation_id, (names, changed, known) => {
    const state = new ConversationState(context, { chatbot_id, conversation_id }, names, changed, known);
    const act = actionsOf(context, state);
    return {
      title: () => (state.conversation === undefined ? all.conversations : all.chat.titleOf(names.contact(state.conversation.contact_id))),
      view: () => conversationView(context, state, names, act),
      begin: () => state.begin(),
      refresh: () => state.refresh(),
      end: () => state.end(),
    };
  });
}
