// What the lists of webpages, files and texts have in common.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { addressOf, count } from '../../format.js';
import { Reading } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as area } from '../../texts/chatbots.js';
import { chips } from './tagging.js';

const words = area.source;

/**
 * Where a section is.
 *
 * @typedef {object} Place
 * @property {import('../../main.js').Context} context
 * @property {string} chatbot_id
 * @property {Reading<any[]>} tags
 */

const STATES = { ready: 'good', failed: 'bad', skipped: 'caution', pending: 'busy', processing: 'busy' };

/** Whether a source is still being read. */
export const isBusy = source => STATES[source.status] === 'busy';

/** The state of a source in a word. */
export function state(source) {
  if (!source.enabled) return html`<span class="badge">${words.off}</span>`;
  return html`<span class="badge ${STATES[source.status] ?? ''}">${words.status[source.status] ?? source.status}</span>`;
}

/**
 * A list of sources.
 *
 * @template T
 * @param {T[]} list
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => Row} rowOf
 * @param {any[] | undefined} tags
 */
export function sourceList(list, keyOf, rowOf, tags) {
  return html`<ul class="source-list">${repeat(list, keyOf, item => row(rowOf(item), item, tags))}</ul>`;
}

/**
 * @typedef {object} Row
 * @property {unknown} title
 * @property {unknown} [below] What identifies it further.
 * @property {(string | undefined)[]} facts
 * @property {string[]} [notes] What is wrong or missing.
 * @property {unknown} [excerpt]
 * @property {unknown} actions
 */

/**
 * @param {Row} shown
 * @param {any} item
 * @param {any[] | undefined} tags
 */
function row({ title, below, facts, notes = [], excerpt, actions }, item, tags) {
  return html`
    <li data-listed>
      <div class="top"><h3 class="words">${title}</h3>${state(item)}</div>
      ${below === undefined ? nothing : html`<p class="small quiet words">${below}</p>`}
      ${excerpt === undefined ? nothing : html`<p class="excerpt words">${excerpt}</p>`}
      ${notes.map(note => html`<p class="small caution">${note}</p>`)}
      ${chips(tags, item.tag_ids)}
      <div class="row">${actions}<span class="small quiet facts">${facts.filter(Boolean).join(' · ')}</span></div>
    </li>`;
}

/** The facts that every source has. */
export function usage(source) {
  return [
    source.char_count > 0 ? words.characters(count(source.char_count)) : undefined,
    source.hit_count > 0 ? words.used(source.hit_count === 1 ? 1 : count(source.hit_count)) : undefined,
  ];
}

/** Returns the web address that somebody means, who need not write the scheme; `null` for none. What cannot be one stays as it is. */
export function linkOf(text) {
  if (text === '') return null;
  return text.includes('.') ? addressOf(text) ?? text : text;
}

/** An action on a source. */
export function action(name, label, act, isDanger = false) {
  return html`<button type="button" class="link small ${isDanger ? 'danger' : ''}" aria-label=${label} @click=${act}>${name}</button>`;
}

/**
 * Calls back when somebody has stopped typing.
 *
 * @param {() => unknown} done
 */
export function pausing(done) {
  let timer;
  return { begin: () => { clearTimeout(timer); timer = setTimeout(done, 300); }, end: () => clearTimeout(timer) };
}

/**
 * Shows the text that was read from a source.
 *
 * @param {Place} place
 * @param {string} title
 * @param {() => PromiseLike<{ text: string, chunks: { chunk_id: string, text: string }[] }>} read
 */
export function showText({ context }, title, read) {
  return context.open(dialog => {
    const content = new Reading(context, async () => read());
    let isInPassages = false;
    content.begin();
    const toggle = () => {
      isInPassages = !isInPassages;
      context.draw();
    };
    return () => html`
      <div class="stack wide">
        <h2 id=${dialog.id} class="words">${title}</h2>
        ${content.show(({ text, chunks }) => (text === ''
          ? html`<p class="quiet">${words.noText}</p>`
          : html`
            <p class="small quiet">${words.passages(chunks.length)}
              ${chunks.length > 1
                ? html`<button type="button" class="link small" aria-pressed=${isInPassages} @click=${toggle}>${isInPassages ? words.whole : words.apart}</button>`
                : nothing}</p>
            <div class="read" tabindex="0" role="region" aria-label=${words.text}>
              ${isInPassages ? chunks.map(chunk => html`<p class="words">${chunk.text}</p>`) : html`<p class="words">${text}</p>`}
            </div>`))}
        <div class="row end"><button type="button" class="button" data-first @click=${() => dialog.close()}>${texts.close}</button></div>
      </div>`;
  });
}
