// What the owner of an account sees once it is erased.

import { html } from '../../../vendor/lit/lit.js';
import { head } from '../../frame.js';
import { erased as words } from '../../texts/account.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const name = context.erased;
  const back = () => {
    context.erased = undefined;
    return context.go('');
  };
  return {
    title: words.title,
    isDoor: true,
    view: () => html`
      ${head(words.title, { lead: html`<bdi>${words.text(name)}</bdi>` })}
      <p class="small quiet">${words.backups}</p>
      <div><button type="button" class="button" @click=${back}>${words.action}</button></div>`,
  };
}
