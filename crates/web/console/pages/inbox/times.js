// Times within a day, and sizes of files.

export { ago, at, onDay } from '../../format.js';

const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const today = new Intl.DateTimeFormat('en', { dateStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const far = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** Returns a time of day, such as "4:20 PM". */
export function timeOf(moment) {
  return time.format(new Date(moment));
}

/** Returns when something was as a list shows it: the time of today, the day of this year, or the date. */
export function brief(moment) {
  const [then, now] = [new Date(moment), new Date()];
  if (today.format(then) === today.format(now)) return time.format(then);
  return then.getFullYear() === now.getFullYear() ? day.format(then) : far.format(then);
}

/** Returns a size, such as "48 KB". */
export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** @type {[string, number][]} */
const UNITS = [['day', 86_400], ['hour', 3_600], ['minute', 60]];

/** Returns how long something has taken since a moment, such as "15 min". */
export function since(moment) {
  const seconds = Math.max(60, (Date.now() - new Date(moment).getTime()) / 1000);
  const [unit, size] = UNITS.find(([, size]) => seconds >= size);
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: unit === 'minute' ? 'short' : 'long', maximumFractionDigits: 0, roundingMode: 'trunc' })
    .format(seconds / size);
}
