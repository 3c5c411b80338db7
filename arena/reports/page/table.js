"use strict";
// A table to play at: the server says what may be done, the page shows it and sends what is chosen.
(() => {
  const { make } = Dom;
  const at = (id) => document.getElementById(id);
  let now = null; // the state that is shown
  let knocking = false; // a click on a card knocks with it

  async function send(move) {
    const state = now.state;
    document.querySelectorAll("#felt button, #acts button").forEach((button) => { button.disabled = true; });
    const answer = await fetch("act", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ state, move }) });
    if (!answer.ok) at("said").textContent = await answer.text();
  }

  const tool = (id, text, act, main = false) => make("button", { type: "button", id, class: main ? "main" : null, onclick: act }, text);

  // --- a turn

  function cards(held, melds, show) {
    const melded = melds.flat();
    return make("div", { class: "melds" }, melds.map((meld) => make("div", { class: "meld" }, meld.map(show))),
      make("div", { class: "loose" }, held.filter((name) => !melded.includes(name)).map(show)));
  }

  const knocks = () => Object.keys(now.moves).filter((name) => name.startsWith("knock:"));

  /** One of my cards: to be thrown, or to knock with. */
  function mine(name) {
    const move = knocking ? `knock:${name}` : name;
    const fresh = name === now.drawn ? "new" : "";
    const throwing = now.moves[move] !== undefined;
    const may = throwing ? () => send(move) : null;
    const anything = Object.keys(now.moves).some((key) => key.length === 2 || key.startsWith("knock:"));
    const button = Dom.cardButton(name, `${fresh}${anything && !throwing ? " forbidden" : ""}`, may);
    if (throwing) button.title = now.moves[move];
    return button;
  }

  function opponent() {
    const hidden = 10 - now.known.length;
    const shown = now.knock ? now.knock.melds.map((meld) => make("div", { class: "meld" }, meld.map((name) => Dom.card(name))))
      : [make("div", {}, now.known.map((name) => Dom.card(name, "known")), Array.from({ length: hidden }, () => Dom.back()))];
    const told = now.knock ? ` (${now.knock.deadwood} points left)` : now.dealer ? "" : " (dealer)";
    return make("div", { class: "side", id: "opponent" }, make("h3", {}, now.opponent, make("span", {}, told)), make("div", { class: "melds" }, shown));
  }

  function middle() {
    const top = now.pile.at(-1);
    const pile = top === undefined ? "no discard" : now.moves.take !== undefined
      ? Dom.cardButton(top, "", () => send("take")) : Dom.card(top);
    const stock = now.moves.draw !== undefined ? make("button", { type: "button", class: "card back", "aria-label": "draw from the stock", onclick: () => send("draw") }) : Dom.back();
    return make("div", { class: "middle" }, make("div", { class: "pile" }, stock, make("span", {}, `stock: ${now.stock}`)),
      make("div", { class: "pile" }, pile, make("span", {}, "discard pile"),
        make("span", { class: "under" }, now.pile.slice(0, -1).reverse().map((name) => Dom.card(name, "small")))));
  }

  function acts() {
    const plain = { draw: "Draw from the stock", take: "Take the discard", pass: "Pass", big_gin: "Big gin", lay_off: "Lay down" };
    const shown = Object.keys(plain).filter((name) => now.moves[name] !== undefined).map((name) => tool(name, plain[name], () => send(name), true));
    if (knocks().length) {
      shown.push(tool("knock", knocking ? "Throw instead" : "Knock…", () => { knocking = !knocking; turn(); }, !knocking));
      if (knocking) shown.push(make("span", { class: "note" }, "Click the card that you throw face down."));
    }
    return [...shown, tool("hint", "Hint", () => { at("advice").textContent = `${now.hint.told}: ${now.hint.why}.`; })];
  }

  function turn() {
    const knock = now.knock;
    at("score").textContent = `Game ${now.game + 1}, hand ${now.hand + 1}. Score ${now.score.join(" to ")}, of ${now.target}; games ${now.games.join(" to ")}.`;
    at("said").textContent = [...now.did.map((did) => `${now.opponent} ${did}.`), now.told].join(" ");
    const left = knock ? `${knock.left} points left, at your best` : `deadwood ${now.deadwood}`;
    at("felt").replaceChildren(opponent(), middle(), make("div", { class: "side acts", id: "mine" },
      make("h3", {}, "You", make("span", {}, ` (${now.dealer ? "dealer; " : ""}${left})`)), cards(now.cards, knock ? knock.own : now.melds, mine),
      knock ? make("ul", {}, knock.why.map((line) => make("li", {}, line))) : null));
    at("acts").replaceChildren(...acts());
  }

  // --- between hands

  function handOver() {
    at("score").textContent = `Score ${now.score.join(" to ")}; games ${now.games.join(" to ")}.`;
    at("said").textContent = now.told;
    const laid = now.lay_offs.map(([name]) => name);
    const side = (who, seat) => make("div", { class: "side" }, make("h3", {}, who, make("span", {}, ` (${now.deadwood[seat]} points left)`)),
      cards(now.cards[seat], now.melds[seat], (name) => Dom.card(name, laid.includes(name) ? "known" : "")));
    at("felt").replaceChildren(side(now.opponent, 1), side("You", 0));
    at("acts").replaceChildren(tool("next", "Go on", () => send("next"), true));
    at("next").focus();
  }

  function matchOver() {
    at("said").textContent = `${now.told} It is kept; the terminal says where. This page can be closed.`;
    at("felt").replaceChildren();
    at("acts").replaceChildren();
    at("leave").closest("p").hidden = true;
  }

  const SHOWN = { turn, hand_over: handOver, match_over: matchOver };
  const line = new EventSource("events");
  line.onmessage = (message) => {
    const state = JSON.parse(message.data);
    if (now && state.state === now.state) return;
    [now, knocking] = [state, false];
    document.body.dataset.state = `${state.state} ${state.kind}`;
    at("advice").textContent = "";
    SHOWN[state.kind]();
    if (state.kind === "match_over") line.close();
  };
  line.onerror = () => { if (!now || now.kind !== "match_over") at("said").textContent = "The line to the table is lost: is the program still running?"; };

  at("leave").addEventListener("click", () => { if (confirm("Leave the table, and lose the match?")) send("leave"); });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const id = { d: "draw", t: "take", p: "pass", k: "knock", h: "hint", l: "lay_off" }[event.key.toLowerCase()];
    if (id && at(id) && !at(id).disabled) at(id).click();
  });
})();
