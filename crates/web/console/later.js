// Dialogs that are loaded when they are needed, so that pages come up sooner.

import { texts } from './texts.js';

/**
 * Opens a dialog of a module. If that cannot be loaded, says so and returns nothing, as if the dialog was cancelled.
 *
 * @template M
 * @param {import('./main.js').Context} context
 * @param {() => Promise<M>} load
 * @param {(module: M, dialog: import('./dialogs.js').Dialog) => () => unknown} begin
 */
export async function openLater(context, load, begin) {
  let module;
  try {
    module = await load();
  } catch (error) {
    console.error(error);
    context.say(texts.problem.load);
    return undefined;
  }
  return context.open(dialog => begin(module, dialog));
}
