// One chatbot and its websites. While it learns, the page follows.

import { html, nothing, repeat } from '../../../vendor/lit/lit.js';
import { deleteChatbot } from '../../../client/chatbots.js';
import { createWebsite, deleteWebsite, listWebsites, recrawlWebsite } from '../../../client/websites.js';
import { Form } from '../../form.js';
import { addressOf, ago, count } from '../../format.js';
import { path } from '../../paths.js';
import { Cancelled, problemOf, v1 } from '../../service.js';
import { Reading, empty, problem, skeleton } from '../../states.js';
import { texts } from '../../texts.js';
import { chatbotPage, readingChatbot } from './chatbot-page.js';

const words = texts.chatbot;

/** Milliseconds between looks at a chatbot that learns, and after one that failed. */
const PAUSE = 2_000;
const LONG_PAUSE = 10_000;
const STATES = { ready: 'good', partial: 'caution', failed: 'bad', pending: 'busy', crawling: 'busy', processing: 'busy' };

/** Whether a website is being read. */
const isBusy = website => STATES[website.status] === 'busy';

/**
 * @param {import('../../main.js').Context} context
 * @param {{ chatbot: string }} parameters
 */
export function page(context, { chatbot: chatbot_id }) {
  const chatbot = readingChatbot(context, chatbot_id);
  const websites = new Reading(context, async () => (await listWebsites(v1, { chatbot_id, limit: 100 })).websites);
  let timer;
  let isLeft = false;
  /** What went wrong with the last change. @type {import('../../service.js').Problem | undefined} */
  let failure;

  /** Reads all, and again after a pause as long as something changes. */
  const follow = async () => {
    const before = chatbot.value?.status;
    await Promise.all([chatbot.begin({ isQuiet: true }), websites.begin({ isQuiet: true })]);
    if (isLeft) return;
    const after = chatbot.value?.status;
    if (before === 'training' && after === 'ready') context.say(words.nowReady);
    if (before === 'training' && after === 'failed') context.say(words.nowFailed);
    const changes = after === 'training' || chatbot.value?.search_ready === false || websites.value?.some(isBusy);
    const problems = [chatbot.problem, websites.problem].filter(found => found !== undefined);
    const isGone = problems.some(({ status }) => status === 404);
    if (changes && !isGone) timer = setTimeout(later, problems.length > 0 ? LONG_PAUSE : PAUSE);
  };
  // Nobody looks at a page in the background.
  const later = () => {
    if (document.visibilityState === 'visible') follow();
    else document.addEventListener('visibilitychange', later, { once: true });
  };
  follow();

  /** Changes something, and says so or why not. Returns whether it was done. */
  const change = async (operation, done) => {
    failure = undefined;
    try {
      await context.call(operation);
    } catch (error) {
      if (!(error instanceof Cancelled)) failure = problemOf(error);
      context.draw();
      return false;
    }
    context.say(done);
    return true;
  };
  const followAgain = () => {
    clearTimeout(timer);
    return follow();
  };

  const act = {
    add: () => context.open(dialog => newWebsite(context, dialog, chatbot_id, followAgain)),
    readAgain: async ({ website_id, url }) => {
      const operation = () => recrawlWebsite(v1, { chatbot_id, website_id, body: { only: 'all' } });
      if (await change(operation, words.added(url))) await followAgain();
    },
    drop: async ({ website_id, url }) => {
      if (!await context.confirm({ title: words.dropQuestion, text: words.dropText(url), action: words.drop })) return;
      if (await change(() => deleteWebsite(v1, { chatbot_id, website_id }), words.dropped(url))) await followAgain();
    },
    remove: async () => {
      const { name } = chatbot.value;
      if (!await context.confirm({ title: words.removeQuestion(name), text: words.removeText, action: texts.keys.remove })) return;
      if (!await change(() => deleteChatbot(v1, { chatbot_id }), words.removed(name))) return;
      context.chatbots.delete(chatbot_id);
      await context.go('chatbots');
    },
  };

  return {
    title: () => chatbot.value?.name ?? texts.chatbots.title,
    leave: () => {
      isLeft = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', later);
    },
    view: () => chatbotPage(chatbot, chatbot_id, '', () => html`
      ${chatbot.show(state, nothing)}
      <section class="part">
        <div class="head">
          <h2>${words.websites}</h2>
          ${context.isManager ? html`<button type="button" class="button slim" @click=${act.add}>${words.add}</button>` : nothing}
        </div>
        ${failure === undefined ? nothing : problem(failure)}
        ${websites.show(list => (list.length === 0
          ? empty(words.noWebsites, words.noWebsitesText)
          : html`<ul class="stack">${repeat(list, one => one.website_id, one => site(context, act, chatbot_id, one))}</ul>`), skeleton(3))}
      </section>
      ${context.isManager && chatbot.value !== undefined
        ? html`<p class="part"><span><button type="button" class="link danger" @click=${act.remove}>${words.remove}</button></span></p>`
        : nothing}`),
  };
}

