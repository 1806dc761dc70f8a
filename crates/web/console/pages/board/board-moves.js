// Moving cards: by mouse and touch, by keys, and by a dialog. All of them end in one request.

import { loseDeal, moveDeal } from '../../../client/deals.js';
import { focusOn } from '../../focus.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { texts as words } from '../../texts/board.js';
import { Drag } from './drag.js';
import { openLater } from '../../later.js';

/** @typedef {import('./board-state.js').Place} Place */

export class Moves {
  /** What screen readers announce of a card that is moved by keys. */
  announced = '';
  drag;

  #context; #state; #actions;

  /**
   * @param {import('../../main.js').Context} context
   * @param {import('./board-state.js').BoardState} state
   * @param {any} actions
   */
  constructor(context, state, actions) {
    this.#context = context;
    this.#state = state;
    this.#actions = actions;
    this.drag = new Drag({
      item: '.deal',
      list: '.cell',
      begin: item => this.#take(item.dataset.deal, 'pointer', item.offsetHeight),
      over: ({ dataset: { status, row } }, index) => {
        const { held } = state;
        if (held === undefined || (held.at.status === status && held.at.row === row && held.at.index === index)) return;
        held.at = { status: status ?? '', row: row ?? '', index };
        context.draw();
      },
      end: isDropped => this.#end(isDropped),
    });
  }

  #take(deal_id, by, height) {
    const at = this.#state.placeOf(deal_id);
    const deal = this.#state.find(deal_id);
    if (this.#state.held !== undefined || at === undefined || deal === undefined) return false;
    this.#state.held = { deal, at, from: at, by, height };
    this.#context.draw();
    return true;
  }

