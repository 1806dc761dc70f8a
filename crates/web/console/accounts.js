// The accounts of a person who is signed in: a session is one of a single account at a time.

import { html } from '../vendor/lit/lit.js';
import { listSessionAccounts, switchAccount } from '../console-client/session.js';
import { path } from './paths.js';
import { Cancelled, account, problemOf } from './service.js';
import { problem } from './states.js';
import { accounts as words, team } from './texts/team.js';

export class Accounts {
  /** @type {any[]} */
  #all = [];
  #context;

  /** @param {import('./main.js').Context} context */
  constructor(context) {
    this.#context = context;
  }

  /** Reads them. Without a switch, people can go on with their work, so a failure is not shown. */
  async read() {
    try {
      this.#all = (await listSessionAccounts(account)).accounts;
    } catch {
      this.#all = [];
    }
    this.#context.draw();
  }

  /** Whether there is another one to go to. */
  get hasOthers() {
    return this.#all.length > 1;
  }

  /** The name of the present account, which leads to the others if there are some. */
  view() {
    const { name } = this.#context.session.account;
    if (!this.hasOthers) return html`<p class="small quiet">${name}</p>`;
    return html`<p><button type="button" class="link small" aria-label=${words.open(name)} @click=${() => this.choose()}>${name}</button></p>`;
  }

  /** Asks for the account to go to. */
  choose() {
    let failed;
    return this.#context.open(dialog => {
      const enter = async to => {
        if (to.is_current) return dialog.close();
        failed = undefined;
        try {
          const session = await this.#context.call(() => switchAccount(account, { body: { account_id: to.account_id } }));
          dialog.close();
          // What is on the screen belongs to the other account.
          history.replaceState(null, '', path());
          await this.#context.enter(session);
        } catch (error) {
          if (error instanceof Cancelled) return undefined;
          failed = problemOf(error);
          this.#context.draw();
        }
        return undefined;
      };
      return () => html`
        <div class="stack">
          <h2 id=${dialog.id}>${words.title}</h2>
          ${failed === undefined ? '' : problem(failed)}
          <ul class="accounts">
            ${this.#all.map(one => html`
              <li><button type="button" aria-current=${one.is_current ? 'true' : 'false'} @click=${() => enter(one)}>
                <strong><bdi>${one.name}</bdi></strong>
                <span class="small quiet">${team.roles[one.role] ?? one.role}${one.is_current ? ` · ${words.current}` : ''}</span>
              </button></li>`)}
          </ul>
        </div>`;
    });
  }
}
