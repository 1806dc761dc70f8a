// Media types of bodies and parts, as they are sent: `node media.mjs PACKAGE`.

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const client = await import(pathToFileURL(`${folder}/index.js`));
const sent = [];
const api = client.connect({
  server: 'https://service.example',
  fetch: async (url, init) => {
    sent.push(new Request(url, init));
    return new Response(null, { status: 204 });
  },
});

// Of several ranges, the one that has the type encodes the body.
const bytes = new Uint8Array([65, 66]);
await client.sendRanges(api, { contentType: 'image/png', body: bytes });
assert.equal(sent[0].headers.get('content-type'), 'image/png');
assert.deepEqual([...new Uint8Array(await sent[0].arrayBuffer())], [65, 66]);
await client.sendRanges(api, { contentType: 'application/vnd.x+json; v=1', body: { a: 1 } });
assert.equal(sent[1].headers.get('content-type'), 'application/vnd.x+json; v=1');
assert.equal(await sent[1].text(), '{"a":1}');

// A part has one type: its own, or the first of those that the document allows. A range is none.
await client.sendParts(api, { body: { several: bytes, range: bytes } });
await client.sendParts(api, { body: { several: new Blob(['x'], { type: 'image/jpeg' }), range: new Blob(['x'], { type: 'image/gif' }) } });
const types = async request => [...(await request.text()).matchAll(/Content-Type: (.*)\r\n/g)].map(([, type]) => type);
assert.deepEqual(await types(sent[2]), ['image/png', 'application/octet-stream']);
assert.deepEqual(await types(sent[3]), ['image/jpeg', 'image/gif']);
console.log('done');
