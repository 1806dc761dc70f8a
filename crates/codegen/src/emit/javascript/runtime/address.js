// The URL of a request: servers, path templates, and query parameters in their usual style.

/** Percent-encodes a text. With `reserved`, the delimiters of URLs stay as they are. */
export function encode(text, reserved = false) {
  const encoded = encodeURIComponent(text);
  if (!reserved) return encoded;
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

/** The style `form` with `explode`: a pair of name and value for each entry. Pairs are percent-encoded. */
export function form(name, value, reserved) {
  const pair = (key, entry) => [encode(key), encode(scalar(entry, name), reserved)];
  if (Array.isArray(value)) return value.map(entry => pair(name, entry));
  if (isScalar(value)) return [pair(name, value)];
  return members(value).flatMap(([key, member]) => (Array.isArray(member) ? member : [member]).map(entry => pair(key, entry)));
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

/** Fills in the parameters of a path template. */
export function fill(template, request, styles) {
  return template.replace(/\{([^{}]*)\}/g, (_, name) => {
    const [, key, style] = styles.find(([known]) => known === name) ?? [name, name, simple];
    const value = given(request, key);
    if (value === undefined || value === null || value === '') {
      throw new TypeError(`\`${key}\` is missing, which is a part of the path`);
    }
    return style(name, value);
  });
}

/** Returns the URL of a request. */
export function address(server, path, pairs) {
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
  const query = pairs.map(([name, value]) => `${name}=${value}`).join('&');
  if (query === '') return base + path;
  return `${base}${path}${path.includes('?') ? '&' : '?'}${query}`;
}
