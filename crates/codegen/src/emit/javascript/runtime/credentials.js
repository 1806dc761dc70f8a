// Where credentials stand in a request.

import { encode } from './address.js';

/** `Authorization: Bearer …`. */
export function bearer(credential, headers) {
  headers.set('authorization', `Bearer ${credential}`);
}

/** `Authorization: Basic …`, from `{ username, password }`. */
export function basic({ username, password }, headers) {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  headers.set('authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`);
}

/** `Authorization` with another scheme. */
export function authorization(scheme) {
  return (credential, headers) => headers.set('authorization', `${scheme} ${credential}`);
}

/** A header. */
export function inHeader(name) {
  return (credential, headers) => headers.set(name, credential);
}

/** A query parameter. */
export function inQuery(name) {
  return (credential, headers, query) => query.push(`${encode(name)}=${encode(credential)}`);
}

/** A cookie. */
export function inCookie(name) {
  return (credential, headers) => {
    const others = headers.get('cookie');
    const cookie = `${name}=${credential}`;
    headers.set('cookie', others === null ? cookie : `${others}; ${cookie}`);
  };
}
