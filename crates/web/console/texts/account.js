// The words of the account itself: its settings, its data, and its end.

const days = count => (count === 1 ? '1 day' : `${count} days`);

export const words = {
  title: 'Account',
  plan: (plan, day) => `${plan}. Created on ${day}.`,
  plans: { trial: 'Trial', starter: 'Starter plan', growth: 'Growth plan', business: 'Business plan', scale: 'Scale plan' },
  name: 'Name of your business',
  nameHint: 'Your team sees it, and so does whoever you invite.',

  kept: 'How long data is kept',
  keptText: 'Older data is deleted automatically, once an hour. Leave a field empty to keep the data until somebody deletes it.',
  conversations: 'Conversations: days to keep',
  conversationsHint: count => (count === undefined
    ? 'Conversations are kept without limit.'
    : `Conversations are deleted ${days(count)} after their last message, with their questions and events. So are threads of the inbox.`),
  contacts: 'Contacts: days to keep',
  contactsHint: count => (count === undefined
    ? 'Contacts are kept without limit.'
    : `Contacts are erased ${days(count)} after they last wrote or were changed. Their deals stay, without their names.`),
  notDays: 'Enter a whole number of days from 1 to 36500, or leave the field empty.',
  shorter: 'Delete older data?',
  shorterText: 'What is older than the new number of days is deleted within the next hour. It cannot be brought back.',
  shorterAction: 'Save and delete',

  signIn: 'Sign-in',
  factor: 'Everybody needs a second factor',
  factorHint: 'Whoever has none can only add one when they next use the console. API keys are not concerned.',
  factorFirst: 'You can require a second factor of everybody once you have one yourself.',
  factorAdd: 'Add one on your profile',

  save: 'Save',
  discard: 'Discard changes',
  saved: 'The settings were saved.',

  data: 'All data of the account',
  dataText: 'A zip archive with all conversations, contacts, deals, training content and settings, and with the files that were uploaded. Each line of its text files is one entry, in JSON.',
  dataNote: 'It contains personal data of your customers. Keep it where only you can read it.',
  download: 'Download all data',
  downloading: 'Preparing the archive…',
  downloaded: 'The archive was downloaded.',

  end: 'Erase the account',
  endText: 'Closes the account, and deletes everything in it for good.',
  erase: 'Erase this account',
  question: name => `Erase ${name}?`,
  what: [
    'the chatbots with everything that they have learned, and the chat on your website;',
    'all conversations, contacts, deals, activities and files;',
    'the channels, webhooks, domains and API keys: programs that use them stop working;',
    'the access of everybody in the team, also yours.',
  ],
  whatText: 'This deletes at once:',
  only: 'Nobody can bring it back. Download all data first if you may need it.',
  confirm: name => `Type “${name}” to confirm`,
  wrong: 'This is not the name of the account. Capital letters count, too.',
  action: 'Erase for good',
};

export const erased = {
  title: 'The account is erased',
  text: name => `${name} is closed, and its data is deleted. If there was very much of it, the rest follows within minutes.`,
  backups: 'Backups that the operator of this service has made before may still contain it, until they are deleted.',
  action: 'To the sign-in',
};

export const required = {
  title: 'Add a second factor',
  lead: name => `${name} requires a second factor of everybody. You have none yet, so you cannot use the account until you have added one.`,
  signOut: 'Sign out',
};
