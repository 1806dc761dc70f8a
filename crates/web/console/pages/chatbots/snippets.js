// Texts that a chatbot answers from.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createTextSnippet, deleteTextSnippet, listTextSnippets, updateTextSnippet } from '../../../client/text-snippets.js';
import { Form } from '../../form.js';
import { ago } from '../../format.js';
import { icon } from '../../icons.js';
import { v1 } from '../../service.js';
import { empty } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as area } from '../../texts/chatbots.js';
import { texts as own } from '../../texts/content.js';
import { Collection, Deed } from './collection.js';
import { formDialog } from './form-dialog.js';
import { action, linkOf, sourceList, usage } from './source.js';
import { listOf, tagField, tagFilter } from './tagging.js';

const words = own.snippets;

/** The longest text that the service takes, and how much of one a list shows. */
const LONGEST = 20_000;
const SHOWN = 240;

/** @param {import('./source.js').Place} place */
export function snippets(place) {
  const { context, chatbot_id, tags } = place;
  let tag = '';
  const deed = new Deed(context);
  const list = new Collection(context, async cursor => {
    const read = await listTextSnippets(v1, { chatbot_id, limit: 50, cursor, tag_id: tag || undefined });
    return { items: read.text_snippets, next: read.pagination.next_cursor };
  });
  list.begin();

  const act = {
    write: snippet => context.open(dialog => writeSnippet(place, dialog, snippet, () => (snippet === undefined ? list.begin() : list.refresh()))),
    remove: async snippet => {
      if (!await context.confirm({ title: words.removeQuestion, text: snippet.title, action: area.source.remove })) return;
      const before = list.items ?? [];
      list.change(before.filter(other => other !== snippet));
      const { text_snippet_id, title } = snippet;
      if (!await deed.do(() => deleteTextSnippet(v1, { chatbot_id, text_snippet_id }), words.removed(title))) list.change(before);
    },
  };
  const add = context.isManager
    ? html`<button type="button" class="button main" data-key="n" @click=${() => act.write()}>${icon.plus}${words.add}</button>`
    : nothing;
  const choose = value => {
    tag = value;
    list.begin();
  };

  return {
    refresh: () => list.refresh(),
    view: () => html`
      ${list.items?.length || tag !== '' ? html`<div class="bar">${tagFilter(tags.value, tag, choose)}${add}</div>` : nothing}
      ${deed.view()}
      ${list.show(found => (found.length === 0
        ? tag === '' ? empty(words.empty, words.emptyText, add) : empty(area.source.nothingFound, area.source.otherFilter)
        : sourceList(found, one => one.text_snippet_id, one => row(one, act, context.isManager), tags.value)))}`,
  };
}

function row(snippet, act, isManager) {
  const { title, content, url } = snippet;
  return {
    title,
    below: url === null ? undefined : html`<a href=${url} target="_blank" rel="noopener noreferrer">${url}</a>`,
    excerpt: content.length > SHOWN ? `${content.slice(0, SHOWN).trimEnd()}…` : content,
    facts: [words.changed(ago(snippet.updated_at)), ...usage(snippet)],
    actions: isManager
      ? html`
        ${action(area.source.edit, area.source.editLabel(title), () => act.write(snippet))}
        ${action(area.source.remove, area.source.removeLabel(title), () => act.remove(snippet), true)}`
      : nothing,
  };
}

/** Writes a new text, or changes one. What is written is kept until it is saved. */
function writeSnippet({ context, chatbot_id, tags }, dialog, snippet, changed) {
  const values = snippet === undefined
    ? { enabled: 'true' }
    : {
      title: snippet.title, content: snippet.content, url: snippet.url ?? '', enabled: snippet.enabled ? 'true' : '',
      tag_ids: JSON.stringify(snippet.tag_ids),
    };
  const form = new Form(context, `snippet.${snippet?.text_snippet_id ?? chatbot_id}`, { values, isKept: true });
  const send = async () => {
    const body = {
      title: form.text('title'), content: form.values.content, url: linkOf(form.text('url')), enabled: form.isOn('enabled'),
      tag_ids: listOf(form, 'tag_ids'),
    };
    const text_snippet_id = snippet?.text_snippet_id;
    await context.call(() => (text_snippet_id === undefined
      ? createTextSnippet(v1, { chatbot_id, body })
      : updateTextSnippet(v1, { chatbot_id, text_snippet_id, body })));
    form.clear();
    dialog.close();
    context.say(words.saved(body.title));
    changed();
  };
  return formDialog(dialog, {
    title: snippet === undefined ? words.add : words.edit,
    form,
    isWide: true,
    fields: () => html`
      ${form.field({ name: 'title', label: area.source.title, hint: words.titleHint, isFirst: true })}
      ${form.field({ name: 'content', label: words.text, hint: words.textHint(LONGEST), lines: 10 })}
      ${form.field({ name: 'url', label: area.source.address, hint: area.source.addressHint, inputmode: 'url', isOptional: true })}
      ${tagField(form, tags.value)}
      ${form.toggle({ name: 'enabled', label: area.source.enabled, hint: area.source.enabledHint })}`,
    action: texts.profile.save,
    send,
  });
}
