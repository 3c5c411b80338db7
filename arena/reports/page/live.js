"use strict";
// Updates a page while matches end. The server sends the parts that change often; it has escaped them.
const Live = (() => {
  const RETRY = 10000; // milliseconds
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

  /** Say that the page stands still, or, without words, that it is live again. */
  function tell(words) {
    let place = document.getElementById("connection");
    if (!place) {
      place = Dom.make("p", { id: "connection", class: "connection", role: "status" });
      document.body.prepend(place);
    }
    place.textContent = words;
  }

  /** Receive events while the page is visible: a browser allows few connections to a server, and hidden pages need none. */
  function listen(address, received) {
    let source = null;
    const connect = () => {
      if (document.hidden && source) { source.close(); source = null; }
      if (!document.hidden && !source) {
        source = new EventSource(address);
        source.onopen = () => tell("");
        source.onmessage = (message) => received(JSON.parse(message.data));
        source.onerror = () => { // after a refusal a browser does not try again by itself
          if (source) tell("The server does not answer, so this page stands still. It is tried again.");
          if (source && source.readyState === EventSource.CLOSED) { source = null; setTimeout(connect, RETRY); }
        };
      }
    };
    document.addEventListener("visibilitychange", connect);
    addEventListener("pagehide", () => source && source.close());
    connect();
  }

  const PARTS = ["ranking", "ranks", "crosstable", "endings", "play", "faults"];
  const INTERVAL = 10000; // milliseconds between two updates of the parts that change less often

  /** Replace the other parts from a fresh copy of the page, except those that the reader is using. */
  async function renew() {
    const answer = await fetch("./");
    if (!answer.ok) return;
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
    listen("events", (update) => {
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
  return { put, listen };
})();
