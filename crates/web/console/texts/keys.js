// The words about keys, in English.

export const texts = {
  title: 'Keys and sound',
  page: 'On this page',
  places: 'To a page: g, then',
  everywhere: 'Everywhere',
  next: 'Next in the list',
  previous: 'Previous in the list',
  field: label => `Go to: ${label}`,
  search: 'Search on this page',
  find: 'Search everything',
  show: 'Show the keys',
  send: 'Send what you are writing',
  leave: 'Close what is open',
  off: 'Keys of one letter are switched off.',
  letters: 'Use single keys',
  lettersHint: 'They never act while you are writing. This is kept for you in this browser.',
  sound: 'Play a sound when somebody waits for an answer',
  soundHint: 'The number of those who wait is in the title of the tab.',
  test: 'Test the sound',
  played: 'That was the sound.',
  silent: 'The browser did not allow the sound. Check its settings for this site.',
};
