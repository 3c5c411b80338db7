"use strict";
// Shows a hand turn by turn. Needs game.js and dom.js.
const Replay = (() => {
  const { make } = Dom;
  const PACE = 900; // milliseconds for each turn while it plays automatically

  /** Score and games of the match before a hand. */
  function stateBefore(match, hand) {
    const games = [0, 0];
    const score = hand.score ? [...hand.score] : [0, 0];
    if (!match.batch) {
      match.games.slice(0, hand.game).forEach((game) => games[game.winner]++);
      match.hands.filter((one) => one.game === hand.game && one.hand < hand.hand && one.winner !== null)
        .forEach((one) => { score[one.winner] += one.points; });
    }
    return { game: hand.game, hand: hand.hand, score, games };
  }

  /** An action as text. */
  function actionText(word, before, after, seats) {
    const bot = seats[before.seat];
    const answer = Gin.answer(word);
    switch (answer.kind) {
      case "pass": return `${bot} passes`;
      case "take": return `${bot} takes ${Dom.text(Gin.name(before.pile.at(-1)))} from the pile`;
      case "draw": return `${bot} draws ${Dom.text(Gin.name(after.drawn))} from the stock`;
      case "discard": return `${bot} discards ${Dom.text(answer.card)}`;
      case "knock": return `${bot} ${after.called === "gin" ? "goes gin" : `knocks with ${after.laid[before.seat].left}`}, discarding ${Dom.text(answer.card)}`;
      case "big_gin": return `${bot} declares big gin`;
      default: return `${bot} lays ${laidText(after.laid[before.seat])}`;
    }
  }

  function laidText(laid) {
    const melds = laid.melds.map((meld) => meld.map((one) => Dom.text(Gin.name(one))).join(" ")).join(", ") || "no meld";
    const layOffs = laid.on.map(([one, to]) => `${Dom.text(Gin.name(one))} on meld ${to + 1}`).join(", ");
    return `${melds}${layOffs ? `; lays off ${layOffs} (R6.3)` : ""}; deadwood ${laid.left}`;
  }

  const meanMs = (seconds, used) => (1000 * seconds / used.decisions).toFixed(2);

  /** The cards of a seat that its opponent knows: taken from the discard pile and not discarded since. */
  const known = (hand, seat) => hand.took[seat].filter((one) => hand.cards[seat].includes(one));

  function side(hand, seat, match, viewer, open) {
    const hidden = !open && viewer !== null && viewer !== seat;
    const heading = make("h3", {}, match.seats[seat], " ", make("span", {}, describe(hand, seat, hidden)));
    return make("div", { class: `side${hand.phase !== "over" && hand.seat === seat ? " active" : ""}`, "data-seat": seat },
      heading, hidden ? faceDown(hand, seat) : faceUp(hand, seat));
  }

  function describe(hand, seat, hidden) {
    const dealer = hand.dealer === seat ? "dealer; " : "";
    if (hidden) return `(${dealer}${hand.cards[seat].length} cards)`;
    const laid = hand.laid[seat];
    return laid ? `(${dealer}deadwood ${laid.left})` : `(${dealer}deadwood ${Gin.arrange(hand.cards[seat]).deadwood})`;
  }

  function faceDown(hand, seat) {
    const open = known(hand, seat);
    return make("div", { class: "melds" }, make("div", {}, open.map((one) => Dom.card(Gin.name(one), "known")),
      Gin.without(hand.cards[seat], open).map(() => Dom.back())));
  }

  function faceUp(hand, seat) {
    const laid = hand.laid[seat];
    const cards = hand.cards[seat];
    const melds = laid ? laid.melds : Gin.arrange(cards).melds;
    const laidOff = laid ? laid.on.map(([one]) => one) : [];
    const loose = Gin.without(Gin.sorted(cards), [...melds.flat(), ...laidOff]);
    const show = (one) => Dom.card(Gin.name(one), hand.seat === seat && one === hand.drawn ? "new" : "");
    return make("div", { class: "melds" },
      melds.map((meld, at) => make("div", { class: "meld" }, meld.map(show), layOffsOn(hand, seat, at))),
      loose.length ? make("div", { class: "loose" }, loose.map(show)) : null);
  }

  /** The cards that the other seat has laid off on a meld of this seat. */
  function layOffsOn(hand, seat, at) {
    const other = hand.laid[1 - seat];
    return other && hand.laid[seat] ? other.on.filter(([, to]) => to === at).map(([one]) => Dom.card(Gin.name(one), "new known")) : [];
  }

  function middle(hand) {
    const top = hand.pile.at(-1);
    const below = hand.pile.slice(0, -1).reverse();
    return make("div", { class: "middle" },
      make("div", { class: "pile" }, Dom.back(), make("span", {}, `stock: ${hand.bottom - hand.top}`)),
      make("div", { class: "pile" }, top === undefined ? "empty" : Dom.card(Gin.name(top)), make("span", {}, "discard pile"),
        make("span", { class: "below" }, below.map((one) => Dom.card(Gin.name(one), "small")))));
  }

  function endingText(hand, match) {
    const ending = { dead: "dead hand", big_gin: "big gin" }[hand.ending] || hand.ending;
    const deadwood = `deadwood: ${match.seats[0]} ${hand.deadwood[0]}, ${match.seats[1]} ${hand.deadwood[1]}`;
    return hand.winner === null ? `${ending}: nobody scores; ${deadwood}` : `${ending}: ${match.seats[hand.winner]} scores ${hand.points}; ${deadwood}`;
  }

  /** Show a hand in `place`; `go(turn)` is called when another turn is shown. */
  function show(place, match, hand, rules, turn, go) {
    const { words, states } = Gin.replay(hand, rules);
    const before = stateBefore(match, hand);
    const last = states.length - 1;
    let now = Math.max(0, Math.min(Number.isInteger(turn) ? turn : 0, last));
    let viewer = null; // a seat; null: both seats' cards are shown
    let timer = null;

    const felt = make("div", { class: "felt" });
    const status = make("p", { class: "status", role: "status" });
    const slider = make("input", { type: "range", min: 0, max: last, "aria-label": "turn", oninput: () => step(Number(slider.value)) });
    const button = (label, title, act) => make("button", { type: "button", "aria-label": title, title, onclick: act }, label);
    const first = button("|◀\uFE0E", "first turn (Home)", () => step(0));
    const previous = button("◀\uFE0E", "previous turn (left arrow)", () => step(now - 1));
    const next = button("▶\uFE0E", "next turn (right arrow)", () => step(now + 1));
    const end = button("▶\uFE0E|", "last turn (End)", () => step(last));
    const player = button("Play", "play or pause (P)", () => toggle());
    const viewSelect = make("select", { "aria-label": "cards to show", onchange: () => { viewer = viewSelect.value === "" ? null : Number(viewSelect.value); draw(); } },
      make("option", { value: "" }, "both players' cards"), match.seats.map((name, seat) => make("option", { value: seat }, `as ${name} sees it (seat ${seat})`)));
    const messages = make("div", { class: "messages" });
    const turns = make("ol", { class: "turns", start: 1 }, words.map((word, n) =>
      make("li", {}, make("a", { href: "#", onclick: (event) => { event.preventDefault(); step(n + 1); } }, actionText(word, states[n], states[n + 1], match.seats)))));

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
      felt.replaceChildren(side(state, 1, match, viewer, open), middle(state), side(state, 0, match, viewer, open));
      status.replaceChildren(`Turn ${now} of ${last}: ${now === 0 ? `${match.seats[hand.dealer]} deals; score ${before.score.join("–")}, games ${before.games.join("–")}`
        : actionText(words[now - 1], states[now - 1], state, match.seats)}`, ...(open ? [make("br"), endingText(hand, match)] : []));
      slider.value = now;
      [first.disabled, previous.disabled, next.disabled, end.disabled] = [now === 0, now === 0, now === last, now === last];
      turns.querySelectorAll("a").forEach((link, n) => (n + 1 === now ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current")));
      messages.replaceChildren(...messageParts(state));
    }

    /** The question to the seat that acts next, and its answer. */
    function messageParts(state) {
      if (now === last) return faultParts().length ? faultParts() : [make("p", { class: "note" }, "The hand is over; there are no further messages.")];
      return [make("p", { class: "note" }, `The question to ${match.seats[state.seat]} and its answer, with the melds that were laid. ${time(state.seat)}`),
        make("pre", { class: "asked" }, JSON.stringify(Gin.question(state, before))), make("pre", { class: "answered" }, JSON.stringify(Gin.answer(words[now])))];
    }

    /** The time that the answer took, and the mean of this seat in the match. */
    function time(seat) {
      const used = match.usage[seat];
      const mean = used.decisions ? `mean in this match ${meanMs(used.cpu, used)} ms, and ${meanMs(used.wall, used)} ms of wall-clock time` : "";
      if (now >= hand.spent.length) return mean && `Processor time: ${mean}.`;
      return `Processor time: ${(hand.spent[now] / 1000).toFixed(2)} ms${mean && `; ${mean}`}.`;
    }

    function faultParts() {
      return match.faults.filter((fault) => fault.game === hand.game && fault.hand === hand.hand).map((fault) => make("div", {},
        make("p", { class: "warn" }, `Fault by ${match.seats[fault.seat]}: ${fault.kind}: ${fault.detail}${fault.clause ? ` (${fault.clause})` : ""}`),
        fault.turn ? make("pre", { class: "asked" }, fault.turn) : null, fault.answer ? make("pre", { class: "answered" }, fault.answer) : null,
        fault.stderr ? make("pre", { class: "stderr" }, fault.stderr) : null));
    }

    const keys = (event) => {
      if (!place.isConnected || place.closest("[hidden]")) return;
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
      const action = { ArrowLeft: () => step(now - 1), ArrowRight: () => step(now + 1), Home: () => step(0), End: () => step(last), p: () => toggle() }[event.key];
      if (action) { event.preventDefault(); action(); }
    };
    document.addEventListener("keydown", keys);
    place.replaceChildren(
      make("div", { class: "tools" }, first, previous, next, end, player, slider, viewSelect),
      status, felt, make("h3", {}, "Messages"), messages, make("h3", {}, "All turns"), turns);
    draw();
    return { step, close: () => { toggle(false); document.removeEventListener("keydown", keys); } };
  }

  return { show };
})();
