// The fields of the settings of a chatbot, in groups.

import { html, live, nothing } from '../../../vendor/lit/lit.js';
import { path } from '../../paths.js';
import { texts as own } from '../../texts/settings.js';
import { languages } from './languages.js';
import { listField } from './list-field.js';
import { choices } from './tagging.js';

const words = own.settings;

/** @typedef {{ context: import('../../main.js').Context, form: import('./settings-form.js').SettingsForm, chatbot: any, widget: any, rotate: () => void }} Parts */

/** @type {Record<string, (parts: Parts) => unknown>} */
export const GROUPS = { basics, texts, look, answers, rules, people, websites };

const options = names => Object.entries(names);

function basics({ form }) {
  return html`
    ${form.field({ name: 'name', label: words.name, hint: words.nameHint })}
    ${form.field({ name: 'business_name', label: words.business, hint: words.businessHint, autocomplete: 'organization' })}
    ${form.field({ name: 'business_description', label: words.description, hint: words.descriptionHint, lines: 3, isOptional: true })}`;
}

function texts({ context, form }) {
  return html`
    ${form.field({ name: 'opening_text', label: words.opening, hint: words.openingHint, lines: 3 })}
    ${form.field({ name: 'placeholder_text', label: words.placeholder, hint: words.placeholderHint, isOptional: true })}
    ${form.field({ name: 'button_text', label: words.button, hint: words.buttonHint, isOptional: true })}
    ${listField(form, context, {
      name: 'quick_buttons', label: words.quick, hint: words.quickHint, entry: words.quickEntry, add: words.quickAdd, most: 10, longest: 50, isOrdered: true,
    })}
    ${form.field({ name: 'quick_prompts_display', label: words.display, choices: options(words.displays), isOptional: true })}
    ${form.toggle({ name: 'show_sources', label: words.sources, hint: words.sourcesHint })}`;
}

function look({ form }) {
  const { color } = form.values;
  const wrong = form.wrong.color ?? [];
  const isColor = /^#[0-9a-f]{6}$/.test(color);
  const write = event => form.write('color', event.target.value.trim().toLowerCase());
  return html`
    ${form.toggle({ name: 'enabled', label: words.enabled, hint: words.enabledHint })}
    <div class="field">
      <label for="settings-color">${words.color}</label>
      <div class="colors">
        <input type="color" aria-label=${words.colorPick} .value=${live(isColor ? color : '#000000')} @input=${write}>
        <input type="text" id="settings-color" name="color" autocomplete="off" spellcheck="false" maxlength="7" aria-describedby="settings-color-hint"
          aria-invalid=${wrong.length > 0 ? 'true' : nothing} .value=${live(color)} @input=${write}>
      </div>
      <p class="small quiet" id="settings-color-hint">${words.colorHint}</p>
      ${wrong.length > 0 ? html`<p class="wrong">${wrong.join(' ')}</p>` : nothing}
    </div>
    ${form.field({ name: 'position', label: words.position, hint: words.positionHint, choices: options(words.positions), isOptional: true })}
    ${form.field({ name: 'button_style', label: words.style, choices: options(words.styles), isOptional: true })}
    ${form.field({ name: 'notice', label: words.notice, hint: words.noticeHint, lines: 2, isOptional: true })}`;
}

function answers({ form }) {
  const own = form.base.language === '' ? [/** @type {[string, string]} */ (['', words.noLanguage])] : [];
  return html`
    ${form.field({ name: 'language', label: words.language, hint: words.languageHint, choices: [...own, ...languages(form.values.language)], isOptional: true })}
    ${form.toggle({ name: 'respond_in_user_language', label: words.theirs, hint: words.theirsHint })}
    ${form.field({ name: 'ai_tone', label: words.tone, choices: options(words.tones), isOptional: true })}
    ${form.field({ name: 'tone_of_voice', label: words.voice, hint: words.voiceHint, lines: 2, isOptional: true })}
    ${form.field({ name: 'ai_response_length', label: words.length, choices: options(words.lengths), isOptional: true })}
    ${form.toggle({ name: 'ai_follow_up_questions', label: words.followUp, hint: words.followUpHint })}
    ${form.field({ name: 'focus', label: words.focus, choices: options(words.focuses), isOptional: true })}
    ${form.field({ name: 'primary_goal', label: words.goal, hint: words.goalHint, isOptional: true })}`;
}

function rules({ context, form, chatbot }) {
  const hasSearch = chatbot.settings.web_search_available === true;
  return html`
    ${form.field({ name: 'custom_instructions', label: words.instructions, hint: words.instructionsHint, lines: 4, isOptional: true })}
    ${listField(form, context, {
      name: 'specific_instructions', label: words.rules, hint: words.rulesHint, entry: words.ruleEntry, add: words.ruleAdd, most: 20, isLong: true,
      critical: words.critical, isOrdered: true,
    })}
    ${listField(form, context, {
      name: 'custom_blocked_topics', label: words.blocked, hint: words.blockedHint, entry: words.blockedEntry, add: words.blockedAdd, most: 20, isPlain: true,
    })}
    ${choices(form, 'allowed_sensitive_topics', words.allowed, Object.entries(words.topics).map(([id, name]) => ({ id, name })), words.allowedHint)}
    ${hasSearch
      ? form.toggle({ name: 'web_search_enabled', label: words.search, hint: words.searchHint })
      : html`<p class="small quiet">${words.noSearch}</p>`}`;
}

function people({ form }) {
  return html`
    ${form.field({ name: 'handover_timeout_minutes', label: words.timeout, hint: words.timeoutHint, type: 'number', inputmode: 'numeric' })}
    ${form.field({ name: 'handover_timeout_text', label: words.nobody, hint: words.nobodyHint, lines: 2, isOptional: form.base.handover_timeout_text === '' })}
    ${form.toggle({ name: 'email_replies_enabled', label: words.mail, hint: words.mailHint })}`;
}

function websites({ context, form, chatbot, widget, rotate }) {
  const chosen = form.list('allowed_origins');
  const suggested = widget.suggested_origins.filter(origin => !chosen.includes(origin));
  const add = origin => form.write('allowed_origins', JSON.stringify([...form.list('allowed_origins').filter(Boolean), origin]));
  return html`
    ${chosen.filter(Boolean).length === 0 ? html`<p class="hint">${words.everywhere}</p>` : nothing}
    ${listField(form, context, {
      name: 'allowed_origins', label: words.origins, hint: words.originsHint, entry: words.originEntry, add: words.originAdd, most: 50, isPlain: true,
    })}
    ${suggested.length === 0 ? nothing : html`
      <p class="suggested small"><span class="quiet">${words.suggested}</span>
        ${suggested.map(origin => html`<button type="button" class="button slim" aria-label=${words.addOrigin(origin)} @click=${() => add(origin)}>${origin}</button>`)}</p>`}
    <div class="field">
      <h3>${words.key}</h3>
      <p class="small quiet">${words.keyHint} <a href=${path(`chatbots/${chatbot.chatbot_id}/widget`)}>${words.line}</a></p>
      <p><code>${widget.widget_key}</code></p>
      <p><button type="button" class="link danger" @click=${rotate}>${words.rotate}</button></p>
    </div>`;
}
