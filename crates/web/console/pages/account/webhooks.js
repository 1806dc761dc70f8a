// Webhooks.

import { head } from '../../frame.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  return { title: 'Webhooks', view: () => head('Webhooks') };
}
