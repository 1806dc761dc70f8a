// The widget as visitors see it, with what is being written: the panel itself, in a page that belongs to no widget.

import { html, ref, repeat } from '../../../vendor/lit/lit.js';
import { icon } from '../../icons.js';
import { root } from '../../service.js';
import { texts as own } from '../../texts/settings.js';

const words = own.preview;

/**
 * What is shown.
 *
 * @typedef {object} Shown
 * @property {Record<string, any>} look The widget as the service would describe it to visitors.
 * @property {{ text: string, sources: { title: string, url: string, type: string }[] }} answer
 */

export class Preview {
  #context; #shown; #frame; #port; #sent = '';
  #isOpen = true;
  #nonce = crypto.getRandomValues(new Uint32Array(4)).join('-');

  /**
   * @param {import('../../main.js').Context} context
   * @param {() => Shown} shown
   */
  constructor(context, shown) {
    this.#context = context;
    this.#shown = shown;
    addEventListener('message', this.#receive);
  }

  end() {
    removeEventListener('message', this.#receive);
    this.#port?.close();
  }

  /** Gives the panel a port, each time it was loaded. */
  #receive = event => {
    const target = this.#frame?.contentWindow;
    if (!target || event.source !== target || event.data?.frontdesk !== this.#nonce) return;
    const { port1, port2 } = new MessageChannel();
    this.#port?.close();
    this.#port = port1;
    port1.onmessage = ({ data }) => {
      if (data.type === 'close') this.#close();
    };
    const shown = this.#shown();
    this.#sent = JSON.stringify(shown);
    // It does not begin open, as it would take the focus from what is being written. Its origin is opaque and has no name.
    const known = { record: {}, draft: '', lang: shown.look.language ?? '', colors: colorsOf(shown), isOpen: false, preview: shown };
    target.postMessage(known, '*', [port2]);
  };

  #toggle(isOpen) {
    this.#isOpen = isOpen;
    return this.#context.draw();
  }

  /** Closes the panel, which had the focus, as a website would. */
  async #close() {
    await this.#toggle(false);
    /** @type {HTMLElement | null} */
    const launcher = document.querySelector('.launcher');
    launcher?.focus();
  }

  /** Shows what has changed. */
  #update() {
    const shown = this.#shown();
    const text = JSON.stringify(shown);
    if (this.#port === undefined || text === this.#sent) return;
    this.#sent = text;
    this.#port.postMessage({ type: 'preview', preview: shown, colors: colorsOf(shown) });
  }

  view() {
    this.#update();
    const shown = this.#shown();
    const { look } = shown;
    const address = new URL(`widget/preview/panel#${this.#nonce}`, root).href;
    const colors = colorsOf(shown);
    const paint = element => {
      element?.style.setProperty('--look', colors['--accent']);
      element?.style.setProperty('--on-look', colors['--on-accent']);
    };
    const label = look.button_style === 'text' ? look.button_text ?? '' : '';
    return html`
      <aside class="preview" aria-labelledby="preview-title">
        <h2 id="preview-title" tabindex="-1">${words.title}</h2>
        <div class="stage">
          ${repeat([look.language ?? ''], language => language, () => html`
            <iframe src=${address} title=${words.frame} ?hidden=${!this.#isOpen} ${ref(frame => { this.#frame = frame ?? this.#frame; })}></iframe>`)}
          <button type="button" class="launcher ${look.position === 'start' ? 'start' : ''}" ?hidden=${this.#isOpen} aria-label=${label || words.open}
            ${ref(paint)} @click=${() => this.#toggle(true)}>${icon.bubble}${label === '' ? '' : html`<span>${label}</span>`}</button>
        </div>
        <p class="small quiet">${words.hint}
          <button type="button" class="link small" @click=${() => this.#toggle(!this.#isOpen)}>${this.#isOpen ? words.showButton : words.showPanel}</button></p>
      </aside>`;
  }
}

function colorsOf({ look: { color } }) {
  return { '--accent': color, '--on-accent': readableOn(color) };
}

/** Returns black or white, whichever can be read on a color; white where both can. The service chooses in the same way. */
function readableOn(color) {
  const [red, green, blue] = [1, 3, 5].map(place => {
    const value = (Number.parseInt(color.slice(place, place + 2), 16) || 0) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) >= 4.5 ? '#ffffff' : '#111111';
}
