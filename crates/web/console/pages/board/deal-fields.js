// The fields of a deal. What somebody is writing stays when others change the deal meanwhile.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { updateDeal } from '../../../client/deals.js';
import { Form } from '../../form.js';
import { v1 } from '../../service.js';
import { texts as words } from '../../texts/board.js';
import { amount, amountFields } from './amount-fields.js';
import { keepCurrency, likelyCurrency } from './money.js';

const valuesOf = deal => ({
  title: deal.title,
  value: deal.value ?? '',
  currency: deal.currency ?? likelyCurrency(),
  expected_close_date: deal.expected_close_date ?? '',
  probability: deal.probability === null ? '' : String(deal.probability),
  owner_id: deal.owner_id ?? '',
});

export class DealFields {
  #context; #form; #directory; #deal_id; #saved;
  /** The values as the service has them. @type {Record<string, string> | undefined} */
  #base;

  /**
   * @param {import('../../main.js').Context} context
   * @param {import('./directory.js').Directory} directory
   * @param {string} deal_id
   * @param {(deal: any) => void} saved
   */
  constructor(context, directory, deal_id, saved) {
    this.#context = context;
    this.#directory = directory;
    this.#deal_id = deal_id;
    this.#saved = saved;
    this.#form = new Form(context, `deal-${deal_id}`, { isKept: true });
  }

  /** Takes over what the service has, for all fields that nobody has written into. */
  take(deal) {
    const next = valuesOf(deal);
    const { values } = this.#form;
    for (const [name, value] of Object.entries(next)) {
      if (values[name] === undefined || values[name] === this.#base?.[name]) values[name] = value;
    }
    this.#base = next;
  }

  #changed() {
    const { values } = this.#form;
    const names = Object.keys(this.#base ?? {}).filter(name => (values[name] ?? '').trim() !== this.#base?.[name]);
    // Another currency means nothing without a value.
    return (values.value ?? '').trim() === '' ? names.filter(name => name !== 'currency') : names;
  }

  #discard() {
    this.#form.clear({ ...this.#base });
    this.#context.draw();
  }

  async #save() {
    const form = this.#form;
    const names = this.#changed();
    const body = {};
    for (const name of names.filter(name => !['value', 'currency', 'probability'].includes(name))) {
      body[name] = form.text(name) === '' ? null : form.text(name);
    }
    if (names.includes('value') || names.includes('currency')) {
      const value = amount(form.text('value'));
      Object.assign(body, value === '' ? { value: null } : { value, currency: form.text('currency') });
      if (value !== '') keepCurrency(form.text('currency'));
    }
    if (names.includes('probability')) {
      const text = form.text('probability');
      if (text !== '' && !/^\d+$/.test(text)) {
        form.wrong.probability = [words.whole];
        return;
      }
      body.probability = text === '' ? null : Number(text);
    }
    const deal = await this.#context.call(() => updateDeal(v1, { deal_id: this.#deal_id, body }));
    this.#base = valuesOf(deal);
    form.clear({ ...this.#base });
    this.#saved(deal);
    this.#context.say(words.deal.saved);
  }

  /** @param {number | null} chance That of the column. */
  view(chance) {
    const form = this.#form;
    const isChanged = this.#changed().length > 0;
    const draw = () => this.#context.draw();
    return html`
      <section class="part" @input=${draw} @change=${draw}>
        <h2>${words.deal.details}</h2>
        ${form.view({
          fields: html`
            ${form.field({ name: 'title', label: words.deal.title })}
            ${amountFields(form)}
            <div class="pair even">
              ${form.field({ name: 'expected_close_date', label: words.deal.expected, type: 'date', isOptional: true })}
              ${form.field({
                name: 'probability', label: words.deal.probability, hint: words.deal.probabilityHint(chance), inputmode: 'numeric', isOptional: true,
              })}
            </div>
            ${form.field({ name: 'owner_id', label: words.deal.owner, choices: this.#directory.choices(form.values.owner_id), isOptional: true })}`,
          actions: ({ isSending }) => (isChanged
            ? html`
              <div class="row save">
                <button class="button main" ?disabled=${isSending}>${words.deal.save}</button>
                <button type="button" class="button" @click=${() => this.#discard()}>${words.deal.discard}</button>
                <span class="small quiet">${words.deal.unsaved}</span>
              </div>`
            : nothing),
          send: () => this.#save(),
        })}
      </section>`;
  }
}
