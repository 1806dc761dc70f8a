// The public keys of a domain, as fields of its form.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { focusOn } from '../../focus.js';
import { words } from '../../texts/domains.js';

/** Keys that a domain may have. */
const MOST = 5;

const nameOf = (index, field) => `public_keys.${index}.${field}`;

/** @returns {Record<string, string>} */
export function valuesOf({ identity_enforcement, public_keys }) {
  const values = { identity_enforcement, keys: String(public_keys.length) };
  for (const [index, { algorithm, public_key }] of public_keys.entries()) {
    values[nameOf(index, 'algorithm')] = algorithm;
    values[nameOf(index, 'public_key')] = public_key;
  }
  return values;
}

/** Returns the keys that are in the form. */
function keysOf(form) {
  return Array.from({ length: Number(form.values.keys ?? 0) }, (_, index) => ({
    algorithm: form.values[nameOf(index, 'algorithm')] ?? 'RS256', public_key: form.text(nameOf(index, 'public_key')),
  }));
}

export function bodyOf(form) {
  return { identity_enforcement: form.values.identity_enforcement, public_keys: keysOf(form) };
}

/** Puts other keys into the form, also into what it keeps. */
function set(form, keys) {
  for (let index = 0; index < MOST; index += 1) {
    form.write(nameOf(index, 'algorithm'), keys[index]?.algorithm ?? '');
    form.write(nameOf(index, 'public_key'), keys[index]?.public_key ?? '');
    delete form.wrong[nameOf(index, 'public_key')];
  }
  form.write('keys', String(keys.length));
}

/**
 * @param {import('../../main.js').Context} context
 * @param {import('../../form.js').Form} form
 */
export function keyFields(context, form) {
  const keys = keysOf(form);
  const add = async () => {
    set(form, [...keys, { algorithm: 'RS256', public_key: '' }]);
    await context.draw();
    document.getElementsByName(nameOf(keys.length, 'public_key'))[0]?.focus();
  };
  const drop = async index => {
    set(form, keys.filter((_, place) => place !== index));
    await context.draw();
    focusOn('.keys button');
  };
  return html`
    <div class="keys stack">
      <div class="once"><h2>${words.keysTitle}</h2><p class="small quiet">${words.keysLead}</p></div>
      ${keys.length === 0 ? html`<p class="small">${words.noKeys}</p>` : nothing}
      ${keys.map((_, index) => html`
        <fieldset class="group" aria-label=${words.keyNumber(index + 1)}>
          <div class="row between"><h3>${words.keyNumber(index + 1)}</h3>
            <button type="button" class="link danger small" aria-label=${words.dropKeyLabel(index + 1)} @click=${() => drop(index)}>${words.dropKey}</button></div>
          ${form.field({ name: nameOf(index, 'algorithm'), label: words.algorithm, choices: Object.entries(words.algorithms) })}
          ${form.field({ name: nameOf(index, 'public_key'), label: words.pem, hint: words.pemHint, lines: 4 })}
        </fieldset>`)}
      ${keys.length < MOST ? html`<div><button type="button" class="button slim" @click=${add}>${words.addKey}</button></div>` : nothing}
    </div>`;
}