/** What a chatbot can do now. */
function state(chatbot) {
  if (chatbot.status === 'training') return html`<p class="hint">${words.learning}</p>`;
  if (chatbot.status === 'failed') {
    return html`<p class="problem">${words.failed}${chatbot.last_error?.message ? html`<span class="small">${chatbot.last_error.message}</span>` : nothing}</p>`;
  }
  if (chatbot.status !== 'ready') return nothing;
  return html`
    <div class="note row">
      <p>${chatbot.search_ready === false ? words.searching : words.ready}</p>
      <a class="button slim" href=${path(`chatbots/${chatbot.chatbot_id}/playground`)}>${words.try}</a>
    </div>`;
}

function site(context, act, chatbot_id, website) {
  const figures = [
    [website.pages_found, words.found], [website.pages_ready, words.ready_pages], [website.pages_skipped, words.skipped],
    [website.pages_failed, words.failed_pages],
  ];
  const done = website.pages_ready + website.pages_skipped + website.pages_failed;
  return html`
    <li class="site">
      <div class="top">
        <h3>${website.url}</h3>
        <span class="badge ${STATES[website.status] ?? ''}">${words.websiteStatus[website.status] ?? website.status}</span>
      </div>
      ${isBusy(website)
        ? html`<progress aria-label="${words.progress}: ${website.url}" max=${Math.max(website.pages_found, 1)} value=${Math.min(done, website.pages_found)}></progress>`
        : nothing}
      <dl class="counts">
        ${figures.map(([figure, name]) => html`<div><dt>${name}</dt><dd>${count(figure)}</dd></div>`)}
      </dl>
      ${website.last_error ? html`<p class="small">${website.last_error.message}</p>` : nothing}
      <div class="row">
        <a class="small" href=${path(`chatbots/${chatbot_id}/websites/${website.website_id}`)} aria-label="${words.report}: ${website.url}">${words.report}</a>
        ${context.isManager && !isBusy(website)
          ? html`
            <button type="button" class="link small" aria-label=${words.againLabel(website.url)} @click=${() => act.readAgain(website)}>${words.again}</button>
            <button type="button" class="link danger small" aria-label=${words.dropLabel(website.url)} @click=${() => act.drop(website)}>${words.drop}</button>`
          : nothing}
        ${website.last_crawled_at ? html`<span class="small quiet">${words.lastRead(ago(website.last_crawled_at))}</span>` : nothing}
      </div>
    </li>`;
}

/**
 * Asks for the address of another website.
 *
 * @param {import('../../main.js').Context} context
 * @param {import('../../dialogs.js').Dialog} dialog
 * @param {string} chatbot_id
 * @param {() => void} changed
 */
function newWebsite(context, dialog, chatbot_id, changed) {
  const form = new Form(context, 'new-website', { aliases: { url: 'address' } });
  const send = async () => {
    const url = addressOf(form.text('address'));
    if (url === undefined) {
      form.wrong.address = [texts.newChatbot.addressWrong];
      return;
    }
    await context.call(() => createWebsite(v1, { chatbot_id, body: { url } }));
    dialog.close();
    context.say(words.added(url));
    changed();
  };
  return () => html`
    <div class="stack">
      <h2 id=${dialog.id}>${words.add}</h2>
      ${form.view({
        fields: form.field({
          name: 'address', label: texts.newChatbot.address, hint: texts.newChatbot.addressHint, inputmode: 'url', autocomplete: 'url', isFirst: true,
        }),
        actions: ({ isSending }) => html`
          <div class="row end">
            <button type="button" class="button" @click=${() => dialog.close()}>${texts.cancel}</button>
            <button class="button main" ?disabled=${isSending}>${words.adding}</button>
          </div>`,
        send,
      })}
    </div>`;
}
