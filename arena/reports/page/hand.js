"use strict";
// A person's own cards: sorted by the setting, or in this hand as the person has dragged them.
const Hand = (() => {
  const { make } = Dom;
  const NEXT = { melds: "suit", suit: "rank", rank: "melds" };
  let sorting = Settings.chosen.sorting; // "own" from a drag to the end of the hand
  let order = []; // the cards from left to right
  let before = []; // for undo: the sorting and order before each change in this hand, the oldest first
  let onChange = () => {}; // redraws the cards

  /** The person's cards in their order; `card(name, kind)` makes the element of one. */
  function draw({ cards, orders, melds, laidOff = [] }, card) {
    const known = sorting === "own" ? [...order.filter((name) => cards.includes(name)), ...cards.filter((name) => !order.includes(name))] : orders[sorting];
    order = known.filter((name) => !laidOff.includes(name));
    if (sorting !== "melds") return make("div", { class: "hand" }, make("div", { class: "row" }, bracketed(melds, card)));
    const loose = order.filter((name) => !melds.flat().includes(name));
    return make("div", { class: "hand" }, melds.map((meld) => make("div", { class: "meld", role: "group", "aria-label": "meld" }, meld.map((name) => card(name)))),
      loose.length ? make("div", { class: "loose", role: "group", "aria-label": "deadwood" }, loose.map((name) => card(name))) : null);
  }

  /** The cards in their order; a meld whose cards stand together has its bracket, the cards of another are marked one by one. */
  function bracketed(melds, card) {
    const shown = [];
    for (let at = 0; at < order.length;) {
      const meld = melds.find((one) => one.includes(order[at]));
      const together = meld ? order.slice(at, at + meld.length) : [];
      const whole = Boolean(meld) && together.every((name) => meld.includes(name));
      shown.push(whole ? make("div", { class: "meld", role: "group", "aria-label": "meld" }, together.map((name) => card(name))) : card(order[at], meld ? "melded" : ""));
      at += whole ? meld.length : 1;
    }
    return shown;
  }

  /** Put a card before another one, or at the end. */
  function move(name, next) {
    const rest = order.filter((one) => one !== name);
    const at = next === null ? rest.length : rest.indexOf(next);
    change("own", [...rest.slice(0, at), name, ...rest.slice(at)]);
  }

  function change(kind, cards) {
    before.push({ sorting, order });
    [sorting, order] = [kind, cards];
    onChange();
  }

  /** Take back the last change of the order in this hand. */
  function undo() {
    ({ sorting, order } = before.pop());
    onChange();
  }

  function shift(name, by) {
    const to = Math.max(0, Math.min(order.length - 1, order.indexOf(name) + by));
    move(name, order.filter((one) => one !== name)[to] ?? null);
    document.querySelector(`#mine [data-card="${name}"]`).focus();
  }

  function sortBy(kind) {
    Settings.set("sorting", kind);
    restoreSorting();
    onChange();
  }

  /** Sort by the setting again, for another hand. */
  function restoreSorting() {
    before = [];
    sorting = Settings.chosen.sorting;
    document.getElementById("sorting").value = sorting;
  }

  /** Let the person drag cards: a drag of more than a few pixels moves a card, anything less is a click. */
  function letDrag(felt, redraw) {
    onChange = redraw;
    let held = null; // the card under the pointer, with the place where it was pressed
    felt.addEventListener("pointerdown", (event) => {
      const card = event.button === 0 && event.target.closest("#mine .hand .card");
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
    const others = [...document.querySelectorAll("#mine .hand .card")].filter((one) => one.dataset.card !== name).map((one) => [one.dataset.card, one.getBoundingClientRect()]);
    const after = others.find(([, box]) => event.clientY < box.top || (event.clientY < box.bottom && event.clientX < box.left + box.width / 2));
    move(name, after ? after[0] : null);
  }

  return { draw, shift, sortBy, restoreSorting, letDrag, undo, canUndo: () => before.length > 0, next: () => sortBy(NEXT[sorting] ?? "melds") };
})();
