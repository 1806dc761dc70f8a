// What the panel shows. Every text of people is a text node; nothing is interpreted as markup.

import { classMap, html, live, nothing, ref, repeat } from '../vendor/lit/lit.js';
import { followable, linked } from '../shared/linked.js';
import { icon } from './icons.js';

/** The longest message that the service takes, and from where on the rest is counted. */
const LONGEST = 250;
const COUNTED = 200;

/**
 * @typedef {object} State
 * @property {Record<string, string>} texts
 * @property {Record<string, any> | undefined} look
 * @property {boolean} isFailed Whether the look could not be read.
 * @property {string} draft
 * @property {boolean} isMenuOpen
 * @property {boolean} isErasing Whether the visitor was asked if everything is to be deleted.
 * @property {import('./chat.js').Chat} chat
 * @property {Record<string, any>} act What a visitor can do.
 */

/** @param {State} state */
export function panel(state) {
  const { texts, look, chat } = state;
  return html`
    <div class="panel">
      ${header(state)}
      <main class="log" tabindex="0" role="log" aria-label=${texts.conversation}
        aria-busy=${chat.isSending} ${ref(state.act.logRef)}>
        ${look === undefined ? begin(state) : conversation(state)}
      </main>
      ${look === undefined ? nothing : composer(state)}
    </div>`;
}

/** @param {State} state */
function header({ texts, look, chat, isMenuOpen, isErasing, act }) {
  const status = { human: texts.personAnswers, human_requested: texts.waitingForPerson }[chat.mode] ?? texts.assistant;
  return html`
    <header>
      <div class="who">
        <h1>${look?.name ?? ''}</h1>
        <p role="status">${look === undefined ? '' : status}</p>
      </div>
      ${chat.hasRecord
        ? html`
          <button type="button" class="round" aria-label=${texts.menu} aria-expanded=${isMenuOpen} aria-controls="menu"
            @click=${act.toggleMenu}>${icon.more}</button>
          <div id="menu" ?hidden=${!isMenuOpen}>
            <button type="button" @click=${act.startOver}>${texts.startOver}</button>
            <button type="button" @click=${act.erase}>${isErasing ? texts.eraseSurely : texts.erase}</button>
          </div>`
        : nothing}
      <button type="button" class="round" aria-label=${texts.close} @click=${act.close}>${icon.close}</button>
    </header>`;
}

/** @param {State} state */
function begin({ texts, isFailed, act }) {
  if (!isFailed) return html`<div class="skeleton" aria-hidden="true"><span></span><span></span></div>`;
  return html`
    <div class="state">
      <p>${texts.loadFailed}</p>
      <button type="button" class="plain" @click=${act.reload}>${texts.retry}</button>
    </div>`;
}

/** @param {State} state */
function conversation(state) {
  const { texts, look, chat, act } = state;
  const isNew = chat.entries.length === 0 && chat.restoring === '';
  const opening = { id: 'opening', from: 'bot', text: look?.opening_text, state: 'done' };
  return html`
    ${look?.notice ? html`<p class="notice small">${linked(look.notice)}</p>` : nothing}
    ${chat.restoring === 'reading' ? html`<p class="notice small" role="status">${texts.reading}</p>` : nothing}
    ${typeof chat.restoring === 'object'
      ? html`<p class="notice small" role="alert">${texts.readingFailed}
          <button type="button" class="link" @click=${act.restore}>${texts.retry}</button></p>`
      : nothing}
    ${bot(state, opening)}
    ${repeat(chat.entries, entry => entry.id, entry => entryView(state, entry))}
    ${isNew || look?.quick_prompts_display === 'always' ? questions(state) : nothing}
    ${chat.form === '' ? nothing : contact(state)}`;
}

/** @param {State} state */
function questions({ look, chat, act }) {
  if (look?.quick_prompts_display === 'never' || look?.quick_buttons.length === 0 || chat.isAnsweredByPerson) return nothing;
  return html`
    <ul class="questions">
      ${look?.quick_buttons.map(({ text }) => html`
        <li><button type="button" class="plain" ?disabled=${chat.isSending} @click=${() => act.ask(text)}>${text}</button></li>`)}
    </ul>`;
}

/** @param {State} state */
function entryView(state, entry) {
  const { texts, act } = state;
  if (entry.from === 'notice') return html`<p class="notice">${linked(entry.text)}</p>`;
  if (entry.from !== 'visitor') return bot(state, entry);
  return html`
    <div class=${classMap({ entry: true, visitor: true, sending: entry.state === 'sending' })}>
      <div class="text"><span class="unseen">${texts.youSay} </span>${entry.text}</div>
      ${entry.state === 'failed'
        ? html`<p class="problem small" role="alert">${problem(texts, entry.problem)}
            <button type="button" class="link" @click=${() => act.retry(entry)}>${texts.retry}</button></p>`
        : nothing}
    </div>`;
}

