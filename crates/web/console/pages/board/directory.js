// Names of people and deals that others refer to by their ids only.

import { getContact, listContacts } from '../../../client/contacts.js';
import { getDeal } from '../../../client/deals.js';
import { listTeamMembers } from '../../../client/team-members.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as words } from '../../texts/board.js';

/** Requests at the same time, and ids from which on a page of the list is read first. */
const AT_ONCE = 4;
const MANY = 12;

/** Returns how people call a contact. */
export function contactName(contact) {
  return contact.name || contact.email || contact.phone || contact.company || words.contact.nameless;
}

/** The letters that stand for a person where there is little room. */
export function initials(name) {
  const parts = name.trim().split(/\s+/);
  return [parts[0], parts.length > 1 ? parts.at(-1) : ''].map(part => [...(part ?? '')][0] ?? '').join('').toUpperCase();
}

/** What is known of some ids. Reads what is not known yet, each id once. @template T */
class Known {
  /** @type {Map<string, T | null>} What is gone is null. */
  #found = new Map();
  /** @type {Set<string>} */
  #asked = new Set();
  #context; #read; #readMany;

  constructor(context, read, readMany) {
    this.#context = context;
    this.#read = read;
    this.#readMany = readMany;
  }

  /** Returns undefined as long as it is being read, and null if there is none. */
  get(id) {
    return this.#found.get(id);
  }

  put(id, value) {
    this.#asked.add(id);
    this.#found.set(id, value);
  }

  /** Reads what is not known, and draws when something is. */
  async ask(ids) {
    const missing = () => [...new Set(ids)].filter(id => !this.#asked.has(id));
    if (missing().length > MANY && this.#readMany !== undefined) {
      try {
        for (const [id, value] of await this.#context.call(this.#readMany)) this.put(id, value);
        this.#context.draw();
      } catch {
        // They are read one by one below.
      }
    }
    const queue = missing();
    for (const id of queue) this.#asked.add(id);
    const work = async () => {
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
        try {
          this.#found.set(id, await this.#context.call(() => this.#read(id)));
        } catch (error) {
          if (error?.status === 404) this.#found.set(id, null);
          else this.#asked.delete(id);
        }
        this.#context.draw();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}

/** The people of the account, and the contacts and deals that a page names. */
export class Directory {
  /** @type {any[]} */
  team = [];
  contacts; deals;
  #context;

  /** @param {import('../../main.js').Context} context */
  constructor(context) {
    this.#context = context;
    this.contacts = new Known(context, contact_id => getContact(v1, { contact_id }),
      async () => (await listContacts(v1, { limit: 100 })).contacts.map(contact => [contact.contact_id, contact]));
    this.deals = new Known(context, deal_id => getDeal(v1, { deal_id }));
    this.#readTeam();
  }

  async #readTeam() {
    try {
      this.team = await this.#context.call(async () => {
        const all = [];
        for await (const member of listTeamMembers(v1, { account_id: this.#context.session.account.account_id, limit: 100 }).items()) all.push(member);
        return all;
      });
    } catch {
      // Names are missing then, but nothing else.
    }
    this.#context.draw();
  }

  get me() {
    return this.#context.session.member_id;
  }

  member(id) {
    return this.team.find(member => member.team_member_id === id);
  }

  memberName(id) {
    return this.member(id)?.name ?? words.someone;
  }

  /** Returns choices of people, oneself first, and those who can no longer act only if they are chosen already. */
  choices(chosen, nobody = words.deal.nobody) {
    const people = this.team.filter(member => member.status === 'active' || member.team_member_id === chosen);
    const mine = people.filter(member => member.team_member_id === this.me);
    const others = people.filter(member => member.team_member_id !== this.me);
    /** @type {[string, string][]} */
    const choices = [['', nobody]];
    for (const member of mine) choices.push([member.team_member_id, `${member.name} (${texts.you})`]);
    for (const member of others) choices.push([member.team_member_id, member.name]);
    // Until the team has been read, a choice must not lose who is chosen.
    if (chosen && !people.some(member => member.team_member_id === chosen)) choices.push([chosen, this.memberName(chosen)]);
    return choices;
  }
}
