// The inbox: threads of all channels, and one of them beside the list, or instead of it on a small screen.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { icon } from '../../icons.js';
import { texts as all } from '../../texts/inbox.js';
import { namesOf, once } from './kept.js';
import { keys } from './keys.js';
import { newThread } from './new-thread.js';
import { beside, split } from './split.js';
import { ThreadList } from './thread-list.js';
import { ThreadState } from './thread-state.js';
import { actionsOf, threadView, titleOf } from './thread-view.js';

const words = all.threads;

/**
 * @param {import('../../main.js').Context} context
 * @param {{ thread?: string }} parameters
 */
export function page(context, { thread: thread_id }) {
  const names = namesOf(context);
  /** @type {ThreadList} */
  const list = once(context, 'threads', () => new ThreadList(context, names));
  names.read().catch(() => {});
  list.open();

  let state;
  let act;
  if (thread_id !== undefined) {
    const stateOf = thread => `${thread?.status} ${thread?.waiting_since}`;
    let before;
    const changed = thread => {
      list.replace(thread);
      if (before !== undefined && before !== stateOf(thread)) context.waiting.look();
      before = stateOf(thread);
    };
    state = new ThreadState(context, thread_id, names, changed, list.items.find(thread => thread.thread_id === thread_id));
    act = actionsOf(context, state, names);
    state.begin();
  }
  context.watch(['threads'], () => {
    list.feed.refresh();
    state?.refresh();
  });

  const open = thread => {
    if (thread !== undefined) context.go(`inbox/${thread.thread_id}${list.filters.query}`).then(beside);
  };
  const begin = async () => {
    const created = await context.open(dialog => newThread(context, dialog, names));
    if (created === undefined) return;
    context.say(all.newThread.sent);
    await context.go(`inbox/${created.thread_id}${list.filters.query}`);
  };
  const endKeys = keys(context, {
    j: () => open(list.neighbor(thread_id, 1)),
    k: () => open(list.neighbor(thread_id, -1)),
    e: () => act?.resolve(),
    r: () => act?.reply(),
  });

  return {
    title: () => (state?.thread === undefined ? all.inbox : titleOf(state.thread, names)),
    leave: () => {
      endKeys();
      state?.end();
    },
    view: () => split(context, {
      title: all.inbox,
      isChosen: state !== undefined,
      action: html`<button type="button" class="button slim main" @click=${begin}>${icon.plus}${words.create}</button>`,
      list: list.view(thread_id),
      one: state === undefined ? nothing : threadView(context, state, names, act),
      none: { title: words.choose, text: words.chooseText },
    }),
  };
}
