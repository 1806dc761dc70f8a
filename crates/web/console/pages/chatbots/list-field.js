// A field that is a list of texts: entries are added, removed and put in order.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { icon } from '../../icons.js';
import { texts as own } from '../../texts/settings.js';
import { moved } from './ordering.js';

const words = own.list;

/**
 * @param {import('./settings-form.js').SettingsForm} form
 * @param {import('../../main.js').Context} context
 * @param {object} field
 * @param {string} field.name
 * @param {string} field.label
 * @param {string} [field.hint]
 * @param {string} field.entry What an entry is called.
 * @param {string} field.add
 * @param {number} field.most
 * @param {number} [field.longest] Characters of an entry.
 * @param {boolean} [field.isPlain] Whether an entry is a text; otherwise it is an object with a `text`.
 * @param {boolean} [field.isLong] Whether an entry has several lines.
 * @param {string} [field.critical] The label of a box for `is_critical`.
 * @param {boolean} [field.isOrdered]
 */
export function listField(form, context, { name, label, hint, entry, add, most, longest, isPlain = false, isLong = false, critical, isOrdered = false }) {
  const entries = form.list(name);
  const textOf = one => (isPlain ? one : one.text);
  const set = list => form.write(name, JSON.stringify(list));
  const change = (place, value) => set(form.list(name).map((one, other) => (other === place ? value : one)));
  const pathOf = place => (isPlain ? `${name}.${place}` : `${name}.${place}.text`);
  const idOf = place => `settings-${name}-${place}`;
  const focus = async id => {
    await context.draw();
    document.getElementById(id)?.focus();
  };
  const append = () => {
    set([...form.list(name), isPlain ? '' : { text: '' }]);
    focus(idOf(entries.length));
  };
  const remove = place => {
    set(form.list(name).filter((_, other) => other !== place));
    forget(form, name);
    focus(entries.length > 1 ? idOf(Math.min(place, entries.length - 2)) : `add-${name}`);
  };
  const move = (place, to) => {
    set(moved(form.list(name), place, to));
    forget(form, name);
    focus(idOf(to));
  };
  const input = (event, place) => {
    delete form.wrong[pathOf(place)];
    change(place, isPlain ? event.target.value : { ...form.list(name)[place], text: event.target.value });
  };
  const row = (one, place) => {
    const wrong = form.wrong[pathOf(place)] ?? [];
    const title = `${entry} ${place + 1}`;
    const invalid = wrong.length > 0 ? 'true' : nothing;
    const described = wrong.length > 0 ? `${idOf(place)}-wrong` : nothing;
    return html`
      <li>
        <div class="field">
          ${isLong
            ? html`<textarea id=${idOf(place)} name=${pathOf(place)} rows="2" aria-label=${title} maxlength=${longest ?? nothing} aria-invalid=${invalid}
                aria-describedby=${described} .value=${live(textOf(one))} @input=${event => input(event, place)}></textarea>`
            : html`<input id=${idOf(place)} name=${pathOf(place)} type="text" autocomplete="off" aria-label=${title} maxlength=${longest ?? nothing}
                aria-invalid=${invalid} aria-describedby=${described} .value=${live(textOf(one))} @input=${event => input(event, place)}>`}
          ${wrong.length > 0 ? html`<p class="wrong" id="${idOf(place)}-wrong">${wrong.join(' ')}</p>` : nothing}
        </div>
        <div class="tools">
          ${isOrdered
            ? html`
              <button type="button" class="round" aria-label=${words.up(title)} ?disabled=${place === 0} @click=${() => move(place, place - 1)}>${icon.up}</button>
              <button type="button" class="round" aria-label=${words.down(title)} ?disabled=${place === entries.length - 1} @click=${() => move(place, place + 1)}>${icon.down}</button>`
            : nothing}
          <button type="button" class="round" aria-label=${words.remove(title)} @click=${() => remove(place)}>${icon.close}</button>
        </div>
        ${critical
          ? html`<label class="choice small"><input type="checkbox" .checked=${live(one.is_critical === true)}
              @change=${event => change(place, { ...form.list(name)[place], is_critical: event.target.checked })}><span>${critical}</span></label>`
          : nothing}
      </li>`;
  };
  const wrong = form.wrong[name] ?? [];
  return html`
    <fieldset class="field">
      <legend>${label}</legend>
      ${hint ? html`<p class="small quiet">${hint}</p>` : nothing}
      ${entries.length === 0 ? nothing : html`<ol class="entries">${entries.map(row)}</ol>`}
      ${wrong.length > 0 ? html`<p class="wrong">${wrong.join(' ')}</p>` : nothing}
      ${entries.length >= most
        ? html`<p class="small quiet">${words.most(most)}</p>`
        : html`<p><button type="button" class="button slim" id="add-${name}" @click=${append}>${icon.plus}${add}</button></p>`}
    </fieldset>`;
}

/** Problems are those of the places that entries had before. */
function forget(form, name) {
  for (const path of Object.keys(form.wrong)) {
    if (path.startsWith(`${name}.`)) delete form.wrong[path];
  }
}
