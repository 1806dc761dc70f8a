// Addresses of the console: paths below `/console`, which can be reloaded, kept and opened in another tab, and links with a token.

import { root } from './service.js';

const base = new URL('console', root).pathname;

/** Kinds of links with a token behind `#`, where servers do not see it. */
const LINKS = ['setup', 'invite', 'reset', 'link'];
/** Where the token of this tab is until it has been used, so that a reload does not lose it. */
const KEPT = 'frontdesk.link';

/** Returns the address of a page. */
export function path(name = '') {
  return name === '' ? base : `${base}/${name}`;
}

/** Returns the path of the present address, as `path` takes it. */
export function name() {
  return location.pathname.slice(base.length).replace(/^\/|\/$/g, '');
}

/** Decodes a segment of a path. One that is not encoded well stays as it is, and is not found. */
export function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Takes the token of a link out of the address, where others could read it, or the one that this tab has kept.
 *
 * @returns {{ kind: string, token: string } | undefined}
 */
export function takeLink() {
  const [, kind, token] = /^#([a-z]+)=(.+)$/.exec(location.hash) ?? [];
  if (LINKS.includes(kind)) {
    history.replaceState(null, '', location.pathname + location.search);
    sessionStorage.setItem(KEPT, JSON.stringify({ kind, token: decoded(token) }));
  }
  // Links lead to the start page. Whoever has gone on to another page does not want it any more.
  const kept = location.pathname === base ? sessionStorage.getItem(KEPT) : null;
  return kept === null ? undefined : JSON.parse(kept);
}

/** Forgets the token: it was used, or is no longer wanted. */
export function dropLink() {
  sessionStorage.removeItem(KEPT);
}

/** Returns the path of a link within the console that a click follows, or nothing if the browser is to follow it. */
export function followed(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target.closest?.('a[href]');
  if (!link || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return undefined;
  if (link.hash !== '' && link.pathname === location.pathname) return undefined;
  return link.pathname === base || link.pathname.startsWith(`${base}/`) ? link.pathname + link.search : undefined;
}
