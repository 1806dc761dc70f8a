// What somebody sees who lacks the second factor that the account requires: the way to add one, and the ways out.

import { html } from '../../../vendor/lit/lit.js';
import { head, leave } from '../../frame.js';
import { required as words } from '../../texts/account.js';
import { passkeys } from './passkeys.js';
import { secondFactor } from './second-factor.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const factor = secondFactor(context, () => {}, () => context.again());
  const keys = passkeys(context, { ended: () => {}, added: () => context.again(), hasApp: () => false });
  factor.begin();
  keys.begin();
  return {
    title: words.title,
    isDoor: true,
    view: () => html`
      ${head(words.title, { lead: html`<bdi>${words.lead(context.session.account.name)}</bdi>` })}
      ${factor.view()}
      ${keys.view()}
      <div class="part">
        <div class="row between">
          ${context.accounts.view()}
          <button type="button" class="link small" @click=${() => leave(context)}>${words.signOut}</button>
        </div>
      </div>`,
  };
}
