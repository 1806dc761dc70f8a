// Inbox.

import { head } from '../../frame.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  return { title: 'Inbox', view: () => head('Inbox') };
}
