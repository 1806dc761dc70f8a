// Forms: values, problems beside their fields, and drafts that survive a reload.

import { html, live, nothing } from '../vendor/lit/lit.js';
import { focusOn } from './focus.js';
import { sentence } from './format.js';
import { draftKey } from './owner.js';
import { problem } from './states.js';
import { Cancelled, problemOf } from './service.js';
import { texts } from './texts.js';

export class Form {
  /** @type {Record<string, string>} */
  values;
  /** Problems by the name of a field. @type {Record<string, string[]>} */
  wrong = {};
  /** What is wrong with no field. @type {import('./service.js').Problem | undefined} */
  problem;
  isSending = false;
  /** Whether something is shown that was written before and not sent. */
  isRestored;

  #context; #name; #draft; #first; #aliases; #required = new Set(); #shown = new Set(); #marksOptional;

  /**
   * @param {import('./main.js').Context} context
   * @param {string} name
   * @param {object} [options]
   * @param {Record<string, string>} [options.values] What the fields contain at first.
   * @param {boolean} [options.isKept] Whether the tab keeps what was written, passwords excepted.
   * @param {Record<string, string>} [options.aliases] Names of fields in the interface that have another one here.
   * @param {boolean} [options.marksOptional] Whether fields say that they are optional, which is noise where all are.
   */
  constructor(context, name, { values = {}, isKept = false, aliases = {}, marksOptional = true } = {}) {
    this.#context = context;
    this.#name = name;
    this.#aliases = aliases;
    this.#marksOptional = marksOptional;
    this.#draft = isKept ? draftKey(name) : undefined;
    const kept = this.#draft === undefined ? null : sessionStorage.getItem(this.#draft);
    this.#first = values;
    this.values = { ...values, ...JSON.parse(kept ?? '{}') };
    this.isRestored = Object.keys(this.values).some(field => this.values[field] !== (values[field] ?? ''));
  }

  /** Returns the trimmed value of a field. */
  text(name) {
    return (this.values[name] ?? '').trim();
  }

