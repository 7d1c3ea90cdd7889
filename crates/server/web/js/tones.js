// The sounds, made of a few tones each.

/**
 * @typedef {{at: number, length: number, from: number, to: number, type: OscillatorType, gain: number}} Tone `at` and `length` in
 *   seconds, `from` and `to` in hertz
 */

/** The loudness of all sounds. */
const VOLUME = 0.25;

/** @type {Record<import('./sound.js').Sound, Tone[]>} */
const SOUNDS = {
  move: [{ at: 0, length: 0.08, from: 520, to: 300, type: 'triangle', gain: 1 }],
  capture: [
    { at: 0, length: 0.07, from: 560, to: 340, type: 'triangle', gain: 1 },
    { at: 0.07, length: 0.09, from: 400, to: 240, type: 'triangle', gain: 0.9 },
  ],
  pass: [{ at: 0, length: 0.16, from: 262, to: 262, type: 'sine', gain: 0.8 }],
  end: [392, 494, 587].map((pitch, i) => ({ at: i * 0.16, length: i === 2 ? 0.5 : 0.2, from: pitch, to: pitch, type: 'sine', gain: 0.8 })),
  illegal: [{ at: 0, length: 0.14, from: 170, to: 130, type: 'square', gain: 0.3 }],
};

const context = new AudioContext();

/** Lets the browser play sounds, in answer to a press. */
export const wake = () => void context.resume();

/** @param {import('./sound.js').Sound} name */
export function sound(name) {
  // A sound that is not allowed yet would be heard later, together with others.
  if (context.state !== 'running') return wake();
  for (const { at, length, from, to, type, gain } of SOUNDS[name]) {
    const begin = context.currentTime + at;
    const tone = new OscillatorNode(context, { type, frequency: from });
    tone.frequency.setValueAtTime(from, begin);
    tone.frequency.exponentialRampToValueAtTime(to, begin + length);
    const loudness = new GainNode(context, { gain: 0 });
    loudness.gain.setValueAtTime(0, begin);
    loudness.gain.linearRampToValueAtTime(VOLUME * gain, begin + 0.006);
    loudness.gain.exponentialRampToValueAtTime(0.001, begin + length);
    tone.connect(loudness).connect(context.destination);
    tone.start(begin);
    tone.stop(begin + length);
  }
}
