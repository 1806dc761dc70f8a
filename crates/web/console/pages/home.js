// The start page: what is used of the plan, and what to do next.

import { html, nothing } from '../../vendor/lit/lit.js';
import { listChatbots } from '../../client/chatbots.js';
import { getUsage } from '../../client/usage.js';
import { count, onDay } from '../format.js';
import { head } from '../frame.js';
import { path } from '../paths.js';
import { v1 } from '../service.js';
import { Reading, skeleton } from '../states.js';
import { texts } from '../texts.js';

const words = texts.home;

/** @param {import('../main.js').Context} context */
export function page(context) {
  const chatbots = new Reading(context, async () => (await listChatbots(v1)).chatbots);
  const usage = new Reading(context, () => getUsage(v1));
  chatbots.begin();
  usage.begin();
  return {
    title: words.title,
    view: () => html`
      ${head(words.hello(context.session.person.name))}
      <div class="stack">
        ${usage.show(figures, skeleton(3))}
        ${chatbots.show(list => steps(context, list), skeleton(5))}
      </div>`,
  };
}

function figures(usage) {
  return html`
    <div class="figures">
      <div class="figure">
        <h2 class="small quiet">${words.credits}</h2>
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
      <h2 class="small quiet">${title}</h2>
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
