"use strict";
// Unpacks the data and the scripts of a report that is one file: gzip in base64 (RFC 1952, RFC 4648), a third of the size.
// The content security policy names each script by its hash, so no other can run.
(async () => {
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (one) => one.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const add = (text, more = {}) => document.body.append(Object.assign(document.createElement("script"), { textContent: text, ...more }));
  const [data, scripts] = await Promise.all([unpack("packed-data"), unpack("packed-scripts")]);
  add(data, { id: "tournament", type: "application/json" });
  JSON.parse(scripts).forEach((text) => add(text));
})().catch(() => {
  document.getElementById("progress").append(" This browser cannot show charts, replays and further rows: it is too old, or the file is damaged.");
});
