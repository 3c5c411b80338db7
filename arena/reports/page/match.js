"use strict";
// The page of a match: its hands, and a replay of the chosen one.
(async () => {
  const place = document.getElementById("replay");
  const list = document.getElementById("hands");
  const shared = JSON.parse(document.getElementById("shared").textContent);
  const answer = await fetch(place.dataset.hands).catch(() => null); // null: the server is not there
  if (!answer?.ok) {
    list.append(Dom.make("p", { class: "warn" }, answer ? await answer.text() : "The server does not answer. Reload the page when it runs again."));
    return;
  }
  const match = Gin.unpacked(await answer.json());
  const name = (hand) => `${hand.game}.${hand.hand}`;
  let open = null;

  const to = (hand, turn, trying) => `#${hand}/${turn}${trying ? "/try" : ""}`;

  /** The hand and the turn in the address, `#GAME.HAND/TURN`, by default the first, and whether `/try` asks to try it again. */
  function chosen() {
    const [wanted, turn, mode] = location.hash.slice(1).split("/");
    return [match.hands.find((hand) => name(hand) === wanted) || match.hands[0], Number(turn || 0), mode === "try"];
  }

  function show() {
    const [hand, turn, trying] = chosen();
    if (open) open.close();
    const links = { run: null, review: null, here: (...place) => history.replaceState(null, "", to(name(hand), ...place)), open: (...place) => { location.hash = to(...place); } };
    open = Replay.show(place, match, hand, shared, turn, links, trying);
  }

  const link = (hand) => Dom.make("a", { href: `#${name(hand)}` }, Numbers.hand(name(hand), match.batch));
  const rows = match.hands.map((hand) => [link(hand), match.seats[hand.dealer], shared.words.endings[hand.ending],
    hand.winner === null ? "–" : match.seats[hand.winner], hand.points, ...hand.deadwood]);
  const learn = Retry.links(match, (one) => to(one.hand, one.turn, true));
  list.append(...(learn ? [learn] : []), Dom.make("h2", {}, "Hands"), Dom.longTable(["hand", "dealer", "ending", "winner", "points", ...match.seats.map((seat) => `deadwood ${seat}`)], rows, [1, 2, 3]));
  addEventListener("hashchange", show);
  if (match.hands.length) show();
})();
