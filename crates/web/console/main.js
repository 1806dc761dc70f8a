// The console: who is signed in, which page is shown, and what all pages can do.

import { render } from '../vendor/lit/lit.js';
import { getSession } from '../console-client/session.js';
import { Accounts } from './accounts.js';
import { Dialogs, confirmation, passwordConfirmation } from './dialogs.js';
import { focusOn } from './focus.js';
import { door, frame } from './frame.js';
import { Live } from './live.js';
import { forget, own } from './owner.js';
import { dropLink, followed, name, path, takeLink } from './paths.js';
import { noteVisit } from './recent.js';
import { here } from './router.js';
import { Cancelled, account, problemOf } from './service.js';
import { Shortcuts } from './shortcuts.js';
import { problem, skeleton } from './states.js';
import { texts } from './texts.js';
import { Waiting } from './waiting.js';

/** Milliseconds that a note is shown, and one that offers to undo what was done. */
const NOTED = 6_000;
const OFFERED = 10_000;

/**
 * A page: its title, what it shows, and what ends with it.
 *
 * @typedef {object} Page
 * @property {string | (() => string)} title
 * @property {() => unknown} view
 * @property {() => void} [leave]
 * @property {Record<string, () => unknown>} [keys] What keys do that no button of the page does.
 * @property {boolean} [isDoor] Whether it is for people who are not signed in.
 */

/** Pages that a link with a token leads to. */
const LINKED = {
  setup: () => import('./pages/entry/setup.js'),
  invite: () => import('./pages/entry/invitation.js'),
  reset: () => import('./pages/entry/new-password.js'),
  link: () => import('./pages/entry/sign-in-link.js'),
};

/** The page of somebody who lacks the second factor that the account requires. */
const REQUIRED_FACTOR = () => import('./pages/account/required-factor.js');

/** The steps of the sign-in, and what is shown in place of it after the account was erased. */
const SIGN_IN = {
  erased: () => import('./pages/entry/erased.js'),
  password: () => import('./pages/entry/sign-in.js'),
  code: () => import('./pages/entry/code.js'),
};

/** What pages know and can do. */
export class Context {
  /** Who is signed in: the `Session` of the interface. @type {any} */
  session;
  /** Whether somebody has entered their password and has to enter a code. */
  isCodeNeeded = false;
  /** The name of the account that was just erased. @type {string | undefined} */
  erased;
  /** The link that led here, until it has been used. @type {{ kind: string, token: string } | undefined} */
  link;
  /** What was read of chatbots, so that their name is there at once. @type {Map<string, any>} */
  chatbots = new Map();
  isMenuOpen = false;
  #live = new Live();
  accounts = new Accounts(this);
  /** Who waits for an answer. */
  waiting = new Waiting(this);
  shortcuts = new Shortcuts(this);

  /** What was just done, for a moment. */
  #note = '';
  /** What can be done about it. @type {{ action: string, run: () => unknown } | undefined} */
  #offer;
  #noted;
  /** Why somebody has to sign in again. */
  notice = '';
  /** The console's other pages in this browser, which have the same session. */
  #others = new BroadcastChannel('frontdesk-session');
  #dialogs = new Dialogs(() => this.draw());
  /** @type {Page | undefined} */
  #page;
  /** @type {import('./service.js').Problem | undefined} */
  #problem;
  #turn = 0;
  /** @type {Promise<void> | undefined} */
  #drawn;

  get note() {
    return this.#note;
  }

  get offer() {
    return this.#offer;
  }

  get dialogs() {
    return this.#dialogs;
  }

  /** What keys do on this page. @type {Record<string, () => unknown>} */
  get keys() {
    return this.#page?.keys ?? {};
  }

  /** Whether the person may manage API keys and people, and change chatbots. */
  get isManager() {
    return this.session?.role === 'owner' || this.session?.role === 'admin';
  }

