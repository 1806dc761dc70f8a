// API keys: named when they are created, shown once, masked afterwards, and refused as soon as they are deleted.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createKey, deleteKey, listKeys } from '../../../console-client/keys.js';
import { Form } from '../../form.js';
import { ago, at, onDay } from '../../format.js';
import { copyable, head } from '../../frame.js';
import { icon } from '../../icons.js';
import { Cancelled, account, problemOf } from '../../service.js';
import { Reading, empty, problem, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { texts } from '../../texts.js';
import { forbidden } from '../missing.js';

const words = texts.keys;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const list = new Reading(context, async () => (await listKeys(account)).keys);
  let removalProblem;
  list.begin();

  const create = async () => {
    await context.open(dialog => newKey(context, dialog, () => list.begin()));
  };

  const remove = async key => {
    removalProblem = undefined;
    if (!await context.confirm({ title: words.removeQuestion(key.name), text: words.removeText, action: words.remove })) return;
    try {
      await context.call(() => deleteKey(account, { key_id: key.key_id }));
      context.say(words.removed(key.name));
    } catch (error) {
      if (error instanceof Cancelled) return;
      removalProblem = problemOf(error);
    }
    // Somebody else may have deleted it, too.
    await list.begin();
  };

  const button = html`<button type="button" class="button main" data-key="n" @click=${create}>${icon.plus}${words.create}</button>`;
  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: words.lead, action: list.value?.length ? button : nothing })}
      <div class="stack">
        ${removalProblem === undefined ? nothing : problem(removalProblem)}
        ${list.show(keys => (keys.length === 0 ? empty(words.empty, words.emptyText, button) : table(columns(remove), keys, key => key.key_id)), skeleton(5))}
      </div>`,
  };
}

/** @returns {import('../../table.js').Column<any>[]} */
function columns(remove) {
  return [
    { title: words.name, kind: 'name', cell: key => key.name },
    { title: words.key, cell: key => html`<code>${key.masked}</code>` },
    { title: words.creator, cell: key => key.member_name },
    { title: words.created, cell: key => html`<span title=${at(key.created_at)}>${onDay(key.created_at)}</span>` },
    { title: words.used, cell: key => (key.last_used_at ? ago(key.last_used_at) : words.never) },
    {
      title: words.actions,
      kind: 'action',
      cell: key => html`<button type="button" class="link danger" aria-label=${words.removeLabel(key.name)} @click=${() => remove(key)}>${words.remove}</button>`,
    },
  ];
}

/**
 * Asks for a name, creates the key, and shows it this once.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {() => void} changed
 */
function newKey(context, dialog, changed) {
  const form = new Form(context, 'new-key');
  let created;
  const send = async () => {
    created = await context.call(() => createKey(account, { body: { name: form.text('name') } }));
    changed();
    await context.draw();
    document.getElementById(dialog.id)?.focus();
  };
  return () => (created === undefined
    ? html`
      <div class="stack">
        <h2 id=${dialog.id}>${words.create}</h2>
        ${form.view({
          fields: form.field({ name: 'name', label: words.name, hint: words.nameHint, isFirst: true }),
          actions: ({ isSending }) => html`
            <div class="row end">
              <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
              <button class="button main" ?disabled=${isSending}>${words.action}</button>
            </div>`,
          send,
        })}
      </div>`
    : html`
      <div class="stack">
        <h2 id=${dialog.id} tabindex="-1">${words.newTitle}</h2>
        <p class="hint">${words.newText}</p>
        ${copyable(context, created.key, words.copyLabel)}
        <div class="row end"><button type="button" class="button main" @click=${() => dialog.close()}>${words.done}</button></div>
      </div>`);
}
