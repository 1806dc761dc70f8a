// A new activity, or the change of one.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createDealActivity, updateDealActivity } from '../../../client/deal-activities.js';
import { Form } from '../../form.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as plans } from '../../texts/activities.js';
import { texts as words } from '../../texts/board.js';
import { ContactPicker } from './contact-picker.js';
import { followUpBody, followUpFields, followUpValues } from './follow-up-fields.js';
import { fromField, toField, zone } from './times.js';

const own = plans.activities;
/** Names of the interface that the form has for other things. */
const ALIASES = { due_at: 'due', duration_minutes: 'duration', reminder_minutes_before: 'reminder' };
for (const name of ['channel', 'subject', 'body', 'trigger', 'delay_hours', 'max_attempts', 'repeat_interval', 'timezone', 'stop_on_reply']) {
  ALIASES[`follow_up.${name}`] = name;
}
ALIASES['follow_up.send_window.from'] = 'from';
ALIASES['follow_up.send_window.to'] = 'to';

/** Values of an activity as the form has them. */
function valuesOf(activity, me) {
  return {
    type: activity?.type ?? 'task',
    title: activity?.title ?? '',
    note: activity?.note ?? '',
    due: toField(activity?.due_at ?? null),
    duration: activity?.duration_minutes ? String(activity.duration_minutes) : '',
    owner_id: activity === undefined ? me : activity.owner_id ?? '',
    priority: activity?.priority ?? 'normal',
    reminder: activity?.reminder_minutes_before === undefined || activity.reminder_minutes_before === null ? '' : String(activity.reminder_minutes_before),
    ...followUpValues(activity?.follow_up),
  };
}

/** Returns what the interface is given for the values, and marks what cannot be. */
function bodyOf(form, contact_id) {
  const isFollowUp = form.text('type') === 'follow_up';
  const whole = name => {
    const text = form.text(name);
    if (text === '') return null;
    if (!/^\d+$/.test(text)) form.wrong[name] = [own.whole];
    return Number(text);
  };
  const isTimed = !isFollowUp || form.text('trigger') === 'at_time';
  const due_at = isTimed ? fromField(form.text('due')) : null;
  const reminder = due_at === null || form.text('reminder') === '' ? null : Number(form.text('reminder'));
  const body = {
    title: form.text('title'),
    note: form.text('note') === '' ? null : form.text('note'),
    due_at,
    duration_minutes: isFollowUp ? null : whole('duration'),
    owner_id: form.text('owner_id') === '' ? null : form.text('owner_id'),
    contact_id,
    priority: form.text('priority'),
    reminder_minutes_before: isFollowUp ? null : reminder,
  };
  const needsDue = isFollowUp ? isTimed : form.text('reminder') !== '';
  if (due_at === null && needsDue) form.wrong.due = [own.dueMissing];
  return isFollowUp ? { ...body, follow_up: followUpBody(form, whole) } : body;
}

/**
 * It is closed with the activity as it is then.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {{ directory: import('./directory.js').Directory, deal_id: string, activity?: any, contacts?: string[] }} options
 */
export function activityDialog(context, dialog, { directory, deal_id, activity, contacts = [] }) {
  const isNew = activity === undefined;
  const values = valuesOf(activity, directory.me);
  const form = new Form(context, isNew ? `activity-of-${deal_id}` : `activity-${activity.deal_activity_id}`, { values, isKept: true, aliases: ALIASES });
  const picker = new ContactPicker(context, directory, {
    id: 'activity-contact', isSingle: true, chosen: isNew ? contacts.slice(0, 1) : activity.contact_id === null ? [] : [activity.contact_id],
  });
  const before = isNew ? undefined : bodyOf({ text: name => values[name].trim(), isOn: name => values[name] === 'true', wrong: {} }, activity.contact_id);
  // A follow-up that has ended keeps what it has sent.
  const isEnded = ['sent', 'stopped', 'failed'].includes(activity?.follow_up?.state);

  const send = async () => {
    const body = bodyOf(form, picker.chosen[0] ?? null);
    if (Object.keys(form.wrong).length > 0) return;
    let now;
    if (isNew) {
      /** @type {any} */
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
      now = await context.call(() => createDealActivity(v1, { deal_id, body: { type: form.text('type'), ...given } }));
    } else {
      // Only what was changed: a time that is sent again plans its reminder again.
      const changed = Object.entries(body).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before?.[name]));
      const { deal_activity_id } = activity;
      now = await context.call(() => updateDealActivity(v1, { deal_id, deal_activity_id, body: Object.fromEntries(changed) }));
    }
    form.clear(valuesOf(isNew ? undefined : now, directory.me));
    dialog.close(now);
  };
  const cancel = () => {
    // What was written in a change that is not wanted would hide what others change later.
    if (!isNew) form.clear(values);
    dialog.close();
  };

  return () => {
    const isFollowUp = form.text('type') === 'follow_up';
    const isTimed = !isFollowUp || form.text('trigger') === 'at_time';
    return html`
      <div class="stack" @change=${() => context.draw()}>
        <h2 id=${dialog.id}>${isNew ? own.add : own.edit}</h2>
        ${form.view({
          fields: html`
            ${isNew ? form.field({ name: 'type', label: own.type, choices: Object.entries(own.types), hint: own.typeHint[form.text('type')] }) : nothing}
            ${form.field({ name: 'title', label: own.name, isFirst: true })}
            ${picker.view({ label: words.contact.one })}
            ${isTimed && !(isFollowUp && isEnded) ? form.field({ name: 'due', label: own.due, type: 'datetime-local', hint: own.dueHint(zone()), isOptional: !isFollowUp }) : nothing}
            ${isFollowUp ? followUpFields(form, isEnded) : html`
              <div class="pair even">
                ${form.field({ name: 'reminder', label: own.reminder, choices: reminders(form.values.reminder), isOptional: true })}
                ${form.field({ name: 'duration', label: own.duration, inputmode: 'numeric', isOptional: true })}
              </div>`}
            <div class="pair even">
              ${form.field({ name: 'owner_id', label: words.deal.owner, choices: directory.choices(form.values.owner_id), isOptional: true })}
              ${form.field({ name: 'priority', label: own.priority, choices: Object.entries(own.priorities) })}
            </div>
            ${form.field({ name: 'note', label: own.note, lines: 2, isOptional: true })}`,
          actions: ({ isSending }) => html`
            <div class="row end">
              <button type="button" class="button" @click=${cancel}>${texts.cancel}</button>
              <button class="button main" ?disabled=${isSending}>${isNew ? own.create : own.save}</button>
            </div>`,
          send,
        })}
      </div>`;
  };
}

/**
 * The usual reminders, and the one that programs have set.
 *
 * @param {string} chosen
 * @returns {[string, string][]}
 */
function reminders(chosen) {
  const isUsual = own.reminders.some(([value]) => value === chosen);
  return isUsual ? own.reminders : [...own.reminders, [chosen, own.before(chosen)]];
}

