// The account itself: its name, how long it keeps data, whether it requires a second factor, all of its data, and its end.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { eraseAccount, exportAccount, getAccount, updateAccount } from '../../../console-client/account.js';
import { getSecondFactor } from '../../../console-client/second-factors.js';
import { Form } from '../../form.js';
import { onDay } from '../../format.js';
import { head } from '../../frame.js';
import { path } from '../../paths.js';
import { account } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { words } from '../../texts/account.js';
import { download, fileName, today } from '../contacts/download.js';
import { forbidden } from '../missing.js';
import { Action, Editor } from './parts.js';

/** Milliseconds that an erasure may take. */
const LONG = 120_000;
/** The most days for which something can be kept. */
const MOST = 36_500;
/** The fields with a number of days. */
const PERIODS = ['conversation_retention_days', 'contact_retention_days'];

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const editor = new Editor(context, 'account');
  const exporting = new Action(context);
  const reading = new Reading(context, async () => {
    const [found, factor] = await Promise.all([getAccount(account), getSecondFactor(account)]);
    return { ...found, hasFactor: factor.enabled_at !== null };
  });
  const read = async options => {
    await reading.begin(options);
    if (reading.value !== undefined && reading.problem === undefined) editor.take(valuesOf(reading.value));
    context.draw();
  };
  read();
  context.watch(['account'], () => {
    if (!editor.form.isSending) read({ isQuiet: true });
  });

  const save = async () => {
    const { form } = editor;
    for (const field of PERIODS) {
      if (Number.isNaN(daysOf(form, field))) form.wrong[field] = [words.notDays];
    }
    if (Object.keys(form.wrong).length > 0) return;
    const isShorter = PERIODS.some(field => (daysOf(form, field) ?? Infinity) < (reading.value[field] ?? Infinity));
    if (isShorter && !await context.confirm({ title: words.shorter, text: words.shorterText, action: words.shorterAction })) return;
    const changed = await context.call(() => updateAccount(account, { body: changesOf(form, reading.value) }));
    reading.value = { ...reading.value, ...changed };
    editor.reset(valuesOf(changed));
    context.rename(changed.name);
    context.say(words.saved);
  };

  const take = async () => {
    const done = await exporting.run(() => exportAccount(account, {}, { timeout: Infinity }));
    if (done === undefined) return;
    download(`${fileName(reading.value.name)}-${today()}.zip`, 'application/zip', done.value);
    context.say(words.downloaded);
  };

  const settings = shown => html`
    <section @input=${() => context.draw()}>
      ${editor.form.view({
        fields: html`
          ${editor.form.field({ name: 'name', label: words.name, hint: words.nameHint, autocomplete: 'organization' })}
          <fieldset class="group">
            <legend>${words.kept}</legend>
            <p class="small quiet">${words.keptText}</p>
            ${period(editor.form, 'conversation_retention_days', words.conversations, words.conversationsHint)}
            ${period(editor.form, 'contact_retention_days', words.contacts, words.contactsHint)}
          </fieldset>
          <fieldset class="group">
            <legend>${words.signIn}</legend>
            ${shown.hasFactor || shown.second_factor_required
              ? editor.form.toggle({ name: 'second_factor_required', label: words.factor, hint: words.factorHint })
              : html`<p class="small quiet">${words.factorFirst} <a href=${path('profile')}>${words.factorAdd}</a>.</p>`}
          </fieldset>`,
        actions: ({ isSending }) => editor.actions(words, () => valuesOf(reading.value), isSending, () => context.draw()),
        send: save,
      })}
    </section>`;

  const ends = shown => html`
    <section class="part" aria-labelledby="data">
      <h2 id="data">${words.data}</h2>
      <p class="lead">${words.dataText}</p>
      <p class="small quiet">${words.dataNote}</p>
      ${exporting.problem === undefined ? nothing : problem(exporting.problem)}
      <div><button type="button" class="button" ?disabled=${exporting.isRunning} @click=${take}>
        ${exporting.isRunning ? words.downloading : words.download}</button></div>
    </section>
    <section class="part" aria-labelledby="end">
      <h2 id="end">${words.end}</h2>
      <p class="lead">${words.endText}</p>
      <p><button type="button" class="link danger" @click=${() => context.open(dialog => erasure(context, dialog, shown.name))}>${words.erase}</button></p>
    </section>`;

  return {
    title: words.title,
    view: () => html`
      ${head(words.title, {
        lead: reading.value === undefined ? nothing : words.plan(words.plans[reading.value.plan] ?? reading.value.plan, onDay(reading.value.created_at)),
      })}
      ${reading.show(shown => html`${settings(shown)}${context.session?.role === 'owner' ? ends(shown) : nothing}`, skeleton(8))}`,
  };
}

/** What the form shows of an account. */
function valuesOf(shown) {
  const values = { name: shown.name, second_factor_required: shown.second_factor_required ? 'true' : '' };
  for (const field of PERIODS) values[field] = shown[field] === null ? '' : String(shown[field]);
  return values;
}

/** Returns what somebody has changed, so that what others change meanwhile stays. */
function changesOf(form, shown) {
  const body = {};
  if (form.text('name') !== shown.name) body.name = form.text('name');
  if (form.isOn('second_factor_required') !== shown.second_factor_required) body.second_factor_required = !shown.second_factor_required;
  for (const field of PERIODS) {
    const days = daysOf(form, field) ?? null;
    if (days !== shown[field]) body[field] = days;
  }
  return body;
}

/** Returns the days in a field: nothing if it is empty, and `NaN` if it contains something else. */
function daysOf(form, field) {
  const text = form.text(field);
  if (text === '') return undefined;
  const days = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  return days >= 1 && days <= MOST ? days : NaN;
}

/** A number of days, with a sentence that says what it means. */
function period(form, name, label, hint) {
  const days = daysOf(form, name);
  return form.field({ name, label, hint: Number.isNaN(days) ? undefined : hint(days), inputmode: 'numeric', isOptional: true });
}

/**
 * Says what is erased, and asks for the name, since it cannot be undone.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {string} name
 */
function erasure(context, dialog, name) {
  const form = new Form(context, 'erase-account');
  const send = async () => {
    if (form.values.name !== name) {
      form.wrong.name = [words.wrong];
      return;
    }
    await context.call(() => eraseAccount(account, { body: { name } }, { timeout: LONG }));
    dialog.close();
    await context.end(name);
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}><bdi>${words.question(name)}</bdi></h2>
      <p>${words.whatText}</p>
      <ul class="points">${words.what.map(what => html`<li>${what}</li>`)}</ul>
      <p class="hint">${words.only}</p>
      ${form.view({
        fields: form.field({ name: 'name', label: words.confirm(name), isFirst: true }),
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button danger" ?disabled=${isSending}>${words.action}</button>
          </div>`,
        send,
      })}
    </div>`;
}
