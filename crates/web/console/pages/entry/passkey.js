// A passkey at the sign-in: alone, or as the second step.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { signIn, support } from '../../passkeys.js';
import { Cancelled, problemOf } from '../../service.js';
import { problem } from '../../states.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {object} options
 * @param {string} options.action What the button says.
 * @param {string} options.unused What is said if the browser has returned without a passkey.
 * @param {() => Promise<void>} [options.ended] What follows if the sign-in that waits has ended.
 */
export function passkey(context, { action, unused, ended }) {
  let isOffered = false;
  let isRunning = false;
  let note = '';
  /** @type {import('../../service.js').Problem | undefined} */
  let failed;

  const use = async () => {
    if (isRunning) return;
    [isRunning, note, failed] = [true, '', undefined];
    context.draw();
    try {
      await context.enter(await signIn());
    } catch (error) {
      if (error?.status === 401 && error.code === 'session_ended' && ended !== undefined) await ended();
      else if (error instanceof Cancelled) note = unused;
      else failed = problemOf(error);
    } finally {
      isRunning = false;
      context.draw();
    }
  };

  return {
    /** Finds out whether it can be offered here. Until then, and if that fails, it is not. */
    async begin() {
      try {
        isOffered = (await support()).obstacle === '';
      } catch {
        isOffered = false;
      }
      context.draw();
    },
    get isOffered() {
      return isOffered;
    },
    /** @param {boolean} [isMain] Whether it is what most people do here. */
    view: (isMain = false) => (isOffered ? html`
      <div class="fields">
        ${failed === undefined ? nothing : problem(failed)}
        ${note === '' ? nothing : html`<p class="note" role="status">${note}</p>`}
        <button type="button" class="button ${isMain ? 'main' : ''}" ?disabled=${isRunning} @click=${use}>${action}</button>
      </div>` : nothing),
  };
}
