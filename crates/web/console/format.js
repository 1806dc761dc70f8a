// Times and numbers as people read them, and addresses as people write them.

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const number = new Intl.NumberFormat('en');

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [['day', 86_400], ['hour', 3_600], ['minute', 60]];

/** Returns a day, such as "Nov 20, 2026". */
export function onDay(time) {
  return day.format(new Date(time));
}

/** Returns a moment, such as "Nov 20, 2026, 4:20 PM". */
export function at(time) {
  return moment.format(new Date(time));
}

/** Returns how long ago something was, or its day if that is more than a month. */
export function ago(time) {
  const seconds = (new Date(time).getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) > 30 * 86_400) return onDay(time);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 60];
  return relative.format(Math.round(seconds / size) || 0, unit);
}

/** Returns a number with its thousands apart. */
export function count(value) {
  return number.format(value);
}

/** Returns what the service says of a field or a fault as a sentence: it begins small, and has no full stop. */
export function sentence(message) {
  const whole = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** Hosts that have no certificate: this computer, and addresses in numbers. */
const WITHOUT_CERTIFICATE = /^(localhost|[\d.]+|\[[\da-f:.]+\])(:\d+)?([/?#]|$)/i;

/** Returns the web address that somebody means, who need not write the scheme. */
export function addressOf(text) {
  const scheme = WITHOUT_CERTIFICATE.test(text) ? 'http' : 'https';
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${scheme}://${text}`;
  if (!URL.canParse(written) || !/^https?:/i.test(written)) return undefined;
  const { hostname, href } = new URL(written);
  // Some browsers encode what cannot be in the name of a host, such as a space.
  return hostname.includes('%') ? undefined : href;
}
