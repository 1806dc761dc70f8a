// Servers of which a document says more than one URL.

import { given } from './address.js';

/** Fills in the variables of a URL. The document has a value for each, and the options may have another. */
export function filler(options, variables) {
  return server => server.replace(/\{([^{}]*)\}/g, (whole, name) => {
    const [, value] = variables.find(([known]) => known === name) ?? [];
    return given(options.variables ?? {}, name) ?? value ?? whole;
  });
}

/** The server of an operation, which may be relative to that of the document, and both to the page. */
export function ownServer(server) {
  return base => (URL.canParse(server, base) ? new URL(server, base).href : server);
}
