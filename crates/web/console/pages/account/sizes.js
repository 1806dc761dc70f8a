// Sizes of what is stored.

import { count } from '../../format.js';

/** Returns a size, such as "46.5 MB". */
export function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let rest = value;
  let unit = 0;
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${count(unit === 0 || rest >= 100 ? Math.round(rest) : Math.round(rest * 10) / 10)} ${units[unit]}`;
}
