"use strict";
// The connection to the server: its events, and how old the page is. A sign and a word tell; only another word is announced.
const Connection = (() => {
  const RETRY = 10000; // milliseconds after a refusal, after which a browser does not try again by itself
  const OLD = 10000; // milliseconds without a sign of life, of which the server gives one every 5 seconds
  const LOST = 30000; // milliseconds without one
  const KINDS = ["live", "connecting", "old", "lost"]; // the last one of all streams is shown
  const SIGNS = { live: "●", connecting: "○", old: "◐", lost: "×" };
  const streams = new Set();
  const shown = Dom.make("span", { "aria-hidden": "true" });
  const said = Dom.make("span", { class: "said", role: "status" });
  const place = Dom.make("p", { id: "connection", class: "connection", hidden: true }, shown, said);
  document.body.prepend(place);

  const age = (stream) => Date.now() - (stream.heard || stream.begun);

  /** The kind of a stream; `broken` is what the browser knows, before time tells. */
  function kind(stream) {
    const broken = stream.source?.readyState !== 1; // 1: open
    if (stream.failed || age(stream) > LOST) return "lost";
    if (!stream.heard) return "connecting";
    return broken || age(stream) > OLD ? "old" : "live";
  }

  function words(of, stream) {
    const moment = new Date(stream.heard || stream.begun).toLocaleTimeString("en-GB");
    return { old: `${Math.round(age(stream) / 1000)} s old, trying again`, lost: `lost at ${moment}; this page shows that moment. ${stream.help}` }[of] || of;
  }

  function show() {
    place.hidden = streams.size === 0;
    const [worst] = [...streams].sort((one, other) => KINDS.indexOf(kind(other)) - KINDS.indexOf(kind(one)));
    if (!worst || document.hidden) return;
    const now = kind(worst);
    shown.textContent = `${SIGNS[now]} ${words(now, worst)}`;
    if (place.dataset.kind !== now) said.textContent = `Connection: ${now === "old" ? "trying again" : words(now, worst)}`;
    place.dataset.kind = now;
  }

  function hear(stream) {
    [stream.heard, stream.failed] = [Date.now(), false];
    show();
  }

  function connect(stream) {
    const source = new EventSource(stream.address);
    stream.source = source;
    source.onopen = () => hear(stream);
    source.addEventListener("alive", () => hear(stream));
    source.onmessage = (message) => { hear(stream); stream.received(JSON.parse(message.data)); };
    source.onerror = () => {
      if (source !== stream.source) return;
      if (source.readyState === 2) { // closed, after a refusal
        stream.failed = true;
        setTimeout(() => source === stream.source && connect(stream), RETRY);
      }
      show();
    };
  }

  function disconnect(stream) {
    stream.source?.close();
    stream.source = null;
  }

  /** A browser allows few connections to a server, and hidden pages that only show something need none. */
  function pause(stream) {
    if (document.hidden) disconnect(stream);
    else if (!stream.source) {
      [stream.begun, stream.heard, stream.failed] = [Date.now(), 0, false];
      connect(stream);
    }
  }

  /** Receive the events of an address; `help` is said when they do not come any more, `always`: also while the page is hidden. */
  function open(address, received, { help = "It is tried again.", always = false } = {}) {
    const stream = { address, received, help, begun: Date.now(), heard: 0, failed: false, source: null };
    const onVisibility = () => pause(stream);
    streams.add(stream);
    if (always) connect(stream);
    else {
      pause(stream);
      document.addEventListener("visibilitychange", onVisibility);
    }
    show();
    return {
      fail: () => { stream.failed = true; show(); }, // a request has found no server
      close: () => { disconnect(stream); streams.delete(stream); document.removeEventListener("visibilitychange", onVisibility); show(); },
    };
  }

  setInterval(show, 1000);
  addEventListener("pagehide", () => streams.forEach(disconnect));
  addEventListener("pageshow", (event) => event.persisted && streams.forEach(pause)); // by the button Back
  return { open };
})();
