"use strict";
// The page to play at: the server sends each state with its legal moves and all words, the page sends the chosen move.
(() => {
  const { make } = Dom;
  const element = (id) => document.getElementById(id);
  let now = null; // the state that is shown
  let chosen = "melds"; // how the player wants its cards sorted; "own": as it puts them
  let sorting = chosen; // how they are sorted in this hand: "own" from a drag to the end of the hand
  let order = []; // the player's cards from left to right
  let confirming = null; // a card whose throw would break a meld
  let hinted = false;

  async function send(move) {
    const state = now ? now.state : 0;
    document.querySelectorAll("#felt button, #actions button").forEach((button) => { button.disabled = true; });
    const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ state, move }) };
    const answer = await fetch("act", sent).catch(() => null); // null: the server is not there
    if (!answer) connection.fail();
    else if (!answer.ok) element("status").textContent = await answer.text();
    if (!answer?.ok) document.querySelectorAll("#felt button, #actions button").forEach((button) => { button.disabled = false; });
  }

  const tool = (id, text, act, main = false) => make("button", { type: "button", id, class: main ? "main" : null, onclick: act }, words(text));
  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  /** Text whose red suits are red. */
  function words(text) {
    return [make("span", {}, parted(text).map((part, at) => (at % 2 ? make("span", { class: "suit" }, part) : part)))];
  }

  const parted = (text) => text.split(/((?:10|[A2-9TJQK])[♦♥])/u);

  // --- the player's cards, in an order of choice

  const RANKS = "A23456789TJQK";
  const value = (name) => Math.min(RANKS.indexOf(name[0]) + 1, 10);
  const rank = (name) => RANKS.indexOf(name[0]);
  const suit = (name) => "cdhs".indexOf(name[1]);
  const ORDERS = {
    suit: (one, other) => suit(one) - suit(other) || rank(one) - rank(other),
    rank: (one, other) => rank(one) - rank(other) || suit(one) - suit(other),
  };

  function arranged(names, melds) {
    if (sorting === "melds") return [...melds.flat(), ...names.filter((name) => !melds.flat().includes(name)).sort(ORDERS.rank)];
    if (ORDERS[sorting]) return [...names].sort(ORDERS[sorting]);
    return [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))];
  }

  function myCards(names, melds) {
    order = arranged(names, melds);
    const melded = melds.flat();
    if (sorting !== "melds") return make("div", { class: "melds" }, make("div", { class: "row" }, order.map((name) => mine(name, melded.includes(name) ? "melded" : ""))));
    return make("div", { class: "melds" }, melds.map((meld) => make("div", { class: "meld" }, meld.map((name) => mine(name)))),
      make("div", { class: "loose" }, order.filter((name) => !melded.includes(name)).map((name) => mine(name))));
  }

  /** Put a card before another one, or at the end. */
  function move(name, before) {
    const rest = order.filter((one) => one !== name);
    const at = before === null ? rest.length : rest.indexOf(before);
    order = [...rest.slice(0, at), name, ...rest.slice(at)];
    sorting = "own";
    show();
  }

  function shift(name, by) {
    const at = order.indexOf(name);
    const to = Math.max(0, Math.min(order.length - 1, at + by));
    const rest = order.filter((one) => one !== name);
    move(name, rest[to] ?? null);
    document.querySelector(`#mine [data-card="${name}"]`).focus();
  }

  function sortBy(kind) {
    chosen = sorting = kind;
    show();
  }

  /** Let the player drag cards: a drag of more than a few pixels moves a card, anything less is a click. */
  function letDrag(felt) {
    let held = null;
    felt.addEventListener("pointerdown", (event) => {
      const card = event.button === 0 && event.target.closest("#mine .card");
      held = card ? { card, x: event.clientX, y: event.clientY, moved: false } : null;
    });
    addEventListener("pointermove", (event) => {
      if (!held) return;
      const [x, y] = [event.clientX - held.x, event.clientY - held.y];
      held.moved ||= Math.hypot(x, y) > 8;
      if (held.moved) held.card.style.translate = `${x}px ${y}px`;
    });
    addEventListener("pointerup", (event) => {
      if (held && held.moved) drop(held.card.dataset.card, event);
      setTimeout(() => { held = null; });
    });
    addEventListener("pointercancel", () => { if (held) held.card.style.translate = ""; held = null; });
    felt.addEventListener("click", (event) => { if (held && held.moved) { event.stopPropagation(); event.preventDefault(); } }, { capture: true });
  }

  /** Put a dragged card where it was dropped: before the first card that is to the right of it, in its row or below. */
  function drop(name, event) {
    const others = [...document.querySelectorAll("#mine .card")].filter((one) => one.dataset.card !== name).map((one) => [one.dataset.card, one.getBoundingClientRect()]);
    const after = others.find(([, box]) => event.clientY < box.top || (event.clientY < box.bottom && event.clientX < box.left + box.width / 2));
    move(name, after ? after[0] : null);
  }

  // --- a turn

  const throwing = () => Object.keys(now.moves).some((name) => name.length === 2);

  /** One of the player's cards; a click throws it. */
  function mine(name, kind = "") {
    const playable = now.moves[name] !== undefined;
    const fixed = throwing() && !playable ? "forbidden" : "";
    const button = Dom.cardButton(name, `${kind} ${name === now.drawn ? "new" : ""} ${fixed}`, () => playable && throwCard(name));
    if (playable) button.title = now.moves[name];
    else button.setAttribute("aria-disabled", "true");
    button.addEventListener("keydown", (event) => {
      const by = event.shiftKey && { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by) { event.preventDefault(); shift(name, by); }
    });
    return button;
  }

  function throwCard(name) {
    if (!now.breaks.includes(name) || confirming === name) return send(name);
    confirming = name;
    show();
    element("sure").focus();
  }

  const melds = (several, card, layOffs = []) => several.map((meld, at) => make("div", { class: "meld" }, meld.map((name) => card(name)),
    layOffs.filter(([, to]) => to === at).map(([name]) => Dom.card(name, "laid-off"))));

  function opponent() {
    const hidden = 10 - now.known.length;
    const shown = now.knock ? melds(now.knock.melds, (name) => Dom.card(name), now.knock.lay_offs)
      : [make("div", {}, now.known.map((name) => Dom.card(name, "known")), Array.from({ length: hidden }, () => Dom.back()))];
    const note = now.knock ? ` (deadwood ${now.knock.deadwood})` : now.dealer ? "" : " (dealer)";
    return make("div", { class: `side${now.kind === "wait" ? " active" : ""}`, id: "opponent", "data-place": "opponent" }, make("h2", {}, now.opponent, make("span", {}, note)), make("div", { class: "melds" }, shown));
  }

  function middle() {
    const top = now.pile.at(-1);
    const below = now.pile.slice(0, -1).reverse();
    const pile = top === undefined ? make("span", {}, "no discard") : now.moves.take !== undefined
      ? Dom.cardButton(top, "", () => send("take")) : Dom.card(top);
    const stock = now.moves.draw !== undefined ? make("button", { type: "button", class: "card back", "aria-label": "draw from the stock", onclick: () => send("draw") }) : Dom.back();
    return make("div", { class: "middle" }, make("div", { class: "pile" }, make("span", { "data-place": "stock", id: "stock" }, stock), make("span", {}, `stock: ${now.stock} cards`)),
      make("div", { class: "pile", id: "pile" }, pile, make("span", { class: "pile-name" }, below.length ? "top of the discard pile; below it, newest first:" : "discard pile"),
        make("span", { class: "below" }, below.map((name) => Dom.card(name, "small")))));
  }

  /** The buttons of a turn; a knock is offered in words, the best first. */
  function actions() {
    if (confirming) return sure();
    const shown = ["draw", "take", "pass", "big_gin", "lay_off"].filter((name) => now.moves[name] !== undefined).map((name) => tool(name, capital(now.moves[name]), () => send(name), true));
    const [best, ...others] = now.knocks;
    if (best) shown.push(tool("knock", capital(now.moves[best]), () => send(best), true));
    if (others.length) shown.push(make("details", { class: "knocks" }, make("summary", {}, "Other knocks"), others.map((name) => tool(null, capital(now.moves[name]), () => send(name)))));
    return [...shown, tool("hint", "Hint", hint), sorter()];
  }

  function sure() {
    return [make("span", {}, words(`This breaks a meld: ${now.moves[confirming]}.`)), tool("sure", "Throw it", () => send(confirming), true),
      tool("keep", "Keep it", () => { confirming = null; show(); })];
  }

  function sorter() {
    const kinds = { melds: "by melds", suit: "by suit", rank: "by rank", own: "as I put them" };
    const select = make("select", { id: "sorting", onchange: () => sortBy(select.value) }, Object.entries(kinds).map(([kind, text]) => make("option", { value: kind, selected: kind === sorting }, text)));
    return make("label", { class: "sorter" }, "Sort ", select);
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

  /** Mark what the hint is about: a card, the stock or the pile. */
  function showHint() {
    const where = { draw: "#stock .card", take: "#pile > .card" }[now.hint.move] || `#mine [data-card="${now.hint.move.split(":").at(-1)}"]`;
    document.querySelector(where)?.classList.add("hinted");
    element("advice").replaceChildren(...words(`${capital(now.hint.text)}: ${now.hint.why}.${now.thought ? "" : " The reviewer is thinking…"}`));
  }

  function turn() {
    const knock = now.knock;
    element("status").replaceChildren(...words([...now.did.map((did) => `${now.opponent} ${did}.`), now.text].join(" ")));
    const left = knock ? `deadwood ${knock.left} after your best defence` : `deadwood ${now.deadwood}`;
    const laidOff = knock ? knock.lay_offs.map(([name]) => name) : [];
    element("felt").replaceChildren(opponent(), middle(), make("div", { class: `side${now.kind === "turn" ? " active" : ""}`, id: "mine" },
      make("h2", {}, "You", make("span", {}, ` (${now.dealer ? "dealer; " : ""}${left})`)), myCards(now.cards.filter((name) => !laidOff.includes(name)), knock ? knock.own : now.melds),
      knock ? make("ul", {}, knock.why.map((line) => make("li", {}, words(line)))) : null));
    element("actions").replaceChildren(...(now.kind === "turn" ? actions() : [sorter()]));
    element("advice").textContent = "";
    if (hinted) showHint();
  }

  /** The table as one's own move left it; without cards, where nothing is known of the hand yet. */
  function wait() {
    if (now.cards) return turn();
    element("status").textContent = now.text;
    element("felt").replaceChildren();
    element("actions").replaceChildren();
    element("advice").textContent = "";
  }

  // --- between hands and matches

  /** Deadwood as the sum of its cards, `1 + 4 + 2 = 7`; of a hand that nobody has laid down its cards say nothing. */
  function sum(loose, deadwood) {
    const values = loose.map(value);
    return values.length > 1 && values.reduce((one, other) => one + other) === deadwood ? `${values.join(" + ")} = ${deadwood}` : deadwood;
  }

  function handOver() {
    element("status").replaceChildren(...words(now.text));
    const laidOff = now.lay_offs.map(([name]) => name);
    const side = (name, seat) => {
      const own = now.cards[seat].filter((one) => !laidOff.includes(one));
      const theirs = now.cards[1 - seat].some((one) => laidOff.includes(one)) ? now.lay_offs : [];
      const loose = own.filter((one) => !now.melds[seat].flat().includes(one));
      return make("div", { class: "side", id: seat ? "opponent" : "mine" }, make("h2", { class: "counted" }, name, make("span", {}, ` (deadwood ${sum(loose, now.deadwood[seat])})`)),
        make("div", { class: "melds" }, melds(now.melds[seat], (one) => Dom.card(one), theirs), make("div", { class: "loose" }, loose.map((one) => Dom.card(one)))));
    };
    element("felt").replaceChildren(side(now.opponent, 1), side("You", 0));
    element("actions").replaceChildren(tool("next", "Continue", () => send("next"), true));
    element("advice").textContent = "";
    element("next").focus();
  }

  function matchOver() {
    element("status").textContent = now.text;
    element("felt").replaceChildren(make("p", { class: "result" }, now.text));
    element("actions").replaceChildren();
    element("leave").closest("p").hidden = true;
  }

  function matchSaved() {
    matchOver();
    const another = make("select", { id: "another", "aria-label": "opponent" }, now.bots.slice(1).map((bot) => make("option", { value: bot }, bot)));
    element("felt").append(make("p", {}, `The match is saved in ${now.saved}.`));
    element("actions").replaceChildren(tool("rematch", "Rematch", () => send(`play:${now.bots[0]}`), true),
      make("a", { id: "replay", class: "tool", href: now.replay, target: "_blank" }, "Replay of the match"),
      ...(now.bots.length > 1 ? [make("label", {}, "Another opponent ", another), tool("other", "Play", () => send(`play:${another.value}`))] : []), tool("done", "Leave the table", leaveTable));
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

  /** Where a card came from that was not open before. */
  function origin(card) {
    if (!now.cards || now.kind === "hand_over") return "opponent";
    return card === now.drawn ? "stock" : now.cards.includes(card) ? null : "opponent";
  }

  function show() {
    Motion.redraw(element("felt"), SHOWN[now.kind], origin);
  }

  const BETWEEN = ["hand_over", "match_over", "match_saved", "closed"]; // kinds of states in which no hand is played

  /** What the review has found: of the last hand, or after a match of all its hands; each decision with a link to it. */
  function showReview({ kind, review, last_hand: last }) {
    const over = kind !== "hand_over" && BETWEEN.includes(kind);
    const waiting = last && BETWEEN.includes(kind) && !review?.hands.some((one) => one.hand === last);
    element("review").hidden = !review && !waiting;
    const found = waiting ? pending(last, over) : review ? verdict(over ? review.match : review.last) : [];
    element("review").replaceChildren(...found, ...(over && review ? [handTable(review.hands), ...Trend.parts(review.trend), make("p", { class: "note" }, review.note)] : []));
  }

  /** Nothing is said of a match, or of the hand before, where the result of the last hand stands above it and is not reviewed yet. */
  function pending(last, over) {
    return [make("h2", {}, over ? "Review of the match" : `Review of hand ${last}`),
      make("p", { class: "note" }, over ? `Hand ${last} is being reviewed; then the match is.` : "It is being reviewed …")];
  }

  const showIt = (place, text) => make("a", { href: `replay#${place}`, target: "_blank" }, text);

  function verdict({ title, text, dearest, place }) {
    return [make("h2", {}, title), make("p", {}, text), make("p", {}, words(dearest), place ? [" ", showIt(place, "Show it")] : [])];
  }

  function handTable(hands) {
    return Dom.table(["hand", "your points", "luck of the draws", "your play beside the reviewer's"],
      hands.map((one) => [showIt(`${one.hand}/0`, one.hand), one.result, one.luck, one.play]), [0]);
  }

  function received(state) {
    element("notice").textContent = state.notice || "";
    showReview(state);
    if (now && state.state === now.state) return;
    [now, confirming, hinted] = [state, null, false];
    if (BETWEEN.includes(state.kind)) sorting = chosen;
    document.body.dataset.state = `${state.state} ${state.kind}`;
    for (const place of [element("heading"), document.querySelector("title")]) place.textContent = `You against ${state.opponent}`;
    element("score").textContent = state.standing || "";
    element("leave").closest("p").hidden = false;
    element("log").replaceChildren(...state.log.map((line) => make("li", {}, words(line))).reverse());
    show();
  }

  const help = "If arena was stopped, it has printed the command that continues the match.";
  const connection = Connection.open("events", received, { help, always: true });

  element("leave").addEventListener("click", () => { if (confirm("Leave the match? You will lose it.")) send("leave"); });
  letDrag(element("felt"));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select")) return;
    const key = event.key.toLowerCase();
    if (key === "s" && now?.moves) return sortBy({ melds: "suit", suit: "rank", rank: "melds", own: "melds" }[sorting]);
    const id = { d: "draw", t: "take", p: "pass", k: "knock", g: "big_gin", h: "hint", l: "lay_off", r: "rematch" }[key];
    if (id && element(id) && !element(id).disabled) element(id).click();
  });
})();
