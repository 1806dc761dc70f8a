// A dialog with a form.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { texts } from '../../texts.js';
import { texts as area } from '../../texts/chatbots.js';

/**
 * Says that a form shows what was written before and not saved.
 *
 * @param {import('../../form.js').Form} form
 */
export function restored(form) {
  if (!form.isRestored) return nothing;
  return html`<p class="small hint">${area.restored} <button type="button" class="link small" @click=${() => form.restart()}>${area.restart}</button></p>`;
}

/**
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {object} parts
 * @param {string} parts.title
 * @param {string} [parts.lead]
 * @param {import('../../form.js').Form} parts.form
 * @param {() => unknown} parts.fields
 * @param {string} parts.action
 * @param {() => Promise<void>} parts.send
 * @param {boolean} [parts.isWide]
 */
export function formDialog(dialog, { title, lead, form, fields, action, send, isWide = false }) {
  // Whoever writes goes on without leaving the keyboard; Enter alone begins a line.
  const key = event => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.currentTarget.querySelector('form')?.requestSubmit();
  };
  return () => html`
    <div class="stack ${isWide ? 'wide' : ''}" @keydown=${key}>
      <h2 id=${dialog.id}>${title}</h2>
      ${lead === undefined ? nothing : html`<p class="quiet">${lead}</p>`}
      ${form.view({
        fields: html`${restored(form)}${fields()}`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${action}</button>
          </div>`,
        send,
      })}
    </div>`;
}
