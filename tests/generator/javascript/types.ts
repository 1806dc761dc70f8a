// Uses of a generated package that the compiler has to take, and uses that it has to refuse.

import { ApiError, connect, createChatbot, deleteTag, getChatbot, listContacts, receive, sendMessage, streamMessage, uploadFile, type Chatbot, type WebhookEvent } from './client/index.js';
import { updateChatbot } from './client/chatbots.js';

const api = connect({ apiKey: async () => 'key', retries: 2, timeout: 30_000 });

export async function calls(signal: AbortSignal): Promise<void> {
  const body = { name: 'Help', business_name: 'Acme', training_urls: ['https://acme.example'] };
  const bot = await createChatbot(api, { body });
  const id: string = bot.chatbot_id;
  const read = await getChatbot(api, { chatbot_id: id }).result();
  if (read.ok) {
    const status: 200 = read.status;
    const chatbot: Chatbot = read.body;
    console.log(status, chatbot.status === 'ready', chatbot.status === 'a later value');
  } else if (read.status === 404) {
    const message: string = read.body.message;
    console.log(message);
  }
  const { body: answer, headers } = await sendMessage(api, { chatbot_id: id, body: { message: 'Hi' } }, { signal }).response();
  console.log(answer.response, headers.get('x-request-id'));
  for await (const event of streamMessage(api, { chatbot_id: id, body: { message: 'Hi' } })) {
    if (event.type === 'text') console.log(event.text.length);
  }
  for await (const contact of listContacts(api, { q: 'jo' }).items()) console.log(contact.contact_id);
  const nothing: undefined = await deleteTag(api, { chatbot_id: id, tag_id: id });
  console.log(nothing);
  await uploadFile(api, { chatbot_id: id, body: { file: new Blob(['a']), title: 'Prices' } });
  try {
    await updateChatbot(api, { chatbot_id: id, body: {} });
  } catch (error) {
    if (error instanceof ApiError) console.log(error.code, error.fields['name']?.[0], error.retryAfter);
  }
  const event: WebhookEvent = await receive('whsec_x', new Headers(), '{}');
  if (event.type === 'lead.created') console.log(event.data.contact);

  // @ts-expect-error: the body is required.
  await createChatbot(api, {});
  // @ts-expect-error: there is no such member.
  await createChatbot(api, { body: { ...body, nmae: 'x' } });
  // @ts-expect-error: a required member is missing.
  await createChatbot(api, { body: { name: 'x' } });
  // @ts-expect-error: names are those of the interface.
  await getChatbot(api, { chatbotId: id });
  // @ts-expect-error: there is no such scheme.
  connect({ apikey: 'x' });
  // @ts-expect-error: an error has no body of the success.
  if (!read.ok) console.log(read.body.chatbot_id);
  // @ts-expect-error: a plain list is not iterated itself.
  for await (const contact of listContacts(api)) console.log(contact);
}
