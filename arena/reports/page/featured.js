"use strict";
// A match of a run in progress, card by card. The server offers only matches whose deals both legs have played.
const Featured = (() => {
  const { make } = Dom;
  const PACE = 1000; // milliseconds for each turn
  const PAUSE = 4000; // milliseconds on the end of a hand
  const place = document.getElementById("featured");
  let offered = ""; // the newest fixture
  let shown = null; // the match that is shown, with its hand and turn; null: none
  let timer = 0;
  let playing = !Motion.calm();

  const felt = make("div", { class: "felt", "aria-hidden": "true" });
  const status = make("p", { class: "status" });
  const title = make("h2", {});
  const playButton = make("button", { type: "button", class: "tool", onclick: () => { playing = !playing; schedule(); } });
  const replay = make("a", {}, "Replay of this hand");

  /** Show a match as soon as the one before it has ended; empty: there is none. */
  function offer(fixture) {
    offered = fixture;
    if (offered && !shown) begin();
  }

  async function begin() {
    const fixture = offered;
    shown = { fixture, match: null, hand: 0, turn: 0 };
    const answer = await fetch(`match.json?fixture=${encodeURIComponent(fixture)}`).catch(() => null);
    const match = answer?.ok ? Gin.unpacked(await answer.json()) : null;
    if (!match?.hands.length) { shown = null; return; }
    shown.match = match;
    if (!place.firstChild) place.append(title, felt, status, make("p", { class: "tools" }, playButton, replay));
    place.hidden = false;
    deal(0);
  }

  function deal(number) {
    const hand = shown.match.hands[number];
    Object.assign(shown, { hand: number, turn: 0, ...Gin.replay(hand) });
    draw();
  }

  function draw() {
    const { fixture, match, states, words, turn } = shown;
    const hand = match.hands[shown.hand];
    const over = turn === states.length - 1;
    const texts = Report.tournament.words;
    title.textContent = `Card by card: ${match.seats.join(" – ")}, hand ${shown.hand + 1} of ${match.hands.length}`;
    Motion.redraw(felt, () => felt.replaceChildren(...Board.parts(states[turn], match, null, over)));
    const did = turn ? `${match.seats[states[turn - 1].seat]} ${Moves.sentence(words[turn - 1], states[turn - 1], states[turn], texts)}.` : "The cards are dealt.";
    const scored = Dom.filled(hand.winner === null ? texts.nobody_scored : texts.scored, { ending: texts.endings[hand.ending], name: match.seats[hand.winner], points: hand.points });
    status.textContent = over ? `${did} ${Dom.capital(scored)}.` : did;
    replay.setAttribute("href", `#/hand/${[fixture, `${hand.game}.${hand.hand}`, turn].map(encodeURIComponent).join("/")}`);
    schedule();
  }

  /** Set the timer for the next turn, hand or match. */
  function schedule() {
    clearTimeout(timer);
    playButton.textContent = playing ? "Pause" : "Play";
    if (!playing || !shown?.states) return;
    const over = shown.turn === shown.states.length - 1;
    timer = setTimeout(() => (over ? showNext() : (shown.turn++, draw())), over ? PAUSE : PACE);
  }

  /** Show the next hand of the match, or the next match. */
  function showNext() {
    if (shown.hand + 1 < shown.match.hands.length) return deal(shown.hand + 1);
    shown = null;
    if (offered) return begin();
    place.hidden = true;
  }

  return { offer };
})();
