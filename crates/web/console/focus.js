// The focus, by which people with a keyboard or a screen reader go on where something has changed.

/**
 * Gives the focus to the first element that a selector finds. Returns whether there is one.
 *
 * @param {string} selector
 * @param {{ within?: ParentNode, preventScroll?: boolean }} [options]
 */
export function focusOn(selector, { within = document, ...options } = {}) {
  /** @type {HTMLElement | null} */
  const element = within.querySelector(selector);
  element?.focus(options);
  return element !== null;
}
