// What a search for contacts asks for.

/**
 * Returns what is searched for. Numbers are stored without spaces, and nationally written ones have a zero that is not in them.
 *
 * @param {string} text
 */
export function searched(text) {
  if (!/^\+?[\d\s()./-]{5,}$/.test(text) || /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/.test(text)) return text.slice(0, 200);
  return text.replace(/[^\d+]/g, '').replace(/^00/, '+').replace(/^0/, '');
}
