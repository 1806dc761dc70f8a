// Whether keys of one letter act. Each person decides that for this browser.

const nameOf = ({ person }) => `frontdesk.keys.${person.person_id}`;

/** @param {any} session */
export function areKeysOn(session) {
  return localStorage.getItem(nameOf(session)) !== 'off';
}

/**
 * @param {any} session
 * @param {boolean} isOn
 */
export function switchKeys(session, isOn) {
  if (isOn) localStorage.removeItem(nameOf(session));
  else localStorage.setItem(nameOf(session), 'off');
}
