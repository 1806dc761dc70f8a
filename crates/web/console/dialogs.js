// Dialogs above a page. The browser keeps the focus in them, and gives it back afterwards.

import { html, ref, repeat } from '../vendor/lit/lit.js';
import { confirmSession } from '../console-client/session.js';
import { focusOn } from './focus.js';
import { Form } from './form.js';
import { account } from './service.js';
import { texts } from './texts.js';

/**
 * @typedef {object} Dialog
 * @property {string} id The id of its heading.
 * @property {(value?: any) => void} close
 */

/**
 * A dialog that is open.
 *
 * @typedef {object} Entry
 * @property {string} id
 * @property {HTMLDialogElement} [element]
 * @property {(value?: any) => void} close
 * @property {(element?: Element) => void} take
 * @property {() => unknown} view
 */

/** The dialogs that are open, the topmost last. */
export class Dialogs {
  /** @type {Entry[]} */
  #open = [];
  #count = 0;
  #draw;

  /** @param {() => void} draw */
  constructor(draw) {
    this.#draw = draw;
  }

  /**
   * Opens a dialog and returns what it is closed with.
   *
   * @param {(dialog: Dialog) => () => unknown} begin
   */
  open(begin) {
    return new Promise(resolve => {
      this.#count += 1;
      const id = `dialog-${this.#count}`;
      const close = value => {
        if (!this.#open.includes(entry)) return;
        // Before it is removed, so that the focus goes back to where it was.
        entry.element?.close();
        this.#open = this.#open.filter(other => other !== entry);
        this.#draw();
        resolve(value);
        // What had the focus may be gone, such as the row of something that was deleted.
        setTimeout(() => {
          if (document.activeElement === document.body) focusOn('main h1');
        });
      };
      /** @type {Entry} */
      const entry = {
        id,
        close,
        take: element => {
          if (element instanceof HTMLDialogElement) entry.element = element;
        },
        view: begin({ id, close }),
      };
      this.#open.push(entry);
      this.#draw();
    });
  }

  closeAll() {
    for (const entry of [...this.#open].reverse()) entry.close();
  }

  /** Shows those that have been drawn. */
  show() {
    for (const { element } of this.#open) {
      if (!element?.isConnected || element.open) continue;
      element.showModal();
      focusOn('[data-first]', { within: element });
    }
  }

  view() {
    return repeat(this.#open, entry => entry.id, entry => html`
      <dialog aria-labelledby=${entry.id} ${ref(entry.take)} @close=${() => entry.close()}>${entry.view()}</dialog>`);
  }
}

/**
 * Asks whether to do what cannot be undone.
 *
 * @param {{ title: string, text: string, action: string, isHarmless?: boolean }} question
 * @param {Dialog} dialog
 */
export function confirmation({ title, text, action, isHarmless = false }, dialog) {
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${title}</h2>
      <p class="words">${text}</p>
      <div class="row end">
        <button type="button" class="button" data-first @click=${() => dialog.close(false)}>${texts.cancel}</button>
        <button type="button" class="button ${isHarmless ? 'main' : 'danger'}" @click=${() => dialog.close(true)}>${action}</button>
      </div>
    </div>`;
}

/**
 * Asks for the password before something that concerns keys or people.
 *
 * @param {import('./main.js').Context} context
 * @param {Dialog} dialog
 */
export function passwordConfirmation(context, dialog) {
  const form = new Form(context, 'confirmation');
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${texts.confirm.title}</h2>
      <p>${texts.confirm.text}</p>
      ${form.view({
        fields: html`
          <input type="text" name="username" autocomplete="username" .value=${context.session?.person.email ?? ''} hidden>
          ${form.field({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password', isFirst: true })}`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close(false)}>${texts.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${texts.confirm.action}</button>
          </div>`,
        send: async () => {
          const session = await context.call(() => confirmSession(account, { body: { password: form.values.password } }));
          context.session = session;
          dialog.close(true);
        },
      })}
    </div>`;
}
