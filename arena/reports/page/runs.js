"use strict";
// The page of all runs: it moves, and it can be searched by bot.
(() => {
  const wanted = document.getElementById("wanted");
  const told = document.getElementById("found");

  function filter() {
    const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...document.querySelectorAll("#run-rows tr[data-bots]")];
    for (const row of rows) {
      const text = `${row.dataset.bots} ${row.dataset.run}`.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const left = rows.filter((row) => !row.hidden).length;
    told.textContent = words.length ? `${left} of ${rows.length} runs` : `${rows.length} runs`;
  }

  wanted.addEventListener("input", filter);
  filter();
  Live.listen("/events", (moved) => { Live.put("run-rows", moved["run-rows"]); filter(); });
})();
