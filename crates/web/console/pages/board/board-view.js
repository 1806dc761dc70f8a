// How the board looks: heads of columns, rows of cells, and cards.

import { html, nothing, ref, repeat } from '../../../vendor/lit/lit.js';
import { count, onDay } from '../../format.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { texts as words } from '../../texts/board.js';
import { contactName, initials } from './directory.js';
import { money, sumsText } from './money.js';
import { tone } from './tone.js';

/** Today as the interface writes days, in the time zone of the person. */
export function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(part => String(part).padStart(2, '0')).join('-');
}

/** A day without a time, such as "2026-12-18", is the same day everywhere. */
export function plainDay(day) {
  return onDay(`${day}T12:00:00`);
}

/**
 * What the view needs of the page.
 *
 * @typedef {object} Board
 * @property {import('../../main.js').Context} context
 * @property {import('./board-state.js').BoardState} state
 * @property {import('./board-moves.js').Moves} moves
 * @property {import('./directory.js').Directory} directory
 * @property {import('./menu.js').Menu} menu
 * @property {(status: string) => unknown} add
 * @property {HTMLElement} [element]
 * @property {(element?: Element) => void} [around]
 * @property {Map<string, boolean>} folded Rows that this person has folded or unfolded.
 */

/** @param {Board} board */
export function boardView(board, value) {
  const { moves, state } = board;
  const hasRows = value.rows.length > 1;
  // As many columns as fit share the width.
  const share = () => board.element?.style.setProperty('--count', String(state.value?.columns.length ?? 1));
  // It must stay the same function: Lit would end the drag otherwise.
  board.around ??= element => {
    board.element = element instanceof HTMLElement ? element : undefined;
    share();
    moves.drag.attach(board.element);
  };
  share();
  return html`
    <div class="board" role="region" aria-label=${words.title} ${ref(board.around)} @keydown=${event => moves.key(event)}
      @pointerdown=${() => moves.cancel()}>
      <p class="unseen" id="board-keys">${words.keys.help}</p>
      <div class="columns">
        ${repeat(value.columns, ({ status }) => status.deal_status_id, column => columnHead(board, column))}
      </div>
      ${repeat(value.rows, row => row.deal_row_id, row => lane(board, value, row, hasRows))}
    </div>
    <p class="unseen" role="status" aria-live="assertive">${moves.announced}</p>
    ${state.value?.isCut ? html`<p class="hint">${words.cut}</p>` : nothing}`;
}

function columnHead({ add }, { status, count: size, sums }) {
  return html`
    <div class="column-head">
      <h2>${tone(status.color)}<bdi>${status.name}</bdi></h2>
      <span class="quiet number" aria-label=${words.deals(size)}>${count(size)}</span>
      <button type="button" class="round" aria-label=${words.newDeal.into(status.name)} title=${words.newDeal.into(status.name)}
        @click=${() => add(status.deal_status_id)}>${icon.plus}</button>
      <p class="small quiet number">${sums.length === 0 ? words.noValue : sumsText(sums)}</p>
    </div>`;
}

/** @param {Board} board */
function lane(board, value, row, hasHead) {
  const { context, folded } = board;
  const isFolded = hasHead && (folded.get(row.deal_row_id) ?? row.is_collapsed);
  const toggle = () => {
    folded.set(row.deal_row_id, !isFolded);
    context.draw();
  };
  const cells = value.columns.map(({ status }) => value.cells.get(`${status.deal_status_id}/${row.deal_row_id}`));
  const size = cells.reduce((sum, cell) => sum + cell.count, 0);
  return html`
    <section class="lane" aria-label=${hasHead ? row.name : nothing}>
      ${hasHead ? html`
        <h3><button type="button" aria-expanded=${!isFolded} @click=${toggle}>${icon.back}${tone(row.color)}<bdi>${row.name}</bdi>
          <span class="quiet number">${words.deals(size)}</span></button></h3>` : nothing}
      ${isFolded ? nothing : html`
        <div class="cells">
          ${repeat(cells, cell => cell.status, (cell, index) => cellView(board, cell, value.columns[index].status, hasHead ? row.name : ''))}
        </div>`}
    </section>`;
}

