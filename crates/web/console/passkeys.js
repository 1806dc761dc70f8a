// Passkeys: where they work, and how the browser is asked for one. Binary values are sent as Base64url.

import { beginPasskey, beginPasskeySignIn, createPasskey, getPasskeySupport, signInWithPasskey } from '../console-client/passkeys.js';
import { Cancelled, account } from './service.js';
import { passkeys as words } from './texts/passkeys.js';

/**
 * What a browser is asked: options as the standard Web Authentication has them, in JSON.
 *
 * @typedef {{ token: string, options: any }} Challenge
 */

/**
 * Returns why passkeys cannot be used on this page, and where they can.
 *
 * @returns {Promise<{ obstacle: '' | 'https' | 'address' | 'elsewhere' | 'browser', origin: string | null }>}
 */
export async function support() {
  const { status, origin } = await getPasskeySupport(account);
  const obstacle = status === 'https_required' ? 'https' : status !== 'available' ? 'address'
    : origin !== location.origin ? 'elsewhere' : window.PublicKeyCredential === undefined ? 'browser' : '';
  return { obstacle, origin };
}

/**
 * Has the browser make a passkey, and adds it.
 *
 * @param {import('./main.js').Context} context
 * @param {string} name
 * @returns {Promise<any>} The passkey, and recovery codes if it is the first second factor.
 */
export async function add(context, name) {
  /** @type {Challenge} */
  const { token, options } = await context.call(() => beginPasskey(account));
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: (options.excludeCredentials ?? []).map(known => ({ ...known, id: bytes(known.id) })),
  };
  const made = await asked(() => navigator.credentials.create({ publicKey }));
  const { clientDataJSON, attestationObject } = made.response;
  const response = {
    clientDataJSON: text(clientDataJSON),
    attestationObject: text(attestationObject),
    transports: made.response.getTransports?.() ?? [],
  };
  return context.call(() => createPasskey(account, { body: { token, name, credential: credential(made, response) } }));
}

/** Signs in with a passkey, or completes the sign-in that waits. Returns the session. */
export async function signIn() {
  /** @type {Challenge} */
  const { token, options } = await beginPasskeySignIn(account);
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    allowCredentials: (options.allowCredentials ?? []).map(known => ({ ...known, id: bytes(known.id) })),
  };
  const used = await asked(() => navigator.credentials.get({ publicKey }));
  const { clientDataJSON, authenticatorData, signature, userHandle } = used.response;
  const response = {
    clientDataJSON: text(clientDataJSON),
    authenticatorData: text(authenticatorData),
    signature: text(signature),
    ...(userHandle ? { userHandle: text(userHandle) } : {}),
  };
  return signInWithPasskey(account, { body: { token, credential: credential(used, response) } });
}

/** What is wrong with a passkey in this browser, as people read it. */
class BrowserProblem extends Error {
  status = 0;
  fields = {};
}

/**
 * Asks the browser. Somebody who has closed its window has not failed at anything.
 *
 * @param {() => Promise<any>} ask
 */
async function asked(ask) {
  try {
    return await ask();
  } catch (error) {
    // It is the same error if the person says no, if there is no passkey, and if nobody has answered.
    if (error?.name === 'NotAllowedError' || error?.name === 'AbortError') throw new Cancelled();
    if (error?.name === 'InvalidStateError') throw new BrowserProblem(words.isKnown);
    console.error(error);
    throw new BrowserProblem(words.failed);
  }
}

function credential({ id, type, authenticatorAttachment }, response) {
  const attachment = authenticatorAttachment ? { authenticatorAttachment } : {};
  return { id, rawId: id, type, response, clientExtensionResults: {}, ...attachment };
}

function bytes(base64url) {
  return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), sign => sign.charCodeAt(0));
}

function text(buffer) {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
