// The emails of a mailbox that did not become messages: why, and what they are.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { deleteSkippedMail, downloadSkippedMail, listSkippedMails } from '../../../client/inbox-channels.js';
import { ago, at, sentence } from '../../format.js';
import { v1 } from '../../service.js';
import { empty, problem, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { words as all } from '../../texts/channels.js';
import { LiveListing } from './live-listing.js';
import { Action } from './parts.js';
import { bytes } from './sizes.js';

const words = all.skipped;

/**
 * @param {import('../../main.js').Context} context
 * @param {string} channel_id
 */
export function skippedMails(context, channel_id) {
  const action = new Action(context);
  const list = new LiveListing(context, async cursor => {
    const { skipped_mails, pagination } = await listSkippedMails(v1, { channel_id, limit: 25, cursor });
    return { items: skipped_mails, next: pagination.next_cursor };
  }, mail => mail.skipped_mail_id);

  const download = async ({ skipped_mail_id, subject }) => {
    const done = await action.run(() => downloadSkippedMail(v1, { channel_id, skipped_mail_id }));
    if (done === undefined) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(done.value);
    link.download = `${(subject ?? 'email').replace(/[^\p{L}\p{N} ._-]+/gu, '-').slice(0, 80)}.eml`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  const remove = async ({ skipped_mail_id, subject }) => {
    if (!await context.confirm({ title: words.removeQuestion, text: words.removeText(subject ?? words.noSubject), action: words.remove })) return;
    if (await action.run(() => deleteSkippedMail(v1, { channel_id, skipped_mail_id })) === undefined) return;
    list.drop(skipped_mail_id);
    context.say(words.removed);
  };

  return {
    read: () => list.read(),
    view: () => html`
      <section class="part">
        <h2>${words.title}</h2>
        <p class="lead">${words.lead}</p>
        ${action.problem === undefined ? nothing : problem(action.problem)}
        ${list.show(mails => (mails.length === 0
          ? empty(words.empty, words.emptyText)
          : table(columns(context, { download, remove }), mails, mail => mail.skipped_mail_id)), skeleton(3))}
      </section>`,
  };
}

/** @returns {import('../../table.js').Column<any>[]} */
function columns(context, { download, remove }) {
  const nameOf = ({ subject }) => subject ?? words.noSubject;
  return [
    { title: words.subject, kind: 'name', cell: mail => html`<bdi>${nameOf(mail)}</bdi>` },
    { title: words.from, cell: ({ from }) => html`<bdi>${from ?? words.noSender}</bdi>` },
    {
      title: words.reason,
      cell: ({ reason, detail }) => html`<div class="cell"><span>${words.reasons[reason] ?? detail}</span>${words.reasons[reason] && detail
        ? html`<span class="small quiet">${sentence(detail)}</span>` : nothing}</div>`,
    },
    { title: words.size, kind: 'number', cell: ({ size_bytes }) => (size_bytes === null ? '–' : bytes(size_bytes)) },
    { title: words.when, cell: ({ skipped_at }) => html`<span title=${at(skipped_at)}>${ago(skipped_at)}</span>` },
    {
      title: words.actions,
      kind: 'action',
      cell: mail => html`
        <div class="row">
          ${mail.is_kept
            ? html`<button type="button" class="link" aria-label=${words.downloadLabel(nameOf(mail))} @click=${() => download(mail)}>${words.download}</button>`
            : html`<span class="small quiet">${words.notKept}</span>`}
          ${context.isManager
            ? html`<button type="button" class="link danger" aria-label=${words.removeLabel(nameOf(mail))} @click=${() => remove(mail)}>${words.remove}</button>`
            : nothing}
        </div>`,
    },
  ];
}
