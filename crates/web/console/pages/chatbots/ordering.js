// Items that are put in order: dragged by a handle, or moved by keys.
//
// While one is dragged, nothing moves in the document: the item follows the pointer, and the others make room for it.
// Browsers end a drag whose element is taken out.

/** Pixels from an edge of the window within which it scrolls. */
const EDGE = 72;

/**
 * Follows a pointer that has taken the handle of an item.
 *
 * @param {PointerEvent} event
 * @param {(from: number, to: number) => void} move The places in the list, before and after.
 */
export function drag(event, move) {
  if (event.button !== 0) return;
  const handle = /** @type {HTMLElement} */ (event.currentTarget);
  const item = /** @type {HTMLElement} */ (handle.closest('li'));
  const items = /** @type {HTMLElement[]} */ ([...item.parentElement?.children ?? []]);
  const from = items.indexOf(item);
  const begun = event.clientY + scrollY;
  let [pointer, to, isMoved] = [event.clientY, from, false];
  let frame = 0;
  handle.setPointerCapture(event.pointerId);

  /** Makes room where the item would be. */
  const part = () => {
    for (const [place, other] of items.entries()) {
      if (other === item) continue;
      const shift = place > from && place <= to ? -item.offsetHeight : place < from && place >= to ? item.offsetHeight : 0;
      other.style.transform = shift === 0 ? '' : `translateY(${shift}px)`;
    }
  };
  const follow = () => {
    const distance = pointer + scrollY - begun;
    isMoved ||= Math.abs(distance) > 4;
    if (!isMoved) return;
    item.classList.add('dragged');
    item.style.transform = `translateY(${distance}px)`;
    const at = item.offsetTop + distance;
    to = from;
    for (const [place, { offsetTop, offsetHeight }] of items.entries()) {
      const middle = offsetTop + offsetHeight / 2;
      if (place < from && at < middle) to = Math.min(to, place);
      if (place > from && at + item.offsetHeight > middle) to = place;
    }
    part();
  };
  const scroll = () => {
    const step = pointer < EDGE ? pointer - EDGE : pointer > innerHeight - EDGE ? pointer - innerHeight + EDGE : 0;
    if (isMoved && step !== 0) {
      scrollBy(0, step / 4);
      follow();
    }
    frame = requestAnimationFrame(scroll);
  };
  frame = requestAnimationFrame(scroll);

  const ended = new AbortController();
  const options = { signal: ended.signal };
  const end = isDropped => {
    ended.abort();
    cancelAnimationFrame(frame);
    item.classList.remove('dragged');
    for (const other of items) other.style.transform = '';
    if (isDropped && isMoved && to !== from) move(from, to);
  };
  handle.addEventListener('pointermove', moved => {
    pointer = moved.clientY;
    follow();
  }, options);
  handle.addEventListener('pointerup', () => end(true), options);
  handle.addEventListener('pointercancel', () => end(false), options);
  addEventListener('keydown', pressed => {
    if (pressed.key === 'Escape') end(false);
  }, options);
}

/** Returns a list in which one entry has another place. */
export function moved(list, from, to) {
  const other = list.filter((_, place) => place !== from);
  other.splice(to, 0, list[from]);
  return other;
}
