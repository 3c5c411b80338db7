"use strict";
// The moves of a hand in words, and their list by turn and seat. Needs game.js and dom.js.
const Moves = (() => {
  const { make } = Dom;
  const SHAPES = { inaccuracy: "●", mistake: "▲", blunder: "✕" }; // of the marks of errors, here and on the curve

  const cardText = (one) => Dom.text(Gin.name(one));
  const meldText = (meld) => meld.map(cardText).join(" ");

  /** An action in the past tense, in the words of arena/reports/describe.py; `words.did` may be the short ones. */
  function did(word, before, after, words) {
    const answer = Gin.answer(word);
    const phrase = (kind, values) => Dom.filled(words.did[kind], values);
    switch (answer.kind) {
      case "take": return phrase("take", { card: cardText(before.pile.at(-1)) });
      case "draw": return phrase("draw", { card: cardText(after.drawn) });
      case "discard": return phrase("discard", { card: Dom.text(answer.card) });
      case "knock": return phrase(after.called, { left: after.laid[before.seat].left });
      case "lay_off": return phrase("lay_off", { melds: after.laid[before.seat].melds.map(meldText).join(", ") || words.no_meld });
      default: return phrase(answer.kind, {});
    }
  }

  /** The same with the card that a knock throws, and the cards that were laid off. */
  function sentence(word, before, after, words) {
    const answer = Gin.answer(word);
    const more = { knock: () => Dom.filled(words.throwing, { card: Dom.text(answer.card) }), lay_off: () => laidText(after, before.seat, words) }[answer.kind];
    return did(word, before, after, words) + (more ? more() : "");
  }

  /** The cards that a seat has laid off, and the deadwood that it has left. */
  function laidText(hand, seat, words) {
    const { on, left } = hand.laid[seat];
    const cards = on.map(([one, to]) => Dom.filled(words.on_a_meld, { card: cardText(one), meld: meldText(hand.laid[1 - seat].melds[to]) })).join(", ");
    return `${cards ? Dom.filled(words.laid_off, { cards }) : ""}${Dom.filled(words.left, { left })}`;
  }

  /** The turns in rows, each row with the turns of seats 0 and 1: `[[[0, 1], [2, 3]], …]`; the seat that plays first begins a row. */
  function rows(states, count) {
    const found = [];
    for (let turn = 0; turn < count; turn++) {
      const seat = states[turn].seat;
      if (!found.length || (seat === states[0].seat && found.at(-1)[1 - seat].length)) found.push([[], []]);
      found.at(-1)[seat].push(turn);
    }
    return found;
  }

  /** A mark as a shape and a word, with the points that were given up. */
  const markText = (one) => `${SHAPES[one.mark]} ${one.mark} −${one.price.toFixed(1)}`;

  /** A table of all moves, whose links call `go` with a turn. `draw(text, errors, now)` fills it: `errors` are the marked decisions by turn. */
  function list(seats, states, count, go) {
    const links = Array.from({ length: count }, (_, turn) => make("a", { href: "#", onclick: (event) => { event.preventDefault(); go(turn + 1); } }));
    const order = states[0].seat === 0 ? [0, 1] : [1, 0]; // the seat that plays first stands left
    const cell = (turns, seat) => make("td", { "data-seat": seat }, turns.map((turn) => make("div", {}, links[turn], " ")));
    const table = make("table", { class: "turns" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "turn"), order.map((seat) => make("th", { scope: "col" }, seats[seat])))),
      make("tbody", {}, rows(states, count).map((row) => make("tr", {}, make("th", { scope: "row" }, String(Math.min(...row.flat()) + 1)), order.map((seat) => cell(row[seat], seat))))));
    const place = make("div", { class: "turns-place" }, table);

    function draw(text, errors, now) {
      links.forEach((link, turn) => {
        const one = errors.get(turn);
        link.replaceChildren(text(turn), ...(one ? [" ", make("span", { class: `price ${one.mark}` }, markText(one))] : []));
        if (turn + 1 === now) link.setAttribute("aria-current", "step");
        else link.removeAttribute("aria-current");
      });
      keepInSight(place, links[now - 1]);
    }
    return { place, draw };
  }

  /** Scroll a list to one of its links, without scrolling the page. */
  function keepInSight(place, link) {
    if (!link || place.scrollHeight <= place.clientHeight) return;
    const [around, box] = [place.getBoundingClientRect(), link.getBoundingClientRect()];
    if (box.top < around.top + 40 || box.bottom > around.bottom) place.scrollTop += box.top - around.top - place.clientHeight / 2;
  }

  return { SHAPES, sentence, did, rows, markText, list };
})();
