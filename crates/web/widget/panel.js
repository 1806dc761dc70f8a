// The chat in the frame: begins with the port that the page gives it, and draws after every change.

import { render } from '../vendor/lit/lit.js';
import { Chat } from './chat.js';
import { Service } from './service.js';
import { languageOf, textsOf } from './texts.js';
import { panel } from './views.js';

/** The page for previews, which belongs to no widget: whoever shows it says how it looks. */
const PREVIEW = 'preview';

const nonce = location.hash.slice(1);
// Any page may contain this frame. By the number the loader recognizes the frame that it made.
addEventListener('message', begin);
parent.postMessage({ frontdesk: nonce }, '*');

/** @param {MessageEvent} event */
async function begin(event) {
  if (event.source !== parent || event.ports.length !== 1) return;
  removeEventListener('message', begin);
  const [port] = event.ports;
  const known = event.data;
  const language = languageOf(document.documentElement.lang, known.lang, ...navigator.languages);
  document.documentElement.lang = language;
  paint(known.colors);
  const texts = await textsOf(language);
  const place = new URL('../../', location.href);
  const [, key] = /\/widget\/([^/]+)\/panel$/.exec(location.pathname) ?? [];
  const service = key === PREVIEW
    ? new (await import('./rehearsal.js')).Rehearsal(known.preview)
    : new Service({ server: place.href, widget: decodeURIComponent(key ?? ''), language });
  new Panel(port, service, texts, known).begin();
}

function paint(colors) {
  for (const name of ['--accent', '--on-accent']) {
    document.documentElement.style.setProperty(name, colors[name]);
  }
}

class Panel {
  #port; #service; #isOpen; #log; #input; #state;
  #isPlanned = false;
  /** Whether the end of the conversation is in sight, so that it stays there. */
  #isAtEnd = true;

  constructor(port, service, texts, known) {
    this.#port = port;
    this.#service = service;
    this.#isOpen = known.isOpen;
    const chat = new Chat(service, { ...known, texts }, () => this.#draw(), message => port.postMessage(message));
    this.#state = {
      texts, chat, look: undefined, isFailed: false, draft: known.draft ?? '', isMenuOpen: false, isErasing: false, act: this.#actions(chat),
    };
    port.onmessage = ({ data }) => this.#receive(data);
    addEventListener('keydown', event => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      if (!this.#state.isMenuOpen) return port.postMessage({ type: 'close' });
      this.#set({ isMenuOpen: false, isErasing: false });
      /** @type {HTMLElement | null} */ (document.querySelector('[aria-controls="menu"]'))?.focus();
    });
  }

  async begin() {
    this.#draw();
    this.#port.postMessage({ type: 'ready' });
    const { chat } = this.#state;
    chat.see(this.#isOpen);
    await Promise.all([this.#look(), chat.restore()]);
    if (this.#isOpen) this.#focus();
  }

  async #look() {
    this.#set({ isFailed: false });
    try {
      this.#set({ look: await this.#service.look() });
    } catch {
      this.#set({ isFailed: true });
    }
  }

  #receive(message) {
    const { chat } = this.#state;
    const commands = {
      open: () => {
        this.#isOpen = true;
        chat.see(true);
        this.#draw();
        this.#focus();
      },
      close: () => {
        this.#isOpen = false;
        chat.see(false);
      },
      ask: () => this.#ask(message.text),
      identify: () => chat.identify(message.identity),
      preview: () => {
        if (!this.#service.preview) return;
        this.#service.preview = message.preview;
        paint(message.colors);
        this.#look();
      },
      reset: () => {
        this.#write('');
        chat.reset(undefined);
      },
    };
    commands[message.type]?.();
  }

  #actions(chat) {
    return {
      logRef: log => {
        this.#log = log ?? this.#log;
        log?.addEventListener('scroll', () => {
          this.#isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 48;
        }, { passive: true });
      },
      inputRef: input => { this.#input = input; },
      close: () => this.#port.postMessage({ type: 'close' }),
      reload: () => this.#look(),
      restore: () => chat.restore(),
      ask: text => this.#ask(text),
      retry: entry => chat.retry(entry),
      rate: (entry, rating) => chat.rate(entry, rating),
      escalate: async () => {
        await chat.escalate();
        if (chat.form === 'open') this.#toForm();
        else this.#focus();
      },
      toggleMenu: () => this.#set({ isMenuOpen: !this.#state.isMenuOpen, isErasing: false }),
      startOver: () => {
        this.#set({ isMenuOpen: false, isErasing: false });
        chat.startOver();
        this.#focus();
      },
      erase: async () => {
        // Nothing brings them back, so the first press only asks.
        if (!this.#state.isErasing) return this.#set({ isErasing: true });
        this.#set({ isMenuOpen: false, isErasing: false });
        await chat.erase();
        this.#focus();
      },
      write: event => this.#write(event.target.value),
      key: event => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        this.#submit();
      },
      submit: event => {
        event.preventDefault();
        this.#submit();
      },
      leaveContact: event => {
        event.preventDefault();
        const given = [...new FormData(event.target)].filter(([, value]) => String(value).trim() !== '');
        chat.leaveContact(Object.fromEntries(given));
      },
      skipContact: () => {
        chat.form = '';
        this.#draw();
        this.#focus();
      },
    };
  }

  #submit() {
    const { draft, chat } = this.#state;
    if (draft.trim() === '' || chat.isSending) return;
    this.#write('');
    this.#ask(draft.trim());
  }

  #ask(text) {
    this.#isAtEnd = true;
    this.#state.chat.send(text);
  }

  /** Keeps what is being written, so that it survives a new page. */
  #write(draft) {
    this.#set({ draft });
    // At once: the page around may go away with the next key.
    this.#port.postMessage({ type: 'draft', text: draft });
  }

  #focus() {
    // On a touch screen the keyboard would cover the opening text.
    if (matchMedia('(pointer: coarse)').matches) this.#log?.focus();
    else (this.#input ?? this.#log)?.focus();
  }

  /** Leads to the form for contact details, once it is drawn. */
  #toForm() {
    requestAnimationFrame(() => {
      const form = this.#log?.querySelector('form');
      form?.scrollIntoView({ block: 'end' });
      form?.querySelector('input')?.focus({ preventScroll: true });
    });
  }

  #set(change) {
    Object.assign(this.#state, change);
    this.#draw();
  }

  /** Draws once for all changes of a moment. */
  #draw() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      render(panel(this.#state), document.body);
      this.#scroll();
    });
  }

  /** Keeps the end in sight, but moves the question out of it for no answer, however long. */
  #scroll() {
    if (!this.#isAtEnd || !this.#log) return;
    const end = this.#log.scrollHeight - this.#log.clientHeight;
    const isAnswer = this.#log.lastElementChild?.matches('.bot:not(.person)');
    const asked = isAnswer ? [...this.#log.querySelectorAll('.visitor')].at(-1) : undefined;
    this.#log.scrollTop = asked === undefined ? end : Math.min(end, Math.max(asked.offsetTop - 16, 0));
  }
}
