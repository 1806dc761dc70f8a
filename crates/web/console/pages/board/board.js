// The sales board: deals as cards in columns and rows, which people search, filter and move.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { moveDeal } from '../../../client/deals.js';
import { head } from '../../frame.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { empty, skeleton } from '../../states.js';
import { texts as words } from '../../texts/board.js';
import { Moves } from './board-moves.js';
import { BoardState } from './board-state.js';
import { boardView, today } from './board-view.js';
import { dealActions } from './deal-actions.js';
import { deletedDeals } from './deleted.js';
import { Directory, contactName } from './directory.js';
import { openLater } from '../../later.js';
import { Menu } from './menu.js';

/** Milliseconds after the last key until it searches. */
const PAUSE = 250;
/** The filters that the address has. */
const NAMES = ['q', 'owner', 'show', 'contact', 'close'];
/** Days that are soon. */
const SOON = 30;

/** Returns what the interface is asked for. */
function filtersOf(chosen, me) {
  const filters = {};
  if (chosen.q) filters.q = chosen.q.slice(0, 200);
  if (chosen.owner) filters.owner_id = chosen.owner === 'me' ? me : chosen.owner;
  if (chosen.contact) filters.contact_id = chosen.contact;
  if (['open', 'won', 'lost'].includes(chosen.show)) filters.outcome = chosen.show;
  if (chosen.close === 'past') filters.expected_close_before = today();
  if (chosen.close === 'soon') filters.expected_close_before = new Date(Date.now() + SOON * 86_400_000).toISOString().slice(0, 10);
  // A deal that is won or lost is not late any more.
  if (chosen.close && filters.outcome === undefined) filters.outcome = 'open';
  return filters;
}

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const given = new URLSearchParams(location.search);
  /** @type {Record<string, string>} */
  const chosen = Object.fromEntries(NAMES.map(name => [name, given.get(name) ?? '']));
  const directory = new Directory(context);
  const state = new BoardState(context, filtersOf(chosen, directory.me), deals => directory.contacts.ask(deals.flatMap(deal => deal.contact_ids.slice(0, 1))));
  const deleted = deletedDeals(context, directory, () => filtersOf(chosen, directory.me));
  const isDeleted = () => chosen.show === 'deleted';
  let timer;
  /** Whether the filters are shown on a small screen. */
  let isUnfolded = false;

  const actions = dealActions(context, {
    change: work => state.change(work),
    changed: deal => {
      state.replace(deal);
      context.draw();
    },
    removed: deal => {
      state.put(deal, undefined);
      context.draw();
    },
    failed: message => context.say(message),
    neighbors: deal => {
      const place = state.placeOf(deal.deal_id);
      return place === undefined ? {} : state.neighbors(place, deal.deal_id);
    },
  });
  const moves = new Moves(context, state, actions);
  const menu = new Menu(context, deal => [
    { title: words.menu.move, run: () => moves.ask(deal) },
    ...(deal.outcome === 'open'
      ? [{ title: words.menu.win, run: () => actions.win(deal) }, { title: words.menu.lose, run: () => actions.lose(deal) }]
      : [{ title: words.menu.reopen, run: () => actions.reopen(deal) }]),
    ...(context.isManager ? [{ title: words.menu.remove, run: () => actions.remove(deal), isDangerous: true }] : []),
  ]);

  const begin = () => (isDeleted() ? deleted.begin() : state.begin());
  const choose = (name, value) => {
    chosen[name] = value;
    const query = new URLSearchParams(NAMES.filter(one => chosen[one]).map(one => [one, chosen[one]])).toString();
    history.replaceState(null, '', path('board') + (query === '' ? '' : `?${query}`));
    state.filters = filtersOf(chosen, directory.me);
    begin();
  };
  const write = text => {
    clearTimeout(timer);
    timer = setTimeout(() => choose('q', text.trim()), PAUSE);
  };
  const fold = () => {
    isUnfolded = !isUnfolded;
    context.draw();
  };
  const clear = () => {
    for (const name of NAMES) chosen[name] = '';
    choose('q', '');
  };
  const add = async status => {
    if (state.value === undefined) return;
    const { columns, rows } = state.value;
    const contacts = chosen.contact ? [chosen.contact] : [];
    const deal = await openLater(context, () => import('./deal-dialogs.js'),
      ({ newDeal }, dialog) => newDeal(context, dialog, { directory, columns: columns.map(one => one.status), rows, status, contacts }));
    if (deal === undefined) return;
    // The service adds it below all others, where nobody would see it in a long column.
    const [first] = state.others(deal.deal_status_id, deal.deal_row_id, deal.deal_id);
    state.put(deal, { status: deal.deal_status_id, row: deal.deal_row_id, index: 0 });
    if (first !== undefined) {
      const body = { before_deal_id: first.deal_id };
      await state.change(() => context.call(() => moveDeal(v1, { deal_id: deal.deal_id, body }))).catch(() => {});
    }
    await directory.contacts.ask(deal.contact_ids);
    context.say(words.newDeal.done(deal.title));
    await moves.focus(deal.deal_id);
    state.refresh();
  };
  const board = { context, state, moves, directory, menu, add, folded: new Map() };

  if (chosen.contact) directory.contacts.ask([chosen.contact]);
  begin();
  context.watch(['deals'], () => (isDeleted() ? deleted.refresh() : state.refresh()));

  const action = () => html`
    <span class="row">
      ${context.isManager ? html`<a class="button" href=${path('board/columns')}>${words.columns.link}</a>` : nothing}
      <button type="button" class="button main" data-key="n" ?disabled=${state.value === undefined} @click=${() => add(undefined)}>${icon.plus}${words.newDeal.title}</button>
    </span>`;
  return {
    title: words.title,
    leave: () => clearTimeout(timer),
    view: () => html`
      ${head(words.title, { action: action() })}
      ${filterRow(context, directory, chosen, { choose, write, clear, fold, isUnfolded })}
      <div class="wide">
        ${isDeleted()
          ? deleted.view()
          : state.reading.problem?.status === 422
            ? empty(words.nothing, words.filters.gone, html`<button type="button" class="button" @click=${clear}>${words.filters.clear}</button>`)
            : state.reading.show(value => content(board, value, { add, clear }), waiting())}
      </div>
      ${menu.view(words.menu.title)}`,
  };
}

