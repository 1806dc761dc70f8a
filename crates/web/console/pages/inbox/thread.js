// One thread, beside the list of all.

export { page } from './inbox.js';
