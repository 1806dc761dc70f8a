// Connections and calls: one request with its retries, and the ways to look at its response.

import { address, fill, form, given } from './address.js';
import { discard, readAny, readNothing } from './bodies.js';
import { ApiError, BodyError, ConnectionError } from './errors.js';
import { Limit } from './limit.js';
import { KEY, backoff, delayAfter, isRepeatable, newKey } from './retries.js';

/** The time of a call in milliseconds, if none is given. */
const TIMEOUT = 60_000;
/** The number of retries, if none is given. */
const RETRIES = 2;

/** Whether the code runs in a browser, in a page or in one of its workers. Workers on servers have no location. */
function isInBrowser() {
  const { window, WorkerGlobalScope, location, Deno } = globalThis;
  if (window?.document !== undefined) return true;
  return Deno === undefined && WorkerGlobalScope !== undefined && location !== undefined;
}

/** Connects with a service. `described` is what the document says of its servers and security schemes. */
export function connectTo(options, described) {
  const server = options.server ?? described.server;
  if (server === undefined) throw new TypeError('`server` is missing: the URL of the service');
  const schemes = new Map();
  for (const [scheme, option, place, serverOnly] of described.schemes) {
    const credential = given(options, option);
    if (credential !== undefined && serverOnly && isInBrowser() && !options.allowInBrowser) {
      throw new TypeError(`\`${option}\` is for servers only: everybody who opens the page could read it. `
        + 'Call your own server, or set `allowInBrowser` if the page is not public.');
    }
    schemes.set(scheme, { option, place, credential });
  }
  const variables = options.variables ?? {};
  const filled = server.replace(/\{([^{}]*)\}/g, (whole, name) => {
    const [, value] = described.variables.find(([known]) => known === name) ?? [];
    return given(variables, name) ?? value ?? whole;
  });
  const api = {
    server: filled,
    isOwnServer: options.server !== undefined,
    headers: options.headers,
    retries: options.retries ?? RETRIES,
    timeout: options.timeout ?? TIMEOUT,
    fetch: options.fetch,
    init: options.init,
  };
  // Whoever prints a connection does not mean its secrets.
  Object.defineProperty(api, 'schemes', { value: schemes });
  return Object.freeze(api);
}

/** A promise of the body, with other ways to look at the response. */
export class Call {
  #api; #request; #options; #operation; #exchange; #result;

  constructor(api, request, options, operation) {
    this.#api = api;
    this.#request = request ?? {};
    this.#options = options ?? {};
    this.#operation = operation;
    this.#exchange = exchange(api, this.#request, this.#options, operation);
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

  /** The same call with other parameters, or another URL. */
  again(request, overrides) {
    return new Call(this.#api, { ...this.#request, ...request }, { ...this.#options, idempotencyKey: undefined },
      { ...this.#operation, ...overrides });
  }

  /** What the call sends as a parameter. */
  given(key) {
    return given(this.#request, key);
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
async function once(api, operation, { url, headers, body }, mayRetry, attempt, limit) {
  const isStream = typeof ReadableStream !== 'undefined' && body instanceof ReadableStream;
  const own = new Headers(headers);
  const query = await authorize(api, operation, own, url, limit);
  const { method } = operation;
  const repeatable = (operation.idempotent === true || isRepeatable(method, own)) && !isStream;
  // A redirection would take credentials in headers of their own to whatever host it names.
  const init = { redirect: 'manual', ...api.init, method, headers: own, body, signal: limit.signal };
  if (isStream) init.duplex = 'half';
  const fetch = api.fetch ?? globalThis.fetch;
  let response;
  try {
    response = await fetch(query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`, init);
  } catch (cause) {
    if (!repeatable || !mayRetry || limit.signal.aborted) throw limit.explain(cause);
    return backoff(attempt);
  }
  if (response.type === 'opaqueredirect') {
    throw new ConnectionError('the service redirects to another address, which the client does not follow', false);
  }
  const delay = mayRetry && !isStream
    ? await delayAfter(response, attempt, repeatable, own.has(KEY))
    : undefined;
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
  const cookies = pairs(operation.cookies, request);
  if (cookies.length > 0) headers.set('cookie', cookies.map(([name, value]) => `${name}=${value}`).join('; '));
  let body;
  const content = operation.body === undefined ? undefined : given(request, 'body');
  if (content !== undefined && ['GET', 'HEAD'].includes(operation.method)) {
    throw new TypeError(`\`fetch\` sends no body with ${operation.method}`);
  }
  if (content !== undefined) {
    let send = operation.body;
    let type = operation.type;
    if (Array.isArray(send)) {
      type = given(request, 'contentType') ?? send[0][0];
      send = (send.find(([known]) => known === type) ?? send.find(([known]) => known.includes('*')) ?? send[0])[1];
    }
    if (type !== undefined && !type.includes('*')) headers.set('content-type', type);
    body = send(content, headers);
  }
  for (const [name, value] of new Headers(options.headers)) headers.set(name, value);
  const key = options.idempotencyKey ?? (operation.key && !headers.has(KEY) ? newKey() : undefined);
  if (key !== undefined) headers.set(KEY, key);
  if (operation.url !== undefined) return { url: operation.url, headers, body };
  const server = options.server ?? (api.isOwnServer ? api.server : within(api.server, operation.server));
  const path = fill(operation.path, request, operation.segments ?? []);
  return { url: address(server, path, pairs(operation.query, request)), headers, body };
}

/** The server of an operation, which may be relative to that of the document, and both to the page. */
function within(base, server) {
  if (server === undefined) return base;
  return URL.canParse(server, base) ? new URL(server, base).href : server;
}

/** Query parameters or cookies as pairs of name and value. */
function pairs(parameters, request) {
  return (parameters ?? []).flatMap(parameter => {
    const [name, key, style, reserved] = typeof parameter === 'string' ? [parameter, parameter] : parameter;
    const value = given(request, key);
    return value === undefined ? [] : (style ?? form)(name, value, reserved);
  });
}

/** Adds the credentials that the operation requires. Returns those of the query. What the caller has set stays. */
async function authorize({ schemes }, operation, headers, url, limit) {
  const isMet = name => {
    const scheme = schemes.get(name);
    return scheme !== undefined && (scheme.credential !== undefined || scheme.place.isSet(headers, url));
  };
  const alternatives = operation.security ?? [];
  const complete = alternatives.filter(names => names.every(isMet));
  const chosen = complete.find(names => names.length > 0) ?? complete[0];
  if (chosen === undefined) {
    if (alternatives.length === 0 || headers.has('authorization')) return '';
    const names = alternatives.map(names => names.map(name => `\`${name}\``).join(' and ')).join(', or ');
    throw new TypeError(`the operation needs credentials that \`connect\` was not given: ${names}`);
  }
  const query = [];
  for (const name of chosen) {
    const { option, place, credential } = schemes.get(name);
    if (place.isSet(headers, url)) continue;
    const value = typeof credential === 'function' ? await limit.within(credential()) : credential;
    if (value === undefined || value === null) {
      throw new TypeError(`the credential \`${option}\` is ${value}: \`connect\` was given none, or its function returned none`);
    }
    try {
      place.attach(value, headers, query);
    } catch {
      // The error of `fetch` has the credential in it, which would be logged.
      throw new TypeError(`the credential \`${option}\` cannot be sent: it has characters that a header must not have`);
    }
  }
  return query.join('&');
}
