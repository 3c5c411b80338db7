"use strict";
// The report's page: sorting, charts, and the way down from a cell to a pairing, a match, a hand and a turn.
// A place is named by the fragment: #/bot/A, #/pair/A/B, #/match/FIXTURE, #/hand/FIXTURE/GAME.HAND/TURN.
const Report = (() => {
  const { make } = Dom;
  const found = JSON.parse(document.getElementById("tournament").textContent);
  const [report, detail] = [document.getElementById("report"), document.getElementById("detail")];
  const title = document.title;
  const matches = new Map(Object.entries(found.played || {}));
  let results = null;
  let replay = null;
  let open = ""; // the hand that is shown, without its turn

  const to = (...steps) => `#/${steps.map(encodeURIComponent).join("/")}`;
  const link = (text, ...steps) => make("a", { href: to(...steps) }, text);

  // --- where matches and hands come from: the page itself, or the server that sent it

  async function fetched(path) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  async function allResults() {
    if (results === null) results = (found.results || (await fetched("matches.json"))).map(unpackResult);
    return results;
  }

  function unpackResult([fixture, zero, one, winner, games, points, hands]) {
    return { fixture, seats: [found.field[zero], found.field[one]], winner, games, points, hands };
  }

  async function match(fixture) {
    if (!matches.has(fixture)) {
      if (!found.live) return null;
      matches.set(fixture, await fetched(`match.json?fixture=${encodeURIComponent(fixture)}`));
    }
    const known = matches.get(fixture);
    return { ...known, hands: known.hands.map(unpackHand) };
  }

  function unpackHand([game, hand, dealer, deck, actions, ending, winner, points, deadwood, shown, score, spent]) {
    return { game, hand, dealer, deck, actions, ending, winner, points, deadwood, shown, score, spent };
  }

  // --- views

  const crumbs = (...links) => make("p", { class: "crumbs" }, make("a", { href: "#standings" }, found.title), links);

  async function listOf(heading, way, wanted) {
    const here = (await allResults()).filter(wanted);
    const cut = found.matches > (await allResults()).length ? ` The page knows the first ${(await allResults()).length} of ${found.matches} matches; the database has all.` : "";
    return [crumbs(...way), make("h1", { tabindex: "-1" }, heading), make("p", { class: "note" }, `${here.length} matches.${cut}`), resultTable(here)];
  }

  function resultTable(here, size) {
    const rows = here.map((one) => [
      link(one.fixture, "match", one.fixture), one.seats[0], one.seats[1], one.winner === null ? "–" : one.seats[one.winner],
      one.games.join("–"), one.points.join("–"), one.hands]);
    return Dom.longTable(["match", "seat 0", "seat 1", "winner", "games", "points", "hands"], rows, [0, 1, 2, 3], size);
  }

  async function matchView(fixture) {
    const known = await match(fixture);
    const heading = make("h1", { tabindex: "-1" }, `Match ${fixture}`);
    if (!known) return notHere(fixture, heading);
    const [a, b] = known.seats;
    const won = known.winner === null ? "Nobody wins a batch of hands." : `${known.seats[known.winner]} won${known.forfeit === null ? "" : ` by forfeit of ${known.seats[known.forfeit]}`}.`;
    return [
      crumbs(link(`${a} – ${b}`, "pair", a, b)), heading, make("p", {}, `${a} in seat 0, ${b} in seat 1. ${won}`),
      make("h2", {}, "Games"), Dom.table(["game", "winner", a, b], known.games.map((game, at) => [at, known.seats[game.winner], ...game.totals]), [1]),
      make("h2", {}, "Hands"), Dom.longTable(["hand", "dealer", "ending", "winner", "points", `deadwood ${a}`, `deadwood ${b}`, "actions"], known.hands.map((hand) => [
        link(`${hand.game}.${hand.hand}`, "hand", fixture, `${hand.game}.${hand.hand}`, "0"), known.seats[hand.dealer], hand.ending.replace("_", " "),
        hand.winner === null ? "–" : known.seats[hand.winner], hand.points, ...hand.deadwood, hand.actions.split(" ").filter(Boolean).length]), [1, 2, 3]),
      ...(known.faults.length ? [make("h2", {}, "Faults"), faultTable(known)] : []),
      make("h2", {}, "Time"), Dom.table(["bot", "decisions", "CPU ms a decision", "slowest, CPU ms", "ms from question to answer"], known.usage.map((used, seat) => [
        known.seats[seat], used.decisions, ...(used.decisions ? [used.cpu / used.decisions, used.slowest, used.wall / used.decisions].map((one) => (1000 * one).toFixed(3)) : ["–", "–", "–"])]), [0]),
    ];
  }

  function faultTable(known) {
    return Dom.table(["hand", "bot", "kind", "detail"], known.faults.map((fault) => [
      link(`${fault.game}.${fault.hand}`, "hand", known.fixture, `${fault.game}.${fault.hand}`, "last"), known.seats[fault.seat], fault.kind,
      fault.clause ? `${fault.detail} (${fault.clause})` : fault.detail]), [1, 2, 3]);
  }

  async function notHere(fixture, heading) {
    const one = (await allResults()).find((each) => each.fixture === fixture);
    const told = one ? `${one.seats[0]} against ${one.seats[1]}: games ${one.games.join("–")}, points ${one.points.join("–")}, ${one.hands} hands. `
      + `This page has room for the hands of ${matches.size} of ${found.matches} matches, and this is none of them; all are in the database of the run: `
      : "There is no such match. ";
    return [crumbs(), heading, make("p", {}, told), make("pre", {}, `arena serve results\narena replay RUN_DIR ${fixture}`)];
  }

  async function handView(fixture, name, turn) {
    const known = await match(fixture);
    const hand = known && known.hands.find((one) => `${one.game}.${one.hand}` === name);
    if (!hand) return known ? [crumbs(link(fixture, "match", fixture)), make("h1", { tabindex: "-1" }, `There is no hand ${name}`)]
      : notHere(fixture, make("h1", { tabindex: "-1" }, `Hand ${name} of ${fixture}`));
    const at = known.hands.indexOf(hand);
    const beside = (other, text) => other && link(text, "hand", fixture, `${other.game}.${other.hand}`, "0");
    const place = make("div", { class: "replay" });
    const nodes = [
      crumbs(link(`${known.seats[0]} – ${known.seats[1]}`, "pair", ...known.seats), link(fixture, "match", fixture)),
      make("h1", { tabindex: "-1" }, `Hand ${name} of ${fixture}`),
      make("p", { class: "note" }, `Hand ${at + 1} of ${known.hands.length}. Keys: left and right arrow, Home, End, P plays. The address names this very turn. `,
        beside(known.hands[at - 1], "Previous hand"), " ", beside(known.hands[at + 1], "Next hand")), place];
    const start = turn === "last" ? Infinity : Number(turn);
    queueMicrotask(() => {
      replay = Replay.show(place, known, hand, found.rules, Number.isFinite(start) ? start : hand.actions.split(" ").filter(Boolean).length,
        (now) => history.replaceState(null, "", to("hand", fixture, name, String(now))));
    });
    return nodes;
  }

  const VIEWS = {
    bot: (name) => listOf(`Matches of ${name}`, [], (one) => one.seats.includes(name)),
    pair: (a, b) => listOf(`${a} against ${b}`, [link(a, "bot", a)], (one) => one.seats.includes(a) && one.seats.includes(b)),
    match: matchView,
    hand: handView,
  };

  async function route() {
    const [view, ...steps] = location.hash.startsWith("#/") ? location.hash.slice(2).split("/").map(decodeURIComponent) : [""];
    const hand = view === "hand" ? steps.slice(0, 2).join("/") : "";
    if (hand && hand === open && replay) return replay.step(steps[2] === "last" ? Infinity : Number(steps[2] || 0));
    if (replay) replay.close();
    [replay, open] = [null, hand];
    const shown = VIEWS[view];
    if (!shown) return home();
    try {
      detail.replaceChildren(...(await shown(...steps)));
    } catch (error) {
      detail.replaceChildren(crumbs(), make("h1", { tabindex: "-1" }, "This cannot be shown"), make("p", {}, String(error.message || error)));
    }
    [report.hidden, detail.hidden] = [true, false];
    document.title = `${detail.querySelector("h1").textContent} – ${title}`;
    window.scrollTo(0, 0);
    detail.querySelector("h1").focus({ preventScroll: true });
  }

  function home() {
    const was = report.hidden;
    [report.hidden, detail.hidden] = [false, true];
    document.title = title;
    if (was) {
      Charts.draw(found);
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    }
  }

  // --- the list of all matches, by name

  function search() {
    const [field, list] = [document.getElementById("wanted"), document.getElementById("match-list")];
    if (!field) return;
    const draw = async () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const here = (await allResults()).filter((one) => words.every((word) => [one.fixture, ...one.seats].some((text) => text.toLowerCase().includes(word))));
      list.replaceChildren(make("p", { class: "note", role: "status" }, `${here.length} matches`), resultTable(here, 50));
    };
    field.addEventListener("input", draw);
    const shown = new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) { shown.disconnect(); draw(); } });
    shown.observe(list);
    addEventListener("beforeprint", draw, { once: true });
  }

  /** Take what a fresh page says in the place of what this one said. */
  function renew(fresh) {
    Object.assign(found, fresh);
    results = null;
    document.querySelectorAll("table.sortable").forEach(Dom.sortable);
    if (!report.hidden) Charts.draw(found);
  }

  document.querySelectorAll("table.sortable").forEach(Dom.sortable);
  addEventListener("hashchange", route);
  let resized = null;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => report.hidden || Charts.draw(found), 200); });
  search();
  if (!location.hash.startsWith("#/")) Charts.draw(found);
  route();
  return { found, matches, renew, forget: () => { results = null; } };
})();
