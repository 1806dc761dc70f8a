// Types of connections, calls and errors.

/** A connection with a service: where it is, the credentials, and how calls are made. */
export interface Api {
  readonly server: string;
  readonly retries: number;
  readonly timeout: number;
}

/** How calls are made. */
export interface ConnectionOptions {
  /** The most retries of a call; 2 by default. Only requests that are safe to repeat are sent again. */
  retries?: number;
  /** The most milliseconds of a call, with its retries and delays; 120 000 by default, `Infinity` for no limit. */
  timeout?: number;
  /** Headers of every request. */
  headers?: HeaderFields;
  /** Another `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Further options of `fetch`, such as `cache` or `credentials`. */
  init?: Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'>;
  /** Permits credentials for servers in a page. Everybody who opens the page can read them. */
  allowInBrowser?: boolean;
}

/** How one call is made. */
export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
  /** The most milliseconds of the call, with its retries. A stream of events counts until it begins. */
  timeout?: number;
  /** The most retries. */
  retries?: number;
  /** Further headers. */
  headers?: HeaderFields;
  /** The key by which the service recognizes a request that it has processed. Operations that take one get one by themselves. */
  idempotencyKey?: string;
  /** The URL of the service for this call. */
  server?: string;
}

/** Headers to send. */
export type HeaderFields = Headers | { readonly [name: string]: string } | [string, string][];

/** A credential, or where to get it before each request. A header of the caller in its place is sent instead. */
export type Credential<T = string> = T | (() => T | Promise<T>);

/** A user name with a password. */
export interface Password {
  username: string;
  password: string;
}

/** The statuses of the IANA registry. */
export type Status = Status1XX | Status2XX | Status3XX | Status4XX | Status5XX;
export type Status1XX = 100 | 101 | 102 | 103;
export type Status2XX = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
export type Status3XX = 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;
export type Status4XX =
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 421 | 422 | 423
  | 424 | 425 | 426 | 428 | 429 | 431 | 451;
export type Status5XX = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

/** Statuses of a class, but for those that the document declares by themselves. */
export type Others<Class extends number, Declared extends number> = Exclude<Class, Declared>;
/** Statuses that the document does not declare. */
export type OtherStatus<Declared extends number> = Exclude<Status, Declared>;

/** A response that the document declares as a success. */
export interface Success<S extends number, Body> {
  readonly ok: true;
  readonly status: S;
  readonly body: Body;
  readonly headers: Headers;
  readonly url: string;
}

/** Any other response. */
export interface Failure<S extends number, Body> {
  readonly ok: false;
  readonly status: S;
  readonly body: Body;
  readonly headers: Headers;
  readonly url: string;
}

/** The response of an operation that is a success. */
export type SuccessOf<R> = Extract<R, { readonly ok: true }>;

/** The body of an operation's success. */
export type BodyOf<R> = SuccessOf<R> extends { readonly body: infer Body } ? Body : never;

/** A call: a promise of the body, which is rejected with an {@link ApiError} if the response is not a success. */
export interface Call<R> extends Promise<BodyOf<R>> {
  /** The success with its status and headers; rejected with an {@link ApiError} otherwise. */
  response(): Promise<SuccessOf<R>>;
  /** Whatever the service responds; rejected only if there is no response, or none that can be read. */
  result(): Promise<R>;
  /**
   * The response of `fetch`, of which nothing is read. Use it instead of the others. The time limit ends with it;
   * `signal` still ends the reading of its body.
   */
  raw(): Promise<Response>;
}

/** A call whose success is a page of a list. */
export interface PagedCall<R, Item> extends Call<R> {
  /** The bodies of all pages, which are asked for one after the other. */
  pages(): AsyncGenerator<BodyOf<R>, void, undefined>;
  /** The entries of all pages. */
  items(): AsyncGenerator<Item, void, undefined>;
}

/** A call whose success is a stream of events. */
export interface StreamCall<R, Data> extends Call<R>, AsyncIterable<Data> {}

/** A server-sent event. */
export interface Message<Data> {
  /** The type; without one, `message` is meant. */
  readonly event: string | undefined;
  /** The last id of the stream. */
  readonly id: string | undefined;
  /** How many milliseconds to wait before connecting again. */
  readonly retry: number | undefined;
  readonly data: Data;
}

/** The events of a response, which can be read once. Iterating over it directly gives their data. */
export class EventStream<Data> implements AsyncIterable<Data> {
  private constructor();
  /** The events with their types and ids. */
  messages(): AsyncGenerator<Message<Data>, void, undefined>;
  [Symbol.asyncIterator](): AsyncGenerator<Data, void, undefined>;
}

/** Parameters of an operation that has none. */
export interface NoParameters {
  readonly [name: string]: never;
}

/** Bytes of a response. */
export type Binary = Blob;
/** A form of a response. */
export type Fields = FormData;

/** Bytes to send. */
export type Bytes = Blob | ArrayBuffer | ArrayBufferView;

/** Bytes to send as they are. A request with a stream is not sent again. */
export type ByteStream = Bytes | ReadableStream<Uint8Array>;

/** The service responded with a status that is not a success of the operation. */
export class ApiError<Body = unknown> extends Error {
  private constructor();
  /** The status of the response. */
  readonly status: number;
  /** The code by which a program recognizes the error, if the body has one. */
  readonly code: string | undefined;
  /** What is wrong with fields of the request, by their paths. */
  readonly fields: { readonly [path: string]: readonly string[] | undefined };
  /** The id of the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** How many seconds to wait before the request is sent again. */
  readonly retryAfter: number | undefined;
  readonly body: Body;
  readonly headers: Headers;
}

/** There is no response: the connection failed, or the time was over. */
export class ConnectionError extends Error {
  private constructor();
  /** Whether the time of the call was over. */
  readonly timedOut: boolean;
}

/** The body of a response is not what its media type says. */
export class BodyError extends Error {
  private constructor();
  /** The status of the response. */
  readonly status: number;
}

/** Why an event is rejected. Respond with 400 and ignore the event. */
export class WebhookError extends Error {
  private constructor();
  /** A missing or unreadable header, an event that is too old, a wrong signature, or a body that is not JSON. */
  readonly reason: 'header' | 'stale' | 'signature' | 'body';
}

/** An event on its way to be verified. */
export type Received<Event> = Promise<Event>;

/** The secret that sender and receiver share, as `whsec_…`; several while one replaces the other. */
export type WebhookSecret = string | readonly string[];

/** The headers of a received request: those of `fetch` or of Node. */
export type WebhookHeaders = Headers | { readonly [name: string]: string | readonly string[] | undefined };

/** The unchanged body of a received request. */
export type WebhookBody = string | Uint8Array | ArrayBuffer;

/** How an event is verified. */
export interface WebhookOptions {
  /** The most seconds between the time of an event and now; 300 by default. */
  tolerance?: number;
}
