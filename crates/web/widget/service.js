// The operations of the service that the panel calls.

import { connect } from '../client/client.js';
import {
  deleteVisitor, escalateVisitorConversation, getVisitor, pollVisitorMessages, rateVisitorMessage, streamVisitorMessage, updateVisitorContact,
} from '../client/visitors.js';
import { createVisitorSession, getPublicWidget } from '../client/widgets.js';

/** Milliseconds that a request may take, a wait for replies included. */
const TIMEOUT = 45_000;

export class Service {
  /** The visitor's token. @type {string | undefined} */
  token;
  /** Whether people are there to answer, if that is known. @type {boolean | null} */
  isSomebodyThere = null;

  #api; #widget; #language;

  /** @param {{ server: string, widget: string, language: string }} place */
  constructor({ server, widget, language }) {
    this.#api = connect({ server, visitorToken: () => this.token, timeout: TIMEOUT });
    this.#widget = widget;
    this.#language = language;
  }

  /** Reads how the widget looks and what it says. */
  async look() {
    const look = await getPublicWidget(this.#api, { widget_key: this.#widget });
    this.isSomebodyThere = look.people_available;
    return look;
  }

  /** Begins a session and returns its token. */
  async begin(identity, signal) {
    const body = { jwt: identity?.jwt, domain_id: identity?.domain_id, language: this.#language };
    const { token } = await createVisitorSession(this.#api, { widget_key: this.#widget, body }, { signal });
    return token;
  }

  /** Sends a message and iterates over the events of its answer. */
  ask(message, signal) {
    return streamVisitorMessage(this.#api, { body: message }, { signal });
  }

  /** Reads the conversations of the visitor, the latest first. */
  async conversations(signal) {
    const { conversations } = await getVisitor(this.#api, {}, { signal });
    return conversations;
  }

  /** Reads the messages of a conversation, or those of others that follow a message. */
  messages(conversation_id, after, wait, signal) {
    return pollVisitorMessages(this.#api, { conversation_id, after, wait }, { signal });
  }

  /** Asks for a person. */
  escalate(conversation_id) {
    return escalateVisitorConversation(this.#api, { conversation_id, body: {} });
  }

  /** Leaves contact details. */
  contact(body) {
    return updateVisitorContact(this.#api, { body });
  }

  /** Rates a message. */
  rate(conversation_id, message_id, rating) {
    return rateVisitorMessage(this.#api, { conversation_id, message_id, body: { rating } });
  }

  /** Has everything deleted that belongs to the visitor. */
  erase() {
    return deleteVisitor(this.#api);
  }
}
