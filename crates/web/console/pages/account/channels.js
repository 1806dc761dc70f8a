// The channels of the inbox: whether each one works, and when it was last used.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listInboxChannels } from '../../../client/inbox-channels.js';
import { listThreads } from '../../../client/inbox.js';
import { ago, at, sentence } from '../../format.js';
import { head } from '../../frame.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, empty, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { words } from '../../texts/channels.js';
import { stateBadge } from './channel-state.js';
import { follow } from './parts.js';

/** Milliseconds after which it is read again whether the channels work, and when each one was last used. */
const PAUSE = 10_000;
const LONG_PAUSE = 30_000;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  /** @type {Map<string, string | null>} */
  let activity = new Map();
  let last = 0;
  const list = new Reading(context, async () => {
    // An account has at most 50 channels, which are one page.
    const { channels } = await listInboxChannels(v1, { limit: 100 });
    return channels;
  });

  /** The channels do not say when they were used, but their latest thread does. */
  const readActivity = async () => {
    last = Date.now();
    const channels = list.value ?? [];
    const times = await Promise.all(channels.map(async ({ channel_id }) => {
      try {
        const { threads } = await context.call(() => listThreads(v1, { channel_id, limit: 1 }));
        return /** @type {const} */ ([channel_id, threads[0]?.last_message_at ?? null]);
      } catch {
        // A channel that somebody has just deleted has none; the others are shown.
        return /** @type {const} */ ([channel_id, null]);
      }
    }));
    activity = new Map(times);
    context.draw();
  };
  const read = async options => {
    await list.begin(options);
    const isNew = list.value?.some(({ channel_id }) => !activity.has(channel_id));
    if (isNew || Date.now() - last > LONG_PAUSE) await readActivity();
  };
  read();
  const leave = follow(context, ['account', 'threads'], () => read({ isQuiet: true }), () => PAUSE);

  const add = html`<a class="button main" data-key="n" href=${path('channels/new')}>${icon.plus}${words.add}</a>`;
  return {
    title: words.title,
    leave,
    view: () => html`
      ${head(words.title, { lead: words.lead, action: context.isManager && list.value?.length ? add : nothing })}
      <div class="stack">
        ${list.show(channels => (channels.length === 0
          ? empty(words.empty, context.isManager ? words.emptyText : words.emptyOther, context.isManager ? add : nothing)
          : table(columns(activity), channels, ({ channel_id }) => channel_id)), skeleton(5))}
      </div>`,
  };
}

/** @returns {import('../../table.js').Column<any>[]} */
function columns(activity) {
  return [
    { title: words.name, kind: 'name', cell: ({ channel_id, name }) => html`<a href=${path(`channels/${channel_id}`)}>${name}</a>` },
    { title: words.kind, cell: ({ kind }) => words.kinds[kind] ?? kind },
    {
      title: words.state,
      isPlain: true,
      cell: channel => html`<div class="cell">${stateBadge(channel)}${channel.enabled && channel.last_error
        ? html`<span class="small quiet">${sentence(channel.last_error)}</span>`
        : nothing}</div>`,
    },
    {
      title: words.activity,
      cell: ({ channel_id }) => {
        if (!activity.has(channel_id)) return '…';
        const time = activity.get(channel_id);
        return time === null ? html`<span class="quiet">${words.noActivity}</span>` : html`<span title=${at(time)}>${ago(time)}</span>`;
      },
    },
  ];
}
