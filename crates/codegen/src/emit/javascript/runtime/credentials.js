// Where credentials stand in a request. What the caller has set in such a place stays.

import { encode } from './address.js';

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
