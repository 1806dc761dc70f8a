// Bodies of requests and of responses: JSON, text, bytes and forms.

import { exploded, given, members } from './address.js';
import { BodyError } from './errors.js';

function typed(headers, type) {
  if (!headers.has('content-type')) headers.set('content-type', type);
}

/** Sends JSON. */
export function sendJson(value, headers) {
  typed(headers, 'application/json');
  return JSON.stringify(value);
}

/** Whether a value consists of bytes, which are sent as they are. */
export function isBytes(value) {
  return value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

function isStream(value) {
  return typeof ReadableStream !== 'undefined' && value instanceof ReadableStream;
}

/** Sends text: a string, or the bytes of a file whose encoding the service finds out. */
export function sendText(value, headers, init) {
  typed(headers, 'text/plain');
  return isBytes(value) || isStream(value) ? asIs(value, init) : String(value);
}

/** Sends bytes. The media type is that of the request, or else that of the value. */
export function sendBytes(value, headers, init) {
  typed(headers, value instanceof Blob && value.type !== '' ? value.type : 'application/octet-stream');
  return asIs(value, init);
}

function asIs(value, init) {
  // A stream is read once, and sent before its response is read.
  if (isStream(value)) init.duplex = 'half';
  return value;
}

/** Sends a form, with the styles of members that differ from the usual one. */
export function sendForm(styles = []) {
  return (value, headers) => {
    typed(headers, 'application/x-www-form-urlencoded');
    const pairs = members(value).flatMap(([name, member]) => {
      const [, style, reserved] = styles.find(([known]) => known === name) ?? [name, exploded];
      return style(name, member, reserved);
    });
    return pairs.map(([name, text]) => `${name}=${text}`).join('&');
  };
}

/** Returns the essence of a media type: what precedes its parameters. */
function essence(type) {
  return type.split(';')[0].trim().toLowerCase();
}

/** Sends one of several media types: the one that the caller names, or else the first. */
export function sendByType(forms) {
  return (value, headers, init, request) => {
    const type = given(request, 'contentType') ?? forms[0][0];
    const [, send] = forms.find(([known]) => known === type) ?? forms.find(([known]) => matches(known, essence(type))) ?? forms[0];
    if (!type.includes('*')) headers.set('content-type', type);
    return send(value, headers, init);
  };
}

/** Reads JSON. */
export async function readJson(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BodyError(`the body of the response is not JSON (${text.length} characters)`, response.status, cause);
  }
}

/** Reads text. */
export function readText(response) {
  return response.text();
}

/** Reads bytes, as a `Blob`. */
export function readBytes(response) {
  return response.blob();
}

/** Reads a form. */
export async function readForm(response) {
  const bytes = await response.blob();
  try {
    return await new Response(bytes, { headers: response.headers }).formData();
  } catch (cause) {
    throw new BodyError(`the body of the response is not a form (${bytes.size} bytes)`, response.status, cause);
  }
}

/** Frees the connection of a response that nobody reads. */
export async function discard(response) {
  // The body of a connection that failed cannot be cancelled, nor has it to be.
  await response.body?.cancel().catch(() => {});
}

/** Reads nothing. */
export async function readNothing(response) {
  await discard(response);
  return undefined;
}

function matches(pattern, type) {
  const [left, right] = pattern.toLowerCase().split('/');
  const [kind, name] = type.split('/');
  return (left === '*' || left === kind) && (right === '*' || right === undefined || right === name);
}

/** Reads one of several media types; the last reader takes what fits none. */
export function readByType(readers) {
  return (response, limit) => {
    const type = essence(response.headers.get('content-type') ?? '');
    const [, read] = readers.find(([pattern]) => matches(pattern, type)) ?? readers[readers.length - 1];
    return read(response, limit);
  };
}

/** Reads a body by its own media type: that of an error, or of a status that the document does not declare. */
export async function readAny(response) {
  const type = response.headers.get('content-type') ?? '';
  if (!/json/i.test(type)) {
    if (type === '' || /^text\/|xml/i.test(type)) return (await response.text()) || undefined;
    return response.blob();
  }
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text || undefined;
  }
}
