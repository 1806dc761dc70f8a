// Connections and calls: one request with its retries, and the ways to look at its response.

import { address, fill, given, pairs } from './address.js';
import { discard, readAny, readNothing } from './bodies.js';
import { ApiError, BodyError, ConnectionError } from './errors.js';
import { Limit } from './limit.js';
import { KEY, backoff, delayAfter, isRepeatable } from './retries.js';

/** The time of a call in milliseconds, if none is given. It exceeds the longest delay between attempts. */
const TIMEOUT = 120_000;
/** The number of retries, if none is given. */
const RETRIES = 2;

/**
 * Connects with a service. Of what the document says, it gets as much as the document has: the first `server`,
 * `fill` for variables of servers, and `authorize` for credentials.
 */
export function connectTo(options, { server, fill, authorize } = {}) {
  const chosen = options.server ?? server;
  if (chosen === undefined) throw new TypeError('`server` is missing: the URL of the service');
  return Object.freeze({
    server: fill === undefined ? chosen : fill(chosen),
    isOwnServer: options.server !== undefined,
    headers: options.headers,
    retries: options.retries ?? RETRIES,
    timeout: options.timeout ?? TIMEOUT,
    fetch: options.fetch,
    init: options.init,
    authorize,
  });
}

/** A promise of the body, with other ways to look at the response. */
export class Call {
  #operation; #exchange; #result;

  constructor(api, request = {}, options = {}, operation) {
    this.#operation = operation;
    this.#exchange = exchange(api, request, options, operation);
  }

  /** The response, of which nothing is read. */
  async raw() {
    const { response, limit } = await this.#exchange;
    limit.endTime();
    return response;
  }

  /** Every response, errors too. */
  result() {
    this.#result ??= this.#exchange.then(received => answer(this.#operation, received));
    return this.#result;
  }

  /** The response if it is a success. */
  async response() {
    const result = await this.result();
    if (!result.ok) throw new ApiError(result);
    return result;
  }

  then(fulfilled, rejected) {
    return this.response().then(({ body }) => body).then(fulfilled, rejected);
  }

  catch(rejected) {
    return this.then(undefined, rejected);
  }

  finally(done) {
    return this.then().finally(done);
  }

  get [Symbol.toStringTag]() {
    return 'Call';
  }
}

/** Starts a call. */
export function call(api, request, options, operation) {
  return new Call(api, request, options, operation);
}

/** Reads a response as the document declares it. */
async function answer(operation, { response, limit, asked }) {
  if (response.bodyUsed || response.body?.locked) {
    throw new TypeError('the body of the response has already been read by means of `raw()`');
  }
  const { status, headers } = response;
  const url = response.url || asked;
  const success = operation.success.find(([declared]) => covers(declared, status));
  const read = success === undefined ? readAny : success[1] ?? readNothing;
  try {
    const body = operation.method === 'HEAD' ? await readNothing(response) : await read(response, limit);
    return { ok: success !== undefined, status, body, headers, url };
  } catch (cause) {
    await discard(response);
    throw cause instanceof BodyError ? cause : limit.explain(cause);
  } finally {
    if (!limit.isHeld) limit.release();
  }
}

/** Whether a declared status, such as 201 or `'2XX'`, is that of a response. */
function covers(declared, status) {
  if (declared === 'default') return status >= 200 && status < 300;
  return typeof declared === 'string' ? Number(declared[0]) === Math.floor(status / 100) : declared === status;
}

/** Sends a request until its response is final. */
async function exchange(api, request, options, operation) {
  const limit = new Limit(options.timeout ?? api.timeout, options.signal);
  try {
    const prepared = prepare(api, request, options, operation);
    const retries = options.retries ?? api.retries;
    for (let attempt = 0; ; attempt += 1) {
      const delay = await once(api, operation, prepared, attempt < retries, attempt, limit);
      if (typeof delay !== 'number') return { response: delay, limit, asked: prepared.url };
      await limit.sleep(delay);
    }
  } catch (error) {
    limit.release();
    throw error;
  }
}

/** Sends a request once. Returns the response, or the delay before the next attempt. */
async function once(api, operation, { url, headers, body, init }, mayRetry, attempt, limit) {
  const own = new Headers(headers);
  const target = await api.authorize?.(operation.security ?? [], own, url, limit) ?? url;
  const { method } = operation;
  // A stream is gone after the first attempt.
  const isStream = init.duplex !== undefined;
  const repeatable = (operation.idempotent === true || isRepeatable(method, own)) && !isStream;
  const fetch = api.fetch ?? globalThis.fetch;
  let response;
  try {
    // A redirection would take credentials in headers of their own to whatever host it names.
    response = await fetch(target, { redirect: 'manual', ...api.init, ...init, method, headers: own, body, signal: limit.signal });
  } catch (cause) {
    if (!repeatable || !mayRetry || limit.signal.aborted) throw limit.explain(cause);
    return backoff(attempt);
  }
  if (response.type === 'opaqueredirect') {
    throw new ConnectionError('the service redirects to another address, which the client does not follow', false);
  }
  const delay = mayRetry && !isStream ? await delayAfter(response, attempt, repeatable, operation.key) : undefined;
  if (delay === undefined || Date.now() + delay > limit.until) return response;
  await discard(response);
  return delay;
}

/** Makes what all attempts of a call have in common. */
function prepare(api, request, options, operation) {
  const headers = new Headers(api.headers);
  if (!headers.has('accept')) headers.set('accept', operation.accept ?? 'application/json');
  for (const [name, key, style] of operation.headers ?? []) {
    const value = given(request, key);
    if (value !== undefined) headers.set(name, style === undefined ? String(value ?? '') : style(name, value));
  }
  const cookies = operation.cookies?.(request);
  if (cookies) headers.set('cookie', cookies);
  const init = {};
  let body;
  const content = given(request, 'body');
  if (content !== undefined && operation.body !== undefined) {
    if (operation.type !== undefined) headers.set('content-type', operation.type);
    body = operation.body(content, headers, init, request);
  }
  for (const [name, value] of new Headers(options.headers)) headers.set(name, value);
  const key = options.idempotencyKey ?? (headers.has(KEY) ? undefined : operation.key?.create());
  if (key !== undefined) headers.set(KEY, key);
  return { url: operation.url ?? urlOf(api, request, options, operation), headers, body, init };
}

/** Returns the URL of a request. */
function urlOf(api, request, options, { server, path, segments = [], query = [] }) {
  const base = options.server ?? (api.isOwnServer ? api.server : server?.(api.server) ?? api.server);
  return address(base, fill(path, request, segments), pairs(query, request));
}
