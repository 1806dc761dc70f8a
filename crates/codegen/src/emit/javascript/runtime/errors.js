// Errors of calls, and what they say of a response.

/** The values of a body that are text, from the places where services put them. */
function texts(body, ...places) {
  const found = [];
  for (const place of places) {
    let value = body;
    for (const member of place.split('.')) {
      value = value !== null && typeof value === 'object' && Object.hasOwn(value, member) ? value[member] : undefined;
    }
    if (typeof value === 'string' && value !== '') found.push(value);
  }
  return found;
}

/** Returns the seconds of `Retry-After`. A date counts from the service's own clock, its `Date` header. */
export function retryAfter(headers) {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  // `Date.parse` takes `1.5` for a day of January.
  if (!/^[a-z]{3}, \d/i.test(value)) return undefined;
  const [then, now] = [Date.parse(value), Date.parse(headers.get('date') ?? '')];
  return Number.isNaN(then) || Number.isNaN(now) ? undefined : Math.max(0, (then - now) / 1000);
}

/** Returns the codes by which a program recognizes an error, the most likely first. */
export function codesOf(body) {
  return texts(body, 'error', 'code', 'error.code', 'error.type', 'error.error', 'type');
}

/** The service responded with a status that is not a success of the operation. */
export class ApiError extends Error {
  constructor(answer) {
    const { status, body, headers } = answer;
    const [message] = texts(body, 'message', 'error.message', 'detail', 'title', 'error_description', 'error');
    const otherwise = status < 300 ? `the status ${status} is not a declared success of the operation` : `the service responded with status ${status}`;
    super(message ?? otherwise);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.headers = headers;
    [this.code] = codesOf(body);
    const fields = body !== null && typeof body === 'object' ? body.errors : undefined;
    this.fields = fields !== null && typeof fields === 'object' && !Array.isArray(fields) ? fields : {};
    this.requestId = headers.get('x-request-id') ?? headers.get('request-id') ?? undefined;
    this.retryAfter = retryAfter(headers);
  }
}

/** There is no response: the connection failed, or the time was over. */
export class ConnectionError extends Error {
  constructor(message, timedOut, cause) {
    super(message, { cause });
    this.name = 'ConnectionError';
    this.timedOut = timedOut;
  }
}

/** The body of a response is not what its media type says. */
export class BodyError extends Error {
  constructor(message, status, cause) {
    super(message, { cause });
    this.name = 'BodyError';
    this.status = status;
  }
}
