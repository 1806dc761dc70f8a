// What the pages use of Lit. `renew` makes one module of it. `unsafe-html` and its siblings are left out on purpose.

export { html, nothing, render, svg } from 'lit/html.js';
export { classMap } from 'lit/directives/class-map.js';
export { live } from 'lit/directives/live.js';
export { ref } from 'lit/directives/ref.js';
export { repeat } from 'lit/directives/repeat.js';
