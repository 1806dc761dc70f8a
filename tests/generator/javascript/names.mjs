// Names and texts that mean something in JavaScript: `node names.mjs PACKAGE`.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const client = await import(pathToFileURL(`${folder}/index.js`));
assert.equal(globalThis.broken, undefined, 'no text of a document is run');
assert.ok(!readdirSync(folder).includes('lpt1.js'), 'some systems keep the name for a printer port');
for (const name of readdirSync(folder).filter(name => /\.(js|ts)$/.test(name))) {
  const text = readFileSync(`${folder}/${name}`, 'utf8');
  assert.doesNotMatch(text, /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/, name);
  await import(pathToFileURL(`${folder}/${name.replace(/(\.d)?\.ts$/, '.js')}`));
}

let sent;
const fetch = async (url, init) => {
  sent = { url, headers: init.headers, body: init.body };
  if (!url.includes('/a/')) return new Response(null, { status: 204 });
  return new Response('{"__proto__": "x", "constructor": "y"}', { headers: { 'content-type': 'application/json' } });
};
const api = client.connect({ fetch, server_: 'key', "it's": 'k&y', variables: {} });
assert.equal(api.server, "https://a'b.example.com/it's");
const remove = client.protoDelete;
const request = {
  ['__proto__']: 'p', "it's": 'i/', id: 'x', query_id: 'q', query_body: 'b', 'a\u2028b${x}`': '1', path_id: 'h',
  body: { ['__proto__']: 'own', constructor: 'c', "it's": "a'b" },
};
const answer = await remove(api, request);
assert.ok(Object.hasOwn(answer, '__proto__') && answer.constructor === 'y');
assert.equal(sent.url, "https://a'b.example.com/it's/a/p/i%2F/x?id=q&body=b&a%E2%80%A8b%24%7Bx%7D%60=1&k'%26=k%26y");
assert.equal(sent.body, '{"__proto__":"own","constructor":"c","it\'s":"a\'b"}');
assert.deepEqual([sent.headers.get('x-key'), sent.headers.get('path_id')], ['key', 'h']);
// What is not given is not what every object has.
await assert.rejects(remove(api, { "it's": 'i', id: 'x', query_id: 'q', body: {} }), /`__proto__` is missing/);
for (const name of ['runtimeThen', 'runtimeCall', 'constructor', 'proto', 'conDefault', 'lpt1Export', 'itSX', 'üConnect', 'toString', 'größe', 'üArguments']) {
  assert.equal(typeof client[name], 'function', `${name} of ${Object.keys(client)}`);
  await client[name](api);
}
console.log('done');
