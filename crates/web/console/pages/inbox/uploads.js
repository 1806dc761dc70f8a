// Files that are uploaded before they are sent, with how far each has got.

import { connectTo } from '../../../client/runtime/call.js';
import { uploadAttachment } from '../../../client/inbox.js';
import { problemOf, root } from '../../service.js';

/** Milliseconds that an upload may take. */
const TIMEOUT = 10 * 60_000;

/**
 * `fetch` does not say how much of a body has been sent, so uploads go by the older interface.
 *
 * @param {(share: number) => void} progress
 */
function sending(progress) {
  return (url, { method, headers, body, signal }) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.responseType = 'blob';
    for (const [name, value] of headers) request.setRequestHeader(name, value);
    request.upload.onprogress = event => { if (event.lengthComputable) progress(event.loaded / event.total); };
    request.onload = () => {
      const received = new Headers();
      for (const line of request.getAllResponseHeaders().trim().split(/\r\n/)) {
        const [name, ...rest] = line.split(': ');
        received.append(name, rest.join(': '));
      }
      resolve(new Response(request.response, { status: request.status, headers: received }));
    };
    request.onerror = () => reject(new TypeError('the upload failed'));
    request.onabort = () => reject(signal.reason);
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}

/**
 * A file that is being uploaded, or was.
 *
 * @typedef {object} Upload
 * @property {string} name
 * @property {number} size
 * @property {File} [file]
 * @property {string} [attachment_id] Once it is stored.
 * @property {number} [share] How much of it has been sent.
 * @property {import('../../service.js').Problem} [problem]
 * @property {AbortController} [left]
 */

/**
 * Uploads a file.
 *
 * @param {import('../../main.js').Context} context
 * @param {Upload} upload
 */
export async function send(context, upload) {
  upload.problem = undefined;
  upload.share = 0;
  upload.left = new AbortController();
  const fetch = sending(share => {
    upload.share = share;
    context.draw();
  });
  const api = connectTo({ server: new URL('console', root).href, timeout: TIMEOUT, retries: 0, fetch });
  try {
    const body = { file: upload.file, account_id: context.session.account.account_id };
    const stored = await context.call(() => uploadAttachment(api, { body }, { signal: upload.left.signal }));
    upload.attachment_id = stored.attachment_id;
    upload.file = undefined;
  } catch (error) {
    if (!upload.left.signal.aborted) upload.problem = problemOf(error);
  }
  upload.share = undefined;
  context.draw();
}
