// An address without a page, and pages that are not for everybody.

import { html } from '../../vendor/lit/lit.js';
import { head } from '../frame.js';
import { path } from '../paths.js';
import { texts } from '../texts.js';

function message(title, text) {
  return {
    title,
    view: () => html`${head(title, { lead: text })}<a class="button" href=${path()}>${texts.missing.action}</a>`,
  };
}

export function page() {
  return message(texts.missing.title, texts.missing.text);
}

/** A page that the role of the person does not include. */
export function forbidden() {
  return message(texts.missing.forbidden, texts.missing.forbiddenText);
}
