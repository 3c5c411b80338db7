"use strict";
// Updates a page while matches end. The server sends the parts that change often; it has escaped them.
const Live = (() => {
  const last = new Map(); // by element id: the HTML that was put there

  /** Put `html` into the element `id`, and highlight the rows that changed. */
  function put(id, html) {
    const place = document.getElementById(id);
    if (!place || last.get(id) === html) return;
    const before = new Map([...place.querySelectorAll("[data-bot]")].map((row) => [row.dataset.bot, row.textContent]));
    last.set(id, html);
    place.innerHTML = html;
    for (const row of place.querySelectorAll("[data-bot]")) {
      if (before.size && before.get(row.dataset.bot) !== row.textContent) row.classList.add("changed");
    }
    const table = place.closest("table.sortable");
    const sorted = table && table.querySelector("th[aria-sort]");
    if (sorted) Dom.sortBy(table, sorted.cellIndex, sorted.getAttribute("aria-sort"));
  }

  const PARTS = ["ranking", "ranks", "crosstable", "endings", "play", "faults"];
  const INTERVAL = 10000; // milliseconds between two updates of the parts that change less often

  /** Replace the other parts from a fresh copy of the page, except those that the reader is using. */
  async function renew() {
    const answer = await fetch("./").catch(() => null); // null: the server is not there, as the connection says
    if (!answer?.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of PARTS) {
      const [old, other] = [document.getElementById(id), fresh.getElementById(id)];
      const busy = old && (old.contains(document.activeElement) || old.querySelector("details[open], th[aria-sort]"));
      if (old && other && !busy) old.replaceWith(document.adoptNode(other));
    }
    Report.renew(JSON.parse(fresh.getElementById("tournament").textContent));
  }

  if (typeof Report !== "undefined" && Report.tournament.live) {
    let due = 0;
    Connection.open("events", (update) => {
      put("opening", update.opening);
      put("progress", update.progress);
      put("standing-rows", update["standing-rows"]);
      if (Report.tournament.hands !== update.hands) {
        Report.tournament.hands = update.hands;
        Report.forget();
        if (performance.now() > due) {
          due = performance.now() + INTERVAL;
          renew();
        }
      }
    });
  }
  return { put };
})();