  async #end(isDropped) {
    const { held } = this.#state;
    if (held === undefined) return;
    this.#state.held = undefined;
    const isMoved = held.at.status !== held.from.status || held.at.row !== held.from.row || held.at.index !== held.from.index;
    if (isDropped && isMoved) await this.place(held.deal, held.at);
    else {
      this.#state.settle();
      // What others have done meanwhile.
      this.#state.refresh();
    }
    this.#context.draw();
  }

  /** Cancels a move by keys, if there is one. */
  async cancel() {
    const { held } = this.#state;
    if (held?.by !== 'keys') return;
    this.announced = words.keys.cancelled(held.deal.title);
    await this.#end(false);
    this.focus(held.deal.deal_id);
  }

  /** Asks where a card goes, and puts it there. */
  async ask(deal) {
    const place = await openLater(this.#context, () => import('./deal-dialogs.js'), ({ moveTo }, dialog) => moveTo(this.#context, dialog, this.#state, deal));
    if (place === undefined) return;
    await this.place(deal, place);
    this.focus(deal.deal_id);
  }

  /** Puts a card to a place: at once on the screen, and back if the service refuses. */
  async place(deal, /** @type {Place} */ to) {
    const [context, state] = [this.#context, this.#state];
    const { deal_id } = deal;
    const from = state.placeOf(deal_id);
    if (from === undefined) return;
    const [old, { after, before }] = [state.neighbors(from, deal_id), state.neighbors(to, deal_id)];
    const column = state.value?.columns.find(({ status }) => status.deal_status_id === to.status)?.status;
    const isLoss = column?.kind === 'lost' && deal.outcome !== 'lost';
    let isBack = false;
    try {
      state.put(deal, to);
      context.draw();
      const now = await state.change(async () => {
        // Why a deal is lost is asked before it is.
        const loss = isLoss
          ? await openLater(context, () => import('./deal-dialogs.js'), ({ lossReason }, dialog) => lossReason(context, dialog, deal)) : { reason: '' };
        if (loss === undefined) {
          isBack = true;
          throw new Cancelled();
        }
        const body = {
          deal_status_id: to.status, deal_row_id: to.row,
          ...(after ? { after_deal_id: after } : before ? { before_deal_id: before } : {}),
        };
        const moved = await context.call(() => moveDeal(v1, { deal_id, body }));
        if (loss.reason === '') return moved;
        return context.call(() => loseDeal(v1, { deal_id, body: { lost_reason: loss.reason } }));
      });
      state.replace(now);
      if (to.status === from.status && to.row === from.row) context.say(words.said.sorted(deal.title), this.#undo(deal, old, now));
      else context.say(words.said.moved(deal.title, column?.name ?? ''), this.#undo(deal, old, now));
    } catch (error) {
      state.put(deal, from);
      if (!(error instanceof Cancelled)) {
        context.say(error?.status === 409 ? words.said.overtaken(deal.title) : words.notDone(deal.title, problemOf(error).message));
        // Where others have moved it, and its neighbors.
        state.refresh();
      }
      if (isBack) this.focus(deal_id);
    }
    context.draw();
  }

  #undo(deal, old, now) {
    return {
      action: words.undo,
      run: () => this.#actions.undo(deal, old, now),
    };
  }

  /** Gives the focus to a card, wherever it is drawn now. */
  async focus(deal_id) {
    await this.#context.draw();
    focusOn(`.deal[data-deal="${CSS.escape(deal_id)}"] a`);
  }

  /** Handles a key on the board. @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const deal_id = /** @type {HTMLElement | null} */ (target.closest('.deal'))?.dataset.deal;
    if (!target.matches('.deal a') || deal_id === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { held } = this.#state;
    if (held?.by === 'pointer') return;
    const { key } = event;
    if (held === undefined) {
      if (key === ' ') this.#pick(deal_id);
      else if (/^Arrow/.test(key)) this.#look(deal_id, key);
      else return;
    } else if (key === ' ' || key === 'Enter') this.#drop();
    else if (key === 'Escape') this.cancel();
    else if (/^Arrow|^Home$|^End$/.test(key)) this.#shift(key);
    else if (key !== 'Tab') return;
    event.preventDefault();
  }

  #pick(deal_id) {
    if (!this.#take(deal_id, 'keys')) return;
    this.announced = words.keys.picked(this.#where());
    this.#context.draw();
  }

  async #drop() {
    const { held } = this.#state;
    if (held === undefined) return;
    this.announced = words.keys.dropped(this.#where());
    const done = this.#end(true);
    this.focus(held.deal.deal_id);
    await done;
    this.focus(held.deal.deal_id);
  }

  /** Moves the held card by one step. */
  #shift(key) {
    const { held } = this.#state;
    if (held === undefined) return;
    const { at, deal } = held;
    const size = place => this.#state.others(place.status, place.row, deal.deal_id).length;
    const beside = this.#beside(at, key);
    if (key === 'Home') held.at = { ...at, index: 0 };
    else if (key === 'End') held.at = { ...at, index: size(at) };
    else if (key === 'ArrowUp' && at.index > 0) held.at = { ...at, index: at.index - 1 };
    else if (key === 'ArrowDown' && at.index < size(at)) held.at = { ...at, index: at.index + 1 };
    else if (beside !== undefined) {
      const index = key === 'ArrowUp' ? size(beside) : key === 'ArrowDown' ? 0 : Math.min(at.index, size(beside));
      held.at = { ...beside, index };
    }
    this.announced = this.#where();
    this.focus(deal.deal_id);
  }

  /** Moves the focus to another card. */
  #look(deal_id, key) {
    const place = this.#state.placeOf(deal_id);
    if (place === undefined) return;
    const step = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0;
    const inside = step === 0 ? undefined : this.#state.cell(place.status, place.row)?.deals[place.index + step];
    if (inside !== undefined) return this.focus(inside.deal_id);
    // Cells without cards are passed over.
    for (let next = this.#beside(place, key); next !== undefined; next = this.#beside(next, key)) {
      const deals = this.#state.cell(next.status, next.row)?.deals ?? [];
      const deal = key === 'ArrowUp' ? deals.at(-1) : key === 'ArrowDown' ? deals[0] : deals[Math.min(place.index, deals.length - 1)];
      if (deal !== undefined) return this.focus(deal.deal_id);
    }
  }

  /** Returns the cell beside another one. */
  #beside({ status, row }, key) {
    const { columns, rows } = this.#state.value ?? { columns: [], rows: [] };
    const isUpright = key === 'ArrowUp' || key === 'ArrowDown';
    const step = key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 1;
    if (isUpright) {
      const next = rows[rows.findIndex(one => one.deal_row_id === row) + step];
      return next && { status, row: next.deal_row_id };
    }
    const next = columns[columns.findIndex(one => one.status.deal_status_id === status) + step];
    return next && { status: next.status.deal_status_id, row };
  }

  /** Says where the held card is. */
  #where() {
    const { held, value } = this.#state;
    if (held === undefined || value === undefined) return '';
    const { status, row, index } = held.at;
    const column = value.columns.find(one => one.status.deal_status_id === status)?.status.name ?? '';
    const lane = value.rows.length > 1 ? value.rows.find(one => one.deal_row_id === row)?.name : undefined;
    const total = this.#state.others(status, row, held.deal.deal_id).length + 1;
    return words.keys.where(held.deal.title, column, lane, index + 1, total);
  }
}
