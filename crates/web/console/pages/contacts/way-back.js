// The way from a contact back to the list, which is then as it was: filtered, as long, and at the same place.

import { back } from '../../frame.js';
import { path } from '../../paths.js';
import { texts } from '../../texts/contacts.js';

/** Milliseconds after which a list is read anew. */
const KEPT = 600_000;

/** @typedef {ReturnType<import('./pages.js').Pages<any>['keep']>} List */

/** @type {{ query: string, list: List, scroll: number, until: number } | undefined} */
let kept;
let query = '';

/** Notes what the list is limited to. */
export function noteQuery() {
  query = location.search;
}

/**
 * Keeps the list if somebody goes on to one of its contacts, and forgets it if they go elsewhere.
 *
 * @param {List} list
 * @param {number} scroll
 */
export function leaveList(list, scroll) {
  const isWithin = location.pathname.startsWith(`${path('contacts')}/`) && location.pathname !== path('contacts/import');
  kept = isWithin ? { query, list, scroll, until: Date.now() + KEPT } : undefined;
}

/** Forgets the list if somebody does not go back to it. */
export function leaveContact() {
  if (location.pathname !== path('contacts') && !location.pathname.startsWith(`${path('contacts')}/`)) [kept, query] = [undefined, ''];
}

/** Returns the list if it is the one of the address. */
export function takeList() {
  const found = kept !== undefined && kept.query === location.search && kept.until > Date.now() ? kept : undefined;
  kept = undefined;
  return found;
}

/** The link to the list. */
export function backToList() {
  return back(`contacts${query}`, texts.list.title);
}
