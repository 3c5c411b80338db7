"use strict";
// A hand card by card. Needs game.js and dom.js.
const Replay = (() => {
  const { make } = Dom;
  const PACE = 900; // milliseconds a turn, when it plays by itself

  /** Where a match stands before a hand. */
  function standing(match, hand) {
    const games = [0, 0];
    const score = hand.score ? [...hand.score] : [0, 0];
    if (!match.batch) {
      match.games.slice(0, hand.game).forEach((game) => games[game.winner]++);
      match.hands.filter((one) => one.game === hand.game && one.hand < hand.hand && one.winner !== null)
        .forEach((one) => { score[one.winner] += one.points; });
    }
    return { game: hand.game, hand: hand.hand, score, games };
  }

  /** What an action says, for a person. */
  function told(word, before, after, seats) {
    const who = seats[before.seat];
    const answer = Gin.answer(word);
    switch (answer.kind) {
      case "pass": return `${who} passes`;
      case "take": return `${who} takes ${Dom.written(Gin.name(before.pile.at(-1)))} from the pile`;
      case "draw": return `${who} draws ${Dom.written(Gin.name(after.drawn))} from the stock`;
      case "discard": return `${who} throws ${Dom.written(answer.card)}`;
      case "knock": return `${who} ${after.called === "gin" ? "goes gin" : `knocks with ${after.laid[before.seat].left}`}, throwing ${Dom.written(answer.card)}`;
      case "big_gin": return `${who} declares big gin`;
      default: return `${who} lays ${laidOff(after.laid[before.seat])}`;
    }
  }

  function laidOff(laid) {
    const melds = laid.melds.map((meld) => meld.map((one) => Dom.written(Gin.name(one))).join(" ")).join(", ") || "no meld";
    const on = laid.on.map(([one, to]) => `${Dom.written(Gin.name(one))} on meld ${to + 1}`).join(", ");
    return `${melds}${on ? `; lays off ${on} (R6.3)` : ""}; ${laid.left} left`;
  }

  const meanMs = (seconds, used) => (1000 * seconds / used.decisions).toFixed(2);

  /** What a seat knows its opponent to hold: taken in the open and not thrown since. */
  const known = (hand, seat) => hand.took[seat].filter((one) => hand.cards[seat].includes(one));

  function side(hand, seat, match, looking, open) {
    const hidden = !open && looking !== null && looking !== seat;
    const heading = make("h3", {}, match.seats[seat], " ", make("span", {}, describe(hand, seat, hidden)));
    return make("div", { class: `side${hand.phase !== "over" && hand.seat === seat ? " acts" : ""}`, "data-seat": seat },
      heading, hidden ? faceDown(hand, seat) : faceUp(hand, seat));
  }

  function describe(hand, seat, hidden) {
    const dealer = hand.dealer === seat ? "dealer; " : "";
    if (hidden) return `(${dealer}${hand.cards[seat].length} cards)`;
    const laid = hand.laid[seat];
    return laid ? `(${dealer}${laid.left} points left on the table)` : `(${dealer}deadwood ${Gin.arrange(hand.cards[seat]).deadwood})`;
  }

  function faceDown(hand, seat) {
    const seen = known(hand, seat);
    return make("div", { class: "melds" }, make("div", {}, seen.map((one) => Dom.card(Gin.name(one), "known")),
      Gin.without(hand.cards[seat], seen).map(() => Dom.back())));
  }

  function faceUp(hand, seat) {
    const laid = hand.laid[seat];
    const held = hand.cards[seat];
    const melds = laid ? laid.melds : Gin.arrange(held).melds;
    const off = laid ? laid.on.map(([one]) => one) : [];
    const loose = Gin.without(Gin.sorted(held), [...melds.flat(), ...off]);
    const show = (one) => Dom.card(Gin.name(one), hand.seat === seat && one === hand.drawn ? "new" : "");
    return make("div", { class: "melds" },
      melds.map((meld, at) => make("div", { class: "meld" }, meld.map(show), extra(hand, seat, at))),
      loose.length ? make("div", { class: "loose" }, loose.map(show)) : null);
  }

  /** Cards that the other seat has laid on a meld of this one. */
  function extra(hand, seat, at) {
    const other = hand.laid[1 - seat];
    return other && hand.laid[seat] ? other.on.filter(([, to]) => to === at).map(([one]) => Dom.card(Gin.name(one), "new known")) : [];
  }

  function middle(hand) {
    const top = hand.pile.at(-1);
    const under = hand.pile.slice(0, -1).reverse();
    return make("div", { class: "middle" },
      make("div", { class: "pile" }, Dom.back(), make("span", {}, `stock: ${hand.bottom - hand.top}`)),
      make("div", { class: "pile" }, top === undefined ? "no discard" : Dom.card(Gin.name(top)), make("span", {}, "discard pile"),
        make("span", { class: "under" }, under.map((one) => Dom.card(Gin.name(one), "small")))));
  }

  function ended(hand, match) {
    const how = { dead: "dead hand", big_gin: "big gin" }[hand.ending] || hand.ending;
    const left = `deadwood ${hand.deadwood[0]} and ${hand.deadwood[1]}`;
    return hand.winner === null ? `${how}: nobody scores; ${left}` : `${how}: ${match.seats[hand.winner]} scores ${hand.points}; ${left}`;
  }

  /** Show a hand in `place`; `go(turn)` is called whenever another turn comes to be shown. */
  function show(place, match, hand, rules, turn, go) {
    const { words, states } = Gin.replay(hand, rules);
    const at = standing(match, hand);
    const last = states.length - 1;
    let now = Math.max(0, Math.min(Number.isInteger(turn) ? turn : 0, last));
    let looking = null; // a seat; null: both are seen
    let timer = null;

    const felt = make("div", { class: "felt" });
    const said = make("p", { class: "said", role: "status" });
    const slider = make("input", { type: "range", min: 0, max: last, "aria-label": "turn", oninput: () => step(Number(slider.value)) });
    const button = (label, title, act) => make("button", { type: "button", "aria-label": title, title, onclick: act }, label);
    const first = button("|◀\uFE0E", "first turn (Home)", () => step(0));
    const previous = button("◀\uFE0E", "previous turn (left arrow)", () => step(now - 1));
    const next = button("▶\uFE0E", "next turn (right arrow)", () => step(now + 1));
    const end = button("▶\uFE0E|", "last turn (End)", () => step(last));
    const player = button("Play", "play or pause (P)", () => toggle());
    const viewer = make("select", { "aria-label": "whose cards are seen", onchange: () => { looking = viewer.value === "" ? null : Number(viewer.value); draw(); } },
      make("option", { value: "" }, "both hands"), match.seats.map((name, seat) => make("option", { value: seat }, `${name}'s view (seat ${seat})`)));
    const talk = make("div", { class: "talk" });
    const turns = make("ol", { class: "turns", start: 1 }, words.map((word, n) =>
      make("li", {}, make("a", { href: "#", onclick: (event) => { event.preventDefault(); step(n + 1); } }, told(word, states[n], states[n + 1], match.seats)))));

    function toggle(on = timer === null && now < last) {
      clearInterval(timer);
      timer = on ? setInterval(() => (place.isConnected && now < last ? step(now + 1, true) : toggle(false)), PACE) : null;
      player.textContent = on ? "Pause" : "Play";
    }

    function step(to, playing = false) {
      if (!playing) toggle(false);
      now = Math.max(0, Math.min(to, last));
      draw();
      go(now);
    }

    function draw() {
      const state = states[now];
      const open = now === last;
      felt.replaceChildren(side(state, 1, match, looking, open), middle(state), side(state, 0, match, looking, open));
      said.replaceChildren(`Turn ${now} of ${last}: ${now === 0 ? `${match.seats[hand.dealer]} deals; score ${at.score.join("–")}, games ${at.games.join("–")}`
        : told(words[now - 1], states[now - 1], state, match.seats)}`, ...(open ? [make("br"), ended(hand, match)] : []));
      slider.value = now;
      [first.disabled, previous.disabled, next.disabled, end.disabled] = [now === 0, now === 0, now === last, now === last];
      turns.querySelectorAll("a").forEach((link, n) => (n + 1 === now ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current")));
      talk.replaceChildren(...spoken(state));
    }

    /** What the seat that is to act is asked, and what it answers. */
    function spoken(state) {
      if (now === last) return faulted().length ? faulted() : [make("p", { class: "note" }, "The hand is over.")];
      return [make("p", { class: "note" }, `What ${match.seats[state.seat]} is asked now, and what it answers (as judged: with the melds that were laid). ${time(state.seat)}`),
        make("pre", { class: "asked" }, JSON.stringify(Gin.question(state, at))), make("pre", { class: "answered" }, JSON.stringify(Gin.answer(words[now])))];
    }

    /** What the answer took, and what answers of this seat take on average. */
    function time(seat) {
      const used = match.usage[seat];
      const mean = used.decisions ? `on average in this match ${meanMs(used.cpu, used)} ms, and ${meanMs(used.wall, used)} ms from question to answer` : "";
      if (now >= hand.spent.length) return mean && `Processor time ${mean}.`;
      return `It took ${(hand.spent[now] / 1000).toFixed(2)} ms of processor time${mean && `; ${mean}`}.`;
    }

    function faulted() {
      return match.faults.filter((fault) => fault.game === hand.game && fault.hand === hand.hand).map((fault) => make("div", {},
        make("p", { class: "warn" }, `Fault of ${match.seats[fault.seat]}: ${fault.kind}: ${fault.detail}${fault.clause ? ` (${fault.clause})` : ""}`),
        fault.turn ? make("pre", { class: "asked" }, fault.turn) : null, fault.answer ? make("pre", { class: "answered" }, fault.answer) : null,
        fault.stderr ? make("pre", { class: "stderr" }, fault.stderr) : null));
    }

    const keys = (event) => {
      if (!place.isConnected || place.closest("[hidden]")) return;
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
      const act = { ArrowLeft: () => step(now - 1), ArrowRight: () => step(now + 1), Home: () => step(0), End: () => step(last), p: () => toggle() }[event.key];
      if (act) { event.preventDefault(); act(); }
    };
    document.addEventListener("keydown", keys);
    place.replaceChildren(
      make("div", { class: "tools" }, first, previous, next, end, player, slider, viewer),
      said, felt, make("h3", {}, "Asked and answered"), talk, make("h3", {}, "Every turn"), turns);
    draw();
    return { step, close: () => { toggle(false); document.removeEventListener("keydown", keys); } };
  }

  return { show, standing, ended };
})();
