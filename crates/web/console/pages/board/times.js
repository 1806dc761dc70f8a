// Times in the time zone of the person who looks at them.

const DAY = 86_400_000;
const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const near = new Intl.DateTimeFormat('en', { weekday: 'short', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
const far = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** The name of the time zone, such as `Europe/Berlin`. */
export function zoneName() {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The time zone as people know it, such as "Europe/Berlin (GMT+1)". */
export function zone() {
  const part = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' }).formatToParts(new Date()).find(({ type }) => type === 'timeZoneName');
  const name = zoneName().replaceAll('_', ' ');
  return part === undefined || part.value === name ? name : `${name} (${part.value})`;
}

const midnight = date => new Date(date.getFullYear(), date.getMonth(), date.getDate());

/** Returns how many days a moment is from today, by the calendar. */
function daysFrom(date) {
  return Math.round((midnight(date).getTime() - midnight(new Date()).getTime()) / DAY);
}

/** Returns a moment such as "Today, 4:20 PM" or "Mon, Nov 30, 4:20 PM". */
export function moment(iso) {
  const date = new Date(iso);
  const days = daysFrom(date);
  if (Math.abs(days) <= 1) {
    const day = relative.format(days, 'day');
    return `${day.charAt(0).toUpperCase()}${day.slice(1)}, ${time.format(date)}`;
  }
  return (date.getFullYear() === new Date().getFullYear() ? near : far).format(date);
}

/** Returns the group of an activity that is to be done. A week ends on Sunday. */
export function groupOf({ due_at, is_overdue, follow_up }) {
  const when = due_at ?? follow_up?.next_attempt_at ?? null;
  if (when === null) return 'none';
  const date = new Date(when);
  if (is_overdue || (due_at !== null && date.getTime() < Date.now())) return 'overdue';
  const days = daysFrom(date);
  if (days <= 0) return 'today';
  return days <= (7 - new Date().getDay()) % 7 ? 'week' : 'later';
}

/** Returns a moment as fields for dates and times have it, in the time zone of the person. */
export function toField(iso) {
  if (iso === null) return '';
  const date = new Date(iso);
  const two = value => String(value).padStart(2, '0');
  const day = [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Returns what a field for a date and a time has as a moment. */
export function fromField(text) {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