/** @param {State} state */
function bot(state, entry) {
  const { texts, act } = state;
  const says = entry.from === 'person' ? texts.personSays : texts.assistantSays;
  if (entry.state === 'sending' && entry.text === '') {
    return html`<div class="entry bot"><div class="text dots" role="img" aria-label=${texts.writing}><i></i><i></i><i></i></div></div>`;
  }
  return html`
    <div class=${classMap({ entry: true, bot: true, person: entry.from === 'person' })}>
      ${entry.from === 'person' ? html`<p class="author small" aria-hidden="true">${texts.personSays.replace(/\s?:$/, '')}</p>` : nothing}
      <div class="text"><span class="unseen">${says} </span>${linked(entry.text)}</div>
      ${sources(state, entry)}
      ${entry.state === 'done' && entry.id !== 'opening' && entry.from === 'bot' ? rating(state, entry) : nothing}
      ${entry.needsPerson && state.chat.mode === 'ai'
        ? html`<button type="button" class="plain" @click=${act.escalate}>${texts.person}</button>`
        : nothing}
    </div>`;
}

/** @param {State} state */
function sources({ texts, look }, entry) {
  if (!look?.show_sources || !entry.sources?.length) return nothing;
  return html`
    <ul class="sources small" aria-label=${texts.sources}>
      ${entry.sources.map(source => {
        const address = followable(source.url);
        const title = source.title || address?.hostname || '';
        return html`<li>${icon.source}${address === undefined
          ? html`<span>${title}</span>`
          : html`<a href=${address.href} target="_blank" rel="noopener noreferrer" title=${address.href}>${title}</a>`}</li>`;
      })}
    </ul>`;
}

/** @param {State} state */
function rating({ texts, act }, entry) {
  const button = (value, label) => html`
    <button type="button" class="rate" aria-label=${label} title=${label} aria-pressed=${entry.rating === value}
      @click=${() => act.rate(entry, value)}>${icon[value]}</button>`;
  return html`<div class="rating">${button('up', texts.helpful)}${button('down', texts.notHelpful)}</div>`;
}

/** @param {State} state */
function contact({ texts, chat, act }) {
  if (chat.form === 'sent') return html`<p class="notice" role="status">${texts.contactSent}</p>`;
  const field = (name, label, type, autocomplete) => {
    const problems = chat.formProblems[name] ?? [];
    return html`
      <label for=${name}>${label}</label>
      <input id=${name} name=${name} type=${type} autocomplete=${autocomplete} maxlength="255" ?required=${name === 'email'}
        aria-invalid=${problems.length > 0} aria-describedby="${name}-problem">
      <p class="problem small" id="${name}-problem" role="alert">${problems.join(' ')}</p>`;
  };
  return html`
    <form class="card" @submit=${act.leaveContact}>
      <h2>${texts.contactTitle}</h2>
      ${field('email', texts.email, 'email', 'email')}
      ${field('name', texts.name, 'text', 'name')}
      ${chat.formProblems[''] ? html`<p class="problem small" role="alert">${chat.formProblems[''].join(' ')}</p>` : nothing}
      <div class="row">
        <button type="submit" class="filled" ?disabled=${chat.form === 'sending'}>${texts.sendContact}</button>
        <button type="button" class="link" @click=${act.skipContact}>${texts.skip}</button>
      </div>
    </form>`;
}

/** @param {State} state */
function composer({ texts, look, chat, draft, act }) {
  const left = LONGEST - draft.length;
  return html`
    <form class="composer" @submit=${act.submit}>
      <textarea rows="1" maxlength=${LONGEST} aria-label=${look?.placeholder_text || texts.placeholder} enterkeyhint="send"
        placeholder=${look?.placeholder_text || texts.placeholder} .value=${live(draft)} @input=${act.write} @keydown=${act.key}
        ${ref(act.inputRef)}></textarea>
      <button type="submit" class="send" aria-label=${texts.send} ?disabled=${draft.trim() === '' || chat.isSending}>${icon.send}</button>
    </form>
    <footer class="small">
      ${chat.isAnsweredByPerson
        ? nothing
        : html`<button type="button" class="link" ?disabled=${chat.isEscalating || chat.isSending} @click=${act.escalate}>${texts.person}</button>`}
      ${draft.length >= COUNTED ? html`<span role="status">${texts.remaining.replace('{count}', String(left))}</span>` : nothing}
    </footer>`;
}

function problem(texts, cause) {
  if (cause?.name === 'busy' && cause.seconds) return texts.busyFor.replace('{seconds}', String(cause.seconds));
  return texts[cause?.name ?? 'failed'];
}
