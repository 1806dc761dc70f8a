// Lists in pages, given by the service of `ok/events`: `node pages.mjs PACKAGE ADDRESS`.

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

const [folder, server] = process.argv.slice(2);
const client = await import(pathToFileURL(`${folder}/index.js`));
const api = client.connect({ server, retries: 0 });

async function all(list) {
  const found = [];
  for await (const item of list) found.push(item);
  return found;
}

const lists = ['listByCursor', 'listByNumber', 'listByOffset', 'listByLink', 'listByAddress', 'listWhole'];
for (const list of lists) {
  const names = (await all(client[list](api).items())).map(item => item.name);
  assert.deepEqual(names, ['a', 'b', 'c', 'd', 'e'], list);
}
const pages = await all(client.listByCursor(api, { limit: 2 }).pages());
assert.deepEqual(pages.map(page => page.data.length), [2, 2, 1]);
// Pages begin where the caller says, and an empty page in the midst does not end the list.
assert.deepEqual((await all(client.listByCursor(api, { after: 'gap' }).items())).map(item => item.name), ['e']);
// A cursor that is given again, and pages at another service, end with an error.
await assert.rejects(all(client.listByCursor(api, { after: 'again' }).items()), /cursor `again` again/);
await assert.rejects(all(client.listByLink(api, { from: 'away' }).items()), /at another service/);
await assert.rejects(all(client.listByAddress(api, { from: 'away' }).items()), /at another service/);
for (const list of ['listByLink', 'listByAddress']) {
  await assert.rejects(all(client[list](api, { from: 'again' }).items()), /gives itself/, list);
}
// A loop that is left early asks for no further page.
for await (const item of client.listByCursor(api).items()) {
  assert.equal(item.name, 'a');
  break;
}
// An error of a page is that of the call.
await assert.rejects(all(client.listByNumber(api, { page: 0 }).items()), error => error.status === 422);
console.log('done');
