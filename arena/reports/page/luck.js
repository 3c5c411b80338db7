"use strict";
// What a hand is worth turn by turn, both players' cards known: the value function V of arena/stats/luck.py, and the luck of each
// draw. tests/web/test_luck_js.py compares inputs, values and luck with those of Python. Needs game.js.
const Luck = (() => {
  const BOUND = 60; // points: largest absolute luck of a hand
  const known = new Map(); // deadwood by cards: the same hand is asked for many times

  function deadwood(cards) {
    const key = Gin.sorted(cards).join();
    if (!known.has(key)) known.set(key, Gin.arrange(cards).deadwood);
    return known.get(key);
  }

  /** The cards not held that would make a meld with two of the cards held, or extend one. */
  function completes(cards) {
    const held = new Set(cards);
    const has = (one, by) => Math.floor((one + by) / 13) === Math.floor(one / 13) && one + by >= 0 && held.has(one + by);
    const run = (one) => (has(one, -1) && (has(one, -2) || has(one, 1))) || (has(one, 1) && has(one, 2));
    const set = (one) => cards.filter((other) => other % 13 === one % 13).length >= 2;
    return new Set(Array.from({ length: 52 }, (_, one) => one).filter((one) => !held.has(one) && (run(one) || set(one))));
  }

  /** The discard that leaves the least deadwood, and that; among equals the one of most points, then the lowest card. */
  function bestDiscard(cards) {
    const choices = Gin.sorted(cards).map((one) => [deadwood(Gin.without(cards, [one])), -Gin.value(one), one]);
    const [left, , card] = choices.reduce((best, one) => (one[0] - best[0] || one[1] - best[1] || one[2] - best[2]) < 0 ? one : best);
    return [card, left];
  }

  /** The inputs of V if the seat to move has `card` in addition and then discards at its best, for each of `cards`. */
  function rows(hand, cards, knocksWith) {
    const [own, theirs] = [hand.cards[hand.seat], hand.cards[1 - hand.seat]];
    const stock = hand.deck.slice(hand.top, hand.bottom);
    const [ownOuts, theirOuts, theirDeadwood] = [completes(own), completes(theirs), deadwood(theirs)];
    const turn = new Set(hand.threw[hand.seat]).size;
    const [worst, withoutWorst] = bestDiscard(own);
    const discard = (card) => {
      if (ownOuts.has(card)) return bestDiscard([...own, card]);
      const instead = withoutWorst + Gin.value(card); // the card fits no meld, so keeping it adds exactly its own points
      return deadwood(own) <= instead ? [card, deadwood(own)] : [worst, instead];
    };
    return cards.map((card) => {
      const [thrown, points] = discard(card);
      const live = stock.filter((one) => one !== card);
      const outs = thrown === card ? ownOuts : completes(Gin.without([...own, card], [thrown]));
      const knock = points > 0 && points <= knocksWith;
      const gain = theirDeadwood - points;
      return [points / 20, theirDeadwood / 20, live.length / 20, live.filter((one) => outs.has(one)).length / 5, live.filter((one) => theirOuts.has(one)).length / 5,
        Number(points === 0), Number(knock), knock ? (gain > 0 ? gain / 20 : -1) : 0, Number(theirOuts.has(thrown)), turn / 10];
    });
  }

  /** V of a row of inputs: points for the player who drew. */
  function value(layers, row) {
    return layers.reduce((inputs, [weights, biases], at) => biases.map((bias, unit) => {
      const sum = inputs.reduce((total, input, from) => total + input * weights[from][unit], bias);
      return at < layers.length - 1 ? Math.max(sum, 0) : sum;
    }), row)[0];
  }

  const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

  /** The value for seat 0 before and after each draw and take: `{ turn, before, after }`; `before` is null for a take. */
  function steps(states, words, model) {
    const found = [];
    words.forEach((word, turn) => {
      const hand = states[turn];
      const sign = hand.seat === 0 ? 1 : -1;
      const worth = (cards) => rows(hand, cards, model.knocks_with).map((row) => value(model.layers, row));
      if (word === "draw") found.push(drawn(worth, hand, states[turn + 1].drawn, turn + 1, sign));
      if (word === "take" && hand.phase !== "last_take") found.push({ turn: turn + 1, before: null, after: sign * worth([hand.pile.at(-1)])[0] });
    });
    return found;
  }

  function drawn(worth, hand, came, turn, sign) {
    const stock = Gin.sorted(hand.deck.slice(hand.top, hand.bottom));
    const values = worth(stock);
    const middle = mean(values);
    return { turn, before: sign * middle, after: sign * values[stock.indexOf(came)], reach: Math.max(...values.map((one) => Math.abs(one - middle))) };
  }

  /** The luck of seat 0 in a hand: a draw that could have taken the total beyond the bound is not counted. */
  function total(found) {
    return found.filter((step) => step.before !== null)
      .reduce((sum, step) => (Math.abs(sum) + step.reach <= BOUND ? sum + step.after - step.before : sum), 0);
  }

  return { bestDiscard, rows, value, steps, total };
})();
