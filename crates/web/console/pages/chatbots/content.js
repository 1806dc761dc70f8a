// Content.

import { head } from '../../frame.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  return { title: 'Content', view: () => head('Content') };
}
