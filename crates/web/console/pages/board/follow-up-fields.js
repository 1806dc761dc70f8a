// What a follow-up sends, and when.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { texts as plans } from '../../texts/activities.js';
import { zoneName } from './times.js';

const own = plans.followUp;
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** Values of a follow-up as the form has them. */
export function followUpValues(follow_up) {
  const window = follow_up?.send_window ?? undefined;
  const days = window?.weekdays?.length ? window.weekdays : window === undefined ? WEEKDAYS.slice(0, 5) : WEEKDAYS;
  return {
    channel: follow_up?.channel ?? 'email',
    subject: follow_up?.subject ?? '',
    body: follow_up?.body ?? '',
    trigger: follow_up?.trigger ?? 'after_no_reply',
    delay_hours: String(follow_up?.delay_hours ?? 48),
    max_attempts: String(follow_up?.max_attempts ?? 1),
    repeat_interval: follow_up?.repeat_interval ?? 'none',
    timezone: follow_up?.timezone ?? zoneName(),
    stop_on_reply: follow_up?.stop_on_reply === false ? '' : 'true',
    is_limited: window === undefined ? '' : 'true',
    from: window?.from ?? '09:00',
    to: window?.to ?? '17:00',
    ...Object.fromEntries(WEEKDAYS.map(day => [day, days.includes(day) ? 'true' : ''])),
  };
}

/** Returns what the interface is given for the values. */
export function followUpBody(form, whole) {
  const isRepeated = form.text('repeat_interval') !== 'none';
  const weekdays = WEEKDAYS.filter(day => form.isOn(day));
  return {
    channel: form.text('channel'),
    ...(form.text('channel') === 'email' ? { subject: form.text('subject') } : {}),
    body: form.text('body'),
    trigger: form.text('trigger'),
    ...(form.text('trigger') === 'after_no_reply' ? { delay_hours: whole('delay_hours') ?? undefined } : {}),
    repeat_interval: form.text('repeat_interval'),
    max_attempts: isRepeated ? whole('max_attempts') ?? 1 : 1,
    timezone: form.text('timezone'),
    stop_on_reply: form.isOn('stop_on_reply'),
    ...(form.isOn('is_limited') ? { send_window: { from: form.text('from'), to: form.text('to'), weekdays } } : {}),
  };
}

/** The fields of a follow-up. One that has ended shows none, as it can no longer be changed. */
export function followUpFields(form, isEnded) {
  if (isEnded) return html`<p class="hint">${own.ended}</p>`;
  const isEmail = form.text('channel') === 'email';
  const isRepeated = form.text('repeat_interval') !== 'none';
  return html`
    <fieldset class="box">
      <legend>${own.title}</legend>
      <div class="pair even">
        ${form.field({ name: 'channel', label: own.channel, choices: Object.entries(own.channels) })}
        ${form.field({ name: 'trigger', label: own.trigger, choices: Object.entries(own.triggers) })}
      </div>
      ${form.text('trigger') === 'after_no_reply'
        ? form.field({ name: 'delay_hours', label: own.hours, hint: own.hoursHint, inputmode: 'numeric' }) : nothing}
      ${isEmail ? form.field({ name: 'subject', label: own.subject }) : nothing}
      ${form.field({ name: 'body', label: own.body, lines: 5, hint: isEmail ? own.bodyHint : undefined })}
      <div class="pair even">
        ${form.field({ name: 'repeat_interval', label: own.repeat, choices: Object.entries(own.repeats) })}
        ${isRepeated ? form.field({ name: 'max_attempts', label: own.attempts, choices: ['1', '2', '3', '4', '5'].map(count => [count, count]) }) : nothing}
      </div>
      ${form.toggle({ name: 'stop_on_reply', label: own.stop })}
      ${form.toggle({ name: 'is_limited', label: own.window })}
      ${form.isOn('is_limited') ? html`
        <div class="pair">
          ${form.field({ name: 'from', label: own.from, type: 'time' })}
          ${form.field({ name: 'to', label: own.to, type: 'time' })}
        </div>
        <fieldset>
          <legend class="small">${own.weekdays}</legend>
          <div class="days">
            ${WEEKDAYS.map(day => html`
              <label><input type="checkbox" name=${day} .checked=${live(form.isOn(day))} @change=${event => form.write(day, event.target.checked ? 'true' : '')}>${own.days[day]}</label>`)}
          </div>
        </fieldset>
        ${form.field({ name: 'timezone', label: own.zone, choices: zones(form.values.timezone) })}` : nothing}
    </fieldset>`;
}

/** @returns {[string, string][]} */
function zones(chosen) {
  const all = new Set([chosen, zoneName(), 'UTC', ...(Intl.supportedValuesOf?.('timeZone') ?? [])]);
  return [...all].map(name => [name, name.replaceAll('_', ' ')]);
}
