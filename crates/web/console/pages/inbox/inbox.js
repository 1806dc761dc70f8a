// The inbox: threads of all channels. One of them is beside the list, or instead of it on a small screen.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { icon } from '../../icons.js';
import { texts as all } from '../../texts/inbox.js';
import { namesOf, once, part } from './kept.js';
import { beside, split } from './split.js';
import { ThreadList } from './thread-list.js';

const words = all.threads;

/**
 * What is shown of a thread that was chosen.
 *
 * @typedef {object} Chosen
 * @property {() => string} title
 * @property {() => unknown} view
 * @property {() => void} begin
 * @property {() => void} refresh
 * @property {() => void} end
 */

/** @param {import('../../main.js').Context} context */
export function page(context) {
  return inbox(context);
}

/**
 * @param {import('../../main.js').Context} context
 * @param {string} [thread_id] The thread that was chosen.
 * @param {(names: import('./kept.js').Names, changed: (thread: any) => void, known: any) => Chosen} [open] Shows it.
 */
export function inbox(context, thread_id, open) {
  const names = namesOf(context);
  /** @type {ThreadList} */
  const list = once(context, 'threads', () => new ThreadList(context, names));
  names.read().catch(() => {});
  list.open();

  const stateOf = thread => `${thread?.status} ${thread?.waiting_since}`;
  let before;
  const changed = thread => {
    list.replace(thread);
    if (before !== undefined && before !== stateOf(thread)) context.waiting.look();
    before = stateOf(thread);
  };
  const chosen = open?.(names, changed, list.items.find(thread => thread.thread_id === thread_id));
  chosen?.begin();
  context.watch(['threads'], () => {
    list.feed.refresh();
    chosen?.refresh();
  });

  const go = thread => {
    if (thread !== undefined) context.go(`inbox/${thread.thread_id}${list.filters.query}`).then(beside);
  };
  const begin = async () => {
    const module = await part(context, () => import('./new-thread.js'));
    const created = module && await context.open(dialog => module.newThread(context, dialog, names));
    if (created === undefined) return;
    context.say(all.newThread.sent);
    await context.go(`inbox/${created.thread_id}${list.filters.query}`);
  };

  return {
    title: () => chosen?.title() ?? all.inbox,
    leave: () => chosen?.end(),
    keys: {
      j: () => go(list.neighbor(thread_id, 1)),
      k: () => go(list.neighbor(thread_id, -1)),
    },
    view: () => split(context, {
      title: all.inbox,
      isChosen: chosen !== undefined,
      action: html`<button type="button" class="button slim main" data-key="n" @click=${begin}>${icon.plus}${words.create}</button>`,
      list: list.view(thread_id),
      one: chosen?.view() ?? nothing,
      none: { title: words.choose, text: words.chooseText },
    }),
  };
}
