// Keys of the keyboard: their letters, and the one that opens the palette.

export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/** Whether a key is the one of the palette. On a Mac, Ctrl+K deletes to the end of the line. */
export function opensPalette(event) {
  const isHeld = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  return isHeld && !event.altKey && !event.shiftKey && letterOf(event) === 'k';
}

/** The letter of a key. Where letters are not Latin, that of the place on the keyboard. */
export function letterOf({ key, code }) {
  return /^[^\0-\x7f]$/.test(key) && /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : key;
}
