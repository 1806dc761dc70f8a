// Channel.

import { head } from '../../frame.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  return { title: 'Channel', view: () => head('Channel') };
}
