// Reads CSV files in the page, as the import does: to show what is in them, and which rows were rejected.

/** What a file may have, as the interface says. */
export const MAX_BYTES = 32 * 1024 * 1024;
export const MAX_ROWS = 100_000;

/**
 * Returns the text of a file, or nothing if it is not a text. Like the import, it takes what is not UTF-8 for Windows-1252.
 *
 * @param {ArrayBuffer} bytes
 */
export function textOf(bytes) {
  const start = new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength));
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // Workbooks are archives, however their name ends.
  if (first === 0x50 && second === 0x4b) return undefined;
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    text = new TextDecoder('windows-1252').decode(bytes);
  }
  return text.includes('\0') ? undefined : text;
}

/** Returns the separator that a first line such as `sep=;` names. */
function named(line) {
  return /^"?sep=(.)[ ,;]*"?$/i.exec(line)?.[1];
}

/** Returns the separator that the first line has most often outside of quotes. */
function likely(text) {
  const line = /^[\n\r ]*((?:"[^"]*"|[^\n\r"])*)/.exec(text.slice(0, 100_000))?.[1].replace(/"[^"]*"/g, '') ?? '';
  const counts = [',', ';', '\t'].map(sign => ({ sign, found: line.split(sign).length - 1, place: line.indexOf(sign) }));
  const [best] = counts.filter(({ found }) => found > 0).sort((a, b) => b.found - a.found || a.place - b.place);
  return best?.sign ?? ',';
}

/**
 * A row: the line in which it begins, where it is in the text, and its fields.
 *
 * @typedef {{ line: number, start: number, end: number, fields: string[] }} Row
 */

/**
 * Reads the rows of a text without empty ones; the first one names the columns.
 *
 * @param {string} text
 * @returns {Generator<Row>}
 */
export function* rowsOf(text) {
  let place = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  const firstEnd = /[\n\r]|$/.exec(text)?.index ?? text.length;
  const separator = named(text.slice(place, firstEnd)) ?? likely(text.slice(place));
  if (named(text.slice(place, firstEnd)) !== undefined) {
    place = firstEnd + (text.startsWith('\r\n', firstEnd) ? 2 : 1);
    line = 2;
  }
  while (place < text.length) {
    const [start, begun] = [place, line];
    const fields = [];
    for (;;) {
      let value;
      while (text[place] === ' ') place += 1;
      if (text[place] === '"') {
        let closed = place;
        do closed = text.indexOf('"', closed + (closed === place ? 1 : 2)); while (closed !== -1 && text[closed + 1] === '"');
        const end = closed === -1 ? text.length : closed;
        value = text.slice(place + 1, end);
        line += value.match(/\r\n|\r|\n/g)?.length ?? 0;
        value = value.replaceAll('""', '"');
        place = end + 1;
      }
      const rest = place;
      while (place < text.length && text[place] !== separator && text[place] !== '\n' && text[place] !== '\r') place += 1;
      fields.push((value ?? text.slice(rest, place)).trim());
      if (text[place] !== separator) break;
      place += 1;
    }
    const end = Math.min(place, text.length);
    if (place < text.length) {
      place += text.startsWith('\r\n', place) ? 2 : 1;
      line += 1;
    }
    if (fields.some(field => field !== '')) yield { line: begun, start, end, fields };
  }
}

/** Returns a cell without the apostrophe that exports put before what a spreadsheet would take for a formula. */
export function unguarded(cell) {
  return /^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell;
}

/** Returns a line of a CSV file. */
export function lineOf(cells) {
  const cell = text => (/[",;\t\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `${cells.map(cell).join(',')}\r\n`;
}
