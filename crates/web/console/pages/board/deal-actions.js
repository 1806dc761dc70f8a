// What people do with a deal, wherever it is shown: win, lose, reopen, delete, and undo each of them.

import { deleteDeal, loseDeal, moveDeal, reopenDeal, restoreDeal, winDeal } from '../../../client/deals.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { texts as words } from '../../texts/board.js';
import { openLater } from '../../later.js';

/**
 * What a page does with deals that have changed.
 *
 * @typedef {object} Hooks
 * @property {<T>(work: () => Promise<T>) => Promise<T>} change Does it after what was begun before.
 * @property {(deal: any) => unknown} changed Shows the deal as it is now.
 * @property {(deal: any) => unknown} removed Shows that it is gone.
 * @property {(message: string) => unknown} failed
 * @property {(deal: any) => { after?: string, before?: string }} neighbors
 */

/**
 * Puts a deal next to one of its neighbors, or to the end of the cell if both are somewhere else by now.
 *
 * @param {import('../../main.js').Context} context
 * @param {any} deal
 * @param {{ after?: string, before?: string }} neighbors
 */
export async function moveBack(context, deal, { after, before }) {
  const { deal_id, deal_status_id, deal_row_id } = deal;
  const ways = [...(after ? [{ after_deal_id: after }] : []), ...(before ? [{ before_deal_id: before }] : []), {}];
  for (const way of ways) {
    try {
      return await context.call(() => moveDeal(v1, { deal_id, body: { deal_status_id, deal_row_id, ...way } }));
    } catch (error) {
      if (error?.status !== 409 && error?.status !== 422) throw error;
      if (way === ways.at(-1)) throw error;
    }
  }
  return deal;
}

/** Gives a deal back the place, the outcome and the reason that it had before. */
export async function putBack(context, before, neighbors, now) {
  const { deal_id } = before;
  let deal = before.outcome === 'open' && now.outcome !== 'open' ? await context.call(() => reopenDeal(v1, { deal_id })) : now;
  const isThere = deal.deal_status_id === before.deal_status_id && deal.deal_row_id === before.deal_row_id;
  if (!isThere || neighbors.after || neighbors.before) deal = await moveBack(context, before, neighbors);
  if (before.outcome === 'won' && deal.outcome !== 'won') deal = await context.call(() => winDeal(v1, { deal_id }));
  if (before.outcome === 'lost' && (deal.outcome !== 'lost' || deal.lost_reason !== before.lost_reason)) {
    deal = await context.call(() => loseDeal(v1, { deal_id, body: before.lost_reason === null ? {} : { lost_reason: before.lost_reason } }));
  }
  return deal;
}

/**
 * Returns what people can do with a deal.
 *
 * @param {import('../../main.js').Context} context
 * @param {Hooks} hooks
 */
export function dealActions(context, hooks) {
  /** Does it, shows it, and offers to undo it. */
  const act = async (deal, operation, said) => {
    const neighbors = hooks.neighbors(deal);
    try {
      const now = await hooks.change(() => context.call(operation));
      hooks.changed(now);
      context.say(said, { action: words.undo, run: () => undo(deal, neighbors, now) });
    } catch (error) {
      if (!(error instanceof Cancelled)) hooks.failed(words.notDone(deal.title, problemOf(error).message));
    }
  };

  const undo = async (before, neighbors, now) => {
    try {
      hooks.changed(await hooks.change(() => putBack(context, before, neighbors, now)));
      context.say(words.undone);
    } catch (error) {
      if (!(error instanceof Cancelled)) hooks.failed(words.notUndone(problemOf(error).message));
    }
  };

  return {
    undo,
    win: deal => act(deal, () => winDeal(v1, { deal_id: deal.deal_id }), words.said.won(deal.title)),
    reopen: deal => act(deal, () => reopenDeal(v1, { deal_id: deal.deal_id }), words.said.reopened(deal.title)),

    lose: async deal => {
      const given = await openLater(context, () => import('./deal-dialogs.js'), ({ lossReason }, dialog) => lossReason(context, dialog, deal));
      if (given === undefined || given.reason === (deal.lost_reason ?? undefined)) return;
      // A reason can be replaced, but not taken away.
      if (deal.outcome === 'lost' && given.reason === '') return;
      const body = given.reason === '' ? {} : { lost_reason: given.reason };
      await act(deal, () => loseDeal(v1, { deal_id: deal.deal_id, body }), deal.outcome === 'lost' ? words.deal.saved : words.said.lost(deal.title));
    },

    remove: async deal => {
      const { deal_id } = deal;
      if (!await context.confirm({ title: words.remove.question(deal.title), text: words.remove.text, action: words.remove.action })) return;
      const neighbors = hooks.neighbors(deal);
      try {
        await hooks.change(() => context.call(() => deleteDeal(v1, { deal_id })));
        hooks.removed(deal);
      } catch (error) {
        if (!(error instanceof Cancelled)) hooks.failed(words.notDone(deal.title, problemOf(error).message));
        return;
      }
      context.say(words.said.deleted(deal.title), {
        action: words.undo,
        run: async () => {
          try {
            hooks.changed(await hooks.change(async () => {
              await context.call(() => restoreDeal(v1, { deal_id }));
              return moveBack(context, deal, neighbors);
            }));
            context.say(words.undone);
          } catch (error) {
            if (!(error instanceof Cancelled)) hooks.failed(words.notUndone(problemOf(error).message));
          }
        },
      });
    },
  };
}
