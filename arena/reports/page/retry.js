"use strict";
// Lets a reader try marked decisions of a match again, with the review's prices of the choices. Needs dom.js.
const Retry = (() => {
  const { make, capital } = Dom;

  /** The marked decisions of a seat, or of both (null), that can be tried again, in the order of play. */
  function decisions(match, seat = null) {
    const order = new Map(match.hands.map((hand, at) => [`${hand.game}.${hand.hand}`, at]));
    return (match.review || []).filter((one) => one.choices?.length > 1 && order.has(one.hand) && (seat === null || one.seat === seat))
      .sort((one, other) => order.get(one.hand) - order.get(other.hand) || one.turn - other.turn);
  }

  /** A link for each seat with marked decisions to the first of them; `to(decision)` is its address. */
  function links(match, to) {
    const found = match.seats.map((name, seat) => [name, decisions(match, seat)]).filter(([, some]) => some.length);
    return found.length ? make("p", { class: "learn" }, "Try the marked decisions again, with the answer hidden: ", found.map(([name, some], at) => [
      at ? ", " : "", make("a", { href: to(some[0]) }, `${some.length} of ${name}`)])) : null;
  }

  /** The question, the choices, and the verdict on a choice; `leave()` shows what was played, `open(decision)` another decision. */
  function panel(match, one, { leave, open }) {
    const several = decisions(match, one.seat);
    const at = several.findIndex((each) => each.hand === one.hand && each.turn === one.turn);
    const verdict = make("p", { class: "said", role: "status" });
    const next = at + 1 < several.length ? make("button", { type: "button", class: "tool", onclick: () => open(several[at + 1]) }, "Next mistake") : make("span", { class: "note" }, "This was the last one.");
    const after = make("div", { class: "tools", hidden: true }, make("button", { type: "button", class: "tool", onclick: leave }, "Show what happened"), next);
    const choose = (choice, button) => {
      verdict.className = `said price ${choice[1]}`;
      verdict.textContent = `${capital(choice[0])}: ${choice[2]}`;
      buttons.forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
      after.hidden = false;
    };
    const buttons = one.choices.map((choice) => { // [words, mark, verdict]
      const button = make("button", { type: "button", "aria-pressed": "false", onclick: () => choose(choice, button) }, capital(choice[0]));
      return button;
    });
    return [make("h2", { tabindex: "-1" }, `What would you do as ${match.seats[one.seat]}?`), make("p", { class: "note" }, `Decision ${at + 1} of ${several.length} that the review marks. What followed is hidden.`),
      make("div", { class: "tools choices" }, buttons), verdict, after];
  }

  return { decisions, links, panel };
})();
