// The fields of an amount of money, and what people write into them.

import { html } from '../../../vendor/lit/lit.js';
import { texts as words } from '../../texts/board.js';
import { currencies } from './money.js';

/**
 * Reads what people write for an amount, such as "1,250" or "1250,5", as the interface takes it.
 * With both signs, the last one is the point. Anything else stays as it was written, and is refused with the reason.
 */
export function amount(text) {
  const plain = text.replace(/[\s'’]/g, '');
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  if (last < 0) return plain;
  const [whole, fraction] = [plain.slice(0, last), plain.slice(last + 1)];
  const isThousands = /^[1-9]\d{0,2}([.,]\d{3})*$/.test(whole) && fraction.length === 3;
  // A point alone is one of decimals, as in what the service gives.
  if (isThousands && (plain[last] === ',' || whole.includes(plain[last]))) return plain.replace(/[.,]/g, '');
  return `${whole.replace(/[.,](?=\d{3})/g, '')}.${fraction}`;
}

/** The fields of an amount: its number and its currency. */
export function amountFields(form) {
  return html`
    <div class="pair">
      ${form.field({ name: 'value', label: words.deal.value, inputmode: 'decimal', isOptional: true })}
      ${form.field({ name: 'currency', label: words.deal.currency, choices: currencies() })}
    </div>`;
}
