"use strict";
// The page to play at: the server sends each state with its legal moves, the page sends the chosen move.
(() => {
  const { make } = Dom;
  const element = (id) => document.getElementById(id);
  let now = null; // the state that is shown
  let knocking = false; // whether a click on a card knocks instead of discarding

  async function send(move) {
    const state = now.state;
    document.querySelectorAll("#felt button, #actions button").forEach((button) => { button.disabled = true; });
    const answer = await fetch("act", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ state, move }) });
    if (!answer.ok) element("status").textContent = await answer.text();
  }

  const tool = (id, text, act, main = false) => make("button", { type: "button", id, class: main ? "main" : null, onclick: act }, text);

  // --- a turn

  function cards(names, melds, show) {
    const melded = melds.flat();
    return make("div", { class: "melds" }, melds.map((meld) => make("div", { class: "meld" }, meld.map(show))),
      make("div", { class: "loose" }, names.filter((name) => !melded.includes(name)).map(show)));
  }

  const knocks = () => Object.keys(now.moves).filter((name) => name.startsWith("knock:"));

  /** One of the player's cards; a click discards it or knocks with it. */
  function mine(name) {
    const move = knocking ? `knock:${name}` : name;
    const fresh = name === now.drawn ? "new" : "";
    const playable = now.moves[move] !== undefined;
    const onclick = playable ? () => send(move) : null;
    const mustDiscard = Object.keys(now.moves).some((key) => key.length === 2 || key.startsWith("knock:"));
    const button = Dom.cardButton(name, `${fresh}${mustDiscard && !playable ? " forbidden" : ""}`, onclick);
    if (playable) button.title = now.moves[move];
    return button;
  }

  function opponent() {
    const hidden = 10 - now.known.length;
    const shown = now.knock ? now.knock.melds.map((meld) => make("div", { class: "meld" }, meld.map((name) => Dom.card(name))))
      : [make("div", {}, now.known.map((name) => Dom.card(name, "known")), Array.from({ length: hidden }, () => Dom.back()))];
    const note = now.knock ? ` (deadwood ${now.knock.deadwood})` : now.dealer ? "" : " (dealer)";
    return make("div", { class: "side", id: "opponent" }, make("h3", {}, now.opponent, make("span", {}, note)), make("div", { class: "melds" }, shown));
  }

  function middle() {
    const top = now.pile.at(-1);
    const pile = top === undefined ? "empty" : now.moves.take !== undefined
      ? Dom.cardButton(top, "", () => send("take")) : Dom.card(top);
    const stock = now.moves.draw !== undefined ? make("button", { type: "button", class: "card back", "aria-label": "draw from the stock", onclick: () => send("draw") }) : Dom.back();
    return make("div", { class: "middle" }, make("div", { class: "pile" }, stock, make("span", {}, `stock: ${now.stock}`)),
      make("div", { class: "pile" }, pile, make("span", {}, "discard pile"),
        make("span", { class: "below" }, now.pile.slice(0, -1).reverse().map((name) => Dom.card(name, "small")))));
  }

  function actions() {
    const plain = { draw: "Draw from the stock", take: "Take the discard", pass: "Pass", big_gin: "Big gin", lay_off: "Lay down and lay off" };
    const shown = Object.keys(plain).filter((name) => now.moves[name] !== undefined).map((name) => tool(name, plain[name], () => send(name), true));
    if (knocks().length) {
      shown.push(tool("knock", knocking ? "Discard instead" : "Knock…", () => { knocking = !knocking; turn(); }, !knocking));
      if (knocking) shown.push(make("span", { class: "note" }, "Click the card to discard when you knock."));
    }
    return [...shown, tool("hint", "Hint", () => { element("advice").textContent = `${now.hint.text}: ${now.hint.why}.`; })];
  }

  function turn() {
    const knock = now.knock;
    element("score").textContent = `Game ${now.game + 1}, hand ${now.hand + 1}. You against ${now.opponent}: score ${now.score.join("–")} (first to ${now.target}), games ${now.games.join("–")}.`;
    element("status").textContent = [...now.did.map((did) => `${now.opponent} ${did}.`), now.text].join(" ");
    const left = knock ? `deadwood ${knock.left} after your best defence` : `deadwood ${now.deadwood}`;
    element("felt").replaceChildren(opponent(), middle(), make("div", { class: "side active", id: "mine" },
      make("h3", {}, "You", make("span", {}, ` (${now.dealer ? "dealer; " : ""}${left})`)), cards(now.cards, knock ? knock.own : now.melds, mine),
      knock ? make("ul", {}, knock.why.map((line) => make("li", {}, line))) : null));
    element("actions").replaceChildren(...actions());
  }

  // --- between hands

  function handOver() {
    element("score").textContent = `You against ${now.opponent}: score ${now.score.join("–")}, games ${now.games.join("–")}.`;
    element("status").textContent = now.text;
    const laid = now.lay_offs.map(([name]) => name);
    const side = (name, seat) => make("div", { class: "side" }, make("h3", {}, name, make("span", {}, ` (deadwood ${now.deadwood[seat]})`)),
      cards(now.cards[seat], now.melds[seat], (name) => Dom.card(name, laid.includes(name) ? "known" : "")));
    element("felt").replaceChildren(side(now.opponent, 1), side("You", 0));
    element("actions").replaceChildren(tool("next", "Continue", () => send("next"), true));
    element("next").focus();
  }

  function matchOver() {
    element("status").textContent = `${now.text} The match is saved; the terminal shows where. You can close this page.`;
    element("felt").replaceChildren();
    element("actions").replaceChildren();
    element("leave").closest("p").hidden = true;
  }

  const SHOWN = { turn, hand_over: handOver, match_over: matchOver };
  const source = new EventSource("events");
  source.onmessage = (message) => {
    const state = JSON.parse(message.data);
    if (now && state.state === now.state) return;
    [now, knocking] = [state, false];
    document.body.dataset.state = `${state.state} ${state.kind}`;
    element("advice").textContent = "";
    SHOWN[state.kind]();
    if (state.kind === "match_over") source.close();
  };
  source.onerror = () => { if (!now || now.kind !== "match_over") element("status").textContent = "Connection lost. Is arena still running in the terminal?"; };

  element("leave").addEventListener("click", () => { if (confirm("Leave the match? You will lose it.")) send("leave"); });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const id = { d: "draw", t: "take", p: "pass", k: "knock", h: "hint", l: "lay_off" }[event.key.toLowerCase()];
    if (id && element(id) && !element(id).disabled) element(id).click();
  });
})();
