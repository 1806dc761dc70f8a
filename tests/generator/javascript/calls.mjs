// Retries, keys, time limits, errors, streams and signatures, with a service that follows a script: `node calls.mjs PACKAGE`.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const [folder] = process.argv.slice(2);
const client = await import(pathToFileURL(`${folder}/index.js`));

let acts = [];
let requests = [];
const service = createServer((request, response) => {
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    requests.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
    const act = acts.shift() ?? { status: 500 };
    if (act.hang) return;
    if (act.drop) { request.socket.destroy(); return; }
    response.writeHead(act.status ?? 200, act.headers ?? { 'content-type': 'application/json' });
    if (act.chunks === undefined) { response.end(act.body ?? '{}'); return; }
    const left = [...act.chunks];
    const next = () => {
      if (left.length > 0) response.write(left.shift(), () => setTimeout(next, 5));
      else if (act.cut) request.socket.destroy();
      else if (act.hangs) return;
      else response.end();
    };
    next();
  });
});
await new Promise(resolve => service.listen(0, '127.0.0.1', resolve));
const server = `http://127.0.0.1:${service.address().port}/`;
const api = client.connect({ server, apiKey: () => 'sk_live_x' });
const json = value => ({ body: JSON.stringify(value) });
const script = (...next) => { acts = next; requests = []; };
const now = { 'retry-after': '0', 'content-type': 'application/json' };
const body = { name: 'Help', business_name: 'Acme', training_urls: [] };