function content(board, value, { add, clear }) {
  const isEmpty = value.columns.every(column => column.count === 0);
  if (isEmpty && board.state.isFiltered) {
    return empty(words.nothing, words.nothingText, html`<button type="button" class="button" @click=${clear}>${words.filters.clear}</button>`);
  }
  return html`
    ${isEmpty ? html`<p class="note above row"><span>${words.emptyText}</span>
      <button type="button" class="button slim" @click=${() => add(undefined)}>${words.newDeal.title}</button></p>` : nothing}
    ${boardView(board, value)}`;
}

function waiting() {
  return html`<div class="board waiting">${Array.from({ length: 4 }, () => skeleton(6))}</div>`;
}

/** @param {import('./directory.js').Directory} directory */
function filterRow(context, directory, chosen, { choose, write, clear, fold, isUnfolded }) {
  const contact = chosen.contact ? directory.contacts.get(chosen.contact) : undefined;
  const choice = (name, label, choices) => html`
    <select class="slim" aria-label=${label} @change=${event => choose(name, event.target.value)}>
      ${choices.map(([value, text]) => html`<option value=${value} .selected=${live(chosen[name] === value)}>${text}</option>`)}
    </select>`;
  const pick = async () => {
    const id = await openLater(context, () => import('./deal-dialogs.js'), ({ contactChoice }, dialog) => contactChoice(context, dialog, directory));
    if (id !== undefined) choose('contact', id);
  };
  const others = directory.choices(chosen.owner === 'me' ? '' : chosen.owner).slice(1).filter(([id]) => id !== directory.me);
  const used = NAMES.filter(name => name !== 'q' && chosen[name]).length;
  return html`
    <div class="filters ${isUnfolded ? 'unfolded' : ''}" role="search" aria-label=${words.filters.title}>
      <input type="search" class="slim" aria-label=${words.filters.search} placeholder=${words.filters.search} maxlength="200" .value=${chosen.q}
        @input=${event => write(event.target.value)}>
      <button type="button" class="button slim fold" aria-expanded=${isUnfolded} @click=${fold}>${words.filters.title}${used > 0 ? ` (${used})` : nothing}</button>
      ${choice('owner', words.deal.owner, [['', words.filters.everyone], ['me', words.filters.mine], ...others])}
      ${choice('show', words.filters.show, words.filters.shows)}
      ${chosen.show === 'deleted' ? nothing : choice('close', words.deal.expected, words.filters.closes)}
      ${chosen.contact
        ? html`<span class="chip"><bdi>${contact ? contactName(contact) : words.contact.one}</bdi>
            <button type="button" aria-label=${words.filters.anyContact} @click=${() => choose('contact', '')}>${icon.close}</button></span>`
        : html`<button type="button" class="button slim" @click=${pick}>${words.filters.contact}</button>`}
      ${NAMES.some(name => chosen[name]) ? html`<button type="button" class="link small" @click=${clear}>${words.filters.clear}</button>` : nothing}
    </div>`;
}
