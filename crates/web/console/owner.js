// Whose tab this is: what the tab keeps is for one person in one account, and nobody else sees it.

/** Under this name the tab knows whose it is. */
const OWNER = 'frontdesk.owner';
/** What people have written is kept under names that begin with this. */
const DRAFTS = 'frontdesk.draft.';

/** Returns the name under which the tab keeps something that is being written. */
export function draftKey(name) {
  return `${DRAFTS}${name}`;
}

/** Forgets what somebody was writing. */
export function forget() {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith(DRAFTS)) sessionStorage.removeItem(name);
  }
}

/**
 * Makes the tab that of a person in an account. What it keeps of another one is forgotten.
 *
 * @param {any} session
 * @returns {boolean} Whether it was theirs, or nobody's.
 */
export function own({ person, account }) {
  const owner = `${person.person_id} ${account.account_id}`;
  const before = sessionStorage.getItem(OWNER);
  if (before === owner) return true;
  sessionStorage.setItem(OWNER, owner);
  if (before === null) return true;
  forget();
  return false;
}
