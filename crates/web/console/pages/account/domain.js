// One domain: how its tokens are treated, its keys and its secret, and how a server signs a token.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { deleteDomain, getDomain, rotateDomainSecret, updateDomain } from '../../../client/domains.js';
import { at } from '../../format.js';
import { back, head } from '../../frame.js';
import { v1 } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { words } from '../../texts/domains.js';
import { forbidden, page as missing } from '../missing.js';
import { enforcementBadge, enforcements } from './domains.js';
import { SIGNING, examples } from './examples.js';
import { Action, Editor, code, lines, showOnce, titleOf } from './parts.js';
import { bodyOf, keyFields, valuesOf } from './public-keys.js';

/**
 * @param {import('../../main.js').Context} context
 * @param {{ domain: string }} parameters
 */
export function page(context, { domain }) {
  if (!context.isManager) return forbidden();
  if (!/^[0-9]{1,15}$/.test(domain)) return missing();
  const domain_id = Number(domain);
  const editor = new Editor(context, `domain-${domain_id}`);
  const action = new Action(context);
  const signing = examples(context, { title: words.how, text: words.howText, label: words.language, copyLabel: words.copyServer, code: SIGNING });
  const reading = new Reading(context, () => getDomain(v1, { domain_id }));
  const read = async options => {
    await reading.begin(options);
    if (reading.value !== undefined && reading.problem === undefined) editor.take(valuesOf(reading.value));
    context.draw();
  };
  read();
  context.watch(['account'], () => {
    if (reading.problem?.status !== 404 && !action.isRunning && !editor.form.isSending) read({ isQuiet: true });
  });

  const save = async () => {
    const changed = await context.call(() => updateDomain(v1, { domain_id, body: bodyOf(editor.form) }));
    editor.reset(valuesOf(changed));
    reading.value = changed;
    context.say(words.saved);
  };
  const rotate = async () => {
    const isAgain = reading.value.previous_secret_valid_until !== null;
    const text = isAgain ? `${words.rotateText}\n\n${words.rotateAgain}` : words.rotateText;
    if (!await context.confirm({ title: words.rotateQuestion, text, action: words.rotate })) return;
    const done = await action.run(() => rotateDomainSecret(v1, { domain_id }));
    if (done === undefined) return;
    const { identity_secret = '', ...changed } = done.value;
    reading.value = changed;
    await showOnce(context, {
      title: words.newSecret, text: words.newSecretText, done: words.done, entries: [[words.newSecret, identity_secret, words.copySecret]],
    });
  };
  const remove = async () => {
    const { hostname } = reading.value;
    if (!await context.confirm({ title: words.removeQuestion(hostname), text: words.removeText, action: words.removeAction })) return;
    if (await action.run(() => deleteDomain(v1, { domain_id })) === undefined) return;
    editor.reset({});
    context.say(words.removed(hostname));
    await context.go('domains');
  };

  return {
    title: () => titleOf(reading, 'hostname'),
    view: () => html`
      ${head(titleOf(reading, 'hostname'), {
        back: back('domains', words.back),
        lead: reading.value === undefined ? nothing : html`<span class="title">${words.enforcement} ${enforcementBadge(reading.value.identity_enforcement)}</span>`,
      })}
      ${action.problem === undefined ? nothing : problem(action.problem)}
      ${reading.show(shown => html`
        <section @input=${() => context.draw()}>
          ${editor.form.view({
            fields: html`${enforcements(context, editor.form)}${keyFields(context, editor.form)}`,
            actions: ({ isSending }) => editor.actions(words, () => valuesOf(reading.value), isSending, () => context.draw()),
            send: save,
          })}
        </section>
        <section class="part">
          <h2>${words.secretTitle}</h2>
          <p class="lead">${words.secretText}</p>
          ${shown.previous_secret_valid_until ? html`<p class="note">${words.previous(at(shown.previous_secret_valid_until))}</p>` : nothing}
          <div><button type="button" class="button" ?disabled=${action.isRunning} @click=${rotate}>${words.rotate}</button></div>
        </section>
        <section class="part">
          ${signing.view(text => text.replaceAll('HOSTNAME', shown.hostname))}
          <h3>${words.page}</h3>
          <p class="small quiet">${words.pageText}</p>
          ${code(context, onPage(domain_id), words.copyPage)}
        </section>
        <p class="part"><span><button type="button" class="link danger" @click=${remove}>${words.remove}</button></span></p>`, skeleton(8))}`,
  };
}

/** What a page does with a token. */
function onPage(domain_id) {
  return lines(
    '<script>',
    '  window.frontdesk ??= (...command) => (frontdesk.q ??= []).push(command);',
    `  frontdesk('identify', { jwt: 'TOKEN', domain_id: ${domain_id} });`,
    '</script>',
  );
}
