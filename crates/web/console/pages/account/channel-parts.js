// Fields for secrets of channels.

import { html } from '../../../vendor/lit/lit.js';
import { words } from '../../texts/channels.js';
import { randomText } from './parts.js';

/**
 * A field for what is stored and never shown.
 *
 * @param {import('../../form.js').Form} form
 * @param {any} channel The channel that has it already.
 * @param {{ name: string, label: string, hint: string }} field
 */
export function secretField(form, channel, { name, label, hint }) {
  const isStored = channel !== undefined;
  return form.field({ name, label, type: 'password', autocomplete: 'new-password', hint: isStored ? `${words.kept} ${hint}` : hint, isOptional: isStored });
}

/**
 * A field for a secret that people choose themselves, with a button that makes one. It is shown for copying once it is stored.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../form.js').Form} form
 * @param {{ name: string, label: string, hint: string, isStored?: boolean }} field
 */
export function chosenField(context, form, { name, label, hint, isStored = false }) {
  const make = () => {
    form.write(name, randomText(), true);
    context.draw();
  };
  return html`
    <div class="once">
      ${form.field({ name, label, hint: isStored ? `${words.kept} ${hint}` : hint, isOptional: isStored, type: 'password', autocomplete: 'new-password' })}
      <div><button type="button" class="link small" aria-label=${words.generateLabel(label)} @click=${make}>${words.generate}</button></div>
    </div>`;
}

/** Returns a member if there is a value for it. */
export function given(name, value) {
  return value === undefined || value === '' ? {} : { [name]: value };
}
