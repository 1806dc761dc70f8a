// Messages as bubbles: those of the other person on one side, ours on the other, and notes across.

import { html, nothing, ref, repeat } from '../../../vendor/lit/lit.js';
import { downloadAttachment } from '../../../client/inbox.js';
import { followable, linked } from '../../../shared/linked.js';
import { at, onDay, sizeOf, timeOf } from './times.js';
import { icon } from '../../icons.js';
import { root, v1 } from '../../service.js';
import { texts as all } from '../../texts/inbox.js';
import { symbol } from './symbols.js';

const words = all.message;

/** Images that every browser shows and that contain nothing but an image. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Milliseconds within which messages of the same person need no name. */
const TOGETHER = 5 * 60_000;

/**
 * A message of a thread or a conversation.
 *
 * @typedef {object} Entry
 * @property {string} id
 * @property {'theirs' | 'ours' | 'bot' | 'internal' | 'service'} kind
 * @property {string} author
 * @property {string} time
 * @property {string} text
 * @property {string} [subject]
 * @property {string} [folded]
 * @property {any[]} [attachments]
 * @property {any[]} [sources]
 * @property {any} [feedback]
 * @property {boolean} [needsPerson]
 * @property {string | null} [delivery]
 * @property {string | null} [deliveryError]
 */

/** Images of attachments, which the browser may show only from its own memory. */
export class Images {
  #context; #addresses = new Map();

  /** @param {import('../../main.js').Context} context */
  constructor(context) {
    this.#context = context;
  }

  /** Returns the address of an image once it has been read. */
  address({ attachment_id, mime_type }) {
    if (!SHOWN.includes(mime_type)) return undefined;
    if (!this.#addresses.has(attachment_id)) this.#read(attachment_id, mime_type);
    return this.#addresses.get(attachment_id);
  }

  async #read(attachment_id, type) {
    this.#addresses.set(attachment_id, '');
    try {
      const content = await downloadAttachment(v1, { attachment_id });
      this.#addresses.set(attachment_id, URL.createObjectURL(new Blob([content], { type })));
      this.#context.draw();
    } catch {
      // The link to download it stays.
    }
  }

  end() {
    for (const address of this.#addresses.values()) if (address) URL.revokeObjectURL(address);
  }
}

/**
 * Returns a history.
 *
 * @param {object} parts
 * @param {Entry[]} parts.entries
 * @param {Images} parts.images
 * @param {import('./history.js').Place} parts.place
 * @param {() => void} parts.draw
 * @param {{ isThere: boolean, isReading: boolean, read: () => void }} parts.earlier
 * @param {string} parts.news What screen readers say of a message that has come.
 * @param {unknown} [parts.end]
 */
export function log({ entries, images, place, draw, earlier, news, end = nothing }) {
  let day = '';
  /** @type {Entry | undefined} */
  let last;
  return html`
    <div class="log-frame">
      <div class="history" tabindex="0" role="region" aria-label=${all.log} @scroll=${() => place.scrolled(draw)} ${ref(place.take)}>
        ${earlier.isThere
          ? html`<p class="earlier"><button type="button" class="button slim" ?disabled=${earlier.isReading} @click=${earlier.read}>
              ${earlier.isReading ? all.older : all.earlier}</button></p>`
          : nothing}
        ${entries.length === 0 ? html`<p class="quiet">${all.noMessages}</p>` : nothing}
        ${repeat(entries, entry => entry.id, entry => {
          const own = onDay(entry.time);
          const isNewDay = own !== day;
          const goesOn = !isNewDay && last !== undefined && last.kind === entry.kind && last.author === entry.author
            && Date.parse(entry.time) - Date.parse(last.time) < TOGETHER;
          day = own;
          last = entry;
          return html`${isNewDay ? html`<p class="day"><span>${own}</span></p>` : nothing}${bubble(entry, images, place, goesOn)}`;
        })}
        ${end}
      </div>
      <p class="unseen" role="status">${news}</p>
      ${place.hasNews
        ? html`<button type="button" class="button slim news" @click=${() => { place.toEnd(); draw(); }}>${all.newest}</button>`
        : nothing}
    </div>`;
}

/** @param {Entry} entry @param {Images} images @param {import('./history.js').Place} place @param {boolean} goesOn Whether it needs no name, like the message above it. */
function bubble(entry, images, place, goesOn) {
  return html`
    <article class="bubble ${entry.kind} ${goesOn ? 'goes-on' : ''}">
      <p class="by small ${goesOn ? 'unseen' : ''}"><strong>${entry.author}</strong>${entry.kind === 'internal' ? html` <span>${words.note}</span>` : nothing}
        <time datetime=${entry.time} title=${at(entry.time)}>${timeOf(entry.time)}</time></p>
      <div class="said">
        ${entry.subject ? html`<p class="small quiet">${words.subject}: <span class="words">${entry.subject}</span></p>` : nothing}
        <div class="words">${linked(entry.text)}</div>
        ${entry.folded ? html`<details><summary class="small">${words.quoted}</summary><div class="words small">${linked(entry.folded)}</div></details>` : nothing}
        ${entry.attachments?.length ? html`<ul class="files" aria-label=${words.attachments}>${entry.attachments.map(one => file(one, images, place))}</ul>` : nothing}
      </div>
      ${entry.sources?.length
        ? html`<details class="small"><summary>${words.sources} (${entry.sources.length})</summary><ul class="sources">${entry.sources.map(source)}</ul></details>`
        : nothing}
      ${entry.needsPerson ? html`<p class="small caution">${words.needsPerson}</p>` : nothing}
      ${entry.feedback ? rating(entry.feedback) : nothing}
      ${entry.delivery ? html`
        <p class="small ${entry.delivery === 'failed' ? 'wrong' : 'quiet'}">${words.delivery[entry.delivery] ?? entry.delivery}${
          entry.deliveryError ? html`: <span class="words">${entry.deliveryError}</span>` : nothing}</p>` : nothing}
    </article>`;
}

function file(attachment, images, place) {
  const { attachment_id, file_name, size_bytes } = attachment;
  const image = images.address(attachment);
  const href = new URL(`console/api/v1/inbox/attachments/${encodeURIComponent(attachment_id)}/download`, root).href;
  return html`
    <li>
      ${image ? html`<img src=${image} alt=${words.image(file_name)} @load=${place.grown}>` : nothing}
      <a href=${href} download=${file_name} aria-label=${words.download(file_name)}>${symbol.file}<span>${file_name}</span></a>
      <span class="small quiet">${sizeOf(size_bytes)}</span>
    </li>`;
}

function source({ title, url, type }) {
  const address = followable(url);
  const name = title || url || words.sourceKinds[type] || type;
  return html`
    <li>${icon.source}<span>${address === undefined ? name : html`<a href=${address.href} target="_blank" rel="noopener noreferrer">${name}</a>`}
      <span class="quiet">${words.sourceKinds[type] ?? type}</span></span></li>`;
}

function rating({ rating: given, comment, rated_at }) {
  return html`
    <p class="rating small ${given === 'down' ? 'wrong' : 'good'}" title=${at(rated_at)}>${given === 'down' ? symbol.down : symbol.up}
      <span>${words.rated[given] ?? given}${comment ? html`: <q class="words">${comment}</q>` : nothing}</span></p>`;
}
