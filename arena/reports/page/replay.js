"use strict";
// Shows a hand turn by turn. Needs game.js, dom.js, motion.js, luck.js and curves.js.
const Replay = (() => {
  const { make } = Dom;
  const PACE = 900; // milliseconds for each turn while it plays automatically, at speed 1
  const SPEEDS = [0.5, 1, 2, 4];
  const KEYS = [["← →", "one turn back or on"], ["Home End", "first or last turn"], ["P", "play or pause"], ["+ −", "faster or slower"], ["C", "copy a link to this turn"], ["?", "this help"]];

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

  const cardText = (one) => Dom.text(Gin.name(one));
  const meldText = (meld) => meld.map(cardText).join(" ");

  /** What an action did, in the words of arena/reports/prices.py. */
  function actionText(word, before, after, seats, words) {
    const answer = Gin.answer(word);
    const said = (kind, values) => `${seats[before.seat]} ${Dom.filled(words.did[kind], values)}`;
    switch (answer.kind) {
      case "take": return said("take", { card: cardText(before.pile.at(-1)) });
      case "draw": return said("draw", { card: cardText(after.drawn) });
      case "discard": return said("discard", { card: Dom.text(answer.card) });
      case "knock": return said(after.called, { left: after.laid[before.seat].left }) + Dom.filled(words.throwing, { card: Dom.text(answer.card) });
      case "lay_off": return said("lay_off", { melds: after.laid[before.seat].melds.map(meldText).join(", ") || words.no_meld }) + laidText(after, before.seat, words);
      default: return said(answer.kind, {});
    }
  }

  /** What a seat has laid off, and the deadwood that is left to it. */
  function laidText(hand, seat, words) {
    const { on, left } = hand.laid[seat];
    const cards = on.map(([one, to]) => Dom.filled(words.on_a_meld, { card: cardText(one), meld: meldText(hand.laid[1 - seat].melds[to]) })).join(", ");
    return `${cards ? Dom.filled(words.laid_off, { cards }) : ""}${Dom.filled(words.left, { left })}`;
  }

  const meanMs = (seconds, used) => (1000 * seconds / used.decisions).toFixed(2);

  /** The cards of a seat that its opponent knows: taken from the discard pile and not discarded since. */
  const known = (hand, seat) => hand.took[seat].filter((one) => hand.cards[seat].includes(one));

  function side(hand, seat, match, viewer, open) {
    const hidden = !open && viewer !== null && viewer !== seat;
    const heading = make("h2", {}, match.seats[seat], " ", make("span", {}, describe(hand, seat, hidden)));
    return make("div", { "data-place": `seat${seat}`, class: `side${hand.phase !== "over" && hand.seat === seat ? " active" : ""}`, "data-seat": seat },
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
    return other && hand.laid[seat] ? other.on.filter(([, to]) => to === at).map(([one]) => Dom.card(Gin.name(one), "laid-off")) : [];
  }

  function middle(hand) {
    const [top, below] = [hand.pile.at(-1), hand.pile.slice(0, -1).reverse()];
    return make("div", { class: "middle" },
      make("div", { class: "pile" }, make("span", { "data-place": "stock" }, Dom.back()), make("span", {}, `stock: ${hand.bottom - hand.top} cards`)),
      make("div", { class: "pile" }, top === undefined ? "no discard" : Dom.card(Gin.name(top)), make("span", {}, below.length ? "top of the discard pile; below it, newest first:" : "discard pile"),
        below.length ? make("span", { class: "below", role: "group", "aria-label": "discard pile below its top, newest first" }, below.map((one) => Dom.card(Gin.name(one), "small"))) : null));
  }

  function endingText(hand, match, words) {
    const values = { ending: words.endings[hand.ending], name: match.seats[hand.winner], points: hand.points };
    const deadwood = `deadwood: ${match.seats[0]} ${hand.deadwood[0]}, ${match.seats[1]} ${hand.deadwood[1]}`;
    return `${Dom.filled(hand.winner === null ? words.nobody_scored : words.scored, values)}; ${deadwood}`;
  }

  const button = (label, title, act) => make("button", { type: "button", "aria-label": title, title, onclick: act }, label);

  /** A dialog that lists the keys. */
  function help() {
    const dialog = make("dialog", { class: "help", "aria-label": "Keys" }, make("h2", {}, "Keys"),
      make("dl", { class: "facts" }, KEYS.map(([key, does]) => [make("dt", {}, key), make("dd", {}, does)])),
      make("button", { type: "button", class: "tool", onclick: () => dialog.close() }, "Close"));
    return dialog;
  }

  /** Copy the address of this page, or show it to be copied by hand where the browser does not allow that. */
  async function copyLink(said) {
    try {
      await navigator.clipboard.writeText(location.href);
      said.textContent = "Link copied.";
    } catch {
      said.replaceChildren("Copy this link: ", make("input", { type: "text", readonly: true, value: location.href, "aria-label": "link to this turn" }));
      said.querySelector("input").select();
    }
  }

  /** The reviewed decisions of a hand by turn, from 0: of the review of its match, if there is one. */
  function priced(match, hand) {
    const here = (match.review || []).filter((one) => one.hand === `${hand.game}.${hand.hand}`);
    return new Map(here.map((one) => [one.turn - 1, one]));
  }

  const MARKS = ["inaccuracy", "mistake", "blunder"];

  /** What the bot said about each of its answers in a hand, by turn, from 0. */
  function notesOf(match, hand) {
    const number = match.hands.findIndex((one) => one.game === hand.game && one.hand === hand.hand);
    return new Map((match.notes || []).filter(([of]) => of === number).map(([, turn, text]) => [turn, text]));
  }

  /** The note of the answer that led here, and the time that it took; not that of a seat whose cards are hidden. */
  function noteParts(note, bot, spent) {
    const time = spent === undefined ? "" : ` (${(spent / 1000).toFixed(2)} ms)`;
    return note === undefined ? [] : [make("span", {}, `${bot} noted${time}: `), make("q", {}, make("bdi", {}, note))];
  }

  /** The question to the seat that acts at a turn, and its answer. */
  function messageParts(match, hand, before, states, words, notes, now) {
    if (now === words.length) {
      const faults = faultParts(match, hand);
      return faults.length ? faults : [make("p", { class: "note" }, "The hand is over; there are no further messages.")];
    }
    const seat = states[now].seat;
    return [make("p", { class: "note" }, `The question to ${match.seats[seat]} and its answer, with the melds that were laid. ${time(match, hand, seat, now)}`),
      make("pre", { class: "asked" }, JSON.stringify(Gin.question(states[now], before))), make("pre", { class: "answered" }, JSON.stringify({ ...Gin.answer(words[now]), note: notes.get(now) }))];
  }

  /** The time that the answer took, and the mean of this seat in the match. */
  function time(match, hand, seat, now) {
    const used = match.usage[seat];
    const mean = used.decisions ? `mean in this match ${meanMs(used.cpu, used)} ms, and ${meanMs(used.wall, used)} ms of wall-clock time` : "";
    if (now >= hand.spent.length) return mean && `Processor time: ${mean}.`;
    return `Processor time: ${(hand.spent[now] / 1000).toFixed(2)} ms${mean && `; ${mean}`}.`;
  }

  function faultParts(match, hand) {
    return match.faults.filter((fault) => fault.game === hand.game && fault.hand === hand.hand).map((fault) => make("div", {},
      make("p", { class: "warn" }, `Fault by ${match.seats[fault.seat]}: ${fault.kind}: ${fault.detail}${fault.clause ? ` (${fault.clause})` : ""}`),
      fault.turn ? make("pre", { class: "asked" }, fault.turn) : null, fault.answer ? make("pre", { class: "answered" }, fault.answer) : null,
      fault.stderr ? make("pre", { class: "stderr" }, fault.stderr) : null));
  }

  /** Show a hand in `place`; `go(turn)` is called when another turn is shown. `shared` has the rules, the words, and as `value` V of luck.js or null. */
  function show(place, match, hand, shared, turn, go) {
    const { words, states } = Gin.replay(hand, shared.rules);
    const hides = (n) => viewer !== null && states[n].seat !== viewer; // whether the viewer may not see what another seat saw at a turn
    const did = (n) => (words[n] === "draw" && hides(n) ? `${match.seats[states[n].seat]} ${shared.words.did.draw_unseen}`
      : actionText(words[n], states[n], states[n + 1], match.seats, shared.words));
    const before = stateBefore(match, hand);
    const last = states.length - 1;
    const notes = notesOf(match, hand);
    const prices = priced(match, hand);
    let now = Math.max(0, Math.min(Number.isInteger(turn) ? turn : 0, last));
    let viewer = null; // a seat; null: both seats' cards are shown
    let timer = null;
    let mark = () => {}; // moves the lines of the curves to a turn
    const found = shared.value ? Luck.steps(states, words, shared.value) : [];

    const felt = make("div", { class: "felt" });
    const status = make("p", { class: "status", role: "status" });
    const note = make("p", { class: "bot-note", hidden: notes.size === 0 });
    const said = make("span", { class: "note", role: "status" });
    const slider = make("input", { type: "range", min: 0, max: last, "aria-label": "turn", oninput: () => step(Number(slider.value)) });
    const first = button("|◀\uFE0E", "first turn (Home)", () => step(0));
    const previous = button("◀\uFE0E", "previous turn (left arrow)", () => step(now - 1));
    const next = button("▶\uFE0E", "next turn (right arrow)", () => step(now + 1));
    const end = button("▶\uFE0E|", "last turn (End)", () => step(last));
    const player = button("Play", "play or pause (P)", () => toggle());
    const speed = make("select", { "aria-label": "speed", onchange: () => timer !== null && toggle(true) },
      SPEEDS.map((one) => make("option", { value: one, selected: one === 1 }, `${one} ×`)));
    const viewSelect = make("select", { "aria-label": "cards to show", onchange: () => { viewer = viewSelect.value === "" ? null : Number(viewSelect.value); draw(); curves(); } },
      make("option", { value: "" }, "both players' cards"), match.seats.map((name, seat) => make("option", { value: seat }, `as ${name} saw it (seat ${seat})`)));
    const keysHelp = help();
    const drawnCurves = make("div", { class: "curves" });
    const messages = make("div", { class: "messages" });
    const turns = make("ol", { class: "turns", start: 1 }, words.map((_, n) =>
      make("li", {}, make("a", { href: "#", onclick: (event) => { event.preventDefault(); step(n + 1); } }))));

    function toggle(on = timer === null && now < last) {
      clearInterval(timer);
      timer = on ? setInterval(() => (place.isConnected && now < last ? step(now + 1, true) : toggle(false)), PACE / Number(speed.value)) : null;
      player.textContent = on ? "Pause" : "Play";
    }

    function faster(by) {
      speed.selectedIndex = Math.max(0, Math.min(SPEEDS.length - 1, speed.selectedIndex + by));
      if (timer !== null) toggle(true);
    }

    function step(to, playing = false) {
      if (!playing) toggle(false);
      const from = now;
      now = Math.max(0, Math.min(to, last));
      if (Math.abs(now - from) === 1) Motion.redraw(felt, draw, now > from ? origin : () => null);
      else draw();
      go(now);
    }

    /** Where a card came from that was not open before: the stock, or the hand of who threw it. */
    function origin(card) {
      const state = states[now];
      if (state.drawn !== null && Gin.name(state.drawn) === card) return "stock";
      return state.pile.length && Gin.name(state.pile.at(-1)) === card ? `seat${states[now - 1].seat}` : null;
    }

    function draw() {
      const state = states[now];
      const open = now === last;
      felt.replaceChildren(side(state, 1, match, viewer, open), middle(state), side(state, 0, match, viewer, open));
      status.replaceChildren(`Turn ${now} of ${last}: ${turnText()}`, ...(open ? [make("br"), endingText(hand, match, shared.words)] : []), ...priceParts());
      showNote();
      showBest(state);
      slider.value = now;
      [first.disabled, previous.disabled, next.disabled, end.disabled] = [now === 0, now === 0, now === last, now === last];
      turns.querySelectorAll("a").forEach((link, n) => {
        link.textContent = did(n);
        if (n + 1 === now) link.setAttribute("aria-current", "step");
        else link.removeAttribute("aria-current");
      });
      messages.replaceChildren(...(now < last && hides(now) ? [make("p", { class: "note" }, `${match.seats[states[now].seat]} is asked; the other seat does not see what.`)]
        : messageParts(match, hand, before, states, words, notes, now)));
      mark(now);
      said.textContent = "";
    }

    function turnText() {
      if (now === 0) return `${Dom.filled(shared.words.dealt, { name: match.seats[hand.dealer] })}; score ${before.score.join("–")}, games ${before.games.join("–")}`;
      return did(now - 1);
    }

    /** What the review says of the decision that led here; not of that of a seat whose cards are hidden. */
    function priceParts() {
      const one = prices.get(now - 1);
      return one && (viewer === null || viewer === one.seat) ? [make("span", { class: `price ${one.mark}` }, make("br"), one.verdict)] : [];
    }

    function showNote() {
      const seat = now > 0 ? states[now - 1].seat : null;
      const parts = seat !== null && (viewer === null || viewer === seat) ? noteParts(notes.get(now - 1), match.seats[seat], hand.spent[now - 1]) : [];
      note.replaceChildren(...parts);
    }

    /** Mark what would have been best for who acts next, with its price, unless that is what it does. */
    function showBest(state) {
      const one = prices.get(now);
      if (!one || !one.advice || (viewer !== null && viewer !== state.seat)) return;
      const { kind, card } = Gin.answer(one.best);
      const best = felt.querySelector({ draw: "[data-place=stock] .card", take: ".middle .pile:nth-child(2) > .card" }[kind] || `[data-card="${card}"]`);
      best?.classList.add("best");
      felt.querySelector(".side.active h2").append(make("span", { class: `price ${one.mark}` }, ` ${one.advice}`));
    }

    /** Draw the curves of what the viewer may know: its own deadwood and what it could expect, or both players' and what the hand is worth. */
    function curves() {
      const shown = viewer === null ? [0, 1] : [viewer];
      const [dead, worth] = [make("div"), make("div")];
      const points = viewer === null ? Curves.worth(found, last, net()) : expected();
      const legend = errorLegend();
      drawnCurves.replaceChildren(make("h2", {}, "Deadwood"), Curves.legend(match.seats, shown), dead,
        ...(points.length > 1 ? [make("h2", {}, "What the hand is worth"), make("p", { class: "note" }, worthText()), ...(legend ? [legend] : []), worth] : []));
      const marks = [Curves.deadwoodChart(dead, states, shown, step)];
      if (worth.isConnected) marks.push(Curves.worthChart(worth, points, viewer === null ? found : [], errors(shown), last, match.seats[viewer ?? 0], step));
      mark = (turn) => marks.forEach((one) => one(turn));
      mark(now);
    }

    const net = () => (hand.winner === null ? 0 : (hand.winner === 0 ? 1 : -1) * hand.points);

    /** What the viewer could expect after each of its reviewed decisions, and its points. */
    function expected() {
      const mine = [...prices.values()].filter((one) => one.seat === viewer && Number.isFinite(one.worth));
      const points = mine.map((one) => ({ turn: one.turn, value: one.worth }));
      return points.length ? [...points, { turn: last, value: viewer ? -net() : net() }] : [];
    }

    /** The marked decisions of some seats. */
    const errors = (seats) => [...prices.values()].filter((one) => one.mark && seats.includes(one.seat));

    function errorLegend() {
      const marked = errors(viewer === null ? [0, 1] : [viewer]);
      return marked.length ? make("p", { class: "note legend errors" }, MARKS.filter((one) => marked.some((each) => each.mark === one))
        .map((one) => make("span", { class: `key ${one}` }, one))) : null;
    }

    function worthText() {
      if (viewer !== null) return `Points that ${match.seats[viewer]} could expect after each own decision, judged by the review from what was known to this seat; after the last turn, the points. A click leads to the turn.`;
      return `Points that ${match.seats[0]} could expect, both players' cards known, by the value function that measures luck; after the last turn, the points. `
        + `Thick: the luck of a draw, green for ${match.seats[0]}, orange against that; in all ${Estimates.signed(Luck.total(found))} points. A click leads to the turn.`;
    }

    const keys = (event) => {
      if (!place.isConnected || place.closest("[hidden]") || keysHelp.open) return;
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
      const action = { ArrowLeft: () => step(now - 1), ArrowRight: () => step(now + 1), Home: () => step(0), End: () => step(last), p: () => toggle(),
        "+": () => faster(1), "-": () => faster(-1), c: () => copyLink(said), "?": () => keysHelp.showModal() }[event.key];
      if (action) { event.preventDefault(); action(); }
    };
    document.addEventListener("keydown", keys);
    addEventListener("resize", curves);
    place.replaceChildren(
      make("div", { class: "tools" }, first, previous, next, end, player, speed, slider),
      make("div", { class: "tools" }, viewSelect, button("Copy link", "copy a link to this turn (C)", () => copyLink(said)), button("Keys", "help on keys (?)", () => keysHelp.showModal()), said),
      status, note, felt, drawnCurves, make("details", { class: "asking" }, make("summary", {}, "What was asked and answered"), messages),
      make("h2", {}, "All turns"), turns, keysHelp);
    draw();
    curves();
    return { step, close: () => { toggle(false); document.removeEventListener("keydown", keys); removeEventListener("resize", curves); } };
  }

  /** A match as the server sends it, in which a hand is a row of values, with objects as hands. */
  const unpacked = (match) => ({ ...match, hands: match.hands.map(unpackedHand) });

  function unpackedHand([game, hand, dealer, deck, actions, ending, winner, points, deadwood, may, shown, score, spent]) {
    return { game, hand, dealer, deck, actions, ending, winner, points, deadwood, may, shown, score, spent };
  }

  return { show, unpacked };
})();
