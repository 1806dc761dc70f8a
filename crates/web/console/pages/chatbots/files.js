// The files that a chatbot answers from.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { deleteFile, getFileContent, listFiles, updateFile } from '../../../client/files.js';
import { Form } from '../../form.js';
import { ago } from '../../format.js';
import { root, v1 } from '../../service.js';
import { empty } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as area } from '../../texts/chatbots.js';
import { texts as own } from '../../texts/content.js';
import { Collection, Deed } from './collection.js';
import { formDialog } from './form-dialog.js';
import { action, isBusy, linkOf, pausing, showText, sourceList, usage } from './source.js';
import { listOf, tagField, tagFilter } from './tagging.js';
import { Uploads, sizeOf } from './uploads.js';

const words = own.files;

/** The types that are offered first. The service judges a file by its content, not by its name. */
const TYPES = '.pdf,.docx,.pptx,.xlsx,.odt,.odp,.ods,.epub,.html,.htm,.md,.csv,.txt';

/** @param {import('./source.js').Place} place */
export function files(place) {
  const { context, chatbot_id, tags } = place;
  const wanted = { tag: '', q: '' };
  const deed = new Deed(context);
  const list = new Collection(context, async cursor => {
    const request = { chatbot_id, limit: 50, cursor, tag_id: wanted.tag || undefined, q: wanted.q.trim() || undefined };
    const read = await listFiles(v1, request);
    return { items: read.files, next: read.pagination.next_cursor };
  });
  const search = pausing(() => list.begin());
  list.begin();
  const uploads = new Uploads(context, chatbot_id, () => list.refresh());

  const act = {
    text: file => showText(place, file.title, () => getFileContent(v1, { chatbot_id, file_id: file.file_id })),
    edit: file => context.open(dialog => editFile(place, dialog, file, () => list.refresh())),
    replace: (file, chosen) => uploads.add([chosen], file),
    remove: async file => {
      if (!await context.confirm({ title: words.removeQuestion, text: file.title, action: area.source.remove })) return;
      const before = list.items ?? [];
      list.change(before.filter(other => other !== file));
      if (!await deed.do(() => deleteFile(v1, { chatbot_id, file_id: file.file_id }), words.removed(file.title))) list.change(before);
    },
  };
  const choose = value => {
    wanted.tag = value;
    list.begin();
  };
  const isFiltered = () => wanted.tag !== '' || wanted.q.trim() !== '';

  return {
    refresh: () => list.refresh(),
    leave: () => {
      search.end();
      uploads.end();
    },
    view: () => html`
      ${context.isManager ? dropZone(uploads, list.items?.length === 0 && !isFiltered()) : nothing}
      ${uploads.view()}
      ${list.items?.length || isFiltered()
        ? html`
          <div class="bar">
            <input type="search" aria-label=${words.search} placeholder=${words.search} maxlength="200" @input=${event => {
              wanted.q = event.target.value;
              search.begin();
            }}>
            ${tagFilter(tags.value, wanted.tag, choose)}
          </div>`
        : nothing}
      ${deed.view()}
      ${list.show(found => (found.length === 0
        ? isFiltered()
          ? empty(area.source.nothingFound, area.source.otherFilter)
          : context.isManager ? nothing : empty(words.empty, words.emptyText)
        : sourceList(found, file => file.file_id, file => row(file, act, chatbot_id, context.isManager), tags.value)))}`,
  };
}

function dropZone(uploads, isFirst) {
  const zone = event => event.currentTarget.classList;
  const choose = event => {
    uploads.add([...event.target.files]);
    event.target.value = '';
  };
  return html`
    <div class="drop" @dragover=${event => {
      event.preventDefault();
      zone(event).add('over');
    }} @dragleave=${event => zone(event).remove('over')} @drop=${event => {
      event.preventDefault();
      zone(event).remove('over');
      uploads.add([...event.dataTransfer.files]);
    }}>
      ${isFirst ? html`<div class="first"><h2>${words.empty}</h2><p class="quiet">${words.emptyText}</p></div>` : nothing}
      <p>${words.drop}</p>
      <label class="button main pick">${words.choose}<input type="file" multiple accept=${TYPES} aria-describedby="file-types" @change=${choose}></label>
      <p class="small quiet" id="file-types">${words.types}</p>
    </div>`;
}

function row(file, act, chatbot_id, isManager) {
  const { title, last_error, warnings = [] } = file;
  const address = new URL(`console/api/v1/chatbots/${chatbot_id}/files/${file.file_id}/download`, root).href;
  const replace = event => {
    const [chosen] = event.target.files;
    event.target.value = '';
    if (chosen) act.replace(file, chosen);
  };
  return {
    title,
    below: title === file.file_name ? undefined : file.file_name,
    facts: [
      sizeOf(file.size_bytes), file.page_count ? words.parts(file.page_count, file.kind) : undefined, words.changed(ago(file.updated_at)), ...usage(file),
    ],
    notes: [...last_error ? [last_error.message] : [], ...warnings.map(({ message }) => message)],
    actions: html`
      ${isBusy(file) && file.char_count === 0 ? nothing : action(area.source.read, area.source.readLabel(title), () => act.text(file))}
      <a class="small" href=${address} download=${file.file_name} aria-label=${words.downloadLabel(title)}>${words.download}</a>
      ${isManager
        ? html`
          ${action(area.source.edit, area.source.editLabel(title), () => act.edit(file))}
          <label class="link small pick">${words.replace}<input type="file" aria-label=${words.replaceLabel(title)} @change=${replace}></label>
          ${action(area.source.remove, area.source.removeLabel(title), () => act.remove(file), true)}`
        : nothing}`,
  };
}

/** Changes how a file is cited, whether it is used, and its tags. */
function editFile({ context, chatbot_id, tags }, dialog, file, changed) {
  const values = { title: file.title, url: file.url ?? '', enabled: file.enabled ? 'true' : '', tag_ids: JSON.stringify(file.tag_ids) };
  const form = new Form(context, 'file', { values });
  const send = async () => {
    const body = { title: form.text('title'), url: linkOf(form.text('url')), enabled: form.isOn('enabled'), tag_ids: listOf(form, 'tag_ids') };
    await context.call(() => updateFile(v1, { chatbot_id, file_id: file.file_id, body }));
    dialog.close();
    context.say(area.source.saved);
    changed();
  };
  return formDialog(dialog, {
    title: words.edit,
    lead: file.file_name,
    form,
    fields: () => html`
      ${form.field({ name: 'title', label: area.source.title, hint: words.titleHint, isFirst: true })}
      ${form.field({ name: 'url', label: area.source.address, hint: area.source.addressHint, inputmode: 'url', isOptional: true })}
      ${tagField(form, tags.value)}
      ${form.toggle({ name: 'enabled', label: area.source.enabled, hint: area.source.enabledHint })}`,
    action: texts.profile.save,
    send,
  });
}
