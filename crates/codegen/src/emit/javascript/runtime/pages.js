// Lists that come in pages.

import { given } from './address.js';
import { Call } from './call.js';

/** The value at a path of a body. */
function at(body, path) {
  let value = body;
  for (const member of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return value;
}

function entries(body, path) {
  const list = at(body, path);
  return Array.isArray(list) ? list : [];
}

/** A cursor or URL as text: services use strings or numbers. Nothing ends the list. */
function reference(value) {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}

/** Returns the URL of the page after `current`. Credentials are for the service itself, not for others that it names. */
function following(current, target) {
  const url = new URL(target, current);
  if (url.origin !== new URL(current).origin) {
    throw new Error(`the next page is at another service: ${url.origin}`);
  }
  if (url.href === current) throw new Error(`the page at ${current} gives itself as the next`);
  return url.href;
}

// The functions below return what differs in the request of the next page: its parameters, and its address.

/** A cursor in a response is a query parameter of the next request. */
export function byCursor(key, path) {
  return ({ body }, request) => {
    const cursor = reference(at(body, path));
    if (cursor !== undefined && cursor === reference(given(request, key))) {
      throw new Error(`the service gives the cursor \`${cursor}\` again`);
    }
    return cursor === undefined ? undefined : { parameters: { [key]: cursor } };
  };
}

/** A query parameter counts pages. */
export function byNumber(key, first) {
  return (answer, request, count) => (count === 0 ? undefined : { parameters: { [key]: Number(given(request, key) ?? first) + 1 } });
}

/** A query parameter counts entries. */
export function byOffset(key) {
  return (answer, request, count) => (count === 0 ? undefined : { parameters: { [key]: Number(given(request, key) ?? 0) + count } });
}

/** The target of the link with the relation `next` (RFC 8288, section 3). */
function nextLink(value) {
  for (const [, target, parameters] of value.matchAll(/<([^>]*)>((?:[^",]|"(?:\\.|[^"\\])*")*)/g)) {
    for (const [, name, quoted, plain] of parameters.matchAll(/;\s*([^\s=;]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;,]*))/g)) {
      const relations = (quoted ?? plain).toLowerCase().split(/\s+/);
      if (name.toLowerCase() === 'rel' && relations.includes('next')) return target.trim();
    }
  }
  return undefined;
}

/** The `Link` header has the URL of the next page. */
export function byLink({ headers, url }) {
  const target = nextLink(headers.get('link') ?? '');
  return target === undefined ? undefined : { address: { url: following(url, target) } };
}

/** A member of the response has the URL of the next page. */
export function byAddress(path) {
  return ({ body, url }) => {
    const target = reference(at(body, path));
    return target === undefined ? undefined : { address: { url: following(url, target), method: 'GET', body: undefined } };
  };
}

/** The list has one page. */
export function onePage() {
  return undefined;
}

/** A call whose success is the first page of a list. */
class PagedCall extends Call {
  #first; #next; #items;

  constructor(api, request, options, operation, next, items) {
    super(api, request, options, operation);
    this.#first = { api, request, options, operation };
    this.#next = next;
    this.#items = items;
  }

  /** The pages, from the one that was asked for. */
  async *pages() {
    const { api, options, operation } = this.#first;
    let { request = {} } = this.#first;
    let call = this;
    for (;;) {
      const answer = await call.response();
      yield answer.body;
      const change = this.#next(answer, request, entries(answer.body, this.#items).length);
      if (change === undefined) return;
      request = { ...request, ...change.parameters };
      // The key of the caller is that of one request.
      call = new Call(api, request, { ...options, idempotencyKey: undefined }, { ...operation, ...change.address });
    }
  }

  /** The entries of all pages. */
  async *items() {
    for await (const page of this.pages()) yield* entries(page, this.#items);
  }
}

/** Starts a call whose success is the first page of a list. */
export function paged(api, request, options, operation, next, items) {
  return new PagedCall(api, request, options, operation, next, items);
}
