"use strict";
// The felt of a table: the players' panels, the opponent's cards, the piles, and both hands at the end.
const Felt = (() => {
  const { make } = Dom;
  const UNSEEN = "unseen"; // name of the face-down card that the opponent has just drawn, by which it is animated

  /** A player's name, score, games and dealer mark. */
  function panel({ name, score, target, games, dealer, note }) {
    return make("div", { class: "seat" }, make("span", { class: "face", "aria-hidden": "true" }, name[0]),
      make("h2", {}, name, dealer ? make("span", { class: "dealer" }, "dealer") : null, note ? make("span", { class: "about" }, note) : null, make("span", { class: "clock", role: "timer", "aria-label": `time of ${name}` })),
      make("p", { class: "points" }, make("b", {}, `${score}`), ` of ${target}`, games ? make("small", {}, games) : null),
      make("progress", { value: score, max: target, "aria-label": `${name}: ${score} of ${target} points` }));
  }

  const meld = ({ cards, laid_off: laidOff }) => make("div", { class: "meld", role: "group", "aria-label": "meld" },
    cards.map((name) => Dom.card(name)), laidOff.map((name) => Dom.card(name, "laid-off")));

  function side(id, active, ...children) {
    return make("section", { class: `side${active ? " active" : ""}`, id, "data-place": id, "aria-label": { mine: "You", opponent: "Opponent" }[id] }, children);
  }

  function backs({ hidden, drew }) {
    const cards = Array.from({ length: hidden }, () => Dom.back());
    if (drew) cards.at(-1).dataset.card = UNSEEN;
    return make("div", {}, cards);
  }

  /** The opponent's known cards, the others face down; after a knock its melds. */
  function opponent(table, active) {
    const cards = table.knock ? make("div", { class: "hand" }, table.knock.melds.map(meld))
      : make("div", { class: "held" }, backs(table), table.known.length ? make("div", {}, table.known.map((name) => Dom.card(name, "known"))) : null);
    return side("opponent", active, panel(table.players[1]), cards);
  }

  /** The stock and the discard pile; `draw` and `take` are called by a click on them, null: it is not legal. */
  function piles({ pile, stock }, { draw, take }) {
    const top = pile.at(-1);
    const below = pile.slice(0, -1).reverse();
    const back = draw ? make("button", { type: "button", class: "card back", "aria-label": "draw from the stock", onclick: draw }) : Dom.back();
    const open = top === undefined ? make("span", { class: "card none" }, "no discard") : take ? Dom.cardButton(top, "", take) : Dom.card(top);
    return make("div", { class: "middle" }, make("div", { class: "piles" },
      make("div", { class: "pile", id: "stock", "data-place": "stock" }, back, make("span", {}, `stock: ${stock}`)),
      make("div", { class: "pile", id: "pile" }, open, make("span", {}, `discards: ${pile.length}`))),
    below.length ? make("div", { class: "below scroll", tabindex: "0", role: "group", "aria-label": "discard pile below its top, newest first" }, below.map((name) => Dom.card(name, "small"))) : null);
  }

  /** The end of a hand: the cards that both have laid down, and the sum that makes the points. */
  function showdown({ players, hands, score }) {
    const laid = ({ melds, loose, gone, deadwood }, at) => side(at ? "opponent" : "mine", false, panel(players[at]),
      make("p", { class: "counted" }, `deadwood ${deadwood}`),
      make("div", { class: "hand" }, melds.map(meld), loose.length + gone.length ? make("div", { class: "loose", role: "group", "aria-label": "deadwood" },
        loose.map((name) => Dom.card(name)), gone.map((name) => Dom.card(name, "ghost"))) : null));
    return [laid(hands[1], 1), laid(hands[0], 0), score ? sum(score) : null].filter(Boolean);
  }

  function sum({ terms, points, whose }) {
    return make("p", { class: "sum" }, terms.map(({ sign, points: counted, what }) => make("span", { class: "term" }, make("b", {}, `${sign} ${counted} `.trimStart()), make("small", {}, `${what} `))),
      make("span", { class: "term total" }, make("b", {}, `= ${points} `), make("small", {}, `points for ${whose}`)));
  }

  return { UNSEEN, panel, opponent, piles, showdown, side };
})();
