// The settings of a chatbot and its widget, with a preview of what is being written.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { updateChatbot } from '../../../client/chatbots.js';
import { getWidget, rotateWidgetKey, updateWidget } from '../../../client/widgets.js';
import { focusOn } from '../../focus.js';
import { v1 } from '../../service.js';
import { Reading, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { texts as own } from '../../texts/settings.js';
import { forbidden } from '../missing.js';
import { chatbotPage, readingChatbot } from './chatbot-page.js';
import { Deed } from './collection.js';
import { Preview } from './preview.js';
import { SETTINGS, SettingsForm, WIDGET } from './settings-form.js';
import { GROUPS } from './settings-groups.js';

const words = own.settings;

/** Milliseconds between readings of what others may have changed. */
const PAUSE = 30_000;

/**
 * @param {import('../../main.js').Context} context
 * @param {{ chatbot: string }} parameters
 */
export function page(context, { chatbot: chatbot_id }) {
  if (!context.isManager) return forbidden();
  const head = readingChatbot(context, chatbot_id);
  const deed = new Deed(context);
  /** @type {SettingsForm | undefined} */
  let form;
  let isSaving = false;
  let lastRead = 0;
  // A change of nothing is how settings are read.
  const read = new Reading(context, async () => {
    const [chatbot, widget] = await Promise.all([updateChatbot(v1, { chatbot_id }), getWidget(v1, { chatbot_id })]);
    const base = SettingsForm.read(chatbot, widget);
    lastRead = Date.now();
    if (form === undefined) form = new SettingsForm(context, chatbot_id, base, () => context.draw());
    else if (!isSaving) form.follow(base);
    return { chatbot, widget };
  });
  const preview = new Preview(context, () => shown(form));
  head.begin();
  read.begin();
  context.watch(['chatbots', 'content'], () => {
    if (isSaving || Date.now() - lastRead < PAUSE) return;
    read.begin({ isQuiet: true });
  });

  const save = async () => {
    if (form === undefined) return;
    isSaving = true;
    try {
      form.tidy();
      let { chatbot, widget } = read.value ?? {};
      const settings = form.changes(SETTINGS);
      if (settings !== undefined) chatbot = await context.call(() => updateChatbot(v1, { chatbot_id, body: settings }));
      // What is saved is saved, even if the rest is refused.
      form.follow({ ...form.base, ...SettingsForm.read(chatbot, widget) });
      const look = form.changes(WIDGET);
      if (look !== undefined) widget = await context.call(() => updateWidget(v1, { chatbot_id, body: look }));
      form.follow(SettingsForm.read(chatbot, widget));
      read.value = { chatbot, widget };
      // Others could only have another form of a text, such as one without white space at its end.
      form.discard();
      context.say(words.saved);
      head.begin({ isQuiet: true });
    } finally {
      isSaving = false;
    }
  };
  const discard = async () => {
    form?.discard();
    await context.draw();
    focusOn('main h1', { preventScroll: true });
    context.say(words.discarded);
  };
  const rotate = async () => {
    if (!await context.confirm({ title: words.rotateQuestion, text: words.rotateText, action: words.rotate })) return;
    if (await deed.do(() => rotateWidgetKey(v1, { chatbot_id }), words.rotated)) await read.begin({ isQuiet: true });
  };
  const jump = name => {
    const heading = document.getElementById(`group-${name}`);
    heading?.closest('.group')?.scrollIntoView({ block: 'start' });
    heading?.focus({ preventScroll: true });
  };
  const toPreview = () => document.getElementById('preview-title')?.scrollIntoView({ block: 'start' });
  const key = event => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || !form?.isChanged) return;
    event.preventDefault();
    event.currentTarget.querySelector('form')?.requestSubmit();
  };

  return {
    title: () => [head.value?.name, words.title].filter(Boolean).join(': '),
    leave: () => preview.end(),
    view: () => chatbotPage(head, chatbot_id, 'settings', () => read.show(({ chatbot, widget }) => (form === undefined ? nothing : html`
      <nav class="jump small" aria-label=${words.groups}>
        ${Object.keys(GROUPS).map(name => html`<button type="button" class="link small" @click=${() => jump(name)}>${words.titles[name]}</button>`)}
        <button type="button" class="link small to-preview" @click=${toPreview}>${own.preview.title}</button>
      </nav>
      ${deed.view()}
      <div class="settings" @keydown=${key}>
        ${form.view({
          fields: Object.entries(GROUPS).map(([name, fields]) => html`
            <section class="group" aria-labelledby="group-${name}">
              <div class="about"><h2 id="group-${name}" tabindex="-1">${words.titles[name]}</h2><p class="small">${words.leads[name]}</p></div>
              ${fields({ context, form: /** @type {SettingsForm} */ (form), chatbot, widget, rotate })}
            </section>`),
          actions: ({ isSending }) => (form?.isChanged || isSending ? html`
            <div class="save">
              <p role="status">${words.unsaved}</p>
              <span class="row">
                <button type="button" class="button" ?disabled=${isSending} @click=${discard}>${words.discard}</button>
                <button class="button main" ?disabled=${isSending}>${texts.profile.save}</button>
              </span>
            </div>` : nothing),
          send: save,
        })}
        ${preview.view()}
      </div>`), skeleton(8))),
  };
}

/** What visitors would see if it were saved. */
function shown(form) {
  const { values } = form;
  const text = name => values[name].trim() || null;
  const color = /^#[0-9a-f]{6}$/.test(values.color) ? values.color : form.base.color;
  return {
    look: {
      name: values.business_name, opening_text: values.opening_text, placeholder_text: text('placeholder_text'), button_text: text('button_text'),
      quick_buttons: form.list('quick_buttons').filter(button => button.text.trim() !== ''), quick_prompts_display: values.quick_prompts_display,
      show_sources: form.isOn('show_sources'), language: text('language'), color, position: values.position, button_style: values.button_style,
      notice: text('notice'), people_available: null,
    },
    answer: { text: own.preview.answer, sources: [{ title: own.preview.source, url: '', type: 'webpage' }] },
  };
}
