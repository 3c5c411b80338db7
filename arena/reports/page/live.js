"use strict";
// Updates a page while its run is played. The server sends the parts that change often, already escaped.
const Live = (() => {
  const last = new Map(); // by element id: the HTML that was put there

  /** Put `html` into the element `id`, and highlight the rows that changed. */
  function put(id, html) {
    const place = document.getElementById(id);
    if (!place || last.get(id) === html) return;
    const before = new Map([...place.querySelectorAll("[data-bot]")].map((row) => [row.dataset.bot, row.textContent]));
    last.set(id, html);
    const packed = place.tagName === "TBODY" && Dom.packedRows(place.parentNode);
    Motion.redraw(place, () => {
      place.innerHTML = html;
      if (packed) [...place.rows].slice(before.size).forEach((row) => row.remove()); // those that were not asked for
    });
    for (const row of place.querySelectorAll("[data-bot]")) {
      if (before.size && before.get(row.dataset.bot) !== row.textContent) row.classList.add("changed");
    }
    const table = place.closest("table.sortable");
    const sorted = table && table.querySelector("th[aria-sort]");
    if (sorted) Dom.sortBy(table, sorted.cellIndex, sorted.getAttribute("aria-sort"));
  }

  const INTERVAL = 10000; // milliseconds between two updates of the parts that change less often

  const key = (part) => part.id || part.getAttribute("aria-label") || part.tagName;
  const sorting = (part) => [...part.querySelectorAll("th[aria-sort]")].map((th) => `${th.cellIndex} ${th.getAttribute("aria-sort")}`).join();

  /** Tell whether the reader uses a part: it has the focus, is sorted otherwise than a fresh copy, opened, scrolled or searched. */
  function busy(part, fresh) {
    return part.contains(document.activeElement) || part.querySelector("details[open], table[data-all]") || sorting(part) !== sorting(fresh)
      || [...part.querySelectorAll(".scroll")].some((one) => one.scrollLeft) || [...part.querySelectorAll("input")].some((one) => one.value);
  }

  /** Replace a part by a copy in `html`, unless the reader is using it or it is the same. */
  function change(id, html) {
    const part = document.getElementById(id);
    const fresh = new DOMParser().parseFromString(html, "text/html").getElementById(id);
    if (!part || !fresh || last.get(id) === html || busy(part, fresh)) return;
    last.set(id, html);
    part.replaceWith(document.adoptNode(fresh));
  }

  /** Replace the parts of the page by those of a fresh copy, except those that the reader is using. */
  async function renew() {
    const answer = await fetch("./").catch(() => null); // null: the server is not there, as the connection says
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const report = document.getElementById("report");
    const old = new Map([...report.children].map((part) => [key(part), part]));
    let before = null;
    for (const fresh of [...page.getElementById("report").children]) {
      const current = old.get(key(fresh));
      old.delete(key(fresh));
      const kept = current && (current.tagName === "NOSCRIPT" || current.id === "featured" || busy(current, fresh));
      const shown = kept ? current : document.adoptNode(fresh);
      if (current && shown !== current) current.replaceWith(shown);
      else if (!current && before) before.after(shown);
      else if (!current) report.prepend(shown);
      before = shown;
    }
    old.forEach((part) => part.remove());
    Report.renew(JSON.parse(page.getElementById("tournament").textContent));
  }

  if (typeof Report !== "undefined" && Report.tournament.live) {
    let state = Report.tournament.state;
    let due = 0; // time before which those parts are not updated again
    Featured.offer(Report.tournament.featured);
    let waiting = 0; // the timer of the next update of the parts that change less often
    Connection.open("events", (update) => {
      put("opening", update.opening);
      put("progress", update.progress);
      change("ranking", update.ranking);
      put("standing-rows", update["standing-rows"]);
      Featured.offer(update.featured);
      if (state !== update.state) due = 0; // a run that ends shows all of its end at once
      if (Report.tournament.hands !== update.hands || state !== update.state) {
        state = update.state;
        Report.tournament.hands = update.hands;
        Report.forget();
        clearTimeout(waiting);
        waiting = setTimeout(() => { due = performance.now() + INTERVAL; renew(); }, Math.max(0, due - performance.now()));
      }
    });
  }
  return { put, renew };
})();
