// Questions.

import { head } from '../../frame.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  return { title: 'Questions', view: () => head('Questions') };
}
