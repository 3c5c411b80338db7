"use strict";
// The report page: sorting, charts, and views of a bot, a pairing, a match and a hand.
// The fragment of the address selects the view: #/bot/A, #/pair/A/B, #/match/FIXTURE, #/hand/FIXTURE/GAME.HAND/TURN[/try].
const Report = (() => {
  const { make } = Dom;
  const tournament = JSON.parse(document.getElementById("tournament").textContent);
  const [report, detail] = [document.getElementById("report"), document.getElementById("detail")];
  const title = document.title;
  const matches = embedded(tournament.played);
  let results = null;
  let replay = null;
  let redraw = () => {}; // the chart of the view
  let open = ""; // fixture and number of the hand that is shown

  const to = (...steps) => `#/${steps.map(encodeURIComponent).join("/")}`;
  const link = (text, ...steps) => make("a", { href: to(...steps) }, text);

  // --- matches and hands: embedded in the page, or fetched from the server

  /** The embedded matches by fixture; their hands stand in columns, those of all matches one after another. */
  function embedded({ matches, hands }) {
    let at = 0;
    const rows = (count) => Array.from({ length: count }, () => {
      at += 1;
      return hands.map((column) => column[at - 1]);
    });
    return new Map(matches.map((one) => [one.fixture, { ...one, hands: rows(one.hands) }]));
  }

  async function fetchJson(path) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  async function allResults() {
    if (results === null) results = (tournament.results || (await fetchJson("matches.json"))).map(unpackResult);
    return results;
  }

  function unpackResult([fixture, first, second, winner, games, points, hands, name]) {
    return { fixture, name, seats: [tournament.field[first], tournament.field[second]], winner, games, points, hands };
  }

  async function match(fixture) {
    if (!matches.has(fixture)) {
      if (!tournament.live) return null;
      matches.set(fixture, await fetchJson(`match.json?fixture=${encodeURIComponent(fixture)}`));
    }
    return Gin.unpacked(matches.get(fixture));
  }

  // --- views

  const homeLink = () => make("a", { href: "#standings" }, tournament.title);
  const crumbs = (links, here) => Dom.crumbs([...(tournament.live ? [make("a", { href: "/" }, "All runs")] : []), homeLink(), ...links], here);
  const pairLink = (a, b) => link(`${a} – ${b}`, "pair", a, b);

  function missing(heading, ...explanation) {
    return [crumbs([], "Not found"), make("h1", { tabindex: "-1" }, heading), ...explanation.map((line) => make("p", {}, line)),
      make("p", {}, make("a", { href: "#standings" }, "To the standings"))];
  }

  const allPlayed = (all) => (tournament.matches > all.length ? ` This page has the first ${Numbers.whole(all.length)} of ${count(tournament.matches)}; the database has all.` : "");

  async function botView(name) {
    if (!tournament.field.includes(name)) return missing("Bot not found", `No bot of this run is called ${name}.`);
    const all = await allResults();
    const here = all.filter((one) => one.seats.includes(name));
    const opponents = tournament.field.filter((other) => other !== name && here.some((one) => one.seats.includes(other)));
    const rows = opponents.map((other) => totals(name, other, here.filter((one) => one.seats.includes(other)), link(other, "pair", name, other)));
    return [crumbs([], name), make("h1", { tabindex: "-1" }, name), make("p", { class: "note" }, `${count(here.length)}.${allPlayed(all)} Points a hand are net, with a 95 % interval.`),
      ...(rows.length ? [make("h2", {}, "Against each opponent"), totalsTable("opponent", rows)] : []), ...reviewParts(name), make("h2", {}, several()), resultTable(here, name)];
  }

  /** The row of a bot in the review of the run, and its costliest decisions: copies from the main page. */
  function reviewParts(name) {
    const review = document.getElementById("review");
    const row = review && [...review.querySelectorAll("tbody tr")].find((one) => one.cells[0].textContent === name);
    if (!row) return [];
    const table = row.closest(".scroll").cloneNode(true);
    table.querySelector("table").classList.remove("sortable");
    table.querySelectorAll("thead button").forEach((one) => one.replaceWith(...one.childNodes));
    table.querySelectorAll("tbody tr").forEach((one) => one.cells[0].textContent === name || one.remove());
    const dearest = review.querySelector(`details[data-bot="${CSS.escape(name)}"]`)?.cloneNode(true);
    if (dearest) dearest.open = true;
    return [make("h2", {}, review.querySelector("h2").textContent), table, review.querySelector(".note").cloneNode(true), ...(dearest ? [dearest] : [])];
  }

  async function pairView(a, b) {
    const unknown = [a, b].find((name) => !tournament.field.includes(name));
    if (unknown !== undefined || a === b) return missing("Pairing not found", a === b ? "A bot does not meet itself." : `No bot of this run is called ${unknown}.`);
    const all = await allResults();
    const here = all.filter((one) => one.seats.includes(a) && one.seats.includes(b));
    const chart = make("figure", {});
    if (here.length) redraw = () => Charts.runningScore(chart, runningPoints(a, here), a);
    return [crumbs([link(a, "bot", a)], `${a} – ${b}`), make("h1", { tabindex: "-1" }, `${a} against ${b}`),
      make("p", { class: "note" }, `${count(here.length)}.${allPlayed(all)} Points a hand are net, with a 95 % interval.`),
      ...(here.length ? [make("h2", {}, "Totals"), totalsTable("bot", [totals(a, b, here, a), totals(b, a, here, b)]),
        make("h2", {}, "Running score"), make("p", { class: "note" }, "Net points over the hands, in the order in which the matches were stored."), chart] : []),
      make("h2", {}, `${several()}, from the side of ${a}`), resultTable(here, a)];
  }

  const netOf = (name, one) => (one.seats[0] === name ? 1 : -1) * (one.points[0] - one.points[1]);

  /** The net points of a bot after each of its matches, thinned to at most 600 points and the last. */
  function runningPoints(name, here) {
    const points = [{ hands: 0, net: 0, fixture: "" }];
    here.forEach((one) => points.push({ hands: points.at(-1).hands + one.hands, net: points.at(-1).net + netOf(name, one), fixture: one.fixture }));
    const step = Math.ceil(points.length / 600); // more cannot be told apart on a screen
    return points.filter((_, at) => at % step === 0 || at === points.length - 1);
  }

  /** The row of a bot against another: `[shown, matches, games, points, hands, points a hand]`; without matches and games in batches. */
  function totals(name, other, here, shown) {
    const seat = (one) => one.seats.indexOf(name);
    const add = (pick) => here.reduce((sum, one) => sum + pick(one), 0);
    const both = (key) => [0, 1].map((at) => Numbers.whole(add((one) => one[key][at ? 1 - seat(one) : seat(one)]))).join("–");
    const won = [(one) => one.winner === seat(one), (one) => one.winner === null, (one) => one.winner === 1 - seat(one)].map((is) => here.filter(is).length);
    const average = Estimates.text(Estimates.ratio(here.map((one) => ({ net: netOf(name, one), hands: one.hands }))));
    const matches = won[1] ? won.join("–") : `${won[0]}–${won[2]}`;
    return [shown, ...(tournament.batches ? [] : [matches, both("games")]), both("points"), Numbers.whole(add((one) => one.hands)), average];
  }

  const totalsTable = (first, rows) => Dom.table([first, ...(tournament.batches ? [] : ["matches", "games"]), "points", "hands", "points a hand"], rows, [0]);

  const several = () => (tournament.batches ? "Batches" : "Matches");

  const count = (fixtures) => Numbers.count(fixtures, ...(tournament.batches ? ["batch", "batches"] : ["match", "matches"]));

  /** The results of fixtures, seen from the side of the bot `own`; without it, from that of the bot in the first seat. */
  function resultTable(here, own, size) {
    const side = (one) => (own ? one.seats.indexOf(own) : 0);
    const both = (one, key) => [one[key][side(one)], one[key][1 - side(one)]].map(Numbers.whole).join("–");
    const seats = (one) => [link(one.name, "match", one.fixture), ...(own ? [] : [one.seats[0]]), one.seats[1 - side(one)]];
    const names = [tournament.batches ? "batch" : "match", ...(own ? [] : ["bot"]), "against"];
    const left = names.map((_, at) => at);
    if (tournament.batches) return Dom.longTable([...names, "points", "hands"], here.map((one) => [...seats(one), both(one, "points"), one.hands]), left, size);
    const won = (one) => (one.winner === null ? "drawn" : own ? (one.winner === side(one) ? "won" : "lost") : one.seats[one.winner]);
    const rows = here.map((one) => [...seats(one), won(one), both(one, "games"), both(one, "points"), one.hands]);
    return Dom.longTable([...names, own ? "result" : "winner", "games", "points", "hands"], rows, [...left, left.length], size);
  }

  async function matchView(fixture) {
    const known = await match(fixture);
    if (!known) return matchWithoutHands(fixture, matchTitle);
    const [a, b] = known.seats;
    const drawn = known.batch ? "This is a batch of single hands, so there is no winner." : "The match was drawn.";
    const won = known.winner === null ? drawn : `${known.seats[known.winner]} won${known.forfeit === null ? "" : ` because ${known.seats[known.forfeit]} forfeited`}.`;
    return [
      crumbs([pairLink(a, b)], known.name), make("h1", { tabindex: "-1" }, matchTitle(known)), make("p", {}, `${a} against ${b}. ${won}`),
      ...[Retry.links(known, (one) => to("hand", fixture, one.hand, String(one.turn), "try"))].filter(Boolean),
      ...(known.games.length ? [make("h2", {}, "Games"), gameTable(known)] : []),
      make("h2", {}, "Hands"), Dom.longTable(["hand", "dealer", "ending", "winner", "points", `deadwood ${a}`, `deadwood ${b}`, "actions"], known.hands.map((hand) => [
        link(handName(known, hand), "hand", fixture, `${hand.game}.${hand.hand}`, "0"), known.seats[hand.dealer], tournament.words.endings[hand.ending],
        hand.winner === null ? "–" : known.seats[hand.winner], hand.points, ...hand.deadwood, hand.actions.split(" ").filter(Boolean).length]), [1, 2, 3]),
      ...(known.faults.length ? [make("h2", {}, "Faults"), faultTable(known)] : []),
      make("h2", {}, "Time per decision"), Dom.table(["bot", "decisions", "mean CPU ms", "maximum CPU ms", "mean wall-clock ms"], known.usage.map((used, seat) => [
        known.seats[seat], used.decisions, ...(used.decisions ? [used.cpu / used.decisions, used.slowest, used.wall / used.decisions].map((one) => (1000 * one).toFixed(3)) : ["–", "–", "–"])]), [0]),
    ];
  }

  const matchTitle = ({ name }) => `${tournament.batches ? "Batch" : "Match"}: ${name}`;

  const handName = (known, { game, hand }) => Numbers.hand(`${game}.${hand}`, known.batch);

  function gameTable(known) {
    const [a, b] = known.seats;
    return Dom.table(["game", "winner", `points ${a}`, `points ${b}`], known.games.map((game, at) => [at + 1, known.seats[game.winner], ...game.totals]), [1]);
  }

  function faultTable(known) {
    return Dom.table(["hand", "bot", "kind", "detail"], known.faults.map((fault) => [
      link(handName(known, fault), "hand", known.fixture, `${fault.game}.${fault.hand}`, "last"), known.seats[fault.seat], fault.kind,
      fault.clause ? `${fault.detail} (${fault.clause})` : fault.detail]), [1, 2, 3]);
  }

  /** The view of a match whose hands are not in this file, with a title of its own: its result, and the commands that show its hands. */
  async function matchWithoutHands(fixture, headingOf) {
    const one = (await allResults()).find((each) => each.fixture === fixture);
    if (!one) return missing(`${tournament.batches ? "Batch" : "Match"} not found`, `This run has none called ${fixture}.`);
    const explanation = `${one.seats[0]} against ${one.seats[1]}: games ${one.games.join("–")}, points ${one.points.join("–")}, ${one.hands} hands. `
      + `Its hands are not in this file, which has those of ${matches.size} of ${tournament.matches} matches. To see them, use one of:`;
    return [crumbs([pairLink(...one.seats)], one.name), make("h1", { tabindex: "-1" }, headingOf(one)), make("p", {}, explanation), make("pre", {}, `arena serve results\narena replay RUN ${fixture}`)];
  }

  /** The folder of this run for commands: that of the file, or as the server names it; null: not known. */
  function runFolder() {
    if (location.protocol === "file:") return decodeURIComponent(location.pathname.replace(/\/[^/]*$/, ""));
    return tournament.run || null;
  }

  async function handView(fixture, name, turn, mode) {
    const known = await match(fixture);
    const hand = known && known.hands.find((one) => `${one.game}.${one.hand}` === name);
    if (!hand) return known ? missing(`Hand ${name} not found`, make("span", {}, "See the hands of ", link(fixture, "match", fixture), "."))
      : matchWithoutHands(fixture, (one) => `Hand ${name} of ${one.name}`);
    const index = known.hands.indexOf(hand);
    const neighbour = (other, text) => other && link(text, "hand", fixture, `${other.game}.${other.hand}`, "0");
    const place = make("div", { class: "replay" });
    const nodes = [
      crumbs([pairLink(...known.seats), link(known.name, "match", fixture)], handName(known, hand)),
      make("h1", { tabindex: "-1" }, `${Dom.capital(handName(known, hand))} of ${known.name}`),
      make("p", { class: "note" }, `Hand ${index + 1} of ${known.hands.length} of the match; commands call it ${name}. `,
        neighbour(known.hands[index - 1], "Previous hand"), " ", neighbour(known.hands[index + 1], "Next hand")), place];
    const start = turn === "last" ? Infinity : Number(turn);
    redraw = () => {
      if (replay) return;
      const address = (of, at, trying) => to("hand", fixture, of, String(at), ...(trying ? ["try"] : []));
      const links = { run: runFolder(), review: tournament.live ? (of) => review(fixture, of) : null, here: (...at) => history.replaceState(null, "", address(name, ...at)), open: (...at) => { location.hash = address(...at); } };
      replay = Replay.show(place, known, hand, tournament, Number.isFinite(start) ? start : hand.actions.split(" ").filter(Boolean).length, links, mode === "try");
    };
    return nodes;
  }

  /** Ask the server to review a hand, or if `hand` is empty the match; yield the progress in words, and at the end show the view anew. */
  async function* review(fixture, hand) {
    const address = `review?${new URLSearchParams({ fixture, ...(hand ? { hand } : {}) })}`;
    let answer = await fetch(address, { method: "POST" });
    for (;;) {
      if (!answer.ok) { yield await answer.text(); return; }
      const { state, before, reason } = await answer.json();
      if (state === "done") break;
      if (state === "failed") { yield `The review has failed: ${reason}.`; return; }
      yield state === "running" ? "It is being reviewed …" : before === 0 ? "Its review begins …" : `It waits for ${Numbers.count(before, "review")} before it …`;
      await new Promise((done) => { setTimeout(done, 1000); });
      answer = await fetch(address);
    }
    matches.delete(fixture);
    yield "";
    if (decoded(location.hash).includes(fixture)) { open = ""; route(null); }
  }

  const VIEWS = { bot: botView, pair: pairView, match: matchView, hand: handView };

  /** A part of a fragment as text; unchanged, if it is not validly encoded. */
  function decoded(part) {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  }

  async function route(arrived) {
    const [view, ...steps] = location.hash.startsWith("#/") ? location.hash.slice(2).split("/").map(decoded) : [""];
    const hand = view === "hand" ? steps.slice(0, 2).join("/") : "";
    if (hand && hand === open && replay) return steps[3] === "try" ? replay.retry(Number(steps[2])) : replay.step(steps[2] === "last" ? Infinity : Number(steps[2] || 0));
    if (replay) replay.close();
    [replay, open] = [null, hand];
    redraw = () => {};
    if (!location.hash.startsWith("#/")) return home();
    const build = Object.hasOwn(VIEWS, view) ? VIEWS[view] : (() => missing("Page not found", "This report has no page at that address."));
    try {
      detail.replaceChildren(...(await build(...steps)));
    } catch (error) {
      detail.replaceChildren(crumbs([], "Error"), make("h1", { tabindex: "-1" }, "This page cannot be shown"), make("p", {}, String(error.message || error)));
    }
    [report.hidden, detail.hidden] = [true, false];
    document.title = `${detail.querySelector("h1").textContent} – ${title}`;
    redraw();
    window.scrollTo(0, 0);
    if (arrived) detail.querySelector("h1").focus({ preventScroll: true }); // a screen reader reads the heading; the first view is read anyway
  }

  function home() {
    const wasHidden = report.hidden;
    [report.hidden, detail.hidden] = [false, true];
    document.title = title;
    if (wasHidden) {
      draw();
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    }
  }

  /** Draw the charts, and the matrices of a large field. */
  function draw() {
    Charts.draw(tournament);
    if (typeof Matrix !== "undefined") Matrix.watch(tournament, to);
  }

  // --- search in the list of all matches

  function search() {
    const [field, list] = [document.getElementById("wanted"), document.getElementById("match-list")];
    if (!field || field.oninput) return; // the field is the same as before, and has its handler
    const draw = async () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const here = (await allResults()).filter((one) => words.every((word) => [one.fixture, one.name, ...one.seats].some((text) => text.toLowerCase().includes(word))));
      list.replaceChildren(make("p", { class: "note", role: "status" }, count(here.length)), resultTable(here, "", 50));
    };
    field.oninput = draw;
    const shown = new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) { shown.disconnect(); draw(); } });
    shown.observe(list);
    addEventListener("beforeprint", draw, { once: true });
  }

  /** Replace the tournament's values with those of a fresh page. */
  function renew(fresh) {
    Object.assign(tournament, fresh);
    results = null;
    document.querySelectorAll("table.sortable").forEach(Dom.sortable);
    if (!report.hidden) draw();
    search();
  }

  document.querySelectorAll("table.sortable").forEach(Dom.sortable);
  addEventListener("hashchange", route);
  let resized = null;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => (report.hidden ? redraw() : draw()), 200); });
  search();
  if (!location.hash.startsWith("#/")) draw();
  route(null);
  return { tournament, matches, renew, step: (turn) => replay && replay.step(turn), forget: () => { results = null; } };
})();
