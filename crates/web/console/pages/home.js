// The start page: what needs a person now, what is used of the plan, and the way to the first answer.

import { html, nothing } from '../../vendor/lit/lit.js';
import { getUsage } from '../../client/usage.js';
import { count, onDay } from '../format.js';
import { head } from '../frame.js';
import { path } from '../paths.js';
import { v1 } from '../service.js';
import { Reading, skeleton } from '../states.js';
import { texts } from '../texts.js';
import { Needs } from './needs.js';

const words = texts.home;

/** @param {import('../main.js').Context} context */
export function page(context) {
  const usage = new Reading(context, () => getUsage(v1));
  const needs = new Needs(context);
  needs.begin();
  usage.begin();
  context.watch(['threads', 'conversations', 'activities', 'chatbots', 'content', 'account'], () => needs.refresh());
  /** A new account has nothing to do but its first chatbot. */
  const isNew = () => needs.chatbots?.length === 0;
  return {
    title: words.title,
    leave: () => needs.end(),
    view: () => html`
      ${head(words.hello(context.session.person.name))}
      <div class="home">
        ${isNew() ? steps(context, []) : needs.view()}
        <section class="part">
          <h2>${words.usage}</h2>
          ${usage.show(figures, skeleton(3))}
        </section>
        ${isNew() ? nothing : needs.chatbots !== undefined ? steps(context, needs.chatbots) : needs.hasFailed ? nothing : skeleton(5)}
      </div>`,
  };
}

function figures(usage) {
  return html`
    <div class="figures">
      <div class="figure">
        <h3 class="small quiet">${words.credits}</h3>
        <strong>${count(usage.credits_used)}</strong>
        <p class="small quiet">${words.creditsOf(count(usage.monthly_limit))}. ${words.renewed(onDay(usage.resets_at))}.</p>
        <progress max=${Math.max(usage.monthly_limit, 1)} value=${Math.min(usage.credits_used, usage.monthly_limit)} aria-label=${words.credits}></progress>
      </div>
      ${allowance(words.chatbots, usage.chatbots)}
      ${allowance(words.webpages, usage.webpages)}
    </div>`;
}

function allowance(title, { used, limit }) {
  return html`
    <div class="figure">
      <h3 class="small quiet">${title}</h3>
      <strong>${count(used)}</strong>
      <p class="small quiet">${limit === null ? words.unlimited : words.of(count(limit))}</p>
    </div>`;
}

/** The first step is the one to take; the others are open at any time. */
function link(target, title) {
  const isFirst = target === 'chatbots/new';
  const label = isFirst ? words.start : words.open;
  return html`<a class="button ${isFirst ? 'main' : ''}" href=${path(target)} aria-label="${label}: ${title}">${label}</a>`;
}

/** The way to the first answer on the own website. Its last steps stay, as they are of use every day. */
function steps(context, list) {
  const first = list.find(chatbot => chatbot.status === 'ready') ?? list[0];
  const to = name => (first === undefined ? undefined : `chatbots/${first.chatbot_id}/${name}`);
  const entries = [
    [words.create, words.createText, context.isManager ? 'chatbots/new' : undefined, list.length > 0],
    [words.try, words.tryText, to('playground'), false],
    [words.embed, words.embedText, to('widget'), false],
  ];
  return html`
    <section class="part">
      <h2>${words.steps}</h2>
      <ol class="steps">
        ${entries.map(([title, text, target, isDone]) => html`
          <li class=${isDone ? 'done' : ''}>
            <div><h3>${title}</h3><p class="small quiet">${text}</p></div>
            ${isDone ? html`<span class="small quiet">${words.doneStep}</span>`
              : target === undefined ? nothing
                : link(target, title)}
          </li>`)}
      </ol>
    </section>`;
}
