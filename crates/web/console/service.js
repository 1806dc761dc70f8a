// How pages call the service: two interfaces with the session of the browser, and what an error says to people.

import { connectTo } from '../client/runtime/call.js';
import { texts } from './texts.js';

/** Milliseconds that a request may take. */
const TIMEOUT = 30_000;

/** Where the service is: this module is below `web/HASH/console/`, also behind a proxy with a path prefix. */
export const root = new URL('../../../', import.meta.url);

// Scripts cannot read the cookie of a session. The browser adds it by itself, so these connections have no credentials.

/** Operations that only a signed-in person may do. */
export const account = connectTo({ server: root.href, timeout: TIMEOUT, retries: 0 });

/** The interface that programs use with an API key, for the person who is signed in. */
export const v1 = connectTo({ server: new URL('console', root).href, timeout: TIMEOUT, retries: 0 });

/** A person did not want to go on. Nothing is shown. */
export class Cancelled extends Error {}

/**
 * What is shown of an error.
 *
 * @typedef {object} Problem
 * @property {string} message
 * @property {Record<string, string[]>} fields The problems of fields, by the path of the field.
 * @property {string} [requestId] By which the operator finds the request in the log.
 * @property {number} [status] Absent if there was no response.
 * @property {string} [code]
 */

/**
 * Returns what an error says to people. Both interfaces have an error class of their own, so it is known by its members.
 *
 * @param {any} error
 * @returns {Problem}
 */
export function problemOf(error) {
  if (typeof error?.status !== 'number' || error.fields === undefined) {
    const isCall = error?.name === 'ConnectionError' || error?.name === 'BodyError';
    if (!isCall) console.error(error);
    return { message: !isCall ? texts.problem.page : navigator.onLine ? texts.problem.connection : texts.problem.offline, fields: {} };
  }
  const { status, code, fields, requestId, retryAfter } = error;
  const wait = status === 429 && retryAfter !== undefined ? ` ${texts.problem.wait(Math.ceil(retryAfter))}` : '';
  const message = status >= 500 ? texts.problem.service : error.message + wait;
  return { message, fields, requestId, status, code };
}
