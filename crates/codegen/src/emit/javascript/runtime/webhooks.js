// Webhooks signed according to Standard Webhooks, verified with Web Crypto.

/** The most seconds between the time of an event and the clock of its receiver. */
const TOLERANCE = 300;

/** Why an event is rejected. Respond with 400 and ignore the event. */
export class WebhookError extends Error {
  constructor(reason, message, cause) {
    super(message, { cause });
    this.name = 'WebhookError';
    this.reason = reason;
  }
}

function decoded(text) {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0));
}

function bytesOf(body) {
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw new TypeError('the body of a webhook must be its unchanged text or bytes; an object that was parsed has lost them');
}

function header(headers, name) {
  let value;
  if (typeof headers.get === 'function') value = headers.get(name);
  else {
    const key = Object.keys(headers).find(key => key.toLowerCase() === name);
    value = key === undefined ? undefined : headers[key];
  }
  if (Array.isArray(value)) value = value[0];
  if (typeof value !== 'string' || value === '') {
    throw new WebhookError('header', `the header ${name} is missing`);
  }
  return value;
}

function key(secret) {
  let bytes;
  try {
    bytes = decoded(secret.trim().replace(/^whsec_/, ''));
  } catch (cause) {
    throw new TypeError('the secret of a webhook must be `whsec_` and base64', { cause });
  }
  if (bytes.length < 24 || bytes.length > 64) {
    throw new TypeError('the secret of a webhook must have 24 to 64 bytes');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Verifies that an event is authentic and recent. `body` is the unchanged body, as text or bytes. */
export async function verify(secret, headers, body, options = {}) {
  const keys = await Promise.all((Array.isArray(secret) ? secret : [secret]).map(key));
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => header(headers, name));
  if (!/^\d+$/.test(time)) throw new WebhookError('header', 'the header webhook-timestamp is not a number of seconds');
  const distance = Math.abs(Math.floor(Date.now() / 1000) - Number(time));
  if (distance > (options.tolerance ?? TOLERANCE)) {
    throw new WebhookError('stale', 'the time of the event is too far from now');
  }
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : bytesOf(body);
  const start = new TextEncoder().encode(`${id}.${time}.`);
  const signed = new Uint8Array(start.length + content.length);
  signed.set(start);
  signed.set(content, start.length);
  for (const signature of signatures.split(' ')) {
    // Signatures of other versions are ignored, as the specification requires.
    if (!signature.startsWith('v1,')) continue;
    let bytes;
    try {
      bytes = decoded(signature.slice(3));
    } catch {
      continue;
    }
    for (const known of keys) {
      if (await crypto.subtle.verify('HMAC', known, bytes, signed)) return;
    }
  }
  throw new WebhookError('signature', 'no signature of the event fits a secret');
}

/** Reads the body of an event. */
export function read(body) {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch (cause) {
    throw new WebhookError('body', 'the body of the event is not JSON', cause);
  }
}

/** Verifies and reads an event. */
export async function receiveEvent(secret, headers, body, options) {
  await verify(secret, headers, body, options);
  return read(body);
}
