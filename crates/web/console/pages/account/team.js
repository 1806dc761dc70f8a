// The people of the account: who they are, what they may do, and who is invited.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listInvitations } from '../../../console-client/invitations.js';
import { listMembers, removeMember } from '../../../console-client/members.js';
import { ago, at } from '../../format.js';
import { head } from '../../frame.js';
import { icon } from '../../icons.js';
import { path } from '../../paths.js';
import { Cancelled, account, problemOf } from '../../service.js';
import { Listing, Reading, problem, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { texts } from '../../texts.js';
import { team as words } from '../../texts/team.js';
import { forbidden } from '../missing.js';
import { invite, renew, revoke } from './team-invitations.js';
import { manage } from './team-member.js';

/** @param {import('../../main.js').Context} context */
export function page(context) {
  if (!context.isManager) return forbidden();
  const members = new Listing(context, async cursor => {
    const { members: items, pagination } = await listMembers(account, { limit: 100, cursor });
    return { items, next: pagination.next_cursor };
  });
  const invitations = new Reading(context, async () => (await listInvitations(account)).invitations);
  const begin = () => Promise.all([members.begin(), invitations.begin()]);
  let failed;
  begin();
  context.watch(['account'], begin);

  /** Does something and reads again: somebody else may have changed the same. */
  const attempt = async (action, read) => {
    failed = undefined;
    try {
      await action();
    } catch (error) {
      if (error instanceof Cancelled) return;
      failed = problemOf(error);
    }
    await read();
  };

  const leave = () => attempt(async () => {
    const { member_id, account: { name } } = context.session;
    if (!await context.confirm({ title: words.leaveQuestion(name), text: words.leaveText, action: words.leave })) throw new Cancelled();
    await context.call(() => removeMember(account, { member_id }));
    history.replaceState(null, '', path());
    await context.exit(words.left(name));
  }, async () => {
    if (context.session !== undefined) await members.begin();
  });

  const actions = {
    leave,
    manage: member => context.open(dialog => manage(context, dialog, member, () => members.begin())),
    renew: invitation => attempt(() => renew(context, invitation, () => invitations.begin()), () => invitations.begin()),
    revoke: invitation => attempt(() => revoke(context, invitation), () => invitations.begin()),
  };
  const button = html`
    <button type="button" class="button main" data-key="n" @click=${() => context.open(dialog => invite(context, dialog, () => invitations.begin()))}>
      ${icon.plus}${words.invite}</button>`;
  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: words.lead, action: button })}
      <div class="stack">
        ${failed === undefined ? nothing : problem(failed)}
        ${members.show(list => table(memberColumns(context, list, actions), list, member => member.member_id), skeleton(5))}
      </div>
      ${invitations.show(list => (list.length === 0 ? nothing : html`
        <section class="part" aria-labelledby="invitations">
          <h2 id="invitations">${words.invitations}</h2>
          ${table(invitationColumns(context, actions), list, invitation => invitation.invitation_id)}
        </section>`), nothing)}`,
  };
}

const badge = (text, kind = '') => html` <span class="badge ${kind}">${text}</span>`;

/** @returns {import('../../table.js').Column<any>[]} */
function memberColumns(context, list, { leave, manage: open }) {
  const { member_id: me, role } = context.session;
  const owners = list.filter(member => member.role === 'owner' && member.status === 'active');
  const isAlone = owners.length === 1 && owners[0].member_id === me;
  const action = member => {
    if (member.member_id === me) {
      return isAlone ? nothing : html`<button type="button" class="link danger" aria-label=${words.leaveLabel} @click=${leave}>${words.leave}</button>`;
    }
    if (member.role === 'owner' && role !== 'owner') return nothing;
    return html`<button type="button" class="link" aria-label=${words.manageLabel(member.name)} @click=${() => open(member)}>${words.manage}</button>`;
  };
  return [
    { title: words.name, kind: 'name', cell: ({ name, member_id }) => html`<bdi>${name}</bdi>${member_id === me ? badge(texts.you) : nothing}` },
    { title: words.email, cell: ({ email }) => html`<bdi>${email}</bdi>` },
    {
      title: words.role,
      cell: ({ role: has, status }) => html`${words.roles[has] ?? has}${status === 'disabled' ? badge(words.disabled, 'bad') : nothing}`,
    },
    {
      title: words.seen,
      kind: 'quiet',
      cell: ({ last_seen_at }) => (last_seen_at === null ? words.never : html`<span title=${at(last_seen_at)}>${ago(last_seen_at)}</span>`),
    },
    { title: words.factor, kind: 'quiet', cell: ({ has_second_factor }) => (has_second_factor ? words.factorOn : words.factorOff) },
    { title: words.actions, kind: 'action', cell: action },
  ];
}

/** @returns {import('../../table.js').Column<any>[]} */
function invitationColumns(context, { renew: again, revoke: end }) {
  const isOver = ({ expires_at }) => new Date(expires_at).getTime() <= Date.now();
  return [
    {
      title: words.email,
      kind: 'name',
      cell: ({ email, name }) => html`<bdi>${email}</bdi>${name === '' ? nothing : html`<br><bdi class="small quiet">${name}</bdi>`}`,
    },
    { title: words.role, cell: ({ role }) => words.roles[role] ?? role },
    { title: words.inviter, kind: 'quiet', cell: ({ inviter_name }) => html`<bdi>${inviter_name}</bdi>` },
    {
      title: words.ends,
      kind: 'quiet',
      cell: invitation => (isOver(invitation)
        ? badge(words.expired, 'caution')
        : html`<span title=${at(invitation.expires_at)}>${ago(invitation.expires_at)}</span>`),
    },
    {
      title: words.actions,
      kind: 'action',
      cell: invitation => (invitation.role === 'owner' && context.session.role !== 'owner' ? nothing : html`
        <span class="row end">
          <button type="button" class="link" aria-label=${words.renewLabel(invitation.email)} @click=${() => again(invitation)}>${words.renew}</button>
          <button type="button" class="link danger" aria-label=${words.revokeLabel(invitation.email)} @click=${() => end(invitation)}>${words.revoke}</button>
        </span>`),
    },
  ];
}
