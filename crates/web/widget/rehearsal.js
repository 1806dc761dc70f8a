// The panel in a preview: it shows drafts, and nothing is asked of the service.

/**
 * What a preview shows.
 *
 * @typedef {object} Preview
 * @property {Record<string, any>} look The widget as visitors would see it.
 * @property {{ text: string, sources: { title: string, url: string, type: string }[] }} answer The answer to every message.
 */

/** Stands for the service, with the same operations. */
export class Rehearsal {
  /** @type {string | undefined} */
  token;
  isSomebodyThere = null;
  #answers = 0;

  /** @param {Preview} preview */
  constructor(preview) {
    this.preview = preview;
  }

  async look() {
    return this.preview.look;
  }

  async begin() {
    return 'preview';
  }

  async *ask() {
    const { text, sources } = this.preview.answer;
    this.#answers += 1;
    const message_id = `preview-${this.#answers}`;
    yield {
      type: 'answer',
      answer: { conversation_id: 'preview', message_id, response: text, sources, mode: 'ai', needs_escalation: false },
    };
  }

  async conversations() {
    return [];
  }

  async messages() {
    return { messages: [], mode: 'ai', last_message_id: '' };
  }

  async escalate() {
    return { mode: 'ai' };
  }

  async contact() {}

  async rate() {}

  async erase() {}
}
