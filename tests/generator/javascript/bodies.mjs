// Bodies of every kind, echoed by the service of `ok/bodies`: `node bodies.mjs PACKAGE ADDRESS`.

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

const [folder, server] = process.argv.slice(2);
const client = await import(pathToFileURL(`${folder}/index.js`));
const api = client.connect({ server, retries: 0 });

// Multipart: files with their names and types, lists as repeated parts, objects as JSON.
const picture = new File([new Uint8Array([1, 2, 3])], 'a "ü".png', { type: 'image/png' });
const uploaded = await client.upload(api, {
  body: {
    name: 'Prices', picture, attachments: [new Uint8Array([4]), new Blob(['five'], { type: 'text/plain' })],
    note: { title: 'line\nbreak' }, words: ['a', 'b, c'], count: 3,
  },
});
assert.equal(uploaded.name, 'Prices');
assert.deepEqual(uploaded.words, ['a', 'b, c']);
assert.equal(uploaded.count, 3);
assert.equal(uploaded.note.title, 'line\nbreak');
assert.equal(uploaded.files.length, 3);
console.log(JSON.stringify(uploaded.files));

const back = await client.uploadOne(api, { body: { file: new Blob(['\r\n--not a boundary\r\n']) } });
assert.ok(back instanceof Blob);
assert.equal(await back.text(), '\r\n--not a boundary\r\n');

// Text, bytes, and media types that the caller chooses.
assert.equal(await client.postText(api, { body: 'ü 😀' }), 'ü 😀');
assert.equal(await client.getPage(api), '<p>ü 😀</p>');
assert.equal(await client.postTable(api, { body: 'a,b' }), 'a,b');
const none = await client.postTable(api).result();
assert.deepEqual([none.ok, none.status, none.body], [true, 204, undefined]);
const bytes = await client.postBytes(api, { body: new Uint8Array([0, 255]) }).response();
assert.deepEqual([...new Uint8Array(await bytes.body.arrayBuffer())], [0, 255]);
assert.equal(bytes.headers.get('x-length'), '2');
const stream = new Blob(['streamed']).stream();
assert.equal(await (await client.postBytes(api, { body: stream })).text(), 'streamed');

// JSON, also where it is `null` or absent.
assert.deepEqual(await client.postJson(api, { body: { title: 'a' } }), { title: 'a' });
assert.equal(await client.postNullableJson(api, { body: null }), null);

// A refusal is an error with its body.
const refused = await client.postJson(api, { body: {} }).result();
assert.deepEqual([refused.ok, refused.status], [false, 422]);
await assert.rejects(client.postJson(api, { body: {} }), error => {
  assert.ok(error instanceof client.ApiError);
  assert.equal(error.status, 422);
  assert.ok(Object.keys(error.fields).length > 0, JSON.stringify(error.body));
  return true;
});
console.log('done');
