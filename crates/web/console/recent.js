// What somebody has opened last. Only paths are kept, which are kinds and ids; names are read anew when they
// are shown.

const MOST = 8;
const ID = '[0-9a-f-]{36}';
/** The paths of records. What is below one, such as the settings of a chatbot, belongs to it. */
const RECORD = new RegExp(`^(?:(?:contacts|deals|inbox|chatbots|faqs)/${ID}|conversations/${ID}/${ID})(?=$|/)`);

/** Two people may share a browser, and one of them may be in several accounts. */
const nameOf = ({ account, member_id }) => `frontdesk.recent.${account.account_id}.${member_id}`;

function write(session, paths) {
  localStorage.setItem(nameOf(session), paths.slice(0, MOST).join(' '));
}

/**
 * Returns the paths of the records that were opened last, the latest first.
 *
 * @param {any} session
 */
export function recentOf(session) {
  const kept = localStorage.getItem(nameOf(session)) ?? '';
  return kept.split(' ').filter(path => RECORD.exec(path)?.[0] === path);
}

/**
 * Keeps that a page was opened, if it is that of a record.
 *
 * @param {any} session
 * @param {string} page Its path, as `path` takes it.
 */
export function noteVisit(session, page) {
  const path = RECORD.exec(page)?.[0];
  if (path !== undefined) write(session, [path, ...recentOf(session).filter(other => other !== path)]);
}

/**
 * Forgets a record that is gone.
 *
 * @param {any} session
 * @param {string} path
 */
export function forgetVisit(session, path) {
  write(session, recentOf(session).filter(other => other !== path));
}
