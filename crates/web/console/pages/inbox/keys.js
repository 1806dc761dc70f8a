// Keys of one letter for those who work through a list, and what can be set about them and the sound.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { isSoundOn, play, switchSound } from '../../sound.js';
import { texts } from '../../texts.js';
import { texts as all } from '../../texts/inbox.js';

const words = all.keys;
const SWITCH = 'frontdesk.keys';
const FIELDS = 'input, textarea, select, [contenteditable]';

const areOn = () => localStorage.getItem(SWITCH) !== 'off';

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
    if (!areOn() || event.target.closest?.(FIELDS) || document.querySelector('dialog[open]')) return;
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
export function openKeys(context) {
  return context.open(dialog => {
    let note = '';
    const toggleKeys = event => {
      if (event.target.checked) localStorage.removeItem(SWITCH);
      else localStorage.setItem(SWITCH, 'off');
      context.draw();
    };
    const toggleSound = event => {
      switchSound(event.target.checked);
      context.draw();
    };
    const test = async () => {
      note = '';
      note = await play() ? words.played : words.silent;
      context.draw();
    };
    return () => html`
      <div class="stack">
        <h2 id=${dialog.id}>${words.title}</h2>
        <dl class="keys">
          ${[...words.list, words.send].map(([key, meaning]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${meaning}</dd></div>`)}
        </dl>
        ${toggle('keys-letters', words.letters, words.lettersHint, areOn(), toggleKeys)}
        ${toggle('keys-sound', words.sound, words.soundHint, isSoundOn(), toggleSound)}
        <div class="row">
          <button type="button" class="button slim" @click=${test}>${words.test}</button>
          <span class="small quiet" role="status">${note || nothing}</span>
        </div>
        <div class="row end"><button type="button" class="button main" data-first @click=${() => dialog.close()}>${texts.close}</button></div>
      </div>`;
  });
}

function toggle(id, label, hint, isOn, change) {
  return html`
    <div class="toggle">
      <input id=${id} type="checkbox" .checked=${isOn} aria-describedby="${id}-hint" @change=${change}>
      <div><label for=${id}>${label}</label><p class="small quiet" id="${id}-hint">${hint}</p></div>
    </div>`;
}
