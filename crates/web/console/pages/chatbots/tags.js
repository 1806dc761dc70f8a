// The tags of a chatbot.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createTag, deleteTag, updateTag } from '../../../client/tags.js';
import { Form } from '../../form.js';
import { count } from '../../format.js';
import { icon } from '../../icons.js';
import { v1 } from '../../service.js';
import { empty } from '../../states.js';
import { table } from '../../table.js';
import { texts } from '../../texts.js';
import { texts as area } from '../../texts/chatbots.js';
import { Deed } from './collection.js';
import { formDialog } from './form-dialog.js';
import { chip, dot } from './tagging.js';

const words = area.tags;

/** Colors that can be told apart in light and in dark. */
const COLORS = {
  '#2f8f5b': words.colors.green, '#2b7fc4': words.colors.blue, '#7a5cc9': words.colors.purple, '#c2478e': words.colors.pink,
  '#c9483b': words.colors.red, '#c77d12': words.colors.orange, '#8a8d1f': words.colors.olive, '#2a8f95': words.colors.teal,
};

/** @param {import('./source.js').Place} place */
export function tagSection(place) {
  const { context, chatbot_id, tags } = place;
  const deed = new Deed(context);
  const refresh = () => tags.begin({ isQuiet: true });
  const act = {
    write: tag => context.open(dialog => writeTag(place, dialog, tag, refresh)),
    remove: async tag => {
      const text = words.removeText(tag.usage_count);
      if (!await context.confirm({ title: words.removeQuestion(tag.name), text, action: area.source.remove })) return;
      await deed.do(() => deleteTag(v1, { chatbot_id, tag_id: tag.tag_id }), words.removed(tag.name));
      await refresh();
    },
  };
  const add = context.isManager
    ? html`<button type="button" class="button main" data-key="n" @click=${() => act.write()}>${icon.plus}${words.add}</button>`
    : nothing;
  const columns = [
    { title: words.name, kind: 'name', cell: chip },
    { title: words.sources, kind: 'number', cell: tag => count(tag.usage_count) },
    ...context.isManager
      ? [{
        title: texts.keys.actions,
        kind: 'action',
        cell: tag => html`
          <span class="row end">
            <button type="button" class="link" aria-label=${area.source.editLabel(tag.name)} @click=${() => act.write(tag)}>${area.source.edit}</button>
            <button type="button" class="link danger" aria-label=${area.source.removeLabel(tag.name)} @click=${() => act.remove(tag)}>${area.source.remove}</button>
          </span>`,
      }]
      : [],
  ];
  return {
    // The page reads the tags of all its kinds.
    refresh() {},
    view: () => html`
      ${tags.value?.length ? html`<div class="bar">${add}</div>` : nothing}
      ${deed.view()}
      ${tags.show(list => (list.length === 0
        ? empty(words.empty, words.emptyText, add)
        : table(/** @type {import('../../table.js').Column<any>[]} */ (columns), list, tag => tag.tag_id)))}`,
  };
}

function writeTag({ context, chatbot_id }, dialog, tag, changed) {
  const form = new Form(context, 'tag', { values: { name: tag?.name ?? '', color: tag?.color ?? '' } });
  const send = async () => {
    const body = { name: form.text('name'), color: form.values.color || null };
    const tag_id = tag?.tag_id;
    await context.call(() => (tag_id === undefined ? createTag(v1, { chatbot_id, body }) : updateTag(v1, { chatbot_id, tag_id, body })));
    dialog.close();
    context.say(words.saved(body.name));
    changed();
  };
  const colors = { '': words.noColor, ...COLORS };
  // Programs may have set any other one.
  if (tag?.color && !(tag.color.toLowerCase() in colors)) colors[tag.color] = tag.color;
  const isChosen = color => form.values.color.toLowerCase() === color.toLowerCase();
  return formDialog(dialog, {
    title: tag === undefined ? words.add : words.edit,
    form,
    fields: () => html`
      ${form.field({ name: 'name', label: words.name, hint: words.nameHint, isFirst: true })}
      <fieldset class="choices">
        <legend>${words.color}</legend>
        <div>${Object.entries(colors).map(([color, name]) => html`
          <label class="choice"><input type="radio" name="color" .checked=${isChosen(color)} @change=${() => form.write('color', color)}>
            ${dot(color || undefined)}<span>${name}</span></label>`)}</div>
      </fieldset>`,
    action: texts.profile.save,
    send,
  });
}
