// Multipart bodies. They are written here rather than by `FormData`, which makes every part with a media type a file.

import { members } from './address.js';
import { isBytes } from './bodies.js';

function quoted(text) {
  return text.replace(/"/g, '%22').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function head(name, fileName, type) {
  const file = fileName === undefined ? '' : `; filename="${quoted(fileName)}"`;
  const media = type === undefined ? '' : `Content-Type: ${type.replace(/[\r\n]/g, '')}\r\n`;
  return `Content-Disposition: form-data; name="${quoted(name)}"${file}\r\n${media}\r\n`;
}

/** The first media type of a list that is no range: `image/*` says what a value may be, and is none itself. */
function concrete(types) {
  return types?.split(',').map(type => type.trim()).find(type => !type.includes('*'));
}

function part(name, value, types) {
  const type = concrete(types);
  if (isBytes(value)) {
    const own = value instanceof Blob && value.type !== '' ? value.type : undefined;
    const fileName = typeof value.name === 'string' ? value.name : 'file';
    return [head(name, fileName, own ?? type ?? 'application/octet-stream'), value];
  }
  if (value === null || typeof value === 'object' || (type !== undefined && /json/i.test(type))) {
    return [head(name, undefined, type ?? 'application/json'), JSON.stringify(value)];
  }
  return [head(name, undefined, type), String(value)];
}

/** Sends a form with files: a list as one part for each entry, an object as JSON. `types` are media types of members. */
export function sendMultipart(types = []) {
  return (value, headers) => {
    const random = crypto.getRandomValues(new Uint8Array(16));
    const boundary = `part-${Array.from(random, byte => byte.toString(16).padStart(2, '0')).join('')}`;
    const pieces = [];
    for (const [name, member] of members(value)) {
      const type = types.find(([known]) => known === name)?.[1];
      const isWhole = !Array.isArray(member) || (type !== undefined && /json/i.test(type));
      for (const entry of isWhole ? [member] : member) {
        pieces.push(`--${boundary}\r\n`, ...part(name, entry, type), '\r\n');
      }
    }
    headers.set('content-type', `multipart/form-data; boundary=${boundary}`);
    return new Blob([...pieces, `--${boundary}--\r\n`]);
  };
}
