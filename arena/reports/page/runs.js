"use strict";
// The list of runs: live updates, and search by bot, title or folder.
(() => {
  const wanted = document.getElementById("search");
  const count = document.getElementById("found");

  function filter() {
    const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...document.querySelectorAll("#run-rows tr[data-bots]")];
    for (const row of rows) {
      const text = `${row.dataset.bots} ${row.dataset.run}`.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const visible = rows.filter((row) => !row.hidden).length;
    count.textContent = `${words.length ? `${visible} of ` : ""}${Numbers.count(rows.length, "run")}`;
  }

  wanted.value = new URL(location.href).searchParams.get("find") || "";
  wanted.addEventListener("input", filter);
  wanted.form.addEventListener("submit", (event) => event.preventDefault());
  filter();
  Connection.open("/events", (update) => { Live.put("run-rows", update["run-rows"]); filter(); });
})();
