// The keys of a page, and what can be set about them and the sound.

import { html, nothing } from '../vendor/lit/lit.js';
import { areKeysOn, switchKeys } from './key-switch.js';
import { places } from './menu.js';
import { isMac } from './letters.js';
import { isSoundOn, play, switchSound } from './sound.js';
import { texts } from './texts.js';
import { texts as words } from './texts/keys.js';

const held = key => (isMac ? `⌘ ${key}` : `Ctrl ${key}`);

/**
 * Shows the keys.
 *
 * @param {import('./main.js').Context} context
 * @param {import('./dialogs.js').Dialog} dialog
 * @param {{ isList: boolean, buttons: Map<string, { label: string, isField: boolean }>, hasSearch: boolean }} page
 */
export function keysDialog(context, dialog, { isList, buttons, hasSearch }) {
  let note = '';
  const toggleKeys = event => {
    switchKeys(context.session, event.target.checked);
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
  const ofPage = [
    ...(isList ? [['j', words.next], ['k', words.previous]] : []),
    ...[...buttons].map(([key, { label, isField }]) => [key, isField ? words.field(label) : label]),
    ...(hasSearch ? [['/', words.search]] : []),
  ];
  const letters = places(context).filter(({ key }) => key !== undefined).map(({ key, title }) => [key, title]);
  return () => {
    const areOn = areKeysOn(context.session);
    return html`
      <div class="stack">
        <h2 id=${dialog.id}>${words.title}</h2>
        ${areOn ? html`
          ${ofPage.length === 0 ? nothing : list(words.page, ofPage)}
          ${list(words.places, letters, 'short')}` : html`<p class="hint">${words.off}</p>`}
        ${list(words.everywhere, [
          [held('K'), words.find], ...(areOn ? [...(hasSearch ? [] : [['/', words.find]]), ['?', words.show]] : []),
          [held('Enter'), words.send], ['Esc', words.leave],
        ], 'wide')}
        ${toggle('keys-letters', words.letters, words.lettersHint, areOn, toggleKeys)}
        ${toggle('keys-sound', words.sound, words.soundHint, isSoundOn(), toggleSound)}
        <div class="row">
          <button type="button" class="button slim" @click=${test}>${words.test}</button>
          <span class="small quiet" role="status">${note || nothing}</span>
        </div>
        <div class="row end"><button type="button" class="button main" data-first @click=${() => dialog.close()}>${texts.close}</button></div>
      </div>`;
  };
}

/** @param {string[][]} entries Keys, and what each of them does. */
function list(title, entries, kind = '') {
  return html`
    <section>
      <h3>${title}</h3>
      <dl class="keys ${kind}">
        ${entries.map(([key, meaning]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${meaning}</dd></div>`)}
      </dl>
    </section>`;
}

function toggle(id, label, hint, isOn, change) {
  return html`
    <div class="toggle">
      <input id=${id} type="checkbox" .checked=${isOn} aria-describedby="${id}-hint" @change=${change}>
      <div><label for=${id}>${label}</label><p class="small quiet" id="${id}-hint">${hint}</p></div>
    </div>`;
}
