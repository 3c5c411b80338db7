"use strict";
// The pages of a league: they update themselves, and send a bot.
(() => {
  const uploads = document.getElementById("uploads");
  const parts = (update) => Object.entries(update).forEach(([id, html]) => Live.put(id, html));
  if (document.getElementById("standing")) Connection.open("/events", parts);
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
