// What an FAQ is called, and who answers from it.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { Form } from '../../form.js';
import { Reading } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as own } from '../../texts/faqs.js';
import { formDialog } from './form-dialog.js';
import { languages } from './languages.js';
import { choices, listOf, tagsOf } from './tagging.js';

const words = own.faqs;

/**
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {object} parts
 * @param {any[]} parts.chatbots
 * @param {any} [parts.faq] The one that is changed; otherwise it is a new one.
 * @param {(body: any) => Promise<void>} parts.save
 */
export function faqDialog(context, dialog, { chatbots, faq, save }) {
  // The only chatbot is the one that is meant.
  const ids = faq?.chatbot_ids ?? (chatbots.length === 1 ? [chatbots[0].chatbot_id] : []);
  const values = {
    name: faq?.name ?? '', description: faq?.description ?? '', language: faq?.language ?? '', chatbot_ids: JSON.stringify(ids),
    tag_ids: JSON.stringify(faq?.tag_ids ?? []),
  };
  const form = new Form(context, 'faq', { values });
  const tags = new Reading(context, async () => {
    const lists = await Promise.all(chatbots.map(async ({ chatbot_id, name }) => (await tagsOf(chatbot_id)).map(tag => ({ ...tag, chatbot_id, chatbot: name }))));
    return lists.flat();
  });
  tags.begin();
  const write = form.write.bind(form);
  form.write = (name, value, isSecret) => {
    write(name, value, isSecret);
    if (name === 'chatbot_ids') context.draw();
  };
  /** Tags of chatbots that do not answer from the FAQ cannot be its own. */
  const possible = () => (tags.value ?? []).filter(tag => listOf(form, 'chatbot_ids').includes(tag.chatbot_id));

  const send = async () => {
    const known = possible().map(tag => tag.tag_id);
    await save({
      name: form.text('name'), description: form.text('description') || null, language: form.values.language || null,
      chatbot_ids: listOf(form, 'chatbot_ids'),
      ...tags.value === undefined ? {} : { tag_ids: listOf(form, 'tag_ids').filter(id => known.includes(id)) },
    });
  };
  return formDialog(dialog, {
    title: faq === undefined ? words.create : own.faq.edit,
    form,
    fields: () => html`
      ${form.field({ name: 'name', label: words.name, hint: words.nameHint, isFirst: true })}
      ${form.field({ name: 'description', label: words.description, lines: 2, isOptional: true })}
      ${chatbots.length === 0
        ? nothing
        : choices(form, 'chatbot_ids', words.chatbots, chatbots.map(({ chatbot_id, name }) => ({ id: chatbot_id, name })), words.chatbotsHint)}
      ${possible().length === 0
        ? nothing
        : choices(form, 'tag_ids', words.tags, possible().map(tag => ({
          id: tag.tag_id, name: chatbots.length > 1 ? words.tagOf(tag.name, tag.chatbot) : tag.name,
        })))}
      ${form.field({ name: 'language', label: words.language, choices: [['', words.ownLanguage], ...languages(form.values.language)], isOptional: true })}`,
    action: faq === undefined ? words.createAction : texts.profile.save,
    send,
  });
}
