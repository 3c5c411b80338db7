"use strict";
// The connection to the server: its events, and a sign and a word that show how old the page is. Screen readers hear only a new word.
const Connection = (() => {
  const RETRY = 10000; // milliseconds until another attempt after a refusal, after which a browser makes none by itself
  const OLD = 10000; // milliseconds without an event; the server sends one at least every 5 seconds
  const LOST = 30000; // milliseconds without an event
  const KINDS = ["live", "connecting", "old", "lost"]; // from best to worst; the worst of all streams is shown
  const SIGNS = { live: "●", connecting: "○", old: "◐", lost: "×" };
  const streams = new Set();
  const shown = Dom.make("span", { "aria-hidden": "true" });
  const announcement = Dom.make("span", { class: "said", role: "status" });
  const place = Dom.make("p", { id: "connection", class: "connection", hidden: true }, shown, announcement);
  document.body.prepend(place);

  const age = (stream) => Date.now() - (stream.heard || stream.begun);

  /** The kind of a stream. A browser may know that a stream is broken before events are missed. */
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
    if (place.dataset.kind !== now) announcement.textContent = `Connection: ${now === "old" ? "trying again" : words(now, worst)}`;
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

  /** Close the stream while the page is hidden, and open it when it is shown: a browser allows few connections to a server. */
  function followVisibility(stream) {
    if (document.hidden) disconnect(stream);
    else if (!stream.source) {
      [stream.begun, stream.heard, stream.failed] = [Date.now(), 0, false];
      connect(stream);
    }
  }

  /** Receive the events of an address; `help` is shown when the connection is lost, `always`: also while the page is hidden. */
  function open(address, received, { help = "It is tried again.", always = false } = {}) {
    const stream = { address, received, help, begun: Date.now(), heard: 0, failed: false, source: null };
    const onVisibility = () => followVisibility(stream);
    streams.add(stream);
    if (always) connect(stream);
    else {
      followVisibility(stream);
      document.addEventListener("visibilitychange", onVisibility);
    }
    show();
    return {
      moment: () => (["old", "lost"].includes(kind(stream)) ? stream.heard : Date.now()), // milliseconds since 1970: what the page shows
      fail: () => { stream.failed = true; show(); }, // a request has found no server
      close: () => { disconnect(stream); streams.delete(stream); document.removeEventListener("visibilitychange", onVisibility); show(); },
    };
  }

  setInterval(show, 1000);
  addEventListener("pagehide", () => streams.forEach(disconnect));
  addEventListener("pageshow", (event) => event.persisted && streams.forEach(followVisibility)); // by the button Back
  return { open };
})();
