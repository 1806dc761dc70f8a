// Domains: the websites whose server says who a visitor is.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { createDomain, listDomains } from '../../../client/domains.js';
import { Form } from '../../form.js';
import { at, onDay } from '../../format.js';
import { head } from '../../frame.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, empty, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { texts } from '../../texts.js';
import { words } from '../../texts/domains.js';
import { forbidden } from '../missing.js';
import { choice, showOnce } from './parts.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const list = new Reading(context, async () => (await listDomains(v1)).domains);
  list.begin();
  context.watch(['account'], () => list.begin({ isQuiet: true }));
  const create = () => context.open(dialog => newDomain(context, dialog));
  const add = html`<button type="button" class="button main" data-key="n" @click=${create}>${icon.plus}${words.add}</button>`;
  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: words.lead, action: list.value?.length ? add : nothing })}
      <div class="stack">
        ${list.value?.some(({ identity_enforcement }) => identity_enforcement === 'required') ? html`<p class="hint">${words.requiredNote}</p>` : nothing}
        ${list.show(domains => (domains.length === 0 ? empty(words.empty, words.emptyText, add) : table(COLUMNS, domains, ({ domain_id }) => String(domain_id))), skeleton(5))}
      </div>`,
  };
}

/** @type {import('../../table.js').Column<any>[]} */
const COLUMNS = [
  { title: words.hostname, kind: 'name', cell: ({ domain_id, hostname }) => html`<a href=${path(`domains/${domain_id}`)}>${hostname}</a>` },
  { title: words.enforcement, cell: ({ identity_enforcement }) => enforcementBadge(identity_enforcement) },
  { title: words.signing, cell: ({ public_keys }) => words.keysCount(public_keys.length) },
  { title: words.added, cell: ({ created_at }) => html`<span title=${at(created_at)}>${onDay(created_at)}</span>` },
];

/** How tokens are treated, in a word. */
export function enforcementBadge(enforcement) {
  const kinds = { optional: 'good', required: 'good', off: '' };
  return html`<span class="badge ${kinds[enforcement] ?? ''}">${words.enforcements[enforcement] ?? enforcement}</span>`;
}

/** The choices of how tokens are treated. */
export function enforcements(context, form) {
  const choices = Object.keys(words.enforcementTexts).map(value => /** @type {[string, string, string]} */ (
    [value, words.enforcements[value], words.enforcementTexts[value]]));
  return choice(context, form, { name: 'identity_enforcement', label: words.enforcement, choices });
}

/** Returns the host name that somebody means, who may have written a whole address. */
function hostOf(text) {
  return text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[/?#].*$/, '');
}

/**
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 */
function newDomain(context, dialog) {
  const form = new Form(context, 'new-domain', { isKept: true, values: { identity_enforcement: 'optional' } });
  const send = async () => {
    const body = { hostname: hostOf(form.text('hostname')), identity_enforcement: form.values.identity_enforcement };
    const created = await context.call(() => createDomain(v1, { body }));
    form.clear();
    dialog.close();
    await context.go(`domains/${created.domain_id}`);
    context.say(words.created(created.hostname));
    await showOnce(context, {
      title: words.newSecret, text: words.newSecretText, done: words.done, entries: [[words.newSecret, created.identity_secret ?? '', words.copySecret]],
    });
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.add}</h2>
      ${form.view({
        fields: html`
          ${form.field({ name: 'hostname', label: words.hostname, hint: words.hostnameHint, inputmode: 'url', isFirst: true })}
          ${enforcements(context, form)}`,
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${words.action}</button>
          </div>`,
        send,
      })}
    </div>`;
}
