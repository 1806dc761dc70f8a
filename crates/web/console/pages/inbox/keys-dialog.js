// The keys, and what can be set about them and the sound.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { isSoundOn, play, switchSound } from '../../sound.js';
import { texts } from '../../texts.js';
import { texts as all } from '../../texts/inbox.js';
import { areKeysOn, switchKeys } from './key-switch.js';

const words = all.keys;

/**
 * Shows the keys.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 */
export function keysDialog(context, dialog) {
  let note = '';
  const toggleKeys = event => {
    switchKeys(event.target.checked);
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
      ${toggle('keys-letters', words.letters, words.lettersHint, areKeysOn(), toggleKeys)}
      ${toggle('keys-sound', words.sound, words.soundHint, isSoundOn(), toggleSound)}
      <div class="row">
        <button type="button" class="button slim" @click=${test}>${words.test}</button>
        <span class="small quiet" role="status">${note || nothing}</span>
      </div>
      <div class="row end"><button type="button" class="button main" data-first @click=${() => dialog.close()}>${texts.close}</button></div>
    </div>`;
}

function toggle(id, label, hint, isOn, change) {
  return html`
    <div class="toggle">
      <input id=${id} type="checkbox" .checked=${isOn} aria-describedby="${id}-hint" @change=${change}>
      <div><label for=${id}>${label}</label><p class="small quiet" id="${id}-hint">${hint}</p></div>
    </div>`;
}
