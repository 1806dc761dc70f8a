// A list and one of its entries side by side. On a small screen, one of both.

import { html } from '../../../vendor/lit/lit.js';
import { texts as all } from '../../texts/inbox.js';
import { symbol } from './symbols.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {object} parts
 * @param {string} parts.title
 * @param {boolean} parts.isChosen
 * @param {unknown} parts.action
 * @param {unknown} parts.list
 * @param {unknown} parts.one
 * @param {{ title: string, text: string }} parts.none What is beside the list while nothing is chosen.
 */
export function split(context, { title, isChosen, action, list, one, none }) {
  // The page has one heading: that of what is chosen, otherwise that of the list.
  return html`
    <div class="split ${isChosen ? 'chosen' : ''}">
      <section class="pane-list" aria-label=${title}>
        <div class="list-head">
          ${isChosen ? html`<h2 class="list-title">${title}</h2>` : html`<h1 class="list-title" tabindex="-1">${title}</h1>`}
          <button type="button" class="round" aria-label=${all.keys.open} title=${all.keys.open} @click=${() => context.shortcuts.openKeys()}>${symbol.keys}</button>
          ${action}
        </div>
        ${list}
      </section>
      <div class="pane-one">
        ${isChosen ? one : html`<div class="nothing"><p class="list-title">${none.title}</p><p class="quiet">${none.text}</p></div>`}
      </div>
    </div>`;
}

/** Shows the entry of the list that was chosen by a key. */
export function beside() {
  document.querySelector('.rows [aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
}
