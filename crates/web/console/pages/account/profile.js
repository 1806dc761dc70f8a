// The own name, the own password, and where one is signed in.

import { html, live, repeat } from '../../../vendor/lit/lit.js';
import { changePassword, endSession, listSessions, updateMe } from '../../../console-client/me.js';
import { Form } from '../../form.js';
import { areKeysOn, switchKeys } from '../../key-switch.js';
import { ago, at } from '../../format.js';
import { head } from '../../frame.js';
import { Cancelled, account, problemOf } from '../../service.js';
import { Reading, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { passkeys } from './passkeys.js';
import { secondFactor } from './second-factor.js';

const words = texts.profile;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const sessions = new Reading(context, async () => (await listSessions(account)).sessions);
  const person = new Form(context, 'profile', { values: { name: context.session.person.name } });
  const secret = new Form(context, 'password');
  const factor = secondFactor(context, () => sessions.begin());
  const keys = passkeys(context, { ended: () => sessions.begin(), hasApp: () => factor.hasApp });
  sessions.begin();
  factor.begin();
  keys.begin();

  const rename = async () => {
    const saved = await context.call(() => updateMe(account, { body: { name: person.text('name') } }));
    context.session = { ...context.session, person: { ...context.session.person, name: saved.name } };
    person.values.name = saved.name;
    context.say(words.saved);
  };

  const change = async () => {
    const { current_password, new_password } = secret.values;
    await context.call(() => changePassword(account, { body: { current_password, new_password } }));
    secret.clear();
    context.say(words.changed);
    sessions.begin();
  };

  const end = async session => {
    try {
      await context.call(() => endSession(account, { session_id: session.session_id }));
      context.say(words.ended);
    } catch (error) {
      if (error instanceof Cancelled) return;
      // One that has ended by itself is gone, as it should be.
      if (error?.status !== 404) {
        sessions.problem = problemOf(error);
        return context.draw();
      }
    }
    await sessions.begin();
  };

  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: context.session.person.email })}
      <section class="stack">
        <h2>${words.you}</h2>
        ${person.view({
          fields: person.field({ name: 'name', label: words.name, hint: words.nameHint, autocomplete: 'name' }),
          actions: ({ isSending }) => html`<div><button class="button main" ?disabled=${isSending}>${words.save}</button></div>`,
          send: rename,
        })}
      </section>
      <section class="part">
        <h2>${words.passwordTitle}</h2>
        <p class="lead">${words.passwordLead}</p>
        ${secret.view({
          fields: html`
            <input type="text" name="username" autocomplete="username" .value=${context.session.person.email} hidden>
            ${secret.field({ name: 'current_password', label: words.current, type: 'password', autocomplete: 'current-password' })}
            ${secret.field({ name: 'new_password', label: words.next, type: 'password', autocomplete: 'new-password', hint: texts.setup.passwordHint })}`,
          actions: ({ isSending }) => html`<div><button class="button main" ?disabled=${isSending}>${words.change}</button></div>`,
          send: change,
        })}
      </section>
      ${keys.view()}
      ${factor.view()}
      ${keyboard(context)}
      <section class="part">
        <h2>${words.sessions}</h2>
        <p class="lead">${words.sessionsLead}</p>
        ${sessions.show(list => html`<ul class="stack">${repeat(list, session => session.session_id, session => entry(session, end))}</ul>`, skeleton(3))}
      </section>`,
  };
}

/** Whether keys of one letter act, which people who speak to their computer may not want (WCAG 2.1.4). */
function keyboard(context) {
  const change = event => {
    switchKeys(context.session, event.target.checked);
    context.draw();
  };
  return html`
    <section class="part">
      <h2>${words.keys}</h2>
      <p class="lead">${words.keysLead}</p>
      <div class="toggle">
        <input id="profile-keys" type="checkbox" .checked=${live(areKeysOn(context.session))} aria-describedby="profile-keys-hint" @change=${change}>
        <div><label for="profile-keys">${words.letters}</label><p class="small quiet" id="profile-keys-hint">${words.lettersHint}</p></div>
      </div>
      <div><button type="button" class="button" @click=${() => context.shortcuts.openKeys()}>${words.showKeys}</button></div>
    </section>`;
}

function entry(session, end) {
  const name = session.user_agent || words.unknown;
  return html`
    <li class="site">
      <div class="top">
        <h3>${name}</h3>
        ${session.current
          ? html`<span class="badge good">${words.here}</span>`
          : html`<button type="button" class="button slim" aria-label=${words.endLabel(name)} @click=${() => end(session)}>${words.end}</button>`}
      </div>
      <p class="small quiet" title=${at(session.created_at)}>${words.used(ago(session.last_used_at))} · ${words.since(ago(session.created_at))}</p>
    </li>`;
}
