"use strict";
// Animates cards and the rows of bots: what is redrawn glides from its old place. Disabled if the system asks for reduced motion.
const Motion = (() => {
  const DURATION = 260; // milliseconds
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  const key = (one) => one.dataset.card || one.dataset.bot;

  /** The boxes of the open cards, the bots' rows, the stock and the players' sides in `place`. */
  function places(place) {
    const found = new Map();
    for (const one of place.querySelectorAll("[data-card], [data-place], [data-bot]")) found.set(key(one) || one.dataset.place, one.getBoundingClientRect());
    return found;
  }

  function glide(one, from) {
    const to = one.getBoundingClientRect();
    const [x, y] = [from.left + from.width / 2 - to.left - to.width / 2, from.top + from.height / 2 - to.top - to.height / 2];
    if (Math.abs(x) + Math.abs(y) < 4) return;
    one.animate([{ transform: `translate(${x}px, ${y}px)`, zIndex: 5 }, { transform: "none", zIndex: 5 }], { duration: DURATION, easing: "ease-out", composite: "add" });
  }

  /** Redraw `place` by `draw()`; `origin(card)` names the place from which a newly open card comes. */
  function redraw(place, draw, origin = () => null) {
    const before = calm.matches ? new Map() : places(place);
    draw();
    for (const one of before.size ? place.querySelectorAll("[data-card], [data-bot]") : []) {
      const from = before.get(key(one)) || before.get(origin(one.dataset.card));
      if (from) glide(one, from);
    }
  }

  return { redraw, calm: () => calm.matches };
})();
