"use strict";
// Shows a hand turn by turn. Needs game.js, dom.js, motion.js, moves.js, curves.js, board.js and retry.js.
const Replay = (() => {
  const { make } = Dom;
  const PACE = 900; // milliseconds for each turn while it plays automatically, at speed 1
  const SPEEDS = [0.5, 1, 2, 4];
  const KEYS = [["← →", "one turn back or on"], ["Home End", "first or last turn"], ["[ ]", "previous or next hand"], ["P", "play or pause"], ["+ −", "faster or slower"], ["E", "next error"],
    ["T", "try a marked decision again"], ["V", "whose cards are shown"], ["C", "copy a link to this turn"], ["?", "this help"]];

  /** Score and games of the match before a hand. */
  function stateBefore(match, hand) {
    const games = [0, 0];
    const score = hand.score ? [...hand.score] : [0, 0];
    if (!match.batch) {
      match.games.slice(0, hand.game).forEach((game) => games[game.winner]++);
      if (!hand.score) match.hands.filter((one) => one.game === hand.game && one.hand < hand.hand && one.winner !== null)
        .forEach((one) => { score[one.winner] += one.points; });
    }
    return { game: hand.game, hand: hand.hand, score, games, columns: hand.columns };
  }

  const meanMs = (seconds, used) => (1000 * seconds / used.decisions).toFixed(2);

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

  /** Copy the address of this page; where the browser forbids that, show it to be copied by hand. `notice` shows the result. */
  async function copyLink(notice) {
    try {
      await navigator.clipboard.writeText(location.href);
      notice.textContent = "Link copied.";
    } catch {
      notice.replaceChildren("Copy this link: ", make("input", { type: "text", readonly: true, value: location.href, "aria-label": "link to this turn" }));
      notice.querySelector("input").select();
    }
  }

  /** The reviewed decisions of a hand by turn, from 0; none without a review. */
  function priced(match, hand) {
    const here = (match.review || []).filter((one) => one.hand === `${hand.game}.${hand.hand}`);
    return new Map(here.map((one) => [one.turn - 1, one]));
  }

  /** The bots' notes on their answers in a hand, by turn, from 0. */
  function notesOf(match, hand) {
    const number = match.hands.findIndex((one) => one.game === hand.game && one.hand === hand.hand);
    return new Map((match.notes || []).filter(([of]) => of === number).map(([, turn, text]) => [turn, text]));
  }

  /** The note on an answer, and the time that the answer took; nothing without a note. */
  function noteParts(note, bot, spent) {
    const time = spent === undefined ? "" : ` (${(spent / 100).toFixed(2)} ms)`;
    return note === undefined ? [] : [make("span", {}, `${bot} noted${time}: `), make("q", {}, make("bdi", {}, note))];
  }

  /** The question to the seat that acts at a turn, and its answer; after the last turn, the faults of the hand. */
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
    return `Processor time: ${(hand.spent[now] / 100).toFixed(2)} ms${mean && `; ${mean}`}.`;
  }

  function faultParts(match, hand) {
    return match.faults.filter((fault) => fault.game === hand.game && fault.hand === hand.hand).map((fault) => make("div", {},
      make("p", { class: "warn" }, `Fault by ${match.seats[fault.seat]}: ${fault.kind}: ${fault.detail}${fault.clause ? ` (${fault.clause})` : ""}`),
      fault.turn ? make("pre", { class: "asked" }, fault.turn) : null, fault.answer ? make("pre", { class: "answered" }, fault.answer) : null,
      fault.stderr ? make("pre", { class: "stderr" }, fault.stderr) : null));
  }

  /** A command to copy, as arena prints it. */
  function commandLine(words) {
    return make("div", { class: "to-copy" }, make("code", { class: "command", tabindex: "0" }, words.map(quoted).join(" ")),
      make("button", { type: "button", "aria-label": "Copy the command" }, "Copy"), make("span", { class: "note", role: "status" }));
  }

  /** Buttons that ask the server to review a hand or its match; `review(hand)` yields the progress in words. */
  function reviewButtons(review, name) {
    const notice = make("span", { class: "note", role: "status" });
    const start = async (hand) => {
      buttons.forEach((one) => { one.disabled = true; });
      try {
        for await (const text of review(hand)) notice.textContent = text;
      } catch {
        notice.textContent = "The server does not answer.";
      }
      buttons.forEach((one) => { one.disabled = false; });
    };
    const buttons = [button("Review this hand", "review this hand", () => start(name)), button("Review the match", "review all hands of the match", () => start(""))];
    buttons.forEach((one) => one.classList.add("tool"));
    return make("div", { class: "tools" }, buttons, notice);
  }

  /** A word for a shell, as shlex.quote of Python has it. */
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

  /**
   * Show a hand in `place` at a turn; `trying`: before the decision of that turn, which the reader tries again.
   * `shared` has the words. `links` has `here(turn, trying)`, which is called when another turn is shown, `open(hand, turn, trying)`, which
   * shows another hand, `run`, the folder of the run for commands, or null, and `review(hand)`, which asks a server to review it, or null.
   */
  function show(place, match, hand, shared, turn, links, trying = false) {
    const { words, states } = Gin.replay(hand);
    const name = `${hand.game}.${hand.hand}`;
    const short = { ...shared.words, did: { ...shared.words.did, ...shared.words.moved } };
    const isHidden = (n) => viewer !== null && states[n].seat !== viewer; // the seat that acts at turn n is not the viewer's
    const moveText = (n, how, texts) => (words[n] === "draw" && isHidden(n) ? texts.did.draw_unseen : how(words[n], states[n], states[n + 1], texts));
    const did = (n) => `${match.seats[states[n].seat]} ${moveText(n, Moves.sentence, shared.words)}`;
    const before = stateBefore(match, hand);
    const last = states.length - 1;
    const notes = notesOf(match, hand);
    const prices = priced(match, hand);
    const request = links.review && reviewButtons(links.review, name); // made once, so that its notice stays from turn to turn
    let now = 0;
    let viewer = null; // a seat; null: both seats' cards are shown
    let tried = null; // the reviewed decision that is tried again; what followed is hidden
    let timer = null;
    let mark = () => {}; // moves the lines of the curves to a turn
    const values = Gin.worth(hand);

    const felt = make("div", { class: "felt" });
    const status = make("p", { class: "status", role: "status" });
    const note = make("p", { class: "bot-note", hidden: notes.size === 0 });
    const notice = make("span", { class: "note", role: "status" });
    const slider = make("input", { type: "range", min: 0, max: last, "aria-label": "turn", oninput: () => step(Number(slider.value)) });
    const first = button("|◀\uFE0E", "first turn (Home)", () => step(0));
    const previous = button("◀\uFE0E", "previous turn (left arrow)", () => step(now - 1));
    const next = button("▶\uFE0E", "next turn (right arrow)", () => step(now + 1));
    const end = button("▶\uFE0E|", "last turn (End)", () => step(last));
    const player = button("Play", "play or pause (P)", () => toggle());
    const nextError = button("Next error", "next error (E)", () => toError());
    const speed = make("select", { "aria-label": "speed", onchange: () => timer !== null && toggle(true) },
      SPEEDS.map((one) => make("option", { value: one, selected: one === 1 }, `${one} ×`)));
    const viewSelect = make("select", { "aria-label": "cards to show", onchange: () => look(viewSelect.value === "" ? null : Number(viewSelect.value)) },
      make("option", { value: "" }, "both players' cards"), match.seats.map((seatName, seat) => make("option", { value: seat }, `as ${seatName} saw it`)));
    const keysHelp = help();
    const [worth, deadwood] = [make("section", { class: "curves", "aria-label": "What the hand is worth" }), make("section", { class: "curves deadwood", "aria-label": "Deadwood" })];
    const verdict = make("section", { class: "verdict", "aria-label": "This decision" });
    const steps = make("nav", { class: "steps", "aria-label": "Steps" }, first, previous, player, next, end, nextError);
    const messages = make("div", { class: "messages" });
    const moves = Moves.list(match.seats, states, words.length, step);
    const debugging = make("details", { class: "debugging", hidden: links.run === null }, make("summary", {}, "Open this decision in arena debug"));
    const hiding = make("div", { class: "right" }, worth, verdict, make("section", { class: "moves", "aria-label": "All turns" }, make("h2", {}, "All turns"), moves.place));
    const tools = make("div", { class: "tools" }, viewSelect, speed, slider, button("Copy link", "copy a link to this turn (C)", () => copyLink(notice)), button("Keys", "help on keys (?)", () => keysHelp.showModal()), notice);
    const asking = make("details", { class: "asking" }, make("summary", {}, "What was asked and answered"), messages);

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
      const [from, tryingBefore] = [now, tried];
      tried = null;
      now = Math.max(0, Math.min(to, last));
      if (tryingBefore) look(null);
      else if (Math.abs(now - from) === 1) Motion.redraw(felt, draw, now > from ? origin : () => null);
      else draw();
      links.here(now, false);
    }

    /** Show the cards of a seat, or of both (null). */
    function look(seat) {
      viewer = seat;
      viewSelect.value = seat ?? "";
      draw();
      curves();
    }

    /** Let the reader try the decision of a turn again, as its seat saw it. */
    function retry(of) {
      toggle(false);
      tried = prices.get(of - 1)?.choices ? prices.get(of - 1) : null;
      if (!tried) return step(of);
      now = of - 1;
      links.here(of, true);
      look(tried.seat);
      verdict.querySelector("h2").focus({ preventScroll: true });
    }

    /** Show the next marked decision that the viewer may know, of this hand or of a later one. */
    function toError() {
      const here = errors().find((one) => one.turn > now);
      if (here) return step(here.turn);
      const later = laterError();
      if (later) links.open(later.hand, later.turn, false);
    }

    function laterError() {
      const names = match.hands.map((one) => `${one.game}.${one.hand}`);
      const after = names.slice(names.indexOf(name) + 1);
      const marked = (match.review || []).filter((one) => one.mark && (viewer === null || one.seat === viewer));
      const next = after.find((one) => marked.some((each) => each.hand === one));
      return marked.filter((one) => one.hand === next).sort((one, other) => one.turn - other.turn)[0];
    }

    function toHand(by) {
      const other = match.hands[match.hands.indexOf(hand) + by];
      if (other) links.open(`${other.game}.${other.hand}`, 0, false);
    }

    /** The place from which a newly open card came: the stock, or the hand of the seat that threw it. */
    function origin(card) {
      const state = states[now];
      if (state.drawn !== null && Gin.name(state.drawn) === card) return "stock";
      return state.pile.length && Gin.name(state.pile.at(-1)) === card ? `seat${states[now - 1].seat}` : null;
    }

    function draw() {
      const state = states[now];
      const open = now === last;
      felt.replaceChildren(...Board.parts(state, match, viewer, open));
      if (open) felt.querySelector(".below").replaceWith(make("p", { class: "below", role: "status" }, endingText(hand, match, shared.words)));
      status.textContent = `Turn ${now} of ${last}: ${turnText()}`;
      for (const part of [worth, deadwood, steps, tools, asking, moves.place.parentElement]) part.hidden = tried !== null;
      showVerdict();
      if (tried) return;
      showBest(state);
      slider.value = now;
      [first.disabled, previous.disabled, next.disabled, end.disabled] = [now === 0, now === 0, now === last, now === last];
      nextError.hidden = !match.review;
      nextError.disabled = !errors().some((one) => one.turn > now) && !laterError();
      moves.draw((n) => moveText(n, Moves.did, short), new Map(errors().map((one) => [one.turn - 1, one])), now);
      messages.replaceChildren(...(now < last && isHidden(now) ? [make("p", { class: "note" }, `${match.seats[states[now].seat]} is asked; the other seat does not see what.`)]
        : messageParts(match, hand, before, states, words, notes, now)));
      mark(now);
      notice.textContent = "";
    }

    function turnText() {
      if (now === 0) return [Dom.filled(shared.words.dealt, { name: match.seats[hand.dealer] }), `score ${before.score.join("–")}, games ${before.games.join("–")}`,
        before.columns.length ? `three games at once: ${before.columns.map((one) => one.join("–")).join(", ")}` : "", hand.terms].filter(Boolean).join("; ");
      return did(now - 1);
    }

    /** Show the review of the last decision, unless its seat's cards are hidden, and the commands to look deeper. */
    function showVerdict() {
      if (tried) return verdict.replaceChildren(...Retry.panel(match, tried, { leave: () => step(tried.turn), open: (one) => links.open(one.hand, one.turn, true) }));
      const one = prices.get(now - 1);
      const known = one && (viewer === null || viewer === one.seat);
      const parts = known ? [make("p", { class: `price ${one.mark}` }, ...(one.mark ? [make("b", {}, `${Moves.SHAPES[one.mark]}\uFE0E `)] : []), one.verdict)] : [];
      if (known && one.choices?.length > 1) parts.push(make("button", { type: "button", class: "tool", onclick: () => retry(one.turn) }, "Try this decision again"));
      if (!prices.size) parts.push(make("p", { class: "note" }, "This hand is not reviewed."), ...(links.review ? [request] : []), ...(links.run === null ? [] : [commandLine(["arena", "review", links.run, match.fixture, name])]));
      else if (!parts.length) parts.push(make("p", { class: "note" }, now ? "No price: there was no choice, or it is hidden from this view." : "Each decision is judged by what its seat knew."));
      showNote();
      debugging.replaceChildren(debugging.firstChild, ...(links.run === null || !words.length ? [] : [commandLine(debugWords())]));
      verdict.replaceChildren(...parts, note, debugging);
    }

    /** The command that asks the bot for the last decision again; at the deal, for the first one. */
    function debugWords() {
      const of = Math.max(now, 1);
      return ["arena", "debug", match.seats[states[of - 1].seat], "--recorded", links.run, match.fixture, name, String(of)];
    }

    function showNote() {
      const seat = now > 0 ? states[now - 1].seat : null;
      const parts = seat !== null && (viewer === null || viewer === seat) ? noteParts(notes.get(now - 1), match.seats[seat], hand.spent[now - 1]) : [];
      note.replaceChildren(...parts);
    }

    /** Mark the best action of the seat that acts next, with its price, if the review found a better one than it plays. */
    function showBest(state) {
      const one = prices.get(now);
      if (!one || !one.advice || (viewer !== null && viewer !== state.seat)) return;
      const { kind, card } = Gin.answer(one.best);
      const best = felt.querySelector({ draw: "[data-place=stock] .card", take: ".middle .pile:nth-child(2) > .card" }[kind] || `[data-card="${card}"]`);
      best?.classList.add("best");
      felt.querySelector(".side.active h2").append(make("span", { class: `price ${one.mark}` }, ` ${one.advice}`));
    }

    /** Draw the curves that the viewer may see: its own deadwood and expected points, or both seats' deadwood and the worth of the hand. */
    function curves() {
      if (tried) return;
      const shown = viewer === null ? [0, 1] : [viewer];
      const charts = [make("div"), make("div")];
      const points = viewer === null ? Curves.worth(values, last, net()) : expected();
      deadwood.replaceChildren(make("h2", {}, "Deadwood"), charts[0], make("p", { class: "note" }, "Of eleven cards, that of the ten that leave least."));
      worth.hidden = points.length < 2;
      worth.replaceChildren(...(worth.hidden ? [] : [make("h2", {}, "What the hand is worth"), charts[1], ...errorLegend(),
        make("details", {}, make("summary", {}, "What this shows"), make("p", { class: "note" }, worthText()))]));
      const marks = [Curves.deadwoodChart(charts[0], states, match.seats, shown, step)];
      const links = errors().map((one) => ({ ...one, label: `turn ${one.turn}: ${match.seats[one.seat]}, ${one.mark}, gave up ${one.price.toFixed(1)} points` }));
      if (!worth.hidden) marks.push(Curves.worthChart(charts[1], points, viewer === null ? values : [], links, last, match.seats[viewer ?? 0], step));
      mark = (turn) => marks.forEach((one) => one(turn));
      mark(now);
    }

    const net = () => (hand.winner === null ? 0 : (hand.winner === 0 ? 1 : -1) * hand.points);

    /** The points of a curve: the viewer's expected points after each of its reviewed decisions, and its score at the end. */
    function expected() {
      const mine = [...prices.values()].filter((one) => one.seat === viewer && Number.isFinite(one.worth));
      const points = mine.map((one) => ({ turn: one.turn, value: one.worth }));
      return points.length ? [...points, { turn: last, value: viewer ? -net() : net() }] : [];
    }

    /** The marked decisions of the seats whose cards are shown, in the order of play. */
    const errors = () => [...prices.values()].filter((one) => one.mark && (viewer === null || one.seat === viewer)).sort((one, other) => one.turn - other.turn);

    function errorLegend() {
      const marked = errors();
      return marked.length ? [make("p", { class: "note legend errors" }, Object.keys(Moves.SHAPES).filter((one) => marked.some((each) => each.mark === one))
        .map((one) => make("span", { class: `key ${one}` }, one)))] : [];
    }

    function worthText() {
      if (viewer !== null) return `Points that ${match.seats[viewer]} could expect after each own decision, judged by the review from what was known to this seat; after the last turn, the points. A click leads to the turn.`;
      return `Points that ${match.seats[0]} could expect, both players' cards known, by the value function that measures luck; after the last turn, the points. `
        + `Thick: the luck of a draw, green for ${match.seats[0]}, orange against that; in all ${Numbers.signed(hand.luck, 2)} points. A click leads to the turn.`;
    }

    const STEPS = { ArrowLeft: () => step(now - 1), ArrowRight: () => step(now + 1), Home: () => step(0), End: () => step(last), p: () => toggle(),
      "+": () => faster(1), "-": () => faster(-1), e: () => toError(), v: () => look([0, 1, null][[null, 0, 1].indexOf(viewer)]), t: () => retry(now), c: () => copyLink(notice) };
    const ALWAYS = { "[": () => toHand(-1), "]": () => toHand(1), "?": () => keysHelp.showModal() };

    const keys = (event) => {
      if (!place.isConnected || place.closest("[hidden]") || keysHelp.open) return;
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
      const action = { ...ALWAYS, ...(tried ? { Escape: () => step(tried.turn) } : STEPS) }[event.key];
      if (action) { event.preventDefault(); action(); }
    };
    document.addEventListener("keydown", keys);
    addEventListener("resize", curves);
    place.classList.add("replay");
    place.replaceChildren(make("div", { class: "left" }, make("div", { class: "board" }, status, felt), steps, tools, deadwood, asking), hiding, keysHelp);
    const start = Math.max(0, Math.min(Number.isInteger(turn) ? turn : 0, last));
    now = start;
    if (trying && prices.get(start - 1)?.choices) retry(start);
    else look(null);
    return { step, retry, close: () => { toggle(false); document.removeEventListener("keydown", keys); removeEventListener("resize", curves); } };
  }

  return { show };
})();