  /** Takes over what was written into a field. */
  write(name, value, isSecret = false) {
    this.values[name] = value;
    if (this.wrong[name]) {
      delete this.wrong[name];
      this.#context.draw();
    }
    if (this.#draft === undefined || isSecret) return;
    const kept = JSON.parse(sessionStorage.getItem(this.#draft) ?? '{}');
    sessionStorage.setItem(this.#draft, JSON.stringify({ ...kept, [name]: value }));
  }

  /** Shows again what the fields contained at first. */
  restart() {
    this.clear({ ...this.#first });
    this.#context.draw();
  }

  /** Forgets what was written. */
  clear(values = {}) {
    this.values = values;
    this.isRestored = false;
    this.wrong = {};
    this.problem = undefined;
    if (this.#draft !== undefined) sessionStorage.removeItem(this.#draft);
  }

  /**
   * Returns a field with its label, its hint and what is wrong with it.
   *
   * @param {object} field
   * @param {string} field.name
   * @param {string} field.label
   * @param {string} [field.type]
   * @param {string} [field.hint]
   * @param {string} [field.autocomplete]
   * @param {string} [field.inputmode]
   * @param {boolean} [field.isOptional]
   * @param {boolean} [field.isFirst] Whether it has the focus at first.
   * @param {[string, string][]} [field.choices] Values and their names, of which one is chosen.
   * @param {number} [field.lines] Lines that a long text has at first.
   */
  field({ name, label, type = 'text', hint, autocomplete, inputmode, isOptional = false, isFirst = false, choices, lines }) {
    const id = `${this.#name}-${name}`;
    const wrong = this.wrong[name] ?? [];
    const described = [hint ? `${id}-hint` : '', wrong.length > 0 ? `${id}-wrong` : ''].filter(Boolean).join(' ');
    if (isOptional) this.#required.delete(name);
    else this.#required.add(name);
    const isSecret = type === 'password';
    const written = event => this.write(name, event.target.value, isSecret);
    const invalid = wrong.length > 0 ? 'true' : nothing;
    const control = choices !== undefined
      ? html`<select id=${id} name=${name} aria-describedby=${described || nothing} aria-invalid=${invalid} @change=${written}>
          ${choices.map(([value, text]) => html`<option value=${value} ?selected=${this.values[name] === value} .selected=${live((this.values[name] ?? choices[0]?.[0]) === value)}>${text}</option>`)}
        </select>`
      : lines !== undefined
        ? html`<textarea id=${id} name=${name} rows=${lines} .value=${live(this.values[name] ?? '')} ?data-first=${isFirst} ?required=${!isOptional}
            aria-describedby=${described || nothing} aria-invalid=${invalid} @input=${written}></textarea>`
        : html`<input id=${id} name=${name} type=${this.#shown.has(name) ? 'text' : type} .value=${live(this.values[name] ?? '')}
          autocomplete=${autocomplete ?? 'off'} inputmode=${inputmode ?? nothing} ?data-first=${isFirst} ?required=${!isOptional}
          autocapitalize=${type === 'text' && !isSecret ? nothing : 'none'} spellcheck=${type === 'text' && inputmode === undefined ? nothing : 'false'}
          aria-describedby=${described || nothing} aria-invalid=${invalid} @input=${written}>`;
    return html`
      <div class="field">
        <label for=${id}>${label}${isOptional && this.#marksOptional ? html` <span class="quiet small">${texts.form.optional}</span>` : nothing}</label>
        ${isSecret ? html`<div class="secret">${control}${this.#reveal(name, label)}</div>` : control}
        ${hint ? html`<p class="small quiet" id="${id}-hint">${hint}</p>` : nothing}
        ${wrong.length > 0 ? html`<p class="wrong" id="${id}-wrong">${wrong.join(' ')}</p>` : nothing}
      </div>`;
  }

  /**
   * Returns a box to tick, with its label and its hint.
   *
   * @param {{ name: string, label: string, hint?: string }} field
   */
  toggle({ name, label, hint }) {
    const id = `${this.#name}-${name}`;
    const change = event => {
      this.write(name, event.target.checked ? 'true' : '');
      this.#context.draw();
    };
    return html`
      <div class="toggle">
        <input id=${id} name=${name} type="checkbox" .checked=${live(this.values[name] === 'true')} aria-describedby=${hint ? `${id}-hint` : nothing} @change=${change}>
        <div>
          <label for=${id}>${label}</label>
          ${hint ? html`<p class="small quiet" id="${id}-hint">${hint}</p>` : nothing}
        </div>
      </div>`;
  }

  /** Whether a box is ticked. */
  isOn(name) {
    return this.values[name] === 'true';
  }

  #reveal(name, label) {
    const isShown = this.#shown.has(name);
    const toggle = () => {
      if (!this.#shown.delete(name)) this.#shown.add(name);
      this.#context.draw();
    };
    return html`<button type="button" aria-pressed=${isShown} aria-label=${texts.form.showPassword(label)}
      @click=${toggle}>${isShown ? texts.form.hide : texts.form.show}</button>`;
  }

  /**
   * Returns the form.
   *
   * @param {object} parts
   * @param {unknown} parts.fields
   * @param {(actions: { isSending: boolean }) => unknown} parts.actions
   * @param {() => Promise<void>} parts.send
   */
  view({ fields, actions, send }) {
    const submit = event => {
      event.preventDefault();
      this.#submit(send, event.target);
    };
    return html`
      <form class="fields" novalidate aria-busy=${this.isSending} @submit=${submit}>
        ${this.problem === undefined ? nothing : problem(this.problem)}
        ${fields}
        ${actions({ isSending: this.isSending })}
      </form>`;
  }

  async #submit(send, element) {
    if (this.isSending) return;
    this.problem = undefined;
    this.wrong = {};
    for (const name of this.#required) {
      const control = element.elements.namedItem(name);
      if (control !== null && this.text(name) === '' && control.value === '') this.wrong[name] = [texts.form.missing];
    }
    if (Object.keys(this.wrong).length === 0) {
      this.isSending = true;
      this.#context.draw();
      try {
        await send();
      } catch (error) {
        if (!(error instanceof Cancelled)) this.#refuse(problemOf(error), element);
      }
      this.isSending = false;
    }
    await this.#context.draw();
    focusOn('[aria-invalid="true"]', { within: element });
  }

  /** Puts what is wrong beside the fields that the form has, and the rest above them. */
  #refuse(found, element) {
    const others = [];
    for (const [path, messages] of Object.entries(found.fields)) {
      // A list is one field here, such as the lines of a text, so what is wrong with an entry is beside the list.
      const names = [this.#aliases[path] ?? path, path.replace(/\.\d+(\..*)?$/, '')];
      const name = names.find(name => element.elements.namedItem(name));
      if (name !== undefined) this.wrong[name] = [...new Set([...(this.wrong[name] ?? []), ...messages.map(sentence)])];
      else others.push(...messages.map(message => `${path}: ${message}`));
    }
    const isBeside = Object.keys(this.wrong).length > 0 && others.length === 0;
    if (!isBeside) this.problem = { ...found, message: [found.message, ...others].join(' ') };
  }
}
