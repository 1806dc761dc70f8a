// What the board shows: its columns, rows and cells, as the service has them and as they are while somebody moves a card.

import { getDealBoard, listDeals } from '../../../client/deals.js';
import { v1 } from '../../service.js';
import { Reading } from '../../states.js';
import { shifted } from './money.js';

/** Deals that one request reads, and deals of a search that are shown at most. */
const PAGE = 100;
const FOUND = 300;

/**
 * The deals of one column in one row.
 *
 * @typedef {{ status: string, row: string, count: number, sums: any[], deals: any[], hasMore: boolean }} Cell
 */

/**
 * Where a deal is: its cell, and its place in it.
 *
 * @typedef {{ status: string, row: string, index: number }} Place
 */

const keyOf = (status, row) => `${status}/${row}`;

export class BoardState {
  /** What somebody holds at this moment. @type {{ deal: any, at: Place, from: Place, by: 'keys' | 'pointer', height?: number } | undefined} */
  held;
  filters;

  #context; #reading;
  /** How many deals of a cell are wanted, if not only the first ones. @type {Map<string, number>} */
  #wanted = new Map();
  #saving = 0;
  #changes = 0;
  #isReading = false;
  /** @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** @type {(() => void)[]} */
  #waiting = [];

  /**
   * @param {import('../../main.js').Context} context
   * @param {Record<string, any>} filters
   * @param {(deals: any[]) => void} found Is given the deals that were read.
   */
  constructor(context, filters, found) {
    this.#context = context;
    this.filters = filters;
    this.#reading = new Reading(context, async () => {
      // A reading that was overtaken by a change would put cards back to where they were.
      for (;;) {
        const before = this.#changes;
        const value = await this.#read();
        await this.#calm();
        if (before === this.#changes) {
          found([...value.cells.values()].flatMap(cell => cell.deals));
          return value;
        }
      }
    });
  }

  get reading() {
    return this.#reading;
  }

  get value() {
    return this.#reading.value;
  }

  get isFiltered() {
    return Object.keys(this.filters).length > 0;
  }

  begin() {
    return this.#reading.begin();
  }

  /** Reads again what others may have changed, unless somebody is just moving something. */
  async refresh() {
    if (this.held !== undefined || this.#isReading || this.#saving > 0) return;
    this.#isReading = true;
    await this.#reading.begin({ isQuiet: true });
    this.#isReading = false;
  }

  /** Shows more deals of a cell. */
  async more(cell) {
    this.#wanted.set(keyOf(cell.status, cell.row), cell.deals.length + 50);
    await this.#reading.begin({ isQuiet: true });
  }

  #calm() {
    if (this.held === undefined && this.#saving === 0) return Promise.resolve();
    return new Promise(resolve => this.#waiting.push(() => resolve(undefined)));
  }

  /** Lets readings go on that have waited for the end of a change. */
  settle() {
    if (this.held !== undefined || this.#saving > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #read() {
    const isFiltered = this.isFiltered;
    const [board, found] = await Promise.all([
      getDealBoard(v1, isFiltered ? { per_cell: 1 } : {}), isFiltered ? this.#search() : undefined,
    ]);
    /** @type {Map<string, Cell>} */
    const cells = new Map();
    const columns = board.columns.map(({ status, count, value_sums }) => ({ status, count: isFiltered ? 0 : count, sums: isFiltered ? [] : value_sums }));
    for (const { status } of columns) {
      for (const row of board.rows) {
        cells.set(keyOf(status.deal_status_id, row.deal_row_id), {
          status: status.deal_status_id, row: row.deal_row_id, count: 0, sums: [], deals: [], hasMore: false,
        });
      }
    }
    const value = { columns, rows: board.rows, cells, isCut: found?.isCut ?? false };
    if (found !== undefined) {
      for (const deal of found.deals) {
        const cell = cells.get(keyOf(deal.deal_status_id, deal.deal_row_id));
        cell?.deals.push(deal);
        if (cell !== undefined) count(value, cell, deal, 1);
      }
      for (const cell of cells.values()) cell.deals.sort((a, b) => (a.position < b.position ? -1 : 1));
      return value;
    }
    await Promise.all(board.cells.map(async given => {
      const key = keyOf(given.deal_status_id, given.deal_row_id);
      const cell = cells.get(key);
      if (cell === undefined) return;
      Object.assign(cell, { count: given.count, sums: given.value_sums, deals: given.deals, hasMore: given.has_more });
      const wanted = this.#wanted.get(key) ?? 0;
      if (given.has_more && wanted > given.deals.length) {
        const query = { deal_status_id: cell.status, deal_row_id: cell.row, sort_by: 'position' };
        const { deals, isCut } = await upTo(query, wanted);
        Object.assign(cell, { deals, hasMore: isCut });
      }
    }));
    return value;
  }

  #search() {
    const { outcome, ...others } = this.filters;
    // Owners of agencies reach the deals of other accounts, which are on other boards.
    const { account_id } = this.#context.session.account;
    return upTo({ account_id, ...others, ...(outcome === undefined ? {} : { outcome: [outcome] }) }, FOUND);
  }

  cell(status, row) {
    return this.value?.cells.get(keyOf(status, row));
  }

  /** Returns where a deal is. @returns {Place | undefined} */
  placeOf(deal_id) {
    for (const cell of this.value?.cells.values() ?? []) {
      const index = cell.deals.findIndex(deal => deal.deal_id === deal_id);
      if (index >= 0) return { status: cell.status, row: cell.row, index };
    }
    return undefined;
  }

  find(deal_id) {
    const place = this.placeOf(deal_id);
    return place && this.cell(place.status, place.row)?.deals[place.index];
  }

  /** Returns the deals of a cell without the one that is held. */
  others(status, row, deal_id) {
    return (this.cell(status, row)?.deals ?? []).filter(deal => deal.deal_id !== deal_id);
  }

  /** Returns the deals of a cell as they are shown: a card that is moved by keys is where it would be dropped. */
  shown(cell) {
    const { held } = this;
    if (held?.by !== 'keys') return cell.deals;
    const deals = this.others(cell.status, cell.row, held.deal.deal_id);
    if (held.at.status === cell.status && held.at.row === cell.row) deals.splice(held.at.index, 0, held.deal);
    return deals;
  }

  /** Returns the neighbors of a place, by which the service finds it whatever others have moved. */
  neighbors({ status, row, index }, deal_id) {
    const others = this.others(status, row, deal_id);
    return { after: others[index - 1]?.deal_id, before: others[index]?.deal_id };
  }

  /** Puts a deal to a place, or takes it away without one. */
  put(deal, place) {
    const { value } = this;
    if (value === undefined) return;
    for (const cell of value.cells.values()) {
      const index = cell.deals.findIndex(({ deal_id }) => deal_id === deal.deal_id);
      if (index >= 0) count(value, cell, cell.deals.splice(index, 1)[0], -1);
    }
    const cell = place && value.cells.get(keyOf(place.status, place.row));
    if (!cell) return;
    cell.deals.splice(Math.min(place.index, cell.deals.length), 0, { ...deal, deal_status_id: cell.status, deal_row_id: cell.row });
    count(value, cell, deal, 1);
  }

  /** Shows what the service says of a deal, in its place. */
  replace(deal) {
    const place = this.placeOf(deal.deal_id);
    const isThere = place?.status === deal.deal_status_id && place?.row === deal.deal_row_id;
    this.put(deal, { status: deal.deal_status_id, row: deal.deal_row_id, index: isThere ? place.index : Infinity });
  }

  /**
   * Does something that changes deals, after what was begun before it. Readings wait for its end.
   *
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  change(work) {
    this.#saving += 1;
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {}).then(() => {
      this.#saving -= 1;
      this.#changes += 1;
      this.settle();
      this.#context.draw();
      this.refresh();
    });
    return done;
  }
}

function count(value, cell, deal, sign) {
  const column = value.columns.find(({ status }) => status.deal_status_id === cell.status);
  for (const one of [cell, column]) {
    one.count += sign;
    one.sums = shifted(one.sums, deal, sign);
  }
}

/** Reads deals until there are so many, or no more. */
async function upTo(query, wanted) {
  const deals = [];
  let cursor;
  do {
    const page = await listDeals(v1, { ...query, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    deals.push(...page.deals);
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined && deals.length < wanted);
  return { deals, isCut: cursor !== undefined };
}
