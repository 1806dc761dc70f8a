// One thread, beside the list of all.

import { texts as all } from '../../texts/inbox.js';
import { inbox } from './inbox.js';
import { ThreadState } from './thread-state.js';
import { actionsOf, threadView } from './thread-view.js';
import { titleOf } from './thread-list.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {{ thread: string }} parameters
 */
export function page(context, { thread: thread_id }) {
  return inbox(context, thread_id, (names, changed, known) => {
    const state = new ThreadState(context, thread_id, names, changed, known);
    const act = actionsOf(context, state, names);
    return {
      title: () => (state.thread === undefined ? all.inbox : titleOf(state.thread, names)),
      view: () => threadView(context, state, names, act),
      begin: () => state.begin(),
      refresh: () => state.refresh(),
      end: () => state.end(),
    };
  });
}
