// What stays while somebody goes from one thread to the next: lists, and the names of people, channels and chatbots.

import { listChatbots } from '../../../client/chatbots.js';
import { getContact } from '../../../client/contacts.js';
import { listInboxChannels } from '../../../client/inbox-channels.js';
import { listTeamMembers } from '../../../client/team-members.js';
import { focusOn } from '../../focus.js';
import { v1 } from '../../service.js';
import { texts } from '../../texts.js';
import { texts as words } from '../../texts/inbox.js';

/** Contacts that are asked for at the same time. */
const AT_ONCE = 4;
/** Milliseconds for which the names of channels, chatbots and the team are good enough. */
const FRESH = 30_000;

/** Milliseconds after which a contact is asked for again that could not be read. At once, a page that shows it would ask without end. */
const RETRY = 30_000;

/** @type {WeakMap<object, { who: string, things: Map<string, any> }>} */
const kept = new WeakMap();

/**
 * Returns something that is made once for a person in an account.
 *
 * @template T
 * @param {import('../../main.js').Context} context
 * @param {string} name
 * @param {() => T} make
 * @returns {T}
 */
export function once(context, name, make) {
  const { account, member_id } = context.session;
  const who = `${account.account_id} ${member_id}`;
  let entry = kept.get(context);
  if (entry?.who !== who) {
    entry = { who, things: new Map() };
    kept.set(context, entry);
  }
  if (!entry.things.has(name)) entry.things.set(name, make());
  return entry.things.get(name);
}

/** Reads all pages of a short list. */
async function all(call) {
  const items = [];
  for await (const item of call.items()) items.push(item);
  return items;
}

/** The names of what threads and conversations refer to. */
export class Names {
  /** @type {any[]} */
  team = [];
  /** @type {any[]} */
  channels = [];
  /** @type {any[]} */
  chatbots = [];
  isRead = false;

  #context; #contacts = new Map(); #wanted = []; #running = 0; #reading; #readAt = 0;

  /** @param {import('../../main.js').Context} context */
  constructor(context) {
    this.#context = context;
  }

  /** Reads all but the contacts, unless that was done a moment ago. Whoever asks meanwhile waits for the same. */
  async read() {
    if (this.isRead && Date.now() - this.#readAt < FRESH) return;
    this.#reading ??= this.#readAll().finally(() => { this.#reading = undefined; });
    await this.#reading;
  }

  async #readAll() {
    const account_id = this.#context.session.account.account_id;
    const [team, channels, chatbots] = await this.#context.call(() => Promise.all([
      all(listTeamMembers(v1, { account_id, limit: 100 })),
      all(listInboxChannels(v1, { account_id, limit: 100 })),
      listChatbots(v1).then(found => found.chatbots),
    ]));
    Object.assign(this, { team, channels, chatbots, isRead: true });
    this.#readAt = Date.now();
    for (const chatbot of chatbots) this.#context.chatbots.set(chatbot.chatbot_id, chatbot);
    this.#context.draw();
  }

  member(id) {
    if (id === this.#context.session.member_id) return words.you;
    const found = this.team.find(({ team_member_id }) => team_member_id === id);
    return found?.name ?? (this.isRead ? words.formerMember : '…');
  }

  /** The name of a team member who wrote a message, as it was then if they have left. */
  authorName({ id, name }) {
    if (id === this.#context.session.member_id) return words.you;
    return this.team.find(({ team_member_id }) => team_member_id === id)?.name ?? name ?? words.formerMember;
  }

  /** The name of somebody who can be assigned, with a remark for the person who is signed in. */
  memberChoice({ team_member_id, name }) {
    return [team_member_id, team_member_id === this.#context.session.member_id ? `${name} (${words.you})` : name];
  }

  channel(thread) {
    const kind = words.kinds[thread.channel] ?? thread.channel;
    const name = thread.channel === 'chatbot'
      ? this.chatbot(thread.chatbot_id)
      : this.channels.find(({ channel_id }) => channel_id === thread.channel_id)?.name;
    return name ? `${kind}: ${name}` : kind;
  }

  chatbot(id) {
    return this.#context.chatbots.get(id)?.name ?? words.chatbot;
  }

  /** Returns the name of a contact, which is read if it is not known yet. */
  contact(id) {
    if (id === null || id === undefined) return words.visitor;
    const known = this.#contacts.get(id);
    if (known === undefined) this.#want(id);
    if (known === undefined || known === 'wanted') return '…';
    return known.name || known.email || known.phone || known.external_id || words.unknownContact;
  }

  /** Reads a contact again, whose name may have changed. */
  async renew(id) {
    if (id === null || this.#contacts.get(id) === 'wanted') return;
    await this.#get(id);
  }

  #want(id) {
    this.#contacts.set(id, 'wanted');
    this.#wanted.push(id);
    if (this.#running < AT_ONCE) this.#work();
  }

  async #work() {
    this.#running += 1;
    for (let id = this.#wanted.shift(); id !== undefined; id = this.#wanted.shift()) await this.#get(id);
    this.#running -= 1;
    this.#context.draw();
  }

  async #get(contact_id) {
    try {
      this.#contacts.set(contact_id, await getContact(v1, { contact_id }));
    } catch (error) {
      // It was deleted. Anything else is tried again when it is shown later.
      if (error?.status === 404) this.#contacts.set(contact_id, {});
      else if (this.#contacts.get(contact_id) === 'wanted') setTimeout(() => this.#contacts.delete(contact_id), RETRY);
    }
  }
}

/** @param {import('../../main.js').Context} context */
export function namesOf(context) {
  return once(context, 'names', () => new Names(context));
}

/** Gives the focus back if what had it is gone, so that people with a keyboard or a screen reader do not begin anew. */
export function refocus(selector = 'main h1') {
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body) focusOn(selector, { preventScroll: true });
}

/**
 * Loads what is needed only now and then. If it cannot be loaded, says so and returns nothing.
 *
 * @template T
 * @param {import('../../main.js').Context} context
 * @param {() => Promise<T>} load
 * @returns {Promise<T | undefined>}
 */
export async function part(context, load) {
  try {
    return await load();
  } catch (error) {
    // Another version of the service may be running by now, which has other files.
    console.error(error);
    context.say(texts.problem.load);
    return undefined;
  }
}

/** Asks what a chatbot is to draft for a thread or a conversation. */
export async function askForDraft(context, state, names, chatbot_id) {
  const module = await part(context, () => import('./dialogs.js'));
  if (module !== undefined) await context.open(dialog => module.draftDialog(context, dialog, state, names, chatbot_id));
}
