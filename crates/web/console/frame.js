// What is around a page: navigation for people who are signed in, and a plain sheet for all others.

import { html, nothing } from '../vendor/lit/lit.js';
import { signOut } from '../console-client/session.js';
import { focusOn } from './focus.js';
import { icon } from './icons.js';
import { menu } from './menu.js';
import { forget } from './owner.js';
import { name as nameOfPage, path } from './paths.js';
import { account } from './service.js';
import { isMac } from './letters.js';
import { texts } from './texts.js';

/** @param {import('./main.js').Context} context */
export function frame(context, content) {
  const { session, isMenuOpen } = context;
  const toggle = () => {
    context.isMenuOpen = !context.isMenuOpen;
    context.draw();
  };
  const skip = event => {
    event.preventDefault();
    focusOn('main h1');
  };
  return html`
    <a class="button skip" href="#main" @click=${skip}>${texts.frame.skip}</a>
    <div class="frame">
      <header class="side ${isMenuOpen ? 'open' : ''}">
        <div class="top">
          <a class="brand" href=${path()}>${icon.brand}${texts.product}</a>
          ${finder(context)}
          <button type="button" class="round menu" aria-label=${texts.frame.menu} aria-expanded=${isMenuOpen} @click=${toggle}>
            ${isMenuOpen ? icon.close : icon.menu}</button>
        </div>
        <nav aria-label=${texts.frame.navigation}>
          ${menu(context).map(({ title, places }) => html`
            ${title === undefined ? nothing : html`<h2>${title}</h2>`}
            <ul>${places.map(place => entry(place, place.path === 'inbox' ? waiting(context) : nothing))}</ul>`)}
        </nav>
        <div class="me">
          <div>
            <p><strong>${session.person.name}</strong></p>
            ${context.accounts.view()}
          </div>
          <button type="button" class="round" aria-label=${texts.frame.signOut} title=${texts.frame.signOut}
            @click=${() => leave(context)}>${icon.leave}</button>
        </div>
      </header>
      <main class="page" id="main">${content}</main>
    </div>
    ${above(context)}`;
}

/** A page is the current one if the address is its own, or that of a page below it. */
function entry({ path: target, title, symbol }, mark) {
  const now = nameOfPage();
  const isHere = now === target;
  const isBelow = target !== '' && now.startsWith(`${target}/`);
  return html`<li><a href=${path(target)} aria-current=${isHere ? 'page' : isBelow ? 'true' : nothing}>${symbol}${title}${mark}</a></li>`;
}

/** Opens the palette, also on devices without a keyboard. */
function finder({ shortcuts }) {
  if (!shortcuts.areOffered) return nothing;
  return html`
    <button type="button" class="finder" aria-haspopup="dialog" aria-keyshortcuts=${isMac ? 'Meta+K' : 'Control+K'} @click=${() => shortcuts.openPalette()}>
      ${icon.search}<span>${texts.frame.find}</span><kbd aria-hidden="true">${isMac ? '⌘ K' : 'Ctrl K'}</kbd></button>`;
}

/** How many people wait for an answer. */
function waiting({ waiting: { count, label } }) {
  return count === 0 ? nothing : html`<span class="count" aria-hidden="true">${count}</span><span class="unseen">, ${label}</span>`;
}

/**
 * Signs out.
 *
 * @param {import('./main.js').Context} context
 */
export async function leave(context) {
  try {
    await signOut(account);
  } catch (error) {
    // Without a session, there is nothing to end.
    if (error?.status !== 401) return context.say(texts.frame.signOutFailed);
  }
  history.replaceState(null, '', path());
  // Whoever signs in next must not see what this person was writing.
  forget();
  await context.exit(texts.signIn.signedOut);
}

/** @param {import('./main.js').Context} context */
export function door(context, content) {
  return html`
    <div class="door">
      <a class="brand" href=${path()}>${icon.brand}${texts.product}</a>
      <main id="main">${content}</main>
    </div>
    ${above(context)}`;
}

function above(context) {
  const { note, offer } = context;
  return html`
    <div class="toast">
      <p role="status">${note}</p>
      ${offer === undefined ? nothing : html`<button type="button" class="link" @click=${offer.run}>${offer.action}</button>`}
    </div>
    ${context.dialogs.view()}`;
}

/** The head of a page. */
export function head(title, { lead = /** @type {unknown} */ (nothing), action = /** @type {unknown} */ (nothing), back = /** @type {unknown} */ (nothing) } = {}) {
  return html`
    <div class="head">
      <div>${back}<h1 tabindex="-1">${title}</h1>${lead === nothing ? nothing : html`<p class="lead">${lead}</p>`}</div>
      ${action}
    </div>`;
}

/** A link to the page above this one. */
export function back(name, title) {
  return html`<a class="back" href=${path(name)}>${icon.back}${title}</a>`;
}

/** A text with a button that copies it. */
export function copyable(context, text, label) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      context.say(texts.copied);
    } catch {
      context.say(texts.copyFailed);
    }
  };
  return html`
    <div class="copy">
      <span class="code">${text}</span>
      <button type="button" class="button" aria-label=${label} @click=${copy}>${texts.copy}</button>
    </div>`;
}
