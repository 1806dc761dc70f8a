// The people of the account.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { listTeamMembers } from '../../../client/team-members.js';
import { at, onDay } from '../../format.js';
import { head } from '../../frame.js';
import { v1 } from '../../service.js';
import { Listing, skeleton } from '../../states.js';
import { table } from '../../table.js';
import { texts } from '../../texts.js';

const words = texts.team;

/** @param {import('../../main.js').Context} context */
export function page(context) {
  const list = new Listing(context, async cursor => {
    const { team_members, pagination } = await listTeamMembers(v1, { limit: 50, cursor });
    return { items: team_members, next: pagination.next_cursor };
  });
  list.begin();
  return {
    title: words.title,
    view: () => html`
      ${head(words.title, { lead: words.lead })}
      <div class="stack">${list.show(members => table(columns(context.session.member_id), members, member => member.team_member_id), skeleton(5))}</div>`,
  };
}

/** @returns {import('../../table.js').Column<any>[]} */
function columns(me) {
  const badge = (text, kind = '') => html` <span class="badge ${kind}">${text}</span>`;
  return [
    { title: words.name, kind: 'name', cell: ({ name, team_member_id }) => html`${name}${team_member_id === me ? badge(texts.you) : nothing}` },
    { title: words.email, cell: ({ email }) => email },
    {
      title: words.role,
      cell: ({ role, status }) => html`${words.roles[role] ?? role}${status === 'disabled' ? badge(words.disabled, 'bad') : nothing}`,
    },
    { title: words.since, cell: ({ created_at }) => html`<span title=${at(created_at)}>${onDay(created_at)}</span>` },
  ];
}
