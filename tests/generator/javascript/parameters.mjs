// Parameters in every place and style, echoed by the service of `ok/parameters`: `node parameters.mjs PACKAGE ADDRESS`.

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

const [folder, server] = process.argv.slice(2);
const client = await import(pathToFileURL(`${folder}/index.js`));
const api = client.connect({ server, retries: 0 });

/** What arrives is what was sent. */
async function echoed(name, request) {
  const answer = await client[name](api, request);
  for (const [key, value] of Object.entries(request)) assert.deepEqual(answer[key], value, `${name}: ${key} of ${JSON.stringify(answer)}`);
}

const words = ['a b', 'c/d?', 'ü&=', 'x.y;z'];
const point = { x: 1, y: -2 };
const shapes = { list: words, exploded_list: words, object: point, exploded_object: point };
await echoed('pathScalars', {
  text: 'a/b ?#%ü', whole: -5, wide: 2 ** 40, ratio: 0.5, flag: true, id: '0199f3a2-5c41-7d08-b6e3-92f1a47c05de',
  day: '2026-01-31', color: 'red',
});
await echoed('pathSimple', shapes);
await echoed('pathLabel', { scalar: 'a.b', ...shapes });
await echoed('pathMatrix', { scalar: 'a;b', ...shapes });
await echoed('queryForm', { scalar: 'a+b c', ...shapes });
await echoed('queryDelimited', { spaces: ['a', 'b,c'], pipes: ['a b', 'c'], numbers: [1, 2] });
await assert.rejects(client.pathScalars(api, { text: '' }), /is missing, which is a part of the path/);
// A `Date` is a timestamp, as it is in JSON.
assert.equal((await client.queryForm(api, { scalar: new Date(0), ...shapes })).scalar, '1970-01-01T00:00:00.000Z');
for (const text of ['.', '..']) {
  await assert.rejects(
    client.pathScalars(api, { text, whole: 1, wide: 1, ratio: 1, flag: true, id: 'x', day: 'x', color: 'red' }),
    /not segments of a path/,
  );
}
console.log('done');
