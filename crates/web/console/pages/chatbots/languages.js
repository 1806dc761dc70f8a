// Languages by their names.

/** The languages that are offered. Any other code that is set already is offered, too. */
const CODES = [
  'ar', 'bg', 'cs', 'da', 'de', 'el', 'en', 'en-GB', 'es', 'et', 'fi', 'fr', 'he', 'hi', 'hr', 'hu', 'id', 'it', 'ja', 'ko', 'lt', 'lv', 'nb', 'nl',
  'pl', 'pt', 'pt-BR', 'ro', 'ru', 'sk', 'sl', 'sr', 'sv', 'th', 'tr', 'uk', 'vi', 'zh-CN', 'zh-TW',
];
const names = new Intl.DisplayNames('en', { type: 'language' });

/**
 * Returns codes and names by name.
 *
 * @param {string} [current] The code that is set.
 * @returns {[string, string][]}
 */
export function languages(current = '') {
  const codes = current === '' || CODES.includes(current) ? CODES : [...CODES, current];
  return codes.map(code => /** @type {[string, string]} */ ([code, nameOf(code)])).sort(([, one], [, other]) => one.localeCompare(other));
}

function nameOf(code) {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
