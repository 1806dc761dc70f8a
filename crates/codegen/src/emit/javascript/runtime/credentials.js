// Credentials, and where they stand in a request. What the caller has set in such a place stays.

import { encode, given, withQuery } from './address.js';

/** A place in the headers. `write` makes the value of a credential. */
function inPlace(name, write) {
  return {
    isSet: headers => headers.has(name),
    attach: (credential, headers) => headers.set(name, write(credential)),
  };
}

/** `Authorization: Bearer …`. */
export const bearer = inPlace('authorization', credential => `Bearer ${credential}`);

/** `Authorization: Basic …`, from `{ username, password }`. */
export const basic = inPlace('authorization', ({ username, password }) => {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
});

/** `Authorization` with another scheme. */
export function authorization(scheme) {
  return inPlace('authorization', credential => `${scheme} ${credential}`);
}

/** A header. */
export function inHeader(name) {
  return inPlace(name, credential => credential);
}

/** A query parameter. The URL of a next page often has it already. */
export function inQuery(name) {
  return {
    isSet: (headers, url) => new URL(url).searchParams.has(name),
    attach: (credential, headers, query) => query.push(`${encode(name)}=${encode(credential)}`),
  };
}

/** A cookie. */
export function inCookie(name) {
  return {
    isSet: headers => (headers.get('cookie') ?? '').split(';').some(pair => pair.trim().startsWith(`${name}=`)),
    attach: (credential, headers) => {
      const others = headers.get('cookie');
      const cookie = `${name}=${credential}`;
      headers.set('cookie', others === null ? cookie : `${others}; ${cookie}`);
    },
  };
}

/** Whether the code runs in a browser, in a page or in one of its workers. Workers on servers have no location. */
function isInBrowser() {
  const { window, WorkerGlobalScope, location, Deno } = globalThis;
  if (window?.document !== undefined) return true;
  return Deno === undefined && WorkerGlobalScope !== undefined && location !== undefined;
}

/** Refuses a credential for servers in a page, unless the options permit it. */
export function serverOnly(option, { allowInBrowser }) {
  if (!isInBrowser() || allowInBrowser) return;
  throw new TypeError(`\`${option}\` is for servers only: everybody who opens the page could read it. `
    + 'Call your own server, or set `allowInBrowser` if the page is not public.');
}

/** Returns what adds credentials to requests. A scheme has a name, an option, a place, and maybe a check of the option. */
export function authorizer(options, described) {
  // Whoever prints a connection does not mean its secrets, so they are in no member of it.
  const schemes = new Map();
  for (const [scheme, option, place, check] of described) {
    const credential = given(options, option);
    if (credential !== undefined) check?.(option, options);
    schemes.set(scheme, { option, place, credential });
  }
  return (alternatives, headers, url, limit) => authorize(schemes, alternatives, headers, url, limit);
}

/** Adds the credentials that an operation requires. Returns the URL with those of the query. */
async function authorize(schemes, alternatives, headers, url, limit) {
  const isMet = name => {
    const scheme = schemes.get(name);
    return scheme !== undefined && (scheme.credential !== undefined || scheme.place.isSet(headers, url));
  };
  const complete = alternatives.filter(names => names.every(isMet));
  const chosen = complete.find(names => names.length > 0) ?? complete[0];
  if (chosen === undefined) {
    if (alternatives.length === 0 || headers.has('authorization')) return url;
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
  return withQuery(url, query);
}
