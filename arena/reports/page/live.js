"use strict";
// What moves: parts of the page that the server sends anew as matches end. They are escaped where they are made.
const Live = (() => {
  const last = new Map(); // by element: what was put there

  /** Put `html` into the element `id`; rows that are not what they were light up for a moment. */
  function put(id, html) {
    const place = document.getElementById(id);
    if (!place || last.get(id) === html) return;
    const before = new Map([...place.querySelectorAll("[data-bot]")].map((row) => [row.dataset.bot, row.textContent]));
    last.set(id, html);
    place.innerHTML = html;
    for (const row of place.querySelectorAll("[data-bot]")) {
      if (before.size && before.get(row.dataset.bot) !== row.textContent) row.classList.add("moved");
    }
    const table = place.closest("table.sortable");
    const sorted = table && table.querySelector("th[aria-sort]");
    if (sorted) Dom.sortBy(table, sorted.cellIndex, sorted.getAttribute("aria-sort"));
  }

  /** Listen while the page is seen: a browser keeps few lines open to one server, and hidden pages need none. */
  function listen(address, heard) {
    let line = null;
    const attend = () => {
      if (document.hidden && line) { line.close(); line = null; }
      if (!document.hidden && !line) {
        line = new EventSource(address);
        line.onmessage = (message) => heard(JSON.parse(message.data));
      }
    };
    document.addEventListener("visibilitychange", attend);
    addEventListener("pagehide", () => line && line.close());
    attend();
  }

  const PARTS = ["ranks", "crosstable", "endings", "play", "faults"];
  const REST = 10000; // milliseconds between two looks at what moves less

  /** Put the rest of a fresh page in the place of this one's, but for what somebody is busy with. */
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

  if (typeof Report !== "undefined" && Report.found.live) {
    let due = 0;
    listen("events", (moved) => {
      put("progress", moved.progress);
      put("standing-rows", moved["standing-rows"]);
      if (Report.found.hands !== moved.hands) {
        Report.found.hands = moved.hands;
        Report.forget();
        if (performance.now() > due) {
          due = performance.now() + REST;
          renew();
        }
      }
    });
  }
  return { put, listen };
})();
