"use strict";
// A person's settings for a table, kept in this browser, and the table's sounds: short tones, no files.
const Settings = (() => {
  const KEY = "arena.table";
  const PACE = { slow: 2, normal: 1, fast: 0.5, off: 0 }; // factor of the time that each step of the opponent's turn is shown
  const TONES = { card: [[240, 0.06]], turn: [[660, 0.09]], end: [[523, 0.12], [659, 0.12], [784, 0.25]] }; // hertz, seconds
  const chosen = { sorting: "melds", confirm: false, speed: "normal", sound: false, ...stored() };
  let audio = null;

  function stored() {
    try {
      return JSON.parse(localStorage.getItem(KEY));
    } catch { // the browser forbids it
      return null;
    }
  }

  function set(name, value) {
    chosen[name] = value;
    try {
      localStorage.setItem(KEY, JSON.stringify(chosen));
    } catch { // then it is kept until the page is closed
    }
  }

  /** Bind a checkbox or a list to the setting whose name is its id. */
  function bind(input) {
    const key = input.type === "checkbox" ? "checked" : "value";
    input[key] = chosen[input.id];
    input.addEventListener("change", () => { set(input.id, input[key]); play("turn"); });
  }

  function play(kind) {
    if (!chosen.sound || !TONES[kind]) return;
    audio ??= new AudioContext();
    let at = audio.currentTime;
    for (const [pitch, lasts] of TONES[kind]) {
      const [tone, volume] = [audio.createOscillator(), audio.createGain()];
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(0.1, at);
      volume.gain.exponentialRampToValueAtTime(0.001, at + lasts);
      tone.connect(volume).connect(audio.destination);
      tone.start(at);
      tone.stop(at + lasts);
      at += lasts;
    }
  }

  return { chosen, set, bind, play, pace: () => PACE[chosen.speed] ?? 1 };
})();
