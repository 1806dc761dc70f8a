// One conversation, beside the list of all.

export { page } from './conversations.js';
