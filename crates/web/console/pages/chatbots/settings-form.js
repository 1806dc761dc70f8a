// The form of the settings of a chatbot and of its widget: what was read, what was written, and what has changed.
//
// A field is a text here: a number by its digits, a box to tick as `true`, a list as JSON.

import { Form } from '../../form.js';
import { addressOf } from '../../format.js';

/** @typedef {'text' | 'number' | 'flag' | 'list' | 'nullable'} Kind */

/** @type {Record<string, Kind>} */
export const SETTINGS = {
  name: 'text', business_name: 'text', business_description: 'text', opening_text: 'text', placeholder_text: 'text', button_text: 'text',
  quick_buttons: 'list', quick_prompts_display: 'text', show_sources: 'flag', ai_tone: 'text', tone_of_voice: 'text', ai_response_length: 'text',
  ai_follow_up_questions: 'flag', focus: 'text', primary_goal: 'text', custom_instructions: 'text', specific_instructions: 'list',
  language: 'text', respond_in_user_language: 'flag', web_search_enabled: 'flag', email_replies_enabled: 'flag',
  handover_timeout_minutes: 'number', handover_timeout_text: 'text', allowed_sensitive_topics: 'list', custom_blocked_topics: 'list',
};

/** @type {Record<string, Kind>} */
export const WIDGET = {
  enabled: 'flag', color: 'text', position: 'text', button_style: 'text', notice: 'nullable', allowed_origins: 'list',
};

/** What the service does about settings that were never set. */
const DEFAULTS = {
  quick_prompts_display: 'once', show_sources: true, ai_response_length: 'medium', focus: 'informational', email_replies_enabled: true,
  handover_timeout_minutes: 5,
};

/** Returns settings as the fields of the form. */
function written(kinds, values) {
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => {
    const value = values[name] ?? DEFAULTS[name];
    if (kind === 'list') return [name, JSON.stringify(value ?? [])];
    if (kind === 'flag') return [name, value === true ? 'true' : ''];
    return [name, String(value ?? '')];
  }));
}

/** Returns the fields of the form as settings. */
function meant(kind, text) {
  if (kind === 'list') return JSON.parse(text || '[]');
  if (kind === 'flag') return text === 'true';
  if (kind === 'number') return Number(text);
  return kind === 'nullable' ? text.trim() || null : text.trim();
}

/** Returns a list without entries that say nothing. */
function filled(text) {
  const entries = JSON.parse(text || '[]').map(entry => (typeof entry === 'string' ? entry.trim() : { ...entry, text: entry.text.trim() }));
  return JSON.stringify(entries.filter(entry => (typeof entry === 'string' ? entry : entry.text) !== ''));
}

/** Returns the origin of an address, as people copy whole addresses. What is no address stays as it is. */
function originOf(text) {
  const address = addressOf(text);
  return address === undefined ? text : new URL(address).origin;
}

export class SettingsForm extends Form {
  /** What was read. @type {Record<string, string>} */
  base;
  #changed;

  /**
   * @param {import('../../main.js').Context} context
   * @param {string} chatbot_id
   * @param {Record<string, string>} base
   * @param {() => void} changed Called after every change.
   */
  constructor(context, chatbot_id, base, changed) {
    super(context, `settings.${chatbot_id}`, { values: { ...base }, isKept: true, marksOptional: false });
    this.base = base;
    this.#changed = changed;
  }

  /** Returns what was read of a chatbot and its widget. */
  static read(chatbot, widget) {
    return { ...written(SETTINGS, { ...chatbot.settings, name: chatbot.name }), ...written(WIDGET, widget) };
  }

  /** Takes over what a field is now. @override */
  write(name, value, isSecret = false) {
    super.write(name, value, isSecret);
    this.#changed?.();
  }

  /** Returns a list. */
  list(name) {
    return JSON.parse(this.values[name] || '[]');
  }

  get isChanged() {
    return Object.keys(this.base).some(name => this.values[name] !== this.base[name]);
  }

  /** Drops entries of lists that say nothing, so that entries are counted as the service does. */
  tidy() {
    for (const [name, kind] of [...Object.entries(SETTINGS), ...Object.entries(WIDGET)]) {
      if (kind === 'list' && filled(this.values[name]) !== this.values[name]) this.write(name, filled(this.values[name]));
    }
    const origins = JSON.stringify([...new Set(this.list('allowed_origins').map(originOf))]);
    if (origins !== this.values.allowed_origins) this.write('allowed_origins', origins);
  }

  /**
   * Returns what has changed of some settings, if anything has.
   *
   * @param {Record<string, Kind>} kinds
   */
  changes(kinds) {
    const names = Object.keys(kinds).filter(name => this.values[name] !== this.base[name]);
    if (names.length === 0) return undefined;
    return Object.fromEntries(names.map(name => [name, meant(kinds[name], this.values[name])]));
  }

  /**
   * Takes over what the service has now. What was written and not saved stays.
   *
   * @param {Record<string, string>} base
   */
  follow(base) {
    for (const [name, value] of Object.entries(base)) {
      if (this.values[name] === this.base[name]) this.values[name] = value;
    }
    this.base = base;
    if (!this.isChanged) this.discard();
  }

  /** Forgets what was written and not saved. */
  discard() {
    this.clear({ ...this.base });
  }
}
