// The button on a shop's page, and the frame with the chat.
//
// The page includes this script by its address; the service fills in the appearance. Everything that comes
// from the service is text here, never markup. The frame has an origin of its own, so it can reach nothing of
// the page. Both exchange messages through a port. The loader gives it to the window that returns the number
// in its address.

/**
 * What scripts of the page call. Before this one has run, it may be a function that keeps calls in `q`.
 *
 * @typedef {((command: string, ...values: any[]) => void) & { isLoaded?: boolean, q?: [command: string, ...values: any[]][] }} Frontdesk
 */

(look => {
  /** Milliseconds until a frame that does not report is given up: a policy or the network blocks it. */
  const PATIENCE = 10_000;
  const SMALL = '(max-width: 640px), (max-height: 480px)';

  /** @type {Window & { frontdesk?: Frontdesk }} */
  const page = window;
  // Frameworks that swap the body run its scripts again.
  if (page.frontdesk?.isLoaded) return;
  const early = page.frontdesk?.q ?? [];

  const name = `frontdesk:${look.key}`;
  const { src } =
    /** @type {HTMLScriptElement} */ (document.currentScript);
  const panel = new URL(`${look.key}/panel`, src);
  const handlers = new Map();
  /** What the frame knows of the visitor. Nothing is stored before the first message. */
  let memory = {};
  /** Whether the storage takes what it is given. */
  let isStored = true;
  let identity, frame, port, nonce, timer, overflow;
  let [isOpen, isReady, isHidden, unread, draft, waiting] = [false, false, false, 0, '', []];

  function recall() {
    try {
      return JSON.parse(localStorage.getItem(name)) ?? (isStored ? {} : memory);
    } catch {
      return memory;
    }
  }

  function keep(record) {
    memory = record;
    try {
      if (record.token) localStorage.setItem(name, JSON.stringify(record));
      else localStorage.removeItem(name);
      isStored = true;
    } catch {
      // Storage is blocked or full: the conversation lasts as long as the page.
      isStored = false;
    }
  }

  function element(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function icon(path) {
    const space = 'http://www.w3.org/2000/svg';
    const [svg, line] = ['svg', 'path'].map(tag => document.createElementNS(space, tag));
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    line.setAttribute('d', path);
    svg.append(line);
    return svg;
  }

  const host = element('div', { id: 'frontdesk' });
  const root = host.attachShadow({ mode: 'open' });
  const label = look.button_text || '';
  const badge = element('b', { hidden: true });
  const button = element(
    'button',
    { type: 'button', onclick: () => open() },
    icon('M4 5.5h16v11H11l-4.5 4v-4H4z'),
    element('span', {}, label),
    badge,
  );
  button.ariaHasPopup = 'dialog';
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(look.sheet);
  root.adoptedStyleSheets = [sheet];
  for (const [property, value] of Object.entries(look.colors)) host.style.setProperty(property, value);
  host.className = look.side;
  root.append(button);

  function emit(event, detail) {
    for (const handler of handlers.get(event) ?? []) {
      try {
        handler(detail);
      } catch (error) {
        reportError(error);
      }
    }
  }

  /** Tells the frame, as soon as it listens. */
  function tell(message) {
    if (isReady) port.postMessage(message);
    else waiting.push(message);
  }

  /** Loads the frame anew if another page of the website has forgotten the visitor or begun a session. */
  function follow() {
    const { token } = recall();
    if (!isReady || token === memory.token) return;
    if (!token) draft = '';
    unread = 0;
    // A frame that moves loads anew.
    root.append(frame);
    awaitFrame();
  }
  addEventListener('storage', ({ key }) => {
    if (key === name || key === null) follow();
  });
  // A page that comes back from the cache of the browser has missed the events.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) follow();
  });

  function load() {
    if (frame) return;
    nonce = crypto.getRandomValues(new Uint32Array(4)).join('-');
    panel.hash = nonce;
    frame = element('iframe', { src: panel.href, title: look.title, hidden: true });
    root.append(frame);
    awaitFrame();
  }

  /** Hides the frame until it reports. */
  function awaitFrame() {
    isReady = false;
    clearTimeout(timer);
    timer = setTimeout(giveUp, PATIENCE);
    update();
  }

  function giveUp() {
    console.warn(`Frontdesk: ${panel.origin} did not show the chat. Is this website among the widget's allowed origins?`);
    unload();
  }

  function unload() {
    clearTimeout(timer);
    frame?.remove();
    port?.close();
    [frame, port, isReady, isOpen, waiting] = [undefined, undefined, false, false, []];
    update();
  }

  // The frame is given its port again whenever it was loaded anew, as after it was moved.
  addEventListener('message', event => {
    if (!frame || event.source !== frame.contentWindow || event.data?.frontdesk !== nonce) return;
    const channel = new MessageChannel();
    port?.close();
    port = channel.port1;
    port.onmessage = ({ data }) => receive[data.type]?.(data);
    isReady = false;
    const record = recall();
    memory = record;
    draft ||= record.draft ?? '';
    const { lang } = document.documentElement;
    const { colors } = look;
    const known = { record, identity, draft, lang, colors, isOpen };
    // The frame's origin is opaque, so it has no other name; only the window with the number gets here.
    frame.contentWindow.postMessage(known, '*', [channel.port2]);
  });

  const receive = {
    ready() {
      clearTimeout(timer);
      isReady = true;
      update();
      if (isOpen) frame.focus();
      for (const message of waiting.splice(0)) tell(message);
      emit('ready');
    },
    close: () => close(),
    keep: ({ record }) => keep({ ...record, draft }),
    draft({ text }) {
      draft = text;
      const record = recall();
      if (record.token) keep({ ...record, draft });
    },
    event({ event, detail }) {
      if (event === 'unread') {
        unread = detail.count;
        update();
      }
      emit(event, detail);
    },
  };

  /** Shows what should be seen. */
  function update() {
    const isShown = isOpen && isReady;
    const isLoading = isOpen && !isReady;
    host.hidden = isHidden;
    button.hidden = isShown;
    button.ariaBusy = isLoading;
    button.classList.toggle('busy', isLoading);
    badge.hidden = unread === 0;
    badge.textContent = unread;
    // The text on the button names it; a symbol needs a name, which replaces what the badge says.
    if (!label) button.ariaLabel = unread === 0 ? 'Chat' : `Chat (${unread})`;
    if (frame) frame.hidden = !isShown;
    fit();
  }

  /** On a small screen the frame covers what is left above the keyboard, and the page behind it does not scroll. */
  function fit() {
    const isFull = isOpen && isReady && !isHidden && matchMedia(SMALL).matches;
    const { style } = document.documentElement;
    if (isFull !== host.classList.contains('full')) {
      host.classList.toggle('full', isFull);
      if (isFull) overflow = style.overflow;
      style.overflow = isFull ? 'hidden' : overflow;
    }
    if (!frame) return;
    const view = window.visualViewport;
    frame.style.height = isFull && view ? `${view.height}px` : '';
    frame.style.top = isFull && view ? `${view.offsetTop}px` : '';
  }
  window.visualViewport?.addEventListener('resize', fit);
  window.visualViewport?.addEventListener('scroll', fit);
  addEventListener('resize', fit);

  function open() {
    if (isOpen) return;
    isOpen = true;
    isHidden = false;
    load();
    update();
    if (isReady) frame.focus();
    tell({ type: 'open' });
    emit('open');
  }

  function close() {
    if (!isOpen) return;
    isOpen = false;
    tell({ type: 'close' });
    update();
    button.focus();
    emit('close');
  }

  const commands = {
    open,
    close,
    toggle: () => (isOpen ? close() : open()),
    hide() {
      close();
      isHidden = true;
      update();
    },
    show() {
      isHidden = false;
      update();
    },
    ask(text) {
      open();
      tell({ type: 'ask', text: String(text) });
    },
    identify(who) {
      identity = who;
      if (frame) tell({ type: 'identify', identity });
    },
    reset() {
      [identity, draft, unread] = [undefined, '', 0];
      keep({});
      if (frame) tell({ type: 'reset' });
      update();
    },
    on: (event, handler) => handlers.set(event, [...(handlers.get(event) ?? []), handler]),
    off: (event, handler) =>
      handlers.set(event, (handlers.get(event) ?? []).filter(known => handler && known !== handler)),
  };

  function frontdesk(command, ...values) {
    if (!Object.hasOwn(commands, command)) throw new TypeError(`frontdesk has no command ${command}`);
    commands[command](...values);
  }
  frontdesk.isLoaded = true;
  page.frontdesk = frontdesk;

  /** Beside the body, so that whatever replaces the body leaves the chat alone. */
  function insert() {
    if (host.isConnected) return;
    document.documentElement.append(host);
    // A frame that was taken out loads anew.
    if (frame) awaitFrame();
    else update();
    observer.observe(document.documentElement, { childList: true });
  }
  const observer = new MutationObserver(insert);
  observer.observe(document, { childList: true });
  insert();
  for (const [command, ...values] of early) {
    try {
      frontdesk(command, ...values);
    } catch (error) {
      reportError(error);
    }
  }
  // Somebody has been promised a reply: the frame waits for it behind the button.
  if (recall().isWaiting) load();
})(
  // The service puts an object in its place.
  /** @type {any} */ ('appearance'),
);
