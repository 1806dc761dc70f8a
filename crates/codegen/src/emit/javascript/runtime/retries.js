// When requests are sent again, and after which delay.

import { retryAfter } from './errors.js';

/** The delay before the first retry in milliseconds, which doubles with each further one. */
const BASE_DELAY = 500;
/** The longest delay in milliseconds that the client chooses by itself. */
const LONGEST_DELAY = 30_000;
/**
 * The longest delay in milliseconds that a response may ask for; one that asks for more ends the call.
 * Requests are usually counted by the minute, so a client that has used up its minute may have to wait 60 s.
 */
const LONGEST_ASKED = 60_000;
/** Methods whose requests have the same effect when they are sent twice (RFC 9110, section 9.2.2). */
const IDEMPOTENT = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'];

/** The header by which a service recognizes a request that it has processed. */
export const KEY = 'idempotency-key';

/** Whether a request may be sent again although the service may have processed it. */
export function isRepeatable(method, headers) {
  return IDEMPOTENT.includes(method) || headers.has(KEY);
}

/** Returns a delay of which the upper half is random, so that clients that failed together do not retry together. */
export function backoff(attempt) {
  const full = Math.min(BASE_DELAY * 2 ** attempt, LONGEST_DELAY);
  return full / 2 + (full / 2) * Math.random();
}

/** Returns the delay before the request is sent again, or nothing if the response is final. `key` is for operations with keys. */
export async function delayAfter(response, attempt, repeatable, key) {
  const { status, headers } = response;
  const again = status === 429
    || (repeatable && [408, 500, 502, 503, 504].includes(status))
    || (status === 409 && await key?.isInProgress(response));
  if (!again) return undefined;
  const seconds = retryAfter(headers);
  if (seconds === undefined) return backoff(attempt);
  return seconds * 1000 <= LONGEST_ASKED ? seconds * 1000 : undefined;
}
