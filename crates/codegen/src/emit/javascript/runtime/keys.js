// Keys by which a service recognizes a request that it has processed.

import { codesOf } from './errors.js';

/** Returns a UUID, which no other request has as its key. `crypto.randomUUID` exists in secure contexts only. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Whether the first request with the same key is still running. */
async function isInProgress(response) {
  try {
    return codesOf(await response.clone().json()).includes('in_progress');
  } catch {
    return false;
  }
}

/** What an operation needs that takes a key. */
export const keyed = { create: newKey, isInProgress };
