"use strict";
// The pages of a league: live updates, search and sorting of the ladder, and the form that sends a bot.
const Ladder = (() => {
  const field = document.getElementById("search");
  const away = document.getElementById("away");
  const place = () => new URL(location.href);

  /** Keep the search and the sorting in the address, so that a link leads to the same view. */
  function remember(table) {
    const sorted = table.querySelector("th[aria-sort]");
    const at = place();
    const set = (name, value) => (value ? at.searchParams.set(name, value) : at.searchParams.delete(name));
    set("find", field.value.trim());
    set("away", away.checked ? "yes" : "");
    set("sort", sorted ? `${sorted.cellIndex} ${sorted.getAttribute("aria-sort")}` : "");
    history.replaceState(null, "", at);
  }

  /** Hide the rows that have the searched text neither in the bot's name nor in its author's. */
  function find() {
    const text = field.value.trim().toLowerCase();
    const rows = [...document.querySelectorAll("#standing tr[data-bot]")];
    for (const row of rows) row.hidden = !`${row.dataset.bot} ${row.cells[8].textContent}`.toLowerCase().includes(text);
    document.getElementById("found").textContent = text ? `${rows.filter((row) => !row.hidden && (away.checked || !row.classList.contains("away"))).length} found` : "";
  }

  function begin(table) {
    const asked = place().searchParams;
    const [at, order] = (asked.get("sort") || "").split(" ");
    field.value = asked.get("find") || "";
    away.checked = asked.has("away") || Boolean(document.getElementById(decodeURIComponent(location.hash.slice(1)))?.classList.contains("away"));
    Dom.sortable(table);
    if (table.tHead.rows[0].cells[at] && ["ascending", "descending"].includes(order)) Dom.sortBy(table, Number(at), order);
    find();
    field.addEventListener("input", () => { find(); remember(table); });
    field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      document.getElementById("found").scrollIntoView();
    });
    away.addEventListener("change", () => { find(); remember(table); });
    table.tHead.addEventListener("click", () => remember(table));
  }

  return { begin, find };
})();

(() => {
  const uploads = document.getElementById("uploads");
  const standing = document.getElementById("standing");
  const parts = (update) => Object.entries(update).forEach(([id, html]) => Live.put(id, html));
  if (standing) {
    Ladder.begin(standing.closest("table"));
    Connection.open("/events", (update) => { parts(update); Ladder.find(); });
  }
  if (uploads) Connection.open(uploads.dataset.events, parts);

  const form = document.getElementById("upload");
  if (!form) return;
  const status = document.getElementById("sent");

  /** Send the chosen file as the body of a request, so that the server can write it to the disk as it comes. */
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [file] = form.elements.file.files;
    const query = new URLSearchParams({ file: file.name, name: form.elements.name.value.trim(), class: form.elements.class.value.trim() });
    status.className = "";
    status.textContent = "sending …";
    try {
      const answer = await fetch(`/api/uploads?${query}`, { method: "POST", body: file, headers: { "X-Form-Key": form.dataset.key } });
      status.textContent = answer.ok ? `received as number ${(await answer.json()).id}` : await answer.text();
      status.className = answer.ok ? "" : "warn";
      if (answer.ok) form.reset();
    } catch {
      status.textContent = "the connection was lost; send it again";
      status.className = "warn";
    }
  });
})();