  /** Reads who is signed in and shows the page of the address. */
  async begin() {
    this.draw();
    // Nothing is done in the name of somebody who is not on the screen.
    this.#others.onmessage = () => {
      // Without the page, so that nothing asks whether to stay on it.
      this.#leave();
      this.#page = undefined;
      this.session = undefined;
      location.reload();
    };
    addEventListener('popstate', () => this.#show());
    addEventListener('hashchange', () => {
      if (takeLink()) this.#show();
    });
    document.addEventListener('click', event => {
      const target = followed(event);
      if (target === undefined) return;
      event.preventDefault();
      this.#visit(target);
    });
    this.watchAlways(['account'], () => this.#look());
    await this.#identify();
  }

  /** Looks whether the role of the person is still the same: it decides what pages offer. */
  async #look() {
    if (this.session === undefined) return;
    const { role, needs_second_factor: isFactorNeeded } = this.session;
    let session;
    try {
      session = await this.call(() => getSession(account));
    } catch {
      // The next request of the page says what is wrong.
      return;
    }
    if (this.session === undefined) return;
    this.session = session;
    if (session.needs_second_factor !== isFactorNeeded) await this.#identify();
    else if (session.role !== role) await this.#show(true);
  }

  async #identify() {
    this.#problem = undefined;
    try {
      const session = await getSession(account);
      own(session);
      this.session = session;
      this.#begin();
    } catch (error) {
      const found = problemOf(error);
      if (found.status !== 401) {
        this.#problem = found;
        return this.draw();
      }
      this.isCodeNeeded = found.code === 'factor_required';
    }
    await this.#show(true);
  }

  /** Begins what goes on while somebody is signed in. Without the second factor that the account requires, there is little. */
  #begin() {
    if (this.session.needs_second_factor) {
      this.#live.stop();
      this.#dialogs.closeAll();
    } else {
      this.#live.follow();
    }
    this.accounts.read();
    this.waiting.look();
  }

  /** Reads again who is signed in, and shows the page of the address. */
  again() {
    return this.#identify();
  }

  /** Shows the account under another name. */
  rename(name) {
    this.session = { ...this.session, account: { ...this.session.account, name } };
    this.accounts.read();
  }

  /** Goes to a page by its path below `/console`. */
  go(page) {
    return this.#visit(path(page));
  }

  #visit(target) {
    if (target !== location.pathname + location.search) history.pushState(null, '', target);
    this.link = undefined;
    dropLink();
    return this.#show();
  }

  /** Shows the page of the address. */
  async #show(isFirst = false) {
    const turn = ++this.#turn;
    this.link = takeLink();
    this.isMenuOpen = false;
    const route = here();
    const load = this.link !== undefined ? LINKED[this.link.kind]
      : this.session !== undefined ? this.session.needs_second_factor ? REQUIRED_FACTOR : route.load
        : SIGN_IN[this.isCodeNeeded ? 'code' : this.erased === undefined ? 'password' : 'erased'];
    try {
      const module = await load();
      if (turn !== this.#turn) return;
      this.#leave();
      this.#problem = undefined;
      // The styles of an area are for its own pages only.
      document.documentElement.dataset.area = load === route.load ? route.area : load === REQUIRED_FACTOR ? 'account' : 'entry';
      this.#page = module.page(this, route.parameters);
      this.shortcuts.restart();
      if (load === route.load) noteVisit(this.session, name());
    } catch (error) {
      if (turn !== this.#turn) return;
      console.error(error);
      this.#leave();
      this.#page = undefined;
      // Another version of the service may be running by now, which has other files.
      this.#problem = { message: texts.problem.load, fields: {} };
    }
    await this.draw();
    if (!isFirst) scrollTo(0, 0);
    this.#focus(isFirst);
  }

  /** Ends what the page has begun. */
  #leave() {
    // What a note offers belongs to the account and the person that it was shown to.
    if (this.session === undefined) this.#offer = undefined;
    this.#page?.leave?.();
    this.#live.clear();
  }

  /**
   * Calls back when others may have changed something of these topics, until the page is left.
   *
   * @param {string[]} topics
   * @param {() => unknown} again
   */
  watch(topics, again) {
    return this.#live.watch(topics, again);
  }

  /**
   * Calls back as `watch` does, on whatever page somebody is, and also in a tab in the background.
   *
   * @param {string[]} topics
   * @param {() => unknown} again
   */
  watchAlways(topics, again) {
    return this.#live.watch(topics, again, { isLasting: true });
  }

  /** After a change of the page, people go on at its first field or its heading. */
  #focus(isFirst) {
    const hasField = focusOn('main [data-first]');
    if (!hasField && !isFirst) focusOn('main h1', { preventScroll: true });
  }

  /**
   * Takes over a session after somebody has signed in, and goes to where they wanted to go. If a code is needed first, asks for it.
   *
   * @param {any} session The session, or the sign-in that waits for a code.
   */
  async enter(session) {
    this.isCodeNeeded = session.session_id === undefined;
    if (this.isCodeNeeded) {
      // It has replaced the session of this browser, if there was one.
      this.#others.postMessage('entered');
      this.session = undefined;
      this.#live.stop();
      dropLink();
      return this.#show();
    }
    if (!own(session)) {
      // What was read for somebody else, or for another account, goes with the page.
      this.#others.postMessage('entered');
      dropLink();
      return location.reload();
    }
    this.session = session;
    this.notice = '';
    this.#begin();
    dropLink();
    this.#others.postMessage('entered');
    await this.#show();
  }

  /** Shows the sign-in after a session has ended. */
  async exit(notice = '') {
    this.#others.postMessage('left');
    this.session = undefined;
    this.isCodeNeeded = false;
    this.#live.stop();
    this.chatbots.clear();
    this.#dialogs.closeAll();
    this.#leave();
    this.#page = undefined;
    this.notice = notice;
    await this.#show();
  }

  /** Says that an account was erased, and with it the session. */
  async end(name) {
    this.erased = name;
    history.replaceState(null, '', path());
    forget();
    await this.exit();
  }

  /**
   * Calls an operation. If it needs a proof that the person is still the same, asks for the password and calls it again.
   *
   * @template T
   * @param {() => PromiseLike<T>} operation
   * @returns {Promise<T>}
   */
  async call(operation) {
    try {
      return await operation();
    } catch (error) {
      if (error?.status === 401 && this.session !== undefined) {
        this.exit(texts.signIn.ended);
        throw new Cancelled();
      }
      if (error?.status === 403 && error.code === 'second_factor_required' && this.session?.needs_second_factor === false) {
        // Somebody has just required it of everybody.
        await this.#identify();
        throw new Cancelled();
      }
      if (error?.status !== 403 || error.code !== 'confirmation_required') throw error;
      const isConfirmed = await this.open(dialog => passwordConfirmation(this, dialog));
      if (!isConfirmed) throw new Cancelled();
      return this.call(operation);
    }
  }

  /**
   * Opens a dialog and returns what it is closed with.
   *
   * @param {(dialog: import('./dialogs.js').Dialog) => () => unknown} begin
   */
  open(begin) {
    return this.#dialogs.open(begin);
  }

  /**
   * Asks whether to go on.
   *
   * @param {{ title: string, text: string, action: string, isHarmless?: boolean }} question
   */
  async confirm(question) {
    return await this.open(dialog => confirmation(question, dialog)) === true;
  }

  /**
   * Notes what was done, for eyes and for screen readers.
   *
   * @param {string} text
   * @param {{ action: string, run: () => unknown }} [offer] A button of the note, such as one that undoes it.
   */
  say(text, offer) {
    const forget = () => {
      this.#note = '';
      this.#offer = undefined;
      this.draw();
    };
    this.#note = text;
    this.#offer = offer && {
      action: offer.action,
      run: () => {
        forget();
        return offer.run();
      },
    };
    clearTimeout(this.#noted);
    this.#noted = setTimeout(forget, offer === undefined ? NOTED : OFFERED);
    this.draw();
  }

  /** Draws once for all changes of a moment. Returns when that is done. */
  draw() {
    this.#drawn ??= Promise.resolve().then(() => {
      this.#drawn = undefined;
      const page = this.#page;
      const title = typeof page?.title === 'function' ? page.title() : page?.title;
      document.title = this.waiting.title(title ? `${title} – ${texts.product}` : texts.product);
      const content = this.#problem !== undefined ? this.#failed(this.#problem) : page === undefined ? skeleton(6) : page.view();
      const isInside = this.session !== undefined && !page?.isDoor;
      render(isInside ? frame(this, content) : door(this, content), document.body);
      this.#dialogs.show();
    });
    return this.#drawn;
  }

  #failed(found) {
    return problem(found, () => (found.status === undefined && this.session !== undefined ? location.reload() : this.#identify()));
  }
}

new Context().begin();
