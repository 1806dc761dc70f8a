// Keys of one letter for those who work through a list.

import { part } from './kept.js';
import { areKeysOn } from './key-switch.js';

const FIELDS = 'input, textarea, select, [contenteditable]';

/**
 * Acts on keys until it is ended. They never act while somebody writes, chooses, or has a dialog open.
 *
 * @param {import('../../main.js').Context} context
 * @param {Record<string, () => void>} actions By the key.
 * @returns {() => void} Ends it.
 */
export function keys(context, actions) {
  const pressed = event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat && event.key === 'e') return;
    if (!areKeysOn() || event.target.closest?.(FIELDS) || document.querySelector('dialog[open]')) return;
    const act = event.key === '?' ? () => openKeys(context) : Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  document.addEventListener('keydown', pressed);
  return () => document.removeEventListener('keydown', pressed);
}

/**
 * Shows the keys.
 *
 * @param {import('../../main.js').Context} context
 */
export async function openKeys(context) {
  const module = await part(context, () => import('./keys-dialog.js'));
  if (module !== undefined) await context.open(dialog => module.keysDialog(context, dialog));
}
