// The time that a call has, and the signal by which its caller ends it.

import { ConnectionError } from './errors.js';

/** The longest delay of a timer in milliseconds, 24 days. A timer with a longer one fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Ends a call when its time is over or its caller has no use for it. */
export class Limit {
  #timeout; #caller; #timer;
  #controller = new AbortController();
  #timedOut = false;
  #stop = () => this.#controller.abort(this.#caller.reason);

  constructor(timeout, caller) {
    if (typeof timeout !== 'number' || !(timeout >= 0)) {
      throw new TypeError(`\`timeout\` must be a number of milliseconds, or \`Infinity\`: ${timeout}`);
    }
    this.#timeout = timeout;
    this.#caller = caller;
    /** When the time is over, in milliseconds since 1970. */
    this.until = Date.now() + timeout;
    /** Whether a stream of events ends it, rather than the call. */
    this.isHeld = false;
    if (caller?.aborted) this.#stop();
    else caller?.addEventListener('abort', this.#stop, { once: true });
    if (timeout > LONGEST_TIMER) return;
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      this.#controller.abort();
    }, timeout);
  }

  /** The signal of requests. */
  get signal() {
    return this.#controller.signal;
  }

  /** Returns the error of a call whose request, or the reading of whose response, failed. */
  explain(cause, message = 'the connection to the service failed') {
    if (this.#caller?.aborted) return this.#caller.reason;
    if (this.#timedOut) return new ConnectionError(`the call took longer than ${this.#timeout} ms`, true, cause);
    return new ConnectionError(message, false, cause);
  }

  /** Waits for a promise as long as the call has time. */
  within(promise) {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.explain(this.signal.reason));
      if (this.signal.aborted) stop();
      else this.signal.addEventListener('abort', stop, { once: true });
      Promise.resolve(promise).then(resolve, reject).finally(() => this.signal.removeEventListener('abort', stop));
    });
  }

  /** Waits for a delay as long as the call has time. */
  sleep(delay) {
    let timer;
    const over = new Promise(resolve => { timer = setTimeout(resolve, delay); });
    return this.within(over).finally(() => clearTimeout(timer));
  }

  /** Ends the limit of time. What is read from now on ends with the signal of the caller, however long it takes. */
  endTime() {
    clearTimeout(this.#timer);
  }

  /** Ends the limit of time for a stream, which calls `release` at its end. */
  hold() {
    this.endTime();
    this.isHeld = true;
  }

  /** Forgets the timer and the signal of the caller. */
  release() {
    this.endTime();
    this.#caller?.removeEventListener('abort', this.#stop);
  }
}
