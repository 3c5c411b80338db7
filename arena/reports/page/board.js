"use strict";
// The board of a replay: both seats' cards and the piles, as a viewer may see them. Needs game.js and dom.js.
const Board = (() => {
  const { make } = Dom;

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
    return `(${dealer}deadwood ${laid ? laid.left : hand.left[seat]})`;
  }

  function faceDown(hand, seat) {
    const open = known(hand, seat);
    return make("div", { class: "melds" }, make("div", {}, open.map((one) => Dom.card(Gin.name(one), "known")),
      Gin.without(hand.cards[seat], open).map(() => Dom.back())));
  }

  function faceUp(hand, seat) {
    const laid = hand.laid[seat];
    const cards = hand.cards[seat];
    const melds = laid ? laid.melds : hand.melds[seat];
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
      make("div", { class: "pile" }, make("span", { "data-place": "stock" }, Dom.back()), make("span", {}, `stock: ${hand.stock} cards`)),
      make("div", { class: "pile" }, top === undefined ? null : Dom.card(Gin.name(top)), make("span", {}, `discards: ${hand.pile.length}`)),
      make("div", { class: "below", role: "group", "aria-label": "discard pile below its top, newest first" }, below.map((one) => Dom.card(Gin.name(one), "small"))));
  }

  /** The parts of the board; `viewer` is a seat, null: both; `open`: the hand is over, and all cards are shown. */
  const parts = (hand, match, viewer, open) => [side(hand, 1, match, viewer, open), middle(hand), side(hand, 0, match, viewer, open)];

  return { parts };
})();
