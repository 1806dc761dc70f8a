// What people do with activities. Only owners and admins may; others see them.

import { html } from '../../../vendor/lit/lit.js';
import {
  cancelDealActivity, completeDealActivity, deleteDealActivity, reopenDealActivity, sendDealActivityNow,
} from '../../../client/deal-activities.js';
import { Form } from '../../form.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as plans } from '../../texts/activities.js';
import { texts as words } from '../../texts/board.js';
import { openLater } from '../../later.js';

const own = plans.activities;

/**
 * @param {import('../../main.js').Context} context
 * @param {import('./directory.js').Directory} directory
 * @param {{ changed: (activity?: any) => unknown }} hooks Is given an activity as it is now, or nothing if all are to be read again.
 */
export function activityActions(context, directory, { changed }) {
  const addressed = activity => ({ deal_id: activity.deal_id, deal_activity_id: activity.deal_activity_id });
  /** Does it. Shows the result at once if that is known, and takes it back if the service refuses. */
  const act = async (activity, operation, said, shown, undo) => {
    if (shown !== undefined) changed({ ...activity, ...shown });
    try {
      const now = await context.call(operation);
      changed(now ?? undefined);
      context.say(said(activity.title), undo && { action: words.undo, run: undo });
    } catch (error) {
      changed(activity);
      if (!(error instanceof Cancelled)) context.say(words.notDone(activity.title, problemOf(error).message));
    }
    changed();
  };

  const actions = {
    complete: (activity, result) => act(activity,
      () => completeDealActivity(v1, { ...addressed(activity), body: result === undefined ? {} : { result } }),
      own.completed, { status: 'done', is_overdue: false }, () => actions.reopen(activity)),
    reopen: activity => act(activity, () => reopenDealActivity(v1, addressed(activity)), own.reopened, { status: 'open' }),
    cancel: activity => act(activity, () => cancelDealActivity(v1, addressed(activity)), own.cancelled,
      { status: 'cancelled', is_overdue: false }, () => actions.reopen(activity)),
    sendNow: activity => act(activity, () => sendDealActivityNow(v1, addressed(activity)), own.sendingNow),
    edit: async activity => {
      const now = await openLater(context, () => import('./activity-form.js'),
        ({ activityDialog }, dialog) => activityDialog(context, dialog, { directory, activity, deal_id: activity.deal_id }));
      if (now === undefined) return;
      changed(now);
      context.say(own.saved);
    },
    completeWith: async activity => {
      const given = await context.open(dialog => resultDialog(context, dialog, activity));
      if (given !== undefined) await actions.complete(activity, given.result === '' ? undefined : given.result);
    },
    remove: async activity => {
      if (!await context.confirm({ title: own.removeQuestion(activity.title), text: own.removeText, action: own.removeAction })) return;
      await act(activity, () => deleteDealActivity(v1, addressed(activity)), own.removed);
    },
    /** The entries of the menu of an activity. */
    items: activity => {
      const isSendable = activity.status === 'open' && ['scheduled', 'waiting'].includes(activity.follow_up?.state);
      return [
        ...(isSendable ? [{ title: own.sendNow, run: () => actions.sendNow(activity) }] : []),
        ...(activity.status === 'open' ? [{ title: own.withResult, run: () => actions.completeWith(activity) }] : []),
        { title: own.change, run: () => actions.edit(activity) },
        activity.status === 'open'
          ? { title: own.cancel, run: () => actions.cancel(activity) } : { title: own.reopen, run: () => actions.reopen(activity) },
        { title: own.remove, run: () => actions.remove(activity), isDangerous: true },
      ];
    },
  };
  return actions;
}

/** Asks what came of an activity. */
function resultDialog(context, dialog, activity) {
  const form = new Form(context, `result-${activity.deal_activity_id}`, { isKept: true });
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${own.completeTitle}</h2>
      <p class="quiet words">${activity.title}</p>
      ${form.view({
        fields: form.field({ name: 'result', label: own.result, hint: own.resultHint, lines: 4, isOptional: true, isFirst: true }),
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${own.complete}</button>
          </div>`,
        send: async () => {
          const result = form.text('result');
          form.clear();
          dialog.close({ result });
        },
      })}
    </div>`;
}
