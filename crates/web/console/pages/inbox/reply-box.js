// The box for a reply as it is shown, with its files and what a draft was written from.

import { html, live, nothing, ref, repeat } from '../../../vendor/lit/lit.js';
import { isMac } from '../../letters.js';
import { problem } from '../../states.js';
import { texts as all } from '../../texts/inbox.js';
import { symbol } from './symbols.js';
import { sizeOf } from './times.js';

const words = all.reply;
/** From how many remaining characters on they are counted. */
const COUNTED = 500;

/**
 * @param {import('./composer.js').Composer} box
 * @param {import('./composer.js').Abilities} can
 */
export function replyBox(box, can) {
  const isNote = can.canNote && box.type === 'note';
  const type = isNote ? 'note' : 'reply';
  const text = box.texts[type];
  const rest = box.limit - text.trim().length;
  const remark = rest < 0 ? words.over(-rest) : rest < COUNTED ? words.left(rest) : isNote ? undefined : can.hint;
  const mayWrite = isNote || can.canReply;
  const submit = event => {
    event.preventDefault();
    box.submit(can);
  };
  const key = event => {
    if (event.key === 'Escape') return event.target.blur();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    box.submit(can);
  };
  const chosen = event => {
    box.add(event.target.files);
    event.target.value = '';
  };
  const over = isOver => event => {
    if (!can.canAttach || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    box.isOver = isOver;
    if (event.type === 'drop') box.add(event.dataTransfer.files);
    box.context.draw();
  };
  const paste = event => {
    const files = event.clipboardData?.files ?? [];
    if (!can.canAttach || files.length === 0) return;
    event.preventDefault();
    box.add(files);
  };
  return html`
    <form class="reply ${isNote ? 'internal' : ''} ${box.isOver ? 'over' : ''}" aria-busy=${box.isSending} @submit=${submit}
      @dragover=${over(true)} @dragleave=${over(false)} @drop=${over(false)}>
      ${box.problem === undefined ? nothing : problem(box.problem)}
      ${can.canNote ? html`
        <div class="kinds" role="group" aria-label=${words.mode}>
          ${['reply', 'note'].map(kind => html`
            <button type="button" aria-pressed=${type === kind} @click=${() => box.choose(kind)}>${words[kind]}</button>`)}
        </div>` : nothing}
      ${mayWrite ? html`
        <label class="unseen" for="reply">${isNote ? words.noteLabel : words.label}</label>
        <textarea id="reply" data-key="r" rows="2" aria-describedby="reply-hint" .value=${live(text)} ?readonly=${box.isSending}
          placeholder=${isNote ? words.notePlaceholder : words.placeholder}
          @input=${event => box.write(event.target.value)} @keydown=${key} @paste=${paste} ${ref(box.take)}></textarea>
        ${box.drafted && !isNote ? origin(box) : nothing}
        ${can.canAttach && box.files.length > 0 ? list(box) : nothing}
        ${box.notes.length > 0 ? html`<p class="wrong small" role="alert">${box.notes.join(' ')}</p>` : nothing}
        <div class="tools">
          ${can.canAttach ? html`
            <input type="file" multiple hidden aria-hidden="true" tabindex="-1" @change=${chosen}>
            <button type="button" class="round" aria-label=${words.attach} title=${words.attach}
              @click=${event => event.target.closest('form').querySelector('[type=file]').click()}>${symbol.clip}</button>` : nothing}
          ${can.draft && !isNote ? html`
            <button type="button" class="button slim draft" aria-label=${all.draft.action} title=${all.draft.action} @click=${can.draft}>
              ${symbol.spark}<span>${all.draft.action}</span></button>` : nothing}
          <p class="small ${rest < 0 ? 'wrong' : 'quiet'} ${remark === undefined ? 'keys-hint' : ''}" id="reply-hint">
            ${remark ?? (isMac ? words.macHint : words.hint)}</p>
          ${can.canSetStatus && !isNote ? html`
            <label class="unseen" for="reply-after">${words.after}</label>
            <select id="reply-after" class="slim" title=${words.after} .value=${live(box.after)} @change=${event => { box.after = event.target.value; }}>
              <option value="">${words.keep}</option>
              <option value="pending">${words.thenPending}</option>
              <option value="resolved">${words.thenResolved}</option>
            </select>` : nothing}
          <button class="button main slim" ?disabled=${box.isSending || text.trim() === '' || rest < 0}>
            ${box.isSending ? words.sending : isNote ? words.addNote : words.send}</button>
        </div>` : html`
        ${text === '' ? nothing : html`
          <label class="unseen" for="kept-reply">${words.kept}</label><textarea id="kept-reply" rows="2" readonly .value=${text}></textarea>`}
        <p class="quiet">${can.hint}</p>`}
    </form>`;
}

function origin(box) {
  const { sources } = box.drafted;
  return html`
    <p class="small quiet">${sources.length === 0
      ? all.draft.noSources
      : html`${all.draft.from}: ${sources.map(({ title, url }) => title || url).filter(Boolean).join(', ')}`}
      <button type="button" class="link small" @click=${() => box.undraft()}>${all.draft.undo}</button></p>`;
}

function list(box) {
  return html`
    <ul class="uploads small" aria-label=${words.attached}>
      ${repeat(box.files, upload => upload, upload => html`
        <li>
          ${symbol.file}<span class="name">${upload.name}</span>
          ${upload.problem
            ? html`<span class="wrong">${upload.problem.message}</span>
              <button type="button" class="link small" aria-label=${words.retryFile(upload.name)} @click=${() => box.upload(upload)}>${all.tryAgain}</button>`
            : upload.attachment_id
              ? html`<span class="quiet">${sizeOf(upload.size)}</span>`
              : html`<progress max="1" value=${upload.share ?? 0} aria-label=${words.uploading(upload.name)}></progress>`}
          <button type="button" class="link small" aria-label=${words.removeFile(upload.name)} @click=${() => box.drop(upload)}>${all.remove}</button>
        </li>`)}
    </ul>`;
}
