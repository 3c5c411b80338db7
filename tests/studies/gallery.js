"use strict";
// The components of the gallery that scripts draw: cards in each state, and the charts.
(() => {
  const data = document.getElementById("tournament");
  if (data) Charts.draw(JSON.parse(data.textContent));
  const kinds = ["", "new", "melded", "known", "hinted", "best", "laid-off", "forbidden", "small"];
  for (const place of document.querySelectorAll("[data-cards]")) {
    const cards = kinds.map((kind) => Dom.make("p", {}, Dom.card("7h", kind), " ", Dom.card("Ts", kind), ` ${kind || "plain"}`));
    place.append(...cards, Dom.make("p", {}, Dom.cardButton("Qd", "", () => {}), " to press"), Dom.make("p", {}, Dom.back(), " face down"));
  }
  document.querySelectorAll("table.sortable").forEach(Dom.sortable);
})();
