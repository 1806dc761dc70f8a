// Uploads of files that tell how far they have come, which `fetch` does not.

import { v1 } from '../../service.js';

/** Milliseconds that an upload may take: 25 MB over a slow line. */
export const TIMEOUT = 15 * 60_000;

/**
 * Returns the interface with uploads that tell their progress.
 *
 * @param {(part: number) => void} progressed What part of the body has been sent, from 0 to 1.
 */
export function uploading(progressed) {
  return Object.create(v1, { fetch: { value: (url, init) => send(url, init, progressed) } });
}

/** @type {(line: string) => [string, string]} */
const fieldOf = line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()];

/** Sends a request as `fetch` does. */
function send(url, { method, headers, body, signal }, progressed) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of headers) request.setRequestHeader(name, value);
    request.responseType = 'blob';
    request.upload.addEventListener('progress', ({ loaded, total }) => progressed(total > 0 ? loaded / total : 0));
    const abort = () => request.abort();
    signal?.addEventListener('abort', abort, { once: true });
    request.addEventListener('loadend', () => {
      signal?.removeEventListener('abort', abort);
      if (request.status === 0) return reject(signal?.aborted ? signal.reason : new TypeError('the upload failed'));
      const fields = request.getAllResponseHeaders().trim().split(/\r\n/).filter(Boolean).map(fieldOf);
      resolve(new Response(request.status === 204 ? null : request.response, { status: request.status, headers: fields }));
    });
    request.send(body);
  });
}
