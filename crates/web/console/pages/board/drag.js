// Moving items by mouse, touch and pen. Native drags do not begin on touch screens, so pointer events are used:
// a mouse drags at once, a finger after a long press, so that it can still scroll.

/** Pixels that a mouse moves before it drags, and a finger may move during a long press. */
const SLACK = 5;
const WOBBLE = 10;
/** Milliseconds of a long press. */
const PRESS = 250;
/** Pixels from an edge in which the list scrolls, and pixels of the fastest step. */
const EDGE = 56;
const FASTEST = 10;

/**
 * @typedef {object} Handlers
 * @property {string} item Selects what is moved.
 * @property {string} list Selects where items are.
 * @property {string} [grip] Selects the part of an item by which it is dragged, if not all of it.
 * @property {(item: HTMLElement) => boolean} begin Returns whether the item may be moved.
 * @property {(list: HTMLElement, index: number) => void} over The index counts the other items of the list.
 * @property {(isDropped: boolean) => void} end
 */

export class Drag {
  /** Given to `ref` of the element around the lists. */
  attach;

  #handlers;
  /** @type {HTMLElement | undefined} */
  #root;
  /** A press that may become a drag. @type {{ id: number, x: number, y: number, item: HTMLElement, isTouch: boolean, timer?: any } | undefined} */
  #press;
  /** @type {{ item: HTMLElement, ghost: HTMLElement, x: number, y: number, dx: number, dy: number, frame: number } | undefined} */
  #drag;
  #isClickOff = false;
  #listening = new AbortController();

  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    this.attach = element => {
      if (element === this.#root) return;
      this.#stop(false);
      this.#listening.abort();
      this.#root = element;
      if (element === undefined) return;
      this.#listening = new AbortController();
      const { signal } = this.#listening;
      element.addEventListener('pointerdown', event => this.#down(event), { signal });
      element.addEventListener('dragstart', event => event.preventDefault(), { signal });
      // Registered before a touch begins: later ones cannot keep the browser from scrolling.
      element.addEventListener('touchmove', event => this.#drag && event.cancelable && event.preventDefault(), { signal, passive: false });
      element.addEventListener('contextmenu', event => this.#drag && event.preventDefault(), { signal });
      element.addEventListener('click', event => {
        // Keys press without a pointer, which has no part in the drag.
        if (!this.#isClickOff || event.detail === 0) return;
        event.preventDefault();
        event.stopPropagation();
      }, { signal, capture: true });
    };
  }

  #down(event) {
    if (event.button !== 0 || !event.isPrimary || this.#press !== undefined) return;
    const { item: items, grip } = this.#handlers;
    const item = event.target.closest(items);
    const isOther = grip === undefined ? event.target.closest('button, input, select') : !event.target.closest(grip);
    if (item === null || isOther) return;
    const isTouch = event.pointerType !== 'mouse';
    this.#press = { id: event.pointerId, x: event.clientX, y: event.clientY, item, isTouch };
    // A grip is for dragging only, so a finger need not wait there.
    if (isTouch) this.#press.timer = setTimeout(() => this.#start(), grip === undefined ? PRESS : 0);
    addEventListener('pointermove', this.#move);
    addEventListener('pointerup', this.#up);
    addEventListener('pointercancel', this.#cancel);
    addEventListener('keydown', this.#escape, true);
  }

  #start() {
    const press = this.#press;
    if (press === undefined || this.#root === undefined || !press.item.isConnected || !this.#handlers.begin(press.item)) return this.#stop(false);
    const box = press.item.getBoundingClientRect();
    const ghost = /** @type {HTMLElement} */ (press.item.cloneNode(true));
    ghost.classList.add('ghost');
    ghost.inert = true;
    ghost.ariaHidden = 'true';
    ghost.style.width = `${box.width}px`;
    ghost.style.height = `${box.height}px`;
    document.body.append(ghost);
    try {
      this.#root.setPointerCapture(press.id);
    } catch {
      // The pointer is gone; its end is reported.
    }
    this.#root.dataset.dragging = '';
    this.#drag = { item: press.item, ghost, x: press.x, y: press.y, dx: press.x - box.left, dy: press.y - box.top, frame: 0 };
    if (press.isTouch) navigator.vibrate?.(10);
    this.#carry();
    this.#drag.frame = requestAnimationFrame(this.#scroll);
  }

  #move = event => {
    const press = this.#press;
    if (press === undefined || event.pointerId !== press.id) return;
    if (this.#drag === undefined) {
      const far = Math.hypot(event.clientX - press.x, event.clientY - press.y);
      if (press.isTouch && far > WOBBLE) this.#stop(false);
      else if (!press.isTouch && far > SLACK) this.#start();
    }
    if (this.#drag === undefined) return;
    [this.#drag.x, this.#drag.y] = [event.clientX, event.clientY];
    this.#carry();
  };

  #up = event => {
    if (event.pointerId === this.#press?.id) this.#stop(true);
  };

  #cancel = event => {
    if (event.pointerId === this.#press?.id) this.#stop(false);
  };

  #escape = event => {
    if (event.key !== 'Escape' || this.#drag === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#stop(false);
  };

  /** Moves what is dragged to the pointer, and finds the list and the place below it. */
  #carry() {
    const root = this.#root;
    if (root === undefined || this.#drag === undefined) return;
    const { ghost, item, x, y, dx, dy } = this.#drag;
    ghost.style.transform = `translate(${x - dx}px, ${y - dy}px)`;
    const around = root.getBoundingClientRect();
    const [px, py] = [within(x, around.left + 1, around.right - 1), within(y, around.top + 1, around.bottom - 1)];
    let best;
    let shortest = Infinity;
    for (const list of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(this.#handlers.list))) {
      const box = list.getBoundingClientRect();
      const distance = outside(px, box.left, box.right) * 4 + outside(py, box.top, box.bottom);
      if (distance < shortest) [best, shortest] = [list, distance];
    }
    if (best === undefined) return;
    const others = [...best.querySelectorAll(this.#handlers.item)].filter(other => other !== item);
    const index = others.filter(other => {
      const box = other.getBoundingClientRect();
      return (box.top + box.bottom) / 2 < y;
    }).length;
    this.#handlers.over(best, index);
  }

  /** Scrolls as long as the pointer is near an edge. */
  #scroll = () => {
    const [drag, root] = [this.#drag, this.#root];
    if (drag === undefined || root === undefined) return;
    const box = root.getBoundingClientRect();
    const left = step(drag.x, Math.max(box.left, 0), Math.min(box.right, innerWidth));
    const top = step(drag.y, Math.max(box.top, 0), Math.min(box.bottom, innerHeight));
    const before = [root.scrollLeft, root.scrollTop, scrollY].join();
    root.scrollBy(left, top);
    // Below the end of the board, the page goes on.
    if (step(drag.y, 0, innerHeight) !== 0 && top !== 0) scrollBy(0, top);
    if (before !== [root.scrollLeft, root.scrollTop, scrollY].join()) this.#carry();
    drag.frame = requestAnimationFrame(this.#scroll);
  };

  #stop(isDropped) {
    const drag = this.#drag;
    clearTimeout(this.#press?.timer);
    this.#press = undefined;
    this.#drag = undefined;
    removeEventListener('pointermove', this.#move);
    removeEventListener('pointerup', this.#up);
    removeEventListener('pointercancel', this.#cancel);
    removeEventListener('keydown', this.#escape, true);
    if (drag === undefined) return;
    cancelAnimationFrame(drag.frame);
    drag.ghost.remove();
    if (this.#root !== undefined) delete this.#root.dataset.dragging;
    // The click that follows would open what was dropped.
    this.#isClickOff = true;
    setTimeout(() => { this.#isClickOff = false; }, 50);
    this.#handlers.end(isDropped);
  }
}

const within = (value, low, high) => Math.min(Math.max(value, low), high);
const outside = (value, low, high) => Math.max(low - value, value - high, 0);

/** Returns how far to scroll for a pointer that is near one of two edges. */
function step(value, low, high) {
  if (value < low + EDGE) return -Math.ceil(FASTEST * Math.min(1, (low + EDGE - value) / EDGE));
  if (value > high - EDGE) return Math.ceil(FASTEST * Math.min(1, (value - high + EDGE) / EDGE));
  return 0;
}
