// Whether keys of one letter act.

const SWITCH = 'frontdesk.keys';

export function areKeysOn() {
  return localStorage.getItem(SWITCH) !== 'off';
}

export function switchKeys(isOn) {
  if (isOn) localStorage.removeItem(SWITCH);
  else localStorage.setItem(SWITCH, 'off');
}
