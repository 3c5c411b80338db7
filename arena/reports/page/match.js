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
  const match = Replay.unpacked(await answer.json());
  const name = (hand) => `${hand.game}.${hand.hand}`;
  let open = null;

  /** The hand and the turn in the address, `#GAME.HAND/TURN`; without them the first. */
  function chosen() {
    const [wanted, turn] = location.hash.slice(1).split("/");
    return [match.hands.find((hand) => name(hand) === wanted) || match.hands[0], Number(turn || 0)];
  }

  function show() {
    const [hand, turn] = chosen();
    if (open) open.close();
    open = Replay.show(place, match, hand, shared, turn, (now) => history.replaceState(null, "", `#${name(hand)}/${now}`));
  }

  const link = (hand) => Dom.make("a", { href: `#${name(hand)}` }, name(hand));
  const rows = match.hands.map((hand) => [link(hand), match.seats[hand.dealer], shared.words.endings[hand.ending],
    hand.winner === null ? "–" : match.seats[hand.winner], hand.points, ...hand.deadwood]);
  list.append(Dom.make("h2", {}, "Hands"), Dom.longTable(["hand", "dealer", "ending", "winner", "points", ...match.seats.map((seat) => `deadwood ${seat}`)], rows, [1, 2, 3]));
  addEventListener("hashchange", show);
  if (match.hands.length) show();
})();
