// The languages of the panel. One is loaded.

/** @type {Record<string, () => Promise<{ default: Record<string, string> }>>} */
const LANGUAGES = {
  de: () => import('./texts/de.js'),
  en: () => import('./texts/en.js'),
  es: () => import('./texts/es.js'),
  fr: () => import('./texts/fr.js'),
  it: () => import('./texts/it.js'),
  nl: () => import('./texts/nl.js'),
  pl: () => import('./texts/pl.js'),
  pt: () => import('./texts/pt.js'),
};

/**
 * Returns the first of some languages that the panel has, or English.
 *
 * @param {...(string | undefined)} wanted Codes such as `pt-BR` (BCP 47).
 */
export function languageOf(...wanted) {
  const codes = wanted.map(code => code?.toLowerCase().split('-')[0] ?? '');
  return codes.find(code => Object.hasOwn(LANGUAGES, code)) ?? 'en';
}

/** Loads the texts of a language. */
export async function textsOf(language) {
  return (await LANGUAGES[language]()).default;
}