// An operation that takes a key gets one, and every attempt has the same.
script({ status: 503, headers: now }, { drop: true }, { status: 201, ...json({ chatbot_id: 'c' }) });
const created = await client.createChatbot(api, { body });
assert.equal(created.chatbot_id, 'c');
assert.equal(requests.length, 3);
const keys = new Set(requests.map(request => request.headers['idempotency-key']));
assert.equal(keys.size, 1);
assert.match([...keys][0], /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
assert.deepEqual(new Set(requests.map(request => request.body)), new Set([JSON.stringify(body)]));
assert.equal(requests[0].headers.authorization, 'Bearer sk_live_x');
assert.equal(requests[0].headers['content-type'], 'application/json');
// The caller's own key comes first, and another call has another key.
script({ status: 201 });
await client.createChatbot(api, { body }, { idempotencyKey: 'mine' });
assert.equal(requests[0].headers['idempotency-key'], 'mine');

// The first request with the key is still running.
script({ status: 409, ...json({ error: 'in_progress', message: 'Running.' }) }, { status: 201 });
await client.createChatbot(api, { body });
assert.equal(requests.length, 2);
script({ status: 409, ...json({ error: 'conflict', code: 'in_progress' }) }, { status: 201 });
await client.createChatbot(api, { body });
assert.equal(requests.length, 2);
// Any other conflict is final.
script({ status: 409, ...json({ error: 'plan_limit_reached', message: 'No more.' }) }, { status: 201 });
await assert.rejects(client.createChatbot(api, { body }), error => error.code === 'plan_limit_reached');
assert.equal(requests.length, 1);

// Reads are repeated after what is temporary, and after nothing else.
for (const [status, attempts] of [[408, 2], [429, 2], [500, 2], [502, 2], [503, 2], [504, 2], [501, 1], [404, 1]]) {
  script({ status, headers: now }, {});
  await client.listChatbots(api).result();
  assert.equal(requests.length, attempts, `after ${status}`);
}
// A request that is not safe to repeat is sent again only if it was refused.
for (const [status, attempts] of [[429, 2], [408, 1], [503, 1]]) {
  script({ status, headers: now }, {});
  await client.testWebhookEndpoint(api, { webhook_endpoint_id: 'w' }).result();
  assert.equal(requests.length, attempts, `after ${status}`);
}
script({ drop: true }, {});
await assert.rejects(client.testWebhookEndpoint(api, { webhook_endpoint_id: 'w' }), client.ConnectionError);
assert.equal(requests.length, 1);
// A service that asks for more patience than a call has gets no second request.
script({ status: 429, headers: { 'retry-after': '3600' } }, {});
await assert.rejects(client.listChatbots(api), error => error.status === 429 && error.retryAfter === 3600);
assert.equal(requests.length, 1);
script({ status: 429, headers: { 'retry-after': 'Sun, 06 Nov 1994 08:49:31 GMT', date: 'Sun, 06 Nov 1994 08:49:30 GMT' } }, {});
const before = Date.now();
await client.listChatbots(api);
assert.ok(Date.now() - before >= 990);
// Neither a number of seconds nor a date: `Date.parse` takes it for one.
script({ status: 503, headers: { 'retry-after': '1.5', date: 'Sun, 06 Nov 1994 08:49:30 GMT' } }, {});
const unclear = Date.now();
await client.listChatbots(api);
assert.ok(Date.now() - unclear >= 240);
script({ status: 503, headers: now }, {});
assert.equal((await client.listChatbots(api, {}, { retries: 0 }).result()).status, 503);

// Errors have what a program needs of them.
script({ status: 422, headers: { 'x-request-id': 'r-1', 'content-type': 'application/json' },
  body: JSON.stringify({ message: 'Invalid.', errors: { name: ['is too long'] } }) });
await assert.rejects(client.createChatbot(api, { body }), error => {
  assert.ok(error instanceof client.ApiError && error instanceof Error);
  assert.deepEqual([error.name, error.status, error.message, error.requestId], ['ApiError', 422, 'Invalid.', 'r-1']);
  assert.deepEqual(error.fields, { name: ['is too long'] });
  return true;
});
script({ status: 418, headers: { 'content-type': 'text/html' }, body: '<h1>no</h1>' });
const teapot = await client.listChatbots(api).result();
assert.deepEqual([teapot.ok, teapot.status, teapot.body], [false, 418, '<h1>no</h1>']);
script({ body: 'no json' });
await assert.rejects(client.listChatbots(api), client.BodyError);
script({ body: '{"a":1}' });
assert.deepEqual(await (await client.listChatbots(api).raw()).json(), { a: 1 });
await assert.rejects(client.listChatbots(client.connect({ server })), /needs credentials.*`apiKey`/);

// A body is read once.
script({});
const once = client.listChatbots(api);
await (await once.raw()).text();
await assert.rejects(once.result(), /already been read/);

// Credentials: what the caller has set stays and counts, and a function that returns none is refused.
script({}, {});
await client.listChatbots(api, {}, { headers: { authorization: 'Bearer own' } });
await client.listChatbots(client.connect({ server }), {}, { headers: { authorization: 'Bearer own' } });
assert.deepEqual(requests.map(request => request.headers.authorization), ['Bearer own', 'Bearer own']);
script({});
await assert.rejects(client.listChatbots(client.connect({ server, apiKey: () => undefined })), /credential `apiKey` is undefined/);
const patient = client.connect({ server, apiKey: () => new Promise(() => {}), timeout: 50 });
await assert.rejects(client.listChatbots(patient), error => error.timedOut);
assert.equal(requests.length, 0);
assert.doesNotMatch(inspect(client.connect({ server, apiKey: 'sk_live_x' }), { depth: 9 }), /sk_live_x/);
const runtime = name => import(pathToFileURL(`${folder}/runtime/${name}.js`));
const [{ call, connectTo }, places, { ownServer }] = [await runtime('call'), await runtime('credentials'), await runtime('servers')];
const schemes = [['h', 'h', places.inHeader('x-key')], ['q', 'q', places.inQuery('key')], ['c', 'c', places.inCookie('id')], ['b', 'b', places.basic]];
const send = (security, options, headers, query) => call(connectTo({ server, ...options }, { authorize: places.authorizer(options, schemes) }),
  { key: query }, { headers }, { method: 'GET', path: '/', query: ['key'], security, success: [[200]] });
script({}, {}, {}, {}, {});
await send([['h', 'q'], ['c']], { c: 'of-the-connection', q: 'of-the-connection' }, { 'x-key': 'own' });
await send([['q']], {}, {}, 'own');
await send([['c']], { c: 'of-the-connection' }, { cookie: 'identity=1; id=own' });
await send([[], ['c']], { c: 'of-the-connection' }, { cookie: 'identity=1' });
await send([['b']], { b: { username: 'ü', password: 'p' } }, {});
assert.deepEqual(requests.map(({ url, headers }) => [url, headers['x-key'], headers.cookie, headers.authorization]), [
  ['/?key=of-the-connection', 'own', undefined, undefined], ['/?key=own', undefined, undefined, undefined],
  ['/', undefined, 'identity=1; id=own', undefined], ['/', undefined, 'identity=1; id=of-the-connection', undefined],
  ['/', undefined, undefined, `Basic ${Buffer.from('ü:p').toString('base64')}`],
]);
await assert.rejects(send([['h', 'q']], { q: 'x' }, {}), /needs credentials.*`h` and `q`/);
await assert.rejects(client.listChatbots(client.connect({ server, apiKey: 'hidden\nkey' })), error => /`apiKey` cannot be sent/.test(error.message) && !inspect(error).includes('hidden'));
await assert.rejects(client.listChatbots(api, {}, { server: 'https://exa mple' }), /is not a URL/);
await assert.rejects(client.listChatbots(api, {}, { server: 'localhost:8080' }), /must begin with `https:/);

// A redirection is a response, and takes nothing to where it leads.
script({ status: 302, headers: { location: '/elsewhere' } }, {});
assert.deepEqual([(await client.listChatbots(api).result()).status, requests.length], [302, 1]);
script({ status: 302, headers: { location: '/elsewhere' } }, {});
await client.listChatbots(client.connect({ server, apiKey: 'sk_live_x', init: { redirect: 'follow' } }));
assert.equal(requests.length, 2);

// Time limits and signals.
script({ hang: true });
await assert.rejects(client.listChatbots(api, {}, { timeout: 50 }), error => error instanceof client.ConnectionError && error.timedOut);
const controller = new AbortController();
for (const timeout of [NaN, -1, '50']) await assert.rejects(client.listChatbots(api, {}, { timeout }), /must be a number of milliseconds/);
// Longer than timers can wait.
for (const timeout of [2 ** 31 - 1, 2 ** 31, Infinity]) {
  script({});
  await client.listChatbots(api, {}, { timeout });
}
// The signal of the caller outlives `raw()`, and is forgotten with everything else.
const kept = new AbortController();
const added = new Map();
for (const name of ['addEventListener', 'removeEventListener']) {
  const original = kept.signal[name].bind(kept.signal);
  kept.signal[name] = (type, listener, ...more) => {
    // Those of `fetch` are its own affair.
    if (new Error().stack.includes('/runtime/limit.js')) name === 'addEventListener' ? added.set(listener, true) : added.delete(listener);
    return original(type, listener, ...more);
  };
}
script({}, { headers: { 'content-type': 'text/event-stream' }, chunks: ['data: 1\n\n'] }, { status: 404 }, { chunks: ['{'], hangs: true });
await client.listChatbots(api, {}, { signal: kept.signal });
for await (const _ of client.streamMessage(api, { chatbot_id: 'c', body: { message: 'Hi' } }, { signal: kept.signal }));
await client.listChatbots(api, {}, { signal: kept.signal }).result();
assert.equal(added.size, 0);
const unread = await client.listChatbots(api, {}, { signal: kept.signal }).raw();
setTimeout(() => kept.abort(new Error('not needed')), 20);
await assert.rejects(unread.text());
script({ hang: true });
setTimeout(() => controller.abort(new Error('not needed')), 20);
await assert.rejects(client.listChatbots(api, {}, { signal: controller.signal }), /not needed/);
script({ status: 503, headers: { 'retry-after': '20' } }, {});
const waiting = client.listChatbots(api, {}, { signal: AbortSignal.timeout(30) });
await assert.rejects(waiting, error => error.name === 'TimeoutError');

// Streams: line breaks and characters that are split between chunks, comments, and an early end.
const sse = { 'content-type': 'text/event-stream' };
const euro = Buffer.from('€');
const message = { chatbot_id: 'c', body: { message: 'Hi' } };
script({ headers: sse, chunks: [
  ': hello\r\n\r', '\ndata: {"type":"text",\r', '\ndata: "text":"', euro.subarray(0, 1), euro.subarray(1), '"}\n\nid: 7\nevent: x\ndata:{"type":"done"}\r\r',
] });
const events = [];
for await (const event of client.streamMessage(api, message)) events.push(event);
assert.deepEqual(events, [{ type: 'text', text: '€' }, { type: 'done' }]);
assert.equal(requests[0].headers.accept, 'text/event-stream');
script(json({ response: 'Hi' }));
await assert.rejects(client.streamMessage(api, message), /not a stream of events but application.json/);
script({ headers: sse, chunks: ['id: 7\nevent: x\ndata: 1\n\n', 'data: [DONE]\n\n', 'data: 2\n\n'] });
const messages = [];
for await (const event of (await client.streamMessage(api, message)).messages()) messages.push(event);
assert.deepEqual(messages, [{ event: 'x', id: '7', retry: undefined, data: 1 }]);
script({ headers: sse, chunks: ['data: 1\n\n', 'data: '], cut: true });
await assert.rejects(async () => { for await (const event of client.streamMessage(api, message)) assert.equal(event, 1); }, client.ConnectionError);
script({ headers: { 'content-type': 'text/html' }, body: '<p>Sign in</p>' });
await assert.rejects(client.streamMessage(api, message), /not a stream of events but text.html/);
// A CR ends a line at once, and events are read once.
script({ headers: sse, chunks: ['data: 1\r\r'], hangs: true });
for await (const event of client.streamMessage(api, message)) { assert.equal(event, 1); break; }
script({ headers: sse, chunks: ['data: 1\n\n'] });
const twice = client.streamMessage(api, message);
for await (const event of twice) assert.equal(event, 1);
await assert.rejects(async () => { for await (const _ of twice) assert.fail(); }, /can be read once/);
// 16 MiB of one event are the most, in one chunk or in several.
const most = 16 * 1024 * 1024 - 'data: ""'.length;
for (const [size, cuts] of [[most, 1], [most, 3], [most + 1, 1], [most + 1, 3]]) {
  const text = `data: "${'x'.repeat(size)}"\n\n`;
  const chunks = Array.from({ length: cuts }, (_, index) => text.slice(index * text.length / cuts, (index + 1) * text.length / cuts));
  script({ headers: sse, chunks });
  const read = (async () => { for await (const event of client.streamMessage(api, message)) assert.equal(event.length, size); })();
  if (size === most) await read;
  else await assert.rejects(read, client.BodyError);
}
script({ status: 402, ...json({ message: 'Nothing left.' }) });
await assert.rejects(async () => { for await (const _ of client.streamMessage(api, message)) assert.fail(); }, error => error.status === 402);
script({ headers: sse, chunks: Array.from({ length: 1000 }, () => 'data: 1\n\n') });
for await (const event of client.streamMessage(api, message)) { assert.equal(event, 1); break; }
// The reason of the caller is the error, whatever it is.
const own = new AbortController();
script({ headers: sse, chunks: ['data: 1\n\n'], hangs: true });
await assert.rejects(async () => {
  for await (const _ of client.streamMessage(api, message, { signal: own.signal })) own.abort(new RangeError('enough'));
}, error => error instanceof RangeError);
const stop = new AbortController();
script({ headers: sse, chunks: Array.from({ length: 1000 }, () => 'data: 1\n\n') });
await assert.rejects(async () => {
  for await (const _ of client.streamMessage(api, message, { signal: stop.signal, timeout: 5_000 })) stop.abort(new DOMException('stop', 'AbortError'));
}, error => error.name === 'AbortError');

// Webhooks: the example of the specification's reference implementations, and what differs from it.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const event = JSON.stringify({ type: 'lead.created', id: 'e' });
const signed = (text, time = Math.floor(Date.now() / 1000), known = secret) => {
  const key = Buffer.from(known.slice(6), 'base64');
  const signature = createHmac('sha256', key).update(`msg_1.${time}.${text}`).digest('base64');
  return { 'Webhook-Id': 'msg_1', 'webhook-timestamp': String(time), 'webhook-signature': `v1a,x v1,AAAA v1,${signature}` };
};
const reason = expected => error => error instanceof client.WebhookError && error.reason === expected;
assert.equal((await client.receive(secret, signed(event), event)).type, 'lead.created');
assert.equal((await client.receive(secret, new Headers(signed(event)), new TextEncoder().encode(event))).type, 'lead.created');
const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
assert.equal((await client.receive([other, secret], signed(event), event)).id, 'e');
await assert.rejects(client.receive(other, signed(event), event), reason('signature'));
await assert.rejects(client.receive(secret, signed(event), `${event} `), reason('signature'));
await assert.rejects(client.receive(secret, signed(event, Math.floor(Date.now() / 1000) - 302), event), reason('stale'));
await assert.rejects(client.receive(secret, signed(event, Math.floor(Date.now() / 1000) + 310), event), reason('stale'));
await assert.rejects(client.receive(secret, signed(event), JSON.parse(event)), /unchanged text or bytes/);
await assert.rejects(client.receive(secret, {}, event), reason('header'));
await assert.rejects(client.receive(secret, signed('no json'), 'no json'), reason('body'));
await assert.rejects(client.receive('whsec_c2hvcnQ=', signed(event), event), /24 to 64 bytes/);

// In a page and in its workers, credentials for servers have to be permitted; workers on servers have no location.
const inBrowser = () => client.connect({ server, apiKey: 'x' });
for (const browser of [{ window: { document: {} } }, { WorkerGlobalScope: class {}, location: new URL(server) }]) {
  Object.assign(globalThis, browser);
  assert.throws(inBrowser, /for servers only/);
  client.connect({ server, apiKey: 'x', allowInBrowser: true });
  for (const name of Object.keys(browser)) delete globalThis[name];
}
globalThis.WorkerGlobalScope = class {};
inBrowser();
delete globalThis.WorkerGlobalScope;

// Where an operation has a server of its own, it may be relative to that of the document, and both to the page.
globalThis.location = new URL('https://page.example/shop/');
for (const [base, own, url] of [
  ['/api', undefined, 'https://page.example/api/x'], ['/api', '/v2', 'https://page.example/v2/x'],
  ['/api', 'https://own.example', 'https://own.example/x'], ['https://a.example/v1', '/v2', 'https://a.example/v2/x'],
]) {
  let sent;
  const fetch = async url => { sent = url; return new Response(); };
  await call(connectTo({ fetch }, { server: base }), {}, {},
    { method: 'GET', path: '/x', server: own === undefined ? own : ownServer(own), success: [[200]] });
  assert.equal(sent, url, `${base} and ${own}`);
}
delete globalThis.location;

service.closeAllConnections();
service.close();
console.log('done');
