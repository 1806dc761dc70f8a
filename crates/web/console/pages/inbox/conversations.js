// Conversations.

import { head } from '../../frame.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  return { title: 'Conversations', view: () => head('Conversations') };
}
