// The generators: the command that runs each, and the page that calls its client.
// All pages do the same: they call three operations and log the bodies of the responses.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const SERVER = 'https://api.example.com';

/** Returns the command that runs a script of an npm package. */
export function script(name, command) {
  const manifest = join(import.meta.dirname, 'node_modules', name, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return [process.execPath, join(dirname(manifest), bin[command])];
}

const literal = value => JSON.stringify(value);
const plain = name => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** Reads the generated modules of a folder. */
function modules(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .filter(name => name.endsWith(ending) && !name.startsWith('runtime'))
    .map(name => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}

/** Finds the exported function of an operation by the operation's id. */
function exported(all, { id }) {
  for (const { name, text } of all) {
    for (const [, found] of text.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)) {
      if (plain(found) === plain(id)) return { module: name, name: found };
    }
  }
  throw new Error(`no function for ${id}`);
}

/** Finds the function of an operation in our package, by method and path: its name may leave out the tag. */
function ours(all, { method, path }) {
  for (const { name, text } of all) {
    for (const [, found, rest] of text.matchAll(/^export function (\w+)([^]*?)^}/gm)) {
      if (rest.includes(`method: '${method}',`) && rest.includes(`path: '${path}',`)) return { module: name, name: found };
    }
  }
  throw new Error(`no function for ${method} ${path}`);
}

/** Writes the imports of functions, one line for each module. */
function imports(functions, folder) {
  const byModule = Map.groupBy(functions, ({ module }) => module);
  return [...byModule].map(([module, all]) =>
    `import { ${[...new Set(all.map(({ name }) => name))].join(', ')} } from './${join(folder, module)}';`);
}

const log = call => `console.log(${call});`;

export const tools = [
  {
    name: 'frontdesk',
    generate: (document, folder, xtask) =>
      [xtask, 'codegen', '--spec', document, '--out', folder, '--name', 'sample', '--only', 'javascript'],
    page(folder, operations) {
      const all = modules(join(folder, 'javascript'), '.js').filter(({ name }) => name !== 'index.js');
      const functions = operations.map(operation => ours(all, operation));
      return [
        "import { connect } from './frontdesk/javascript/client.js';",
        ...imports(functions, 'frontdesk/javascript'),
        `const api = connect({ server: '${SERVER}' });`,
        ...operations.map(({ parameters = {}, body }, index) => {
          const request = { ...parameters.path, ...parameters.query, body };
          return log(`await ${functions[index].name}(api, ${literal(request)})`);
        }),
      ];
    },
  },
  {
    name: 'hey-api',
    generate: (document, folder) =>
      [...script('@hey-api/openapi-ts', 'openapi-ts'), '-i', document, '-o', folder, '-c', '@hey-api/client-fetch', '--no-log-file'],
    page(folder, operations) {
      const functions = operations.map(operation => exported(modules(folder, 'sdk.gen.ts'), operation));
      return [
        "import { client } from './hey-api/client.gen';",
        ...imports(functions, 'hey-api').map(line => line.replace(".ts'", "'")),
        `client.setConfig({ baseUrl: '${SERVER}' });`,
        ...operations.map(({ parameters = {}, body }, index) =>
          log(`(await ${functions[index].name}(${literal({ ...parameters, body, throwOnError: true })})).data`)),
      ];
    },
  },
  {
    name: 'openapi-fetch',
    generate: (document, folder) =>
      [...script('openapi-typescript', 'openapi-typescript'), document, '-o', join(folder, 'api.d.ts')],
    page: (folder, operations) => [
      "import createClient from 'openapi-fetch';",
      "import type { paths } from './openapi-fetch/api';",
      `const client = createClient<paths>({ baseUrl: '${SERVER}' });`,
      ...operations.map(({ method, path, parameters, body }) =>
        log(`(await client.${method}(${literal(path)}, ${literal({ params: parameters, body })})).data`)),
    ],
  },
  {
    name: 'orval',
    generate(document, folder) {
      const config = `${folder}.config.mjs`;
      const output = { target: './orval/api.ts', client: 'fetch', mode: 'tags-split', baseUrl: SERVER };
      writeFileSync(config, `export default ${literal({ api: { input: relative(dirname(config), document), output } })};\n`);
      return [...script('orval', 'orval'), '--config', config];
    },
    page(folder, operations) {
      const functions = operations.map(operation => exported(modules(folder, '.ts'), operation));
      return [
        ...imports(functions, 'orval').map(line => line.replace(".ts'", "'")),
        ...operations.map(({ path, parameters = {}, body }, index) => {
          const segments = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameters.path[name]);
          const values = [...segments, body, parameters.query].filter(value => value !== undefined);
          return log(`(await ${functions[index].name}(${values.map(literal).join(', ')})).data`);
        }),
      ];
    },
  },
];
