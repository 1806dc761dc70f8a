// Links with a token that works once: what follows when it works, and what is shown when it does not.

import { html } from '../../../vendor/lit/lit.js';
import { head } from '../../frame.js';
import { texts } from '../../texts.js';

/**
 * Redeems the link that led to a page. The service responds with 404 to one that has expired or was used.
 *
 * @param {import('../../main.js').Context} context
 * @param {string} [done] What is noted afterwards.
 */
export function redeeming(context, done) {
  const link = {
    isInvalid: false,
    /** @param {() => PromiseLike<any>} operation Returns the new session, or nothing if the person has to do something else first. */
    async redeem(operation) {
      try {
        const session = await operation();
        if (session === undefined) return;
        await context.enter(session);
        if (done) context.say(done);
      } catch (error) {
        if (error?.status !== 404) throw error;
        link.isInvalid = true;
      }
    },
  };
  return link;
}

/**
 * @param {import('../../main.js').Context} context
 * @param {string} [text] Whom to ask for another one.
 */
export function invalidLink(context, text = texts.link.usedText) {
  return html`
    ${head(texts.link.used, { lead: text })}
    <button type="button" class="button main" @click=${() => context.go('')}>${texts.link.toSignIn}</button>`;
}
