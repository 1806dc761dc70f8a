// The client for JavaScript against the service: `node client.mjs PACKAGE ADDRESS KEY`. It prints ids that the caller checks.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const [folder, server, key] = process.argv.slice(2);
const client = await import(pathToFileURL(`${folder}/index.js`));
const api = client.connect({ server, apiKey: () => key });
const unknown = '0199f3a2-5c41-7d08-b6e3-92f1a47c05de';

// A success, and a request that is repeated with its key.
const bot = await client.createChatbot(api, { body: { name: 'Help', business_name: 'Acme', training_urls: ['http://127.0.0.1:9/'], language: 'en' } });
const { chatbot_id } = bot;
const body = { name: 'Roof', color: '#ff8800' };
const tag = await client.createTag(api, { chatbot_id, body }, { idempotencyKey: 'once' });
const again = await client.createTag(api, { chatbot_id, body }, { idempotencyKey: 'once' }).response();
assert.equal(again.status, 201);
assert.equal(again.body.tag_id, tag.tag_id);
assert.equal(again.headers.get('idempotent-replayed'), 'true');

// Each kind of refusal.
const wrong = client.connect({ server, apiKey: 'sk_live_wrong' });
const refusals = [
  [client.listTags(wrong, { chatbot_id }), 401],
  [client.getTag(api, { chatbot_id, tag_id: unknown }), 404],
  [client.createTag(api, { chatbot_id, body }), 409],
  [client.createTag(api, { chatbot_id, body: { name: '' } }), 422],
  [client.createTag(api, { chatbot_id, body: { name: 'other' } }, { idempotencyKey: 'once' }), 422],
];
for (const [call, status] of refusals) {
  const result = await call.result();
  assert.deepEqual([result.ok, result.status], [false, status]);
  assert.equal(typeof result.body.message, 'string');
  await assert.rejects(call, error => error instanceof client.ApiError && error.status === status && error.requestId !== undefined);
}
await assert.rejects(client.createTag(api, { chatbot_id, body }), error => error.code === 'already_exists' && error.body.existing_id === tag.tag_id);
await assert.rejects(client.createTag(api, { chatbot_id, body: { name: '' } }), error => error.fields.name.length > 0);

// Pages.
for (let index = 0; index < 5; index += 1) {
  await client.createContact(api, { body: { email: `jo${index}@customer.example`, name: `Jo ${index}` } });
}
const contacts = [];
for await (const contact of client.listContacts(api, { limit: 2 }).items()) contacts.push(contact.email);
assert.equal(new Set(contacts).size, 5);

// A file, an answer, and the same as a stream.
const file = new File(['We open at nine. Delivery costs five pounds.\n'], 'prices.txt', { type: 'text/plain' });
const uploaded = await client.uploadFile(api, { chatbot_id, body: { file, title: 'Prices' } });
assert.equal(uploaded.title, 'Prices');
const downloaded = await client.downloadFile(api, { chatbot_id, file_id: uploaded.file_id });
assert.equal(await downloaded.text(), 'We open at nine. Delivery costs five pounds.\n');
const message = { chatbot_id, body: { message: 'What does delivery cost?' } };
const answer = await client.sendMessage(api, message);
assert.equal(typeof answer.response, 'string');
const types = [];
for await (const event of client.streamMessage(api, message)) types.push(event.type);
assert.ok(types.length > 0, `the stream has events: ${await (await client.streamMessage(api, message).raw()).text()}`);
await assert.rejects(async () => { for await (const _ of client.streamMessage(api, { ...message, chatbot_id: unknown })) assert.fail(); },
  error => error.status === 404);
assert.equal(await client.deleteTag(api, { chatbot_id, tag_id: tag.tag_id }), undefined);

// An event, as it arrives and with another body.
const arrived = new Promise(resolve => {
  const receiver = createServer((request, response) => {
    const chunks = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      receiver.close();
      resolve({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    });
  });
  receiver.listen(0, '127.0.0.1', async () => {
    const url = `http://127.0.0.1:${receiver.address().port}/`;
    globalThis.endpoint = await client.createWebhookEndpoint(api, { body: { url } });
    await client.testWebhookEndpoint(api, { webhook_endpoint_id: globalThis.endpoint.webhook_endpoint_id });
  });
});
const { headers, body: text } = await arrived;
const { secret } = globalThis.endpoint;
const event = await client.receive(secret, headers, text);
assert.equal(event.type, 'webhook.test');
await assert.rejects(client.receive(secret, headers, `${text} `), error => error.reason === 'signature');
await assert.rejects(client.receive(secret, { ...headers, 'webhook-id': 'other' }, text), error => error.reason === 'signature');
console.log('done');
