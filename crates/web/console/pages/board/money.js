// Amounts of money: decimal texts, which are added exactly, and as people read them.

/** Decimal places in which the interface gives amounts at most. */
const PLACES = 4;
/** Where the currency of the last new deal is kept. */
const KEPT = 'frontdesk.currency';
/** Currencies that most businesses use. They come first in a choice. */
const USUAL = ['EUR', 'USD', 'GBP', 'CHF'];

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** Returns an amount such as "€1,250" or "£12.50". */
export function money(value, currency) {
  let format = formats.get(currency);
  if (format === undefined) {
    // @ts-ignore Without the cents if there are none.
    format = new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: PLACES, trailingZeroDisplay: 'stripIfInteger' });
    formats.set(currency, format);
  }
  return format.format(value);
}

function exact(value) {
  const [whole, fraction = ''] = value.split('.');
  return BigInt(whole + fraction.padEnd(PLACES, '0'));
}

function written(amount) {
  const digits = String(amount).padStart(PLACES + 1, '0');
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}

/**
 * Returns sums for each currency after a deal has joined or left.
 *
 * @param {{ currency: string, value: string }[]} sums
 * @param {{ value: string | null, currency: string | null }} deal
 * @param {1 | -1} sign
 */
export function shifted(sums, { value, currency }, sign) {
  if (value === null || currency === null) return sums;
  const before = sums.find(sum => sum.currency === currency);
  const amount = (before === undefined ? 0n : exact(before.value)) + BigInt(sign) * exact(value);
  const others = sums.filter(sum => sum.currency !== currency);
  if (amount <= 0n) return others;
  return [...others, { currency, value: written(amount) }].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** Returns sums as people read them, such as "€1,250 + £80". */
export function sumsText(sums) {
  return sums.map(sum => money(sum.value, sum.currency)).join(' + ');
}

/** Returns the choices of currencies: the usual ones first. */
export function currencies() {
  const names = new Intl.DisplayNames('en', { type: 'currency' });
  const all = Intl.supportedValuesOf?.('currency') ?? USUAL;
  const codes = [...USUAL, ...all.filter(code => !USUAL.includes(code))];
  return codes.map(code => /** @type {[string, string]} */ ([code, `${code} – ${names.of(code)}`]));
}

/** Returns the currency that a new deal most likely has. */
export function likelyCurrency() {
  return localStorage.getItem(KEPT) ?? USUAL[0];
}

export function keepCurrency(code) {
  localStorage.setItem(KEPT, code);
}
