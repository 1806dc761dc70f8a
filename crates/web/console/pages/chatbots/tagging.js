// Tags of sources: how they look, how they are chosen, and how a list is filtered by them.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listTags } from '../../../client/tags.js';
import { v1 } from '../../service.js';
import { Reading } from '../../states.js';
import { texts as area } from '../../texts/chatbots.js';

const words = area.tags;

/**
 * Reads all tags of a chatbot.
 *
 * @param {import('../../main.js').Context} context
 * @param {string} chatbot_id
 * @returns {Reading<any[]>}
 */
export function readingTags(context, chatbot_id) {
  return new Reading(context, () => tagsOf(chatbot_id));
}

/** @param {string} chatbot_id */
export async function tagsOf(chatbot_id) {
  const tags = [];
  let cursor;
  do {
    const read = await listTags(v1, { chatbot_id, limit: 100, cursor });
    tags.push(...read.tags);
    cursor = read.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return tags;
}

/** The color of a tag. The policy of the page allows attributes of drawings, but no styles. */
export function dot(color) {
  return html`<svg class="dot" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="5" fill=${color ?? 'currentColor'} stroke="none"/></svg>`;
}

/** A tag by its name. */
export function chip(tag) {
  return html`<span class="chip">${dot(tag.color)}${tag.name}</span>`;
}

/** The tags of a source. */
export function chips(tags, tag_ids) {
  const found = (tags ?? []).filter(tag => tag_ids.includes(tag.tag_id));
  if (found.length === 0) return nothing;
  return html`<ul class="chips" aria-label=${words.title}>${found.map(tag => html`<li>${chip(tag)}</li>`)}</ul>`;
}

/**
 * Boxes to tick, one for each tag. The form holds their ids as a JSON array.
 *
 * @param {import('../../form.js').Form} form
 * @param {any[] | undefined} tags
 */
export function tagField(form, tags) {
  if (tags === undefined || tags.length === 0) return nothing;
  return choices(form, 'tag_ids', words.title, tags.map(tag => ({ id: tag.tag_id, name: chip(tag) })));
}

/**
 * Boxes to tick, of which a form holds the chosen ones as a JSON array.
 *
 * @param {import('../../form.js').Form} form
 * @param {string} name
 * @param {string} legend
 * @param {{ id: string, name: unknown }[]} entries
 * @param {string} [hint]
 */
export function choices(form, name, legend, entries, hint) {
  const chosen = listOf(form, name);
  const change = (id, isOn) => form.write(name, JSON.stringify(isOn ? [...listOf(form, name), id] : listOf(form, name).filter(other => other !== id)));
  const wrong = form.wrong[name] ?? [];
  return html`
    <fieldset class="choices">
      <legend>${legend}</legend>
      ${hint ? html`<p class="small quiet">${hint}</p>` : nothing}
      <div>${entries.map(entry => html`
        <label class="choice"><input type="checkbox" name=${name} .checked=${chosen.includes(entry.id)}
          @change=${event => change(entry.id, event.target.checked)}><span>${entry.name}</span></label>`)}</div>
      ${wrong.length > 0 ? html`<p class="wrong">${wrong.join(' ')}</p>` : nothing}
    </fieldset>`;
}

/** Returns a list that a form holds as a JSON array. */
export function listOf(form, name) {
  return JSON.parse(form.values[name] || '[]');
}

/** A choice of which tag the sources of a list have. Without tags there is nothing to choose. */
export function tagFilter(tags, value, choose) {
  if (tags === undefined || tags.length === 0) return nothing;
  return html`
    <select class="slim" aria-label=${words.filter} .value=${value} @change=${event => choose(event.target.value)}>
      <option value="">${words.any}</option>
      ${tags.map(tag => html`<option value=${tag.tag_id} ?selected=${tag.tag_id === value}>${tag.name}</option>`)}
    </select>`;
}