/** @param {Board} board */
function cellView(board, cell, status, rowName) {
  const { state } = board;
  const { held } = state;
  /** @type {any[]} */
  const entries = [...state.shown(cell)];
  const isOver = held?.by === 'pointer' && held.at.status === cell.status && held.at.row === cell.row;
  if (held !== undefined && isOver) {
    const isOwn = held.from.status === cell.status && held.from.row === cell.row;
    // The index counts the other cards only.
    const place = isOwn && held.at.index > held.from.index ? held.at.index + 1 : held.at.index;
    if (!isOwn || held.at.index !== held.from.index) entries.splice(place, 0, undefined);
  }
  return html`
    <div class="cell-frame ${isOver ? 'over' : ''}">
      <ul class="cell" data-status=${cell.status} data-row=${cell.row} aria-label=${words.cell(status.name, rowName, cell.count)}>
        ${repeat(entries, deal => deal?.deal_id ?? 'slot', deal => (deal === undefined ? slot(held?.height) : card(board, deal, status)))}
      </ul>
      ${cell.hasMore
        ? html`<button type="button" class="link small" aria-label=${words.moreOf(status.name)} @click=${() => state.more(cell)}>
            ${words.more(cell.count - cell.deals.length)}</button>`
        : nothing}
      ${entries.length === 0 ? html`<p class="small quiet none">${words.emptyCell}</p>` : nothing}
    </div>`;
}

/** Where the card would be dropped. */
function slot(height) {
  const size = element => element?.style.setProperty('height', `${height ?? 64}px`);
  return html`<li class="slot" aria-hidden="true" ${ref(size)}></li>`;
}

/** @param {Board} board */
function card({ state, directory, menu }, deal, status) {
  const { deal_id, title, value, currency, expected_close_date: day, outcome, contact_ids, owner_id } = deal;
  const isHeld = state.held?.deal.deal_id === deal_id;
  const [first, ...others] = contact_ids;
  const contact = first && directory.contacts.get(first);
  const owner = owner_id && directory.memberName(owner_id);
  const isLate = outcome === 'open' && day !== null && day < today();
  return html`
    <li class="deal ${isHeld ? `held ${state.held?.by}` : ''}" data-deal=${deal_id} data-listed>
      <a class="title words" href=${path(`deals/${deal_id}`)} draggable="false" aria-describedby="board-keys">${title}</a>
      <button type="button" class="round" aria-label=${words.menu.label(title)} aria-haspopup="menu" aria-expanded=${menu.subject?.deal_id === deal_id}
        @click=${event => menu.open(deal, event.currentTarget)}>${icon.dots}</button>
      ${first === undefined ? nothing : html`
        <p class="small quiet line"><bdi>${contact ? contactName(contact) : contact === null ? words.contact.gone : '…'}</bdi>${others.length > 0 ? ` +${others.length}` : nothing}</p>`}
      ${outcome !== status.kind || deal.is_rotten ? html`
        <p class="row">
          ${outcome === status.kind ? nothing : html`<span class="badge ${outcome === 'won' ? 'good' : outcome === 'lost' ? 'bad' : ''}">${words.outcomes[outcome] ?? outcome}</span>`}
          ${deal.is_rotten ? html`<span class="badge caution">${words.idle}</span>` : nothing}
        </p>` : nothing}
      ${value === null && day === null && !owner ? nothing : html`
        <p class="facts small">
          ${value === null ? nothing : html`<strong class="number">${money(value, currency)}</strong>`}
          ${day === null ? nothing : html`<span class=${isLate ? 'late' : 'quiet'}><span class="unseen">${isLate ? words.late : words.deal.expected} </span>${plainDay(day)}</span>`}
          ${owner ? html`<span class="who" title=${owner}><span aria-hidden="true">${initials(owner)}</span><span class="unseen">${words.deal.owner}: ${owner}</span></span>` : nothing}
        </p>`}
    </li>`;
}
