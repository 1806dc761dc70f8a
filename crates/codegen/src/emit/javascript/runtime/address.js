// The URL of a request: servers, path templates, and query parameters in their usual style.

/** Percent-encodes a text. `reserved` may restore what stays as it is. */
export function encode(text, reserved) {
  const encoded = encodeURIComponent(text);
  return reserved === undefined ? encoded : reserved(encoded);
}

/** Restores the delimiters of URLs in a text that was encoded. */
export function keepReserved(encoded) {
  return encoded.replace(/%(3A|2F|3F|5B|5D|40|24|2C|3B|3D)/g, escape => decodeURIComponent(escape));
}

/** Whether a value is neither a list nor an object. A `Date` is a timestamp, as it is in JSON. */
export function isScalar(value) {
  return value === null || typeof value !== 'object' || value instanceof Date;
}

/** Returns a scalar as text. */
export function scalar(value, name) {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') {
    throw new TypeError(`\`${name}\` must not hold a list or an object inside another`);
  }
  return String(value);
}

/** Members of an object that have a value. */
export function members(value) {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** The usual style of the query: a pair of name and value for each entry of a list. Pairs are percent-encoded. */
export function plain(name, value, reserved) {
  return (Array.isArray(value) ? value : [value]).map(entry => [encode(name), encode(scalar(entry, name), reserved)]);
}

/** The same for a value that may be an object: the style `form` with `explode`. */
export function exploded(name, value, reserved) {
  if (Array.isArray(value) || isScalar(value)) return plain(name, value, reserved);
  return members(value).flatMap(([key, member]) => plain(key, member, reserved));
}

/** The style `simple` without `explode`: entries with commas between them. */
export function simple(name, value) {
  if (isScalar(value)) return encode(scalar(value, name));
  const entries = Array.isArray(value) ? value : members(value).flat();
  return entries.map(entry => encode(scalar(entry, name))).join(',');
}

/** Returns what a request says of a parameter. Names of a document may be those of every object, such as `constructor`. */
export function given(request, key) {
  return Object.hasOwn(request, key) ? request[key] : undefined;
}

/** Returns query parameters, or cookies, as pairs of name and value. */
export function pairs(parameters, request) {
  return parameters.flatMap(parameter => {
    const [name, key, style, reserved] = typeof parameter === 'string' ? [parameter, parameter] : parameter;
    const value = given(request, key);
    return value === undefined ? [] : (style ?? plain)(name, value, reserved);
  });
}

/** Fills in the parameters of a path template. */
export function fill(template, request, segments) {
  return template.replace(/\{([^{}]*)\}/g, (_, name) => {
    const [, key, style] = segments.find(([known]) => known === name) ?? [name, name];
    const value = given(request, key);
    if (value === undefined || value === null || value === '') {
      throw new TypeError(`\`${key}\` is missing, which is a part of the path`);
    }
    return style === undefined ? encode(scalar(value, name)) : style(name, value);
  });
}

/** Returns the URL of a request. */
export function address(server, path, query) {
  // A URL drops such segments, which would make it that of another operation.
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path)) {
    throw new TypeError(`\`.\` and \`..\` are not segments of a path: ${path}`);
  }
  let base = server.replace(/\/+$/, '');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(base)) {
    // `localhost:8080` would be taken for a URL with the scheme `localhost`.
    if (/^[^/]*:/.test(base)) throw new TypeError(`\`server\` must begin with \`https://\` or \`http://\`: ${server}`);
    if (globalThis.location === undefined) {
      throw new TypeError('`server` must be an absolute URL outside of a page');
    }
    base = new URL(base || '/', globalThis.location.href).href.replace(/\/+$/, '');
  }
  if (!URL.canParse(base)) throw new TypeError(`\`server\` is not a URL: ${server}`);
  // A fragment is not sent.
  path = path.replaceAll('#', '%23');
  return withQuery(base + path, query.map(([name, value]) => `${name}=${value}`));
}

/** Adds parameters to the query of a URL. */
export function withQuery(url, query) {
  return query.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}`;
}
