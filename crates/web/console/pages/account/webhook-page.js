// What the pages of one webhook share: its name and state, what can be done with it at once, and the way to the other page.

import { html, nothing } from '../../../vendor/lit/lit.js';
import { getWebhookEndpoint, testWebhookEndpoint, updateWebhookEndpoint } from '../../../client/webhook-endpoints.js';
import { at } from '../../format.js';
import { back, head } from '../../frame.js';
import { path } from '../../paths.js';
import { v1 } from '../../service.js';
import { Reading, problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { words } from '../../texts/webhooks.js';
import { Action } from './parts.js';
import { stateBadge } from './webhook-state.js';

/** The webhook that was read last, by session, so that its other page begins with it. @type {WeakMap<object, any>} */
const known = new WeakMap();

export class WebhookPage {
  action; reading;

  #context; #id; #tested;

  /**
   * @param {import('../../main.js').Context} context
   * @param {string} webhook_endpoint_id
   * @param {() => unknown} [tested] Follows a test that was sent.
   */
  constructor(context, webhook_endpoint_id, tested) {
    this.#context = context;
    this.#id = webhook_endpoint_id;
    this.#tested = tested;
    this.action = new Action(context);
    this.reading = new Reading(context, async () => {
      const endpoint = await getWebhookEndpoint(v1, { webhook_endpoint_id });
      known.set(context.session, endpoint);
      return endpoint;
    });
    const last = known.get(context.session);
    if (last?.webhook_endpoint_id === webhook_endpoint_id) this.reading.value = last;
  }

  get endpoint() {
    return this.reading.value;
  }

  /** Whether it may be read again now: what was deleted does not come back, and what is being changed is about to be another. */
  get isCalm() {
    return this.reading.problem?.status !== 404 && !this.action.isRunning;
  }

  get title() {
    return nameOf(this.endpoint) ?? (this.reading.problem === undefined ? texts.loading : texts.missing.title);
  }

  /** Takes over what the service returned. */
  store(changed) {
    this.reading.value = changed;
    known.set(this.#context.session, changed);
    this.#context.draw();
  }

  async #toggle() {
    const before = this.endpoint;
    // Shown at once, and taken back if it fails.
    this.store({ ...before, enabled: !before.enabled, disabled_reason: null });
    const body = { enabled: !before.enabled };
    const done = await this.action.run(() => updateWebhookEndpoint(v1, { webhook_endpoint_id: this.#id, body }));
    this.store(done?.value ?? before);
    if (done !== undefined) this.#context.say(before.enabled ? words.pausedNow : words.enabled);
  }

  async #test() {
    if (await this.action.run(() => testWebhookEndpoint(v1, { webhook_endpoint_id: this.#id })) === undefined) return;
    this.#context.say(words.tested);
    if (this.#tested !== undefined) await this.#tested();
    else await this.#context.go(`webhooks/${this.#id}`);
  }

  /**
   * Returns the page.
   *
   * @param {'' | 'settings'} part
   * @param {(endpoint: any) => unknown} content
   */
  view(part, content) {
    const { endpoint, action } = this;
    const tab = (name, title) => html`
      <a href=${path(['webhooks', this.#id, name].filter(Boolean).join('/'))} aria-current=${name === part ? 'page' : nothing}>${title}</a>`;
    return html`
      ${head(this.title, {
        back: back('webhooks', words.back),
        lead: endpoint === undefined ? nothing : html`<span class="title">${stateBadge(endpoint)} <span class="code address">${endpoint.url}</span></span>`,
        action: endpoint === undefined ? nothing : html`
          <span class="row">
            <button type="button" class="button" ?disabled=${action.isRunning} @click=${() => this.#toggle()}>${endpoint.enabled ? words.pause : words.enable}</button>
            <button type="button" class="button main" ?disabled=${action.isRunning} @click=${() => this.#test()}>${words.test}</button>
          </span>`,
      })}
      ${this.reading.problem?.status === 404 ? nothing
        : html`<nav class="tabs" aria-label=${words.tabs}>${tab('', words.deliveries)}${tab('settings', words.settings)}</nav>`}
      ${this.reading.show(shown => html`
        ${action.problem === undefined ? nothing : html`<div class="above">${problem(action.problem)}</div>`}
        ${state(shown)}
        ${content(shown)}`, skeleton(8))}`;
  }
}

/** What people call a webhook: what it is for, or the host that it leads to. */
function nameOf(endpoint) {
  if (endpoint === undefined) return undefined;
  return endpoint.description || (URL.canParse(endpoint.url) ? new URL(endpoint.url).host : endpoint.url);
}

/** Why a webhook gets nothing at present, or may get nothing soon. */
function state({ enabled, disabled_reason, failing_since }) {
  if (!enabled && disabled_reason !== null) return html`<p class="problem above">${words.disabledReasons[disabled_reason] ?? disabled_reason}</p>`;
  if (!enabled) return html`<p class="hint above">${words.disabledText}</p>`;
  return failing_since === null ? nothing : html`<p class="problem above">${words.failing(at(failing_since))}</p>`;
}
