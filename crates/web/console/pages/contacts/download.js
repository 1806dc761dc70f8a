// Files that are made in the page.

/** Saves a text as a file. */
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers begin a download after the click is over.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Returns a text as a part of the name of a file. */
export function fileName(text) {
  return text.toLowerCase().normalize('NFKD').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'frontdesk';
}

/** Returns the present day, such as `2026-11-20`, where the person is. */
export function today() {
  return dayOf(new Date());
}

/** Returns a day where the person is, as fields for days have it. */
export function dayOf(time) {
  const date = new Date(time);
  const two = value => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
