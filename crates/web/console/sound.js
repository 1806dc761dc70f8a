// A short tone when somebody waits for an answer.

const SWITCH = 'frontdesk.sound';

/** @type {AudioContext | undefined} */
let audio;

/** Browsers play nothing before a person has done something with the page, and some only if it begins right then. */
function wake() {
  audio = new AudioContext();
  audio.suspend();
}
for (const gesture of ['pointerup', 'keyup']) {
  addEventListener(gesture, () => { if (audio === undefined) wake(); }, { once: true, capture: true });
}

export function isSoundOn() {
  return localStorage.getItem(SWITCH) !== 'off';
}

export function switchSound(isOn) {
  if (isOn) localStorage.removeItem(SWITCH);
  else localStorage.setItem(SWITCH, 'off');
}

/** Plays two soft notes. Returns whether the browser allowed it. */
export async function play() {
  if (audio === undefined) return false;
  const isAllowed = await Promise.race([
    audio.resume().then(() => true, () => false),
    new Promise(resolve => setTimeout(resolve, 1_000, false)),
  ]);
  if (!isAllowed) return false;
  const start = audio.currentTime + 0.02;
  for (const [place, frequency] of [659, 880].entries()) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const from = start + place * 0.16;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(0.12, from + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, from + 0.3);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.32);
  }
  setTimeout(() => audio?.suspend(), 900);
  return true;
}
