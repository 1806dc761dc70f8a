// What programs use of the runtime beside connections and operations.

export { ApiError, BodyError, ConnectionError } from './errors.js';
export { EventStream } from './events.js';
export { WebhookError } from './webhooks.js';
