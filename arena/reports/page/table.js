"use strict";
// The page of a person at a table: the server sends each state with its legal moves and all words, the page sends the chosen move.
(() => {
  const { make, capital } = Dom;
  const element = (id) => document.getElementById(id);
  let now = null; // the state that is shown
  let confirming = null; // a card that is lifted: a second tap throws it
  let hinted = false;
  let frames = []; // the steps of the opponent's turn that are not shown yet, each with its differences from the state
  const wide = matchMedia("(min-width: 64rem)"); // a column stands beside the felt
  let timer = 0; // until the next frame

  async function send(move) {
    const state = now ? now.state : 0;
    finish();
    const buttons = [...document.querySelectorAll("#felt button:enabled, #actions button:enabled")]; // a knock that is not allowed stays so
    buttons.forEach((button) => { button.disabled = true; });
    const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ state, move }) };
    const answer = await fetch("act", sent).catch(() => null); // null: the server is not there
    if (!answer) connection.fail();
    else if (!answer.ok) element("status").textContent = await answer.text();
    if (!answer?.ok) buttons.forEach((button) => { button.disabled = false; });
  }

  const tool = (id, text, act, main = false) => make("button", { type: "button", id, class: main ? "main" : null, onclick: act }, words(text));

  /** Text whose red suits are red. */
  function words(text) {
    return [make("span", {}, parted(text).map((part, at) => (at % 2 ? make("span", { class: "suit" }, part) : part)))];
  }

  const parted = (text) => text.split(/((?:10|[A2-9TJQK])[♦♥])/u);

  // --- a turn

  /** One of the person's cards; a click throws it. */
  function ownCard(name, kind = "") {
    const playable = now.moves[name] !== undefined;
    const marks = [kind, name === now.drawn && "new", now.throws && !playable && "forbidden", name === confirming && "lifted"];
    const button = Dom.cardButton(name, marks.filter(Boolean).join(" "), () => playable && throwCard(name));
    if (playable) button.title = now.moves[name];
    else button.setAttribute("aria-disabled", "true");
    button.addEventListener("keydown", (event) => {
      const by = event.shiftKey && { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by) { event.preventDefault(); Hand.shift(name, by); }
    });
    return button;
  }

  function throwCard(name) {
    if (confirming === name || !(Settings.chosen.confirm || now.breaks.includes(name))) return send(name);
    confirming = name;
    show();
    element("sure").focus();
  }

  /** Take the discard; while the opponent's turn is still being shown, show its end instead. */
  const take = () => (frames.length ? finish() : send("take"));

  const ifLegal = (name, act) => (now.moves[name] === undefined ? null : act);

  /** The buttons of a turn; a knock is offered in words, the best first. */
  function actions() {
    if (confirming) return [tool("sure", "Throw it", () => send(confirming), true), tool("keep", "Keep it", () => { confirming = null; show(); })];
    const shown = ["draw", "take", "pass", "big_gin", "lay_off"].filter((name) => now.moves[name] !== undefined)
      .map((name) => tool(name, capital(now.moves[name]), name === "take" ? take : () => send(name), true));
    const [best, ...others] = now.knocks;
    if (best) shown.push(tool("knock", capital(now.moves[best]), () => send(best), true));
    else if (now.throws) shown.push(make("button", { type: "button", id: "knock", disabled: true }, "Knock", make("small", {}, now.knock_rule)));
    if (others.length) shown.push(make("details", { class: "knocks" }, make("summary", {}, "Other knocks"), make("div", {}, others.map((name) => tool(null, capital(now.moves[name]), () => send(name))))));
    const undo = Hand.canUndo() ? [tool("undo", "Undo", Hand.undo)] : [];
    return [...shown, ...(now.hint ? [tool("hint", "Hint", hint)] : []), ...undo];
  }

  /** Show the quick hint at once, and the reviewer's as soon as it is known. */
  function hint() {
    const asked = now;
    hinted = true;
    show();
    if (asked.advised) return;
    asked.advised = true;
    fetch(`hint/${asked.state}`).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null).then((advice) => {
      asked.hint = advice || asked.hint;
      asked.thought = true;
      if (now === asked) show();
    });
  }

  /** Mark the card, the stock or the pile of the hint; on the cards of the reviewer's other moves their rank. */
  function showHint() {
    const { move, text, why, ranked } = now.hint;
    cardOf(move)?.classList.add("hinted");
    ranked.forEach((one, at) => { const card = cardOf(one.move); if (card && !card.dataset.rank) card.dataset.rank = at + 1; });
    element("advice").replaceChildren(make("p", {}, words(`${capital(text)}: ${why}.${now.thought ? "" : " The reviewer is thinking…"}`)),
      ...(ranked.length > 1 ? [rankedMoves(ranked)] : ranked.length ? [make("p", { class: "note" }, "All else is clearly worse.")] : []));
  }

  const cardOf = (move) => document.querySelector({ draw: "#stock .card", take: "#pile > .card" }[move] || `#mine [data-card="${move.split(":").at(-1)}"]`);

  /** The reviewer's moves, the best first, with what each of the others gives up. */
  function rankedMoves(ranked) {
    const most = Math.max(...ranked.map((one) => one.loss), 0.1);
    return make("ol", { class: `ranked${now.throws ? " throws" : ""}`, "aria-label": "Moves by the reviewer, the best first" },
      ranked.map(({ text, loss, half }, at) => make("li", {}, make("b", { class: "rank" }, `${at + 1}`), words(text),
        make("span", { class: "meter", "aria-hidden": "true" }, make("i", { style: `width: ${(100 * loss) / most}%` })),
        make("span", { class: "loss" }, at ? `${Numbers.interval(-loss, half, 1)} a hand` : "best"))));
  }

  function turn() {
    const table = { ...now, ...frames[0] };
    const { knock } = table;
    const did = frames.length ? frames[0].text : now.did.length ? `${now.opponent} ${now.did.join(" and ")}.` : "";
    element("status").replaceChildren(...words(did), " ", frames.length ? "" : make("strong", {}, words(now.text)));
    const middle = Felt.piles(table, { draw: ifLegal("draw", () => send("draw")), take: frames.length ? null : ifLegal("take", take) });
    element("felt").replaceChildren(Felt.opponent(table, now.kind === "wait" || frames.length > 0), middle,
      Felt.side("mine", now.kind === "turn" && !frames.length, Felt.panel(table.players[0]), knock ? make("ul", {}, knock.why.map((line) => make("li", {}, words(line)))) : null,
        Hand.draw({ ...now, laidOff: knock?.laid_off }, ownCard)));
    element("actions").replaceChildren(...(now.kind === "turn" ? actions() : []));
    element("advice").replaceChildren(...(confirming ? words(question()) : []));
    if (hinted) showHint();
  }

  const question = () => (now.breaks.includes(confirming) ? `This breaks a meld: ${now.moves[confirming]}.` : `${capital(now.moves[confirming])}. Tap it again.`);

  /** Show the opponent's turn step by step; a move of the person, or a tap on the felt, shows its end at once. */
  function play(remaining) {
    frames = Motion.calm() || !Settings.pace() ? [] : remaining;
    show();
    const [lasts] = frames.map((one) => one.lasts);
    timer = lasts ? setTimeout(() => play(frames.slice(1)), lasts * Settings.pace()) : 0;
  }

  function finish() {
    clearTimeout(timer);
    if (frames.length) play([]);
  }

  /** The frames of the opponent's turn: the table after the person's move, and after the opponent's draw. */
  function steps(before, state) {
    if (!before || !state.step) return [];
    const { pile, stock, known, hidden, text } = before;
    const left = before.kind === "wait" && pile ? [{ pile, stock, known, hidden, text, lasts: 400 }] : [];
    const common = { players: before.players ?? state.players, knock: null }; // the new ones are known only at its end
    return [...left, { ...state.step, drew: before.stock > state.step.stock, lasts: 700 }].map((one) => ({ ...one, ...common }));
  }

  /** Show the table after the person's move; an empty felt, if nothing of the hand is known yet. */
  function wait() {
    if (now.cards) return turn();
    element("status").textContent = now.text;
    element("felt").replaceChildren();
    element("actions").replaceChildren();
    element("advice").textContent = "";
  }

  // --- between hands and matches

  function handOver() {
    element("status").replaceChildren(...words(now.text));
    element("felt").replaceChildren(...Felt.showdown(now));
    element("actions").replaceChildren(tool("next", "Continue", () => send("next"), true));
    element("advice").textContent = "";
    element("next").focus();
  }

  function matchOver() {
    element("status").textContent = now.text;
    element("felt").replaceChildren(make("p", { class: "result" }, now.text));
    element("actions").replaceChildren(...(now.link ? [make("a", { class: "tool", href: now.link }, "Your match")] : []));
    element("leave").closest("p").hidden = true;
  }

  function matchSaved() {
    matchOver();
    const another = make("select", { id: "another", "aria-label": "opponent" }, now.bots.slice(1).map((bot) => make("option", { value: bot }, bot)));
    element("felt").append(make("p", {}, `The match is saved in ${now.saved}.`), ...(now.bots.length > 1 ? [make("p", { class: "tools" }, make("label", {}, "Another opponent ", another), tool("other", "Play", () => send(`play:${another.value}`)))] : []));
    element("actions").replaceChildren(tool("rematch", "Rematch", () => send(`play:${now.bots[0]}`), true),
      make("a", { id: "replay", class: "tool", href: now.replay, target: "_blank" }, "Replay"),
      tool("done", "Leave", leaveTable));
    element("rematch").focus();
  }

  async function leaveTable() {
    connection.close(); // before the server ends, which would be an error
    await send("done");
    closed();
  }

  function closed() {
    matchOver();
    element("felt").append(make("p", {}, "The table is closed. You can close this page."));
    connection.close();
  }

  const SHOWN = { turn, wait, hand_over: handOver, match_over: matchOver, match_saved: matchSaved, closed };

  /** The place from which a newly open card came. */
  function origin(card) {
    if (!now.cards) return "opponent";
    return card === now.drawn || card === Felt.UNSEEN ? "stock" : now.cards.includes(card) ? null : "opponent";
  }

  function show() {
    Motion.redraw(element("felt"), SHOWN[now.kind], origin);
    tick();
  }

  /** Show the time that each player has thought in the match; the clock of the player to act runs. */
  function tick() {
    if (!now?.clock) return;
    const { spent, acts, since } = now.clock;
    for (const [seat, at] of [["mine", 0], ["opponent", 1]]) {
      const place = document.querySelector(`#${seat} .clock`);
      const seconds = Math.floor(spent[at] + (acts === at ? Math.max(0, connection.moment() / 1000 - since) : 0));
      if (place) place.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    }
  }

  const BETWEEN = ["hand_over", "match_over", "match_saved", "closed"]; // kinds of states in which no hand is played

  /** Show the review of the last hand, or after a match of all its hands, with links to the decisions. */
  function showReview({ kind, review, last_hand: last }) {
    placeReview(kind);
    const over = kind !== "hand_over" && BETWEEN.includes(kind);
    const waiting = last && BETWEEN.includes(kind) && !review?.hands.some((one) => one.hand === last);
    element("review").hidden = !review && !waiting;
    const found = waiting ? pending(last, over) : review ? verdict(over ? review.match : review.last) : [];
    element("review").replaceChildren(...found, ...(over && review ? [handTable(review.hands), ...Trend.parts(review.trend), make("p", { class: "note" }, review.note)] : []));
  }

  /** On a phone the review of a hand waits in the menu while the next hand is played: it must not move the cards. */
  function placeReview(kind) {
    const place = BETWEEN.includes(kind) || wide.matches ? document.querySelector(".rail") : element("more").querySelector("div");
    if (element("review").parentElement !== place) place.prepend(element("review"));
  }

  /** The note while the last hand is not reviewed yet, in place of the review of the match or of the hand before. */
  function pending(last, over) {
    return [make("h2", {}, over ? "Review of the match" : `Review of ${Numbers.hand(last)}`),
      make("p", { class: "note" }, over ? `${capital(Numbers.hand(last))} is being reviewed; then the match is.` : "It is being reviewed …")];
  }

  const replayLink = (place, text) => make("a", { href: `replay#${place}`, target: "_blank" }, text);

  function verdict({ title, text, worst_decision, place }) {
    return [make("h2", {}, title), make("p", {}, text), make("p", {}, words(worst_decision), place ? [" ", replayLink(place, "Show it")] : [])];
  }

  function handTable(hands) {
    return Dom.table(["hand", "points", "luck", "your play", "rest"],
      hands.map((one) => [replayLink(`${one.hand}/0`, Numbers.hand(one.hand)), one.result, one.luck, one.play, one.rest]), [0]);
  }

  function received(state) {
    element("notice").textContent = state.notice || "";
    showReview(state);
    if (now && state.state === now.state) {
      now.clock = state.clock;
      return tick();
    }
    clearTimeout(timer);
    const opponentsTurn = steps(now, state);
    [now, confirming, hinted] = [state, null, false];
    if (BETWEEN.includes(state.kind)) Hand.restoreSorting();
    document.body.dataset.state = `${state.state} ${state.kind}`;
    for (const place of [element("heading"), document.querySelector("title")]) place.textContent = `You against ${state.opponent}`;
    element("score").textContent = state.standing || "";
    element("leave").closest("p").hidden = false;
    element("log").replaceChildren(...state.log.map((line) => make("li", {}, words(line))).reverse());
    Settings.play({ turn: state.did?.length ? "turn" : "card", wait: "card", hand_over: "end" }[state.kind]);
    play(opponentsTurn);
  }

  setInterval(tick, 1000);
  const help = "If arena was stopped, it has printed the command that continues the match.";
  const connection = Connection.open("events", received, { help, always: true });

  element("leave").addEventListener("click", () => { if (confirm("Leave the match? You will lose it.")) send("leave"); });
  element("felt").addEventListener("click", finish);
  Hand.letDrag(element("felt"), () => now && show());
  for (const id of ["confirm", "speed", "sound"]) Settings.bind(element(id));
  Hand.restoreSorting();
  element("sorting").addEventListener("change", () => Hand.sortBy(element("sorting").value));
  element("more").open = wide.matches;
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select")) return;
    const key = event.key.toLowerCase();
    if (key === "s" && now?.moves) return Hand.next();
    const id = { d: "draw", t: "take", p: "pass", k: "knock", g: "big_gin", h: "hint", l: "lay_off", r: "rematch", u: "undo" }[key];
    if (id && element(id) && !element(id).disabled) element(id).click();
  });
})();
