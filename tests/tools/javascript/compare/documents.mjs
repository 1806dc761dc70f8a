// Ten documents of the corpora, from small to large, each with the three operations that its page calls.
// Parameters are grouped by their location; `body` has only the members that its schema requires, or few more.

const get = (path, id, request = {}) => ({ method: 'GET', path, id, ...request });
const post = (path, id, body, request = {}) => ({ method: 'POST', path, id, body, ...request });
const inPath = values => ({ parameters: { path: values } });
const inQuery = values => ({ parameters: { query: values } });

export const documents = [
  ['corpus/oai-petstore.yaml', [
    get('/pets', 'listPets', inQuery({ limit: 10 })),
    get('/pets/{petId}', 'showPetById', inPath({ petId: '1' })),
    post('/pets', 'createPets', { id: 1, name: 'Rex' }),
  ]],
  ['corpus/swagger-petstore.yaml', [
    get('/pet/{petId}', 'getPetById', inPath({ petId: 1 })),
    get('/store/inventory', 'getInventory'),
    post('/pet', 'addPet', { name: 'Rex', photoUrls: [] }),
  ]],
  ['corpus-3.1/museum.yaml', [
    get('/museum-hours', 'getMuseumHours'),
    get('/special-events/{eventId}', 'getSpecialEvent', inPath({ eventId: 'dad4bce8-f5cb-4078-a211-995864315e39' })),
    post('/special-events', 'createSpecialEvent', {
      name: 'Night', location: 'Garden', eventDescription: 'Open at night', dates: ['2027-01-01'], price: 10,
    }),
  ]],
  ['corpus/typesense.yaml', [
    get('/collections', 'getCollections'),
    get('/collections/{collectionName}', 'getCollection', inPath({ collectionName: 'books' })),
    post('/collections', 'createCollection', { name: 'books', fields: [{ name: 'title', type: 'string' }] }),
  ]],
  ['corpus/oxide-nexus.json', [
    get('/v1/disks', 'disk_list', inQuery({ project: 'shop' })),
    get('/v1/instances/{instance}', 'instance_view', inPath({ instance: 'web' })),
    post('/v1/projects', 'project_create', { name: 'shop', description: 'The shop' }),
  ]],
  ['corpus-3.1/discord.json', [
    get('/channels/{channel_id}', 'get_channel', inPath({ channel_id: '1' })),
    get('/channels/{channel_id}/messages', 'list_messages', { parameters: { path: { channel_id: '1' }, query: { limit: 10 } } }),
    post('/channels/{channel_id}/followers', 'follow_channel', { webhook_channel_id: '2' }, inPath({ channel_id: '1' })),
  ]],
  ['corpus-3.1/openai.yaml', [
    get('/files', 'listFiles', inQuery({ limit: 10 })),
    post('/chat/completions', 'createChatCompletion', { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
    post('/embeddings', 'createEmbedding', { model: 'text-embedding-3-small', input: 'Hello' }),
  ]],
  ['corpus/plaid.yaml', [
    post('/item/get', 'itemGet', { access_token: 'secret' }),
    post('/accounts/get', 'accountsGet', { access_token: 'secret' }),
    post('/transactions/sync', 'transactionsSync', { access_token: 'secret' }),
  ]],
  ['corpus/stripe-2022.yaml', [
    get('/v1/charges', 'GetCharges', inQuery({ limit: 10 })),
    get('/v1/customers/{customer}', 'GetCustomersCustomer', inPath({ customer: 'cus_1' })),
    post('/v1/customers', 'PostCustomers', { name: 'Ada' }),
  ]],
  ['corpus/github-api.json', [
    get('/repos/{owner}/{repo}', 'repos/get', inPath({ owner: 'a', repo: 'b' })),
    get('/repos/{owner}/{repo}/issues', 'issues/list-for-repo', inPath({ owner: 'a', repo: 'b' })),
    post('/repos/{owner}/{repo}/issues', 'issues/create', { title: 'Broken' }, inPath({ owner: 'a', repo: 'b' })),
  ]],
];
