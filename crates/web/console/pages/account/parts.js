// What the pages of the account share: code to copy, secrets that are shown once, choices, and forms that change something.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { Form } from '../../form.js';
import { copyable } from '../../frame.js';
import { Cancelled, problemOf } from '../../service.js';
import { texts } from '../../texts.js';

/** Returns lines as one text. Modules are served without the indentation of their own lines, so each one of a text is a string. */
export function lines(...all) {
  return all.join('\n');
}

/** Lines of code with a button that copies them. The lines can be scrolled by keyboard where they are too long. */
export function code(context, text, label) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      context.say(texts.copied);
    } catch {
      context.say(texts.copyFailed);
    }
  };
  return html`
    <div class="listing">
      <div class="bar"><button type="button" class="button slim" aria-label=${label} @click=${copy}>${texts.copy}</button></div>
      <pre tabindex="0" role="region" aria-label=${label}><code>${text}</code></pre>
    </div>`;
}

/**
 * Shows values that cannot be read again.
 *
 * @param {import('../../main.js').Context} context
 * @param {{ title: string, text: string, done: string, entries: [name: string, value: string, copyLabel: string][] }} shown
 */
export function showOnce(context, { title, text, done, entries }) {
  return context.open(dialog => () => html`
    <div class="stack">
      <h2 id=${dialog.id} tabindex="-1" data-first>${title}</h2>
      <p class="hint">${text}</p>
      ${entries.map(([name, value, label]) => html`
        <div class="once">${entries.length > 1 ? html`<h3>${name}</h3>` : nothing}${copyable(context, value, label)}</div>`)}
      <div class="row end"><button type="button" class="button main" @click=${() => dialog.close()}>${done}</button></div>
    </div>`);
}

/**
 * One of some choices, each with its explanation.
 *
 * @param {import('../../main.js').Context} context
 * @param {Form} form
 * @param {{ name: string, label: string, choices: [value: string, title: string, text?: string][] }} field
 */
export function choice(context, form, { name, label, choices }) {
  const change = value => {
    form.write(name, value);
    context.draw();
  };
  const wrong = form.wrong[name] ?? [];
  return html`
    <fieldset class="choices" name=${name}>
      <legend>${label}</legend>
      ${choices.map(([value, title, text]) => {
        const id = `choice-${name}-${value || 'none'}`;
        return html`
          <div class="toggle">
            <input id=${id} type="radio" name="${name}.choice" .checked=${live(form.values[name] === value)}
              aria-describedby=${text ? `${id}-hint` : nothing} @change=${() => change(value)}>
            <div><label for=${id}>${title}</label>${text ? html`<p class="small quiet" id="${id}-hint">${text}</p>` : nothing}</div>
          </div>`;
      })}
      ${wrong.length > 0 ? html`<p class="wrong">${wrong.join(' ')}</p>` : nothing}
    </fieldset>`;
}

/**
 * Returns the name of what a page is about, also before it was read and if there is no such thing.
 *
 * @param {import('../../states.js').Reading<any>} reading
 * @param {string} name The member with the name.
 * @returns {string}
 */
export function titleOf(reading, name) {
  return reading.value?.[name] ?? (reading.problem?.status === 404 ? texts.missing.title : reading.problem === undefined ? texts.loading : '–');
}

/** A form for what is stored. While nobody has written into it, it follows what others change. */
export class Editor {
  /** @type {Form} */
  form;
  #base = '';

  /**
   * @param {import('../../main.js').Context} context
   * @param {string} name
   */
  constructor(context, name) {
    this.form = new Form(context, name, { isKept: true });
    this.isNew = true;
  }

  get isChanged() {
    return !this.isNew && JSON.stringify(sorted(this.form.values)) !== this.#base;
  }

  /** Takes over what is stored now. What somebody is writing stays. */
  take(values) {
    const kept = this.isNew ? { ...this.form.values } : {};
    if (this.isNew || !this.isChanged) this.form.values = { ...values, ...kept };
    this.#base = JSON.stringify(sorted(values));
    this.isNew = false;
  }

  /** Forgets what was written. */
  reset(values) {
    this.form.clear({ ...values });
    this.#base = JSON.stringify(sorted(values));
    this.isNew = false;
  }

  /** Buttons that save or discard. */
  actions(words, values, isSending, redraw) {
    const discard = () => {
      this.reset(values());
      redraw();
    };
    return html`
      <div class="row">
        <button class="button main" ?disabled=${isSending}>${words.save}</button>
        ${this.isChanged ? html`<button type="button" class="button" ?disabled=${isSending} @click=${discard}>${words.discard}</button>` : nothing}
      </div>`;
  }
}

/** Without empty values, which are the same as none. */
function sorted(values) {
  return Object.entries(values).filter(([, value]) => value !== '' && value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Calls back when people change something of these topics, and from time to time: nobody says what came of work in the
 * background, such as an attempt to deliver. Returns how to end it when the page is left.
 *
 * @param {import('../../main.js').Context} context
 * @param {string[]} topics
 * @param {() => unknown} again
 * @param {() => number} pause Milliseconds until the next time.
 */
export function follow(context, topics, again, pause) {
  let last = Date.now();
  const call = () => {
    last = Date.now();
    again();
  };
  context.watch(topics, call);
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible' && Date.now() - last >= pause()) call();
  }, 1_000);
  return () => clearInterval(timer);
}

/** Something that a page does at once, and what went wrong with it. */
export class Action {
  /** @type {import('../../service.js').Problem | undefined} */
  problem;
  isRunning = false;

  #context;

  /** @param {import('../../main.js').Context} context */
  constructor(context) {
    this.#context = context;
  }

  /**
   * Calls an operation. Returns what it returned, or nothing if it failed, after the reason was shown.
   *
   * @template T
   * @param {() => PromiseLike<T>} operation
   * @returns {Promise<{ value: T } | undefined>}
   */
  async run(operation) {
    if (this.isRunning) return undefined;
    this.problem = undefined;
    this.isRunning = true;
    this.#context.draw();
    try {
      return { value: await this.#context.call(operation) };
    } catch (error) {
      if (!(error instanceof Cancelled)) this.problem = problemOf(error);
      return undefined;
    } finally {
      this.isRunning = false;
      this.#context.draw();
    }
  }
}

/** Returns a random text of letters, digits, hyphens and underscores. */
export function randomText() {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_');
}
