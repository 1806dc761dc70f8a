// Examples of code for the customer's own server, in the language that was chosen.

import { html } from '../../../vendor/lit/lit.js';
import { code, lines } from './parts.js';

/** Where it is kept which language somebody reads. */
const KEPT = 'frontdesk.language';

/**
 * @param {import('../../main.js').Context} context
 * @param {{ title: string, text: string, label: string, copyLabel: string, code: Record<string, string> }} shown
 */
export function examples(context, { title, text, label, copyLabel, code: languages }) {
  const names = Object.keys(languages);
  const kept = localStorage.getItem(KEPT) ?? '';
  let chosen = names.includes(kept) ? kept : names[0];
  const choose = name => {
    chosen = name;
    localStorage.setItem(KEPT, name);
    context.draw();
  };
  return {
    view: (fill = (/** @type {string} */ example) => example) => html`
      <h2>${title}</h2>
      <p class="lead">${text}</p>
      <div class="filter" role="group" aria-label=${label}>
        ${names.map(name => html`<button type="button" aria-pressed=${name === chosen} @click=${() => choose(name)}>${name}</button>`)}
      </div>
      ${code(context, fill(languages[chosen]), copyLabel)}`,
  };
}

/** Verifies an event according to Standard Webhooks. */
export const VERIFYING = {
  'Node.js': lines(
    '// npm install express standardwebhooks',
    `import express from 'express';`,
    `import { Webhook } from 'standardwebhooks';`,
    '',
    'const webhook = new Webhook(process.env.WEBHOOK_SECRET); // whsec_…',
    '',
    'express()',
    `  .post('/frontdesk', express.raw({ type: 'application/json' }), (request, response) => {`,
    '    let event;',
    '    try {',
    '      event = webhook.verify(request.body.toString(), request.headers);',
    '    } catch {',
    '      return response.sendStatus(400);',
    '    }',
    '    console.log(event.type, event.id, event.data);',
    '    response.sendStatus(204);',
    '  })',
    '  .listen(3000);',
  ),
  Python: lines(
    '# pip install flask standardwebhooks',
    'import os',
    '',
    'from flask import Flask, abort, request',
    'from standardwebhooks.webhooks import Webhook',
    '',
    'app = Flask(__name__)',
    'webhook = Webhook(os.environ["WEBHOOK_SECRET"])  # whsec_…',
    '',
    '@app.post("/frontdesk")',
    'def frontdesk():',
    '    try:',
    '        event = webhook.verify(request.data, dict(request.headers))',
    '    except Exception:',
    '        abort(400)',
    '    print(event["type"], event["id"], event["data"])',
    '    return "", 204',
  ),
  PHP: lines(
    '<?php // without a library',
    `$body = file_get_contents('php://input');`,
    `$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';`,
    `$time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';`,
    `$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));`,
    `$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));`,
    '',
    '$isSigned = false;',
    `foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {`,
    '    if (hash_equals($expected, $signature)) $isSigned = true;',
    '}',
    'if (!$isSigned || abs(time() - (int) $time) > 300) {',
    '    http_response_code(400);',
    '    exit;',
    '}',
    '$event = json_decode($body, true);',
    `error_log($event['type'] . ' ' . $event['id']);`,
    'http_response_code(204);',
  ),
};

/** Signs the token of a visitor. HOSTNAME is replaced by that of the domain. */
export const SIGNING = {
  'Node.js': lines(
    '// npm install jsonwebtoken',
    `import jwt from 'jsonwebtoken';`,
    '',
    'export function visitorToken(user) {',
    '  return jwt.sign(',
    '    { email: user.email, name: user.name },',
    '    process.env.FRONTDESK_SECRET,',
    `    { algorithm: 'HS256', subject: String(user.id), audience: 'HOSTNAME', expiresIn: '1h' },`,
    '  );',
    '}',
  ),
  Python: lines(
    '# pip install pyjwt',
    'import os',
    'import time',
    '',
    'import jwt',
    '',
    'def visitor_token(user):',
    '    now = int(time.time())',
    '    claims = {',
    '        "sub": str(user.id), "aud": "HOSTNAME", "iat": now, "exp": now + 3600,',
    '        "email": user.email, "name": user.name,',
    '    }',
    '    return jwt.encode(claims, os.environ["FRONTDESK_SECRET"], algorithm="HS256")',
  ),
  PHP: lines(
    '<?php // composer require firebase/php-jwt',
    'use Firebase\\JWT\\JWT;',
    '',
    'function visitorToken(object $user): string',
    '{',
    '    $claims = [',
    `        'sub' => (string) $user->id, 'aud' => 'HOSTNAME', 'iat' => time(), 'exp' => time() + 3600,`,
    `        'email' => $user->email, 'name' => $user->name,`,
    '    ];',
    `    return JWT::encode($claims, getenv('FRONTDESK_SECRET'), 'HS256');`,
    '}',
  ),
};
