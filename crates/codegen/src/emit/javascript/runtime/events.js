// Server-sent events (HTML standard, "Server-sent events").

import { Call } from './call.js';
import { BodyError } from './errors.js';

/** The data with which many services end a stream of JSON events. It is not JSON itself. */
const END = '[DONE]';
/** The most characters of one event. */
const LONGEST = 16 * 1024 * 1024;

/** The lines of a body. A line ends with CR, LF or both, which may come in different chunks. */
async function* lines({ body, status }) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let isAfterCr = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      // The CR at the end of a chunk has ended a line, so a LF that follows ends none.
      const parts = text.slice(isAfterCr && text.startsWith('\n') ? 1 : 0).split(/\r\n|\r|\n/);
      if (text !== '') isAfterCr = text.endsWith('\r');
      parts[0] = rest + parts[0];
      rest = parts.pop();
      yield* parts;
      if (done) return;
      if (rest.length > LONGEST) throw tooLong(status);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function tooLong(status) {
  return new BodyError('an event of the stream is too long', status);
}

/** The events of a stream. */
export class EventStream {
  #response; #limit; #parse;

  constructor(response, limit, parse) {
    this.#response = response;
    this.#limit = limit;
    this.#parse = parse;
    limit.hold();
  }

  /** Events with their type and id. */
  async *messages() {
    let [data, event, size] = [[], undefined, 0];
    let id; let retry;
    if (this.#response.body === null) {
      this.#limit.release();
      return;
    }
    if (this.#response.bodyUsed || this.#response.body.locked) {
      throw new TypeError('the events of a response can be read once: call the operation again for more');
    }
    const all = lines(this.#response);
    try {
      for await (const line of all) {
        if (line === '') {
          const text = data.join('\n');
          const isEvent = data.length > 0;
          const message = { event, id, retry, text };
          [data, event, retry, size] = [[], undefined, undefined, 0];
          if (!isEvent) continue;
          if (this.#parse !== undefined && text === END) return;
          const { text: _, ...rest } = message;
          yield { ...rest, data: this.#parse === undefined ? text : this.#parse(text) };
          continue;
        }
        const colon = line.indexOf(':');
        if (colon === 0) continue;
        const field = colon === -1 ? line : line.slice(0, colon);
        const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
        size += line.length;
        if (size > LONGEST) throw tooLong(this.#response.status);
        if (field === 'data') data.push(value);
        else if (field === 'event') event = value;
        else if (field === 'id' && !value.includes('\0')) id = value;
        else if (field === 'retry' && /^\d+$/.test(value)) retry = Number(value);
      }
    } catch (cause) {
      throw cause instanceof BodyError ? cause : this.#limit.explain(cause, 'the stream ended before it was complete');
    } finally {
      this.#limit.release();
      await all.return();
    }
  }

  /** The data of all events. */
  async *[Symbol.asyncIterator]() {
    for await (const { data } of this.messages()) yield data;
  }
}

/** A body of another kind has no events, so it would look like a stream that ended at once. */
function check(response) {
  const type = response.headers.get('content-type') ?? '';
  if (type !== '' && !/^text\/event-stream\b/i.test(type.trim())) throw new BodyError(`the response is not a stream of events but ${type}`, response.status);
}

/** Reads events whose data is JSON. */
export function readEvents(response, limit) {
  check(response);
  return new EventStream(response, limit, text => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new BodyError('the data of an event is not JSON', response.status, cause);
    }
  });
}

/** Reads events whose data is text. */
export function readTextEvents(response, limit) {
  check(response);
  return new EventStream(response, limit);
}

/** A call whose success is a stream of events, over which one can iterate directly. */
class StreamCall extends Call {
  async *[Symbol.asyncIterator]() {
    yield* await this;
  }
}

/** Starts a call whose success is a stream of events. */
export function stream(api, request, options, operation) {
  return new StreamCall(api, request, options, operation);
}
