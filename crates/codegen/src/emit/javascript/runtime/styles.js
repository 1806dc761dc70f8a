// The styles of parameters beside the usual ones (OpenAPI, Parameter Object, "Style Values").

import { encode, isScalar, members, pairs, scalar } from './address.js';

/** Entries of a list, or names and values alternately. */
function flat(value) {
  return Array.isArray(value) ? value : members(value).flat();
}

function joined(name, value, delimiter, reserved) {
  return flat(value).map(entry => encode(scalar(entry, name), reserved).replaceAll(',', '%2C')).join(delimiter);
}

function delimited(delimiter) {
  return (name, value, reserved) => {
    if (isScalar(value)) return [[encode(name), encode(scalar(value, name), reserved)]];
    return flat(value).length === 0 ? [] : [[encode(name), joined(name, value, delimiter, reserved)]];
  };
}

/** A query parameter whose entries are joined with commas: `form` without `explode`. */
export const commas = delimited(',');
/** A query parameter whose entries are joined with spaces: `spaceDelimited`. */
export const spaces = delimited('%20');
/** A query parameter whose entries are joined with `|`: `pipeDelimited`. */
export const pipes = delimited('|');

/** A query parameter with brackets, such as `filter[size]=3`: `deepObject`. */
export function brackets(name, value, reserved) {
  return bracketed(encode(name), value, reserved);
}

function bracketed(name, value, reserved) {
  if (isScalar(value)) return [[name, encode(scalar(value, name), reserved)]];
  if (!Array.isArray(value)) {
    return members(value).flatMap(([key, member]) => bracketed(`${name}[${encode(key)}]`, member, reserved));
  }
  const isFlat = value.every(isScalar);
  return value.flatMap((entry, index) => bracketed(isFlat ? `${name}[]` : `${name}[${index}]`, entry, reserved));
}

/** A query parameter that is JSON. */
export function asJson(name, value, reserved) {
  return [[encode(name), encode(JSON.stringify(value), reserved)]];
}

/** A member of a form whose type is not known: JSON if it holds objects or lists of them. */
export function jsonIfNested(name, value, reserved) {
  if (isScalar(value)) return [[encode(name), encode(scalar(value, name), reserved)]];
  if (!Array.isArray(value) || !value.every(isScalar)) return asJson(name, value, reserved);
  return value.map(entry => [encode(name), encode(scalar(entry, name), reserved)]);
}

/** A path parameter that is JSON. */
export function simpleJson(name, value) {
  return encode(JSON.stringify(value));
}

/** A path parameter whose members are `name=value`: `simple` with `explode`. */
export function simpleExploded(name, value) {
  if (isScalar(value) || Array.isArray(value)) return isScalar(value) ? encode(scalar(value, name)) : joined(name, value, ',');
  return members(value).map(([key, member]) => `${encode(key)}=${encode(scalar(member, name))}`).join(',');
}

/** A path parameter with a dot before it: `label`. */
export function label(name, value) {
  return `.${isScalar(value) ? encode(scalar(value, name)) : joined(name, value, ',')}`;
}

/** A path parameter with a dot before each entry: `label` with `explode`. */
export function labelExploded(name, value) {
  if (isScalar(value)) return label(name, value);
  const dotless = text => encode(scalar(text, name)).replaceAll('.', '%2E');
  if (Array.isArray(value)) return value.map(entry => `.${dotless(entry)}`).join('');
  return members(value).map(([key, member]) => `.${dotless(key)}=${dotless(member)}`).join('');
}

function pair(name, value) {
  return value === '' ? `;${name}` : `;${name}=${value}`;
}

/** A path parameter as `;name=value`: `matrix`. */
export function matrix(name, value) {
  return pair(encode(name), isScalar(value) ? encode(scalar(value, name)) : joined(name, value, ','));
}

/** A path parameter as `;name=value` for each entry: `matrix` with `explode`. */
export function matrixExploded(name, value) {
  if (isScalar(value)) return matrix(name, value);
  if (Array.isArray(value)) return value.map(entry => pair(encode(name), encode(scalar(entry, name)))).join('');
  return members(value).map(([key, member]) => pair(encode(key), encode(scalar(member, name)))).join('');
}

/** A header with members as `name=value`: `simple` with `explode`. */
export function headerExploded(name, value) {
  if (isScalar(value) || Array.isArray(value)) return header(name, value);
  return members(value).map(([key, member]) => `${key}=${scalar(member, name)}`).join(',');
}

/** A header whose entries are joined with commas: `simple`. */
export function header(name, value) {
  return isScalar(value) ? scalar(value, name) : flat(value).map(entry => scalar(entry, name)).join(',');
}

/** A header that is JSON, in ASCII. */
export function headerJson(name, value) {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Cookies, as the text of their header. */
export function inCookies(parameters) {
  return request => pairs(parameters, request).map(([name, value]) => `${name}=${value}`).join('; ');
}
