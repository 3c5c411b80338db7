"use strict";
// The game for pages: replays a hand by applying its recorded actions to the deal. The referee has judged the actions, so their
// legality is not checked again. tests/web/test_game_js.py compares melds and messages with those of arena/gin.
const Gin = (() => {
  const RANKS = "A23456789TJQK";
  const SUITS = "cdhs";
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  const name = (card) => RANKS[card % 13] + SUITS[Math.floor(card / 13)];
  const card = (text) => SUITS.indexOf(text[1]) * 13 + RANKS.indexOf(text[0]);
  const value = (one) => Math.min((one % 13) + 1, 10);
  const sorted = (cards) => [...cards].sort((a, b) => a - b);
  const names = (cards) => sorted(cards).map(name);
  const points = (cards) => cards.reduce((sum, one) => sum + value(one), 0);
  const without = (cards, removed) => cards.filter((one) => !removed.includes(one));
  const parse = (text) => (text.match(/../g) || []).map(card);
  const weight = (cards) => cards.reduce((sum, one) => sum + 2 ** one, 0); // under 2^53, so a double is exact

  // --- melds (R1.3 to R1.6, R6.2)

  const isSet = (meld) => meld.every((one) => one % 13 === meld[0] % 13);

  /** Every set and run in `cards`, ordered as arena/gin orders them: by their bit masks. */
  function meldsIn(cards) {
    const all = new Set(cards);
    return [...setsIn(all), ...runsIn(all)].sort((a, b) => weight(a) - weight(b));
  }

  function setsIn(cards) {
    const found = [];
    for (let rank = 0; rank < 13; rank++) {
      const same = [0, 13, 26, 39].map((suit) => suit + rank).filter((one) => cards.has(one));
      if (same.length >= 3) found.push(same);
      if (same.length === 4) same.forEach((removed) => found.push(same.filter((one) => one !== removed)));
    }
    return found;
  }

  function runsIn(cards) {
    const found = [];
    for (const first of cards) {
      const run = [first];
      while ((run.at(-1) + 1) % 13 !== 0 && cards.has(run.at(-1) + 1)) {
        run.push(run.at(-1) + 1);
        if (run.length >= 3) found.push([...run]);
      }
    }
    return found;
  }

  /** The arrangement with the least deadwood; R6.2 decides ties. */
  function arrange(cards) {
    let best = null;
    const consider = (chosen, rest) => {
      const found = { melds: chosen, deadwood: points(rest), openings: openings(chosen, cards) };
      if (!best || before(found, best)) best = found;
    };
    const choose = (melds, chosen, rest) => {
      consider(chosen, rest);
      melds.forEach((meld, at) => {
        const disjoint = melds.slice(at + 1).filter((other) => !other.some((one) => meld.includes(one)));
        choose(disjoint, [...chosen, meld], without(rest, meld));
      });
    };
    choose(meldsIn(cards), [], sorted(cards));
    return { melds: best.melds, deadwood: best.deadwood, loose: without(sorted(cards), best.melds.flat()) };
  }

  function before(one, other) {
    if (one.deadwood !== other.deadwood) return one.deadwood < other.deadwood;
    if (one.openings !== other.openings) return one.openings < other.openings;
    const [mine, theirs] = [one.melds.map(weight), other.melds.map(weight)];
    for (let at = 0; at < Math.min(mine.length, theirs.length); at++) {
      if (mine[at] !== theirs[at]) return mine[at] < theirs[at];
    }
    return mine.length < theirs.length;
  }

  /** How many cards outside `cards` could be laid off directly on `melds`. */
  function openings(melds, cards) {
    return new Set(melds.flatMap(fits).filter((one) => !cards.includes(one))).size;
  }

  function fits(meld) {
    if (isSet(meld)) return [0, 13, 26, 39].map((suit) => suit + (meld[0] % 13)).filter((one) => !meld.includes(one));
    const [low, high] = [Math.min(...meld), Math.max(...meld)];
    return [...(low % 13 ? [low - 1] : []), ...(high % 13 < 12 ? [high + 1] : [])];
  }

  // --- a hand, from the deal to its end

  function start(played, rules) {
    const deck = [...played.deck].map((letter) => LETTERS.indexOf(letter));
    const first = deck.slice(0, 20).filter((_, at) => at % 2 === 0);
    const second = deck.slice(0, 20).filter((_, at) => at % 2 === 1);
    return {
      rules, deck, dealer: played.dealer, phase: rules.first_turn === "upcard" ? "upcard" : "draw", seat: 1 - played.dealer,
      cards: played.dealer === 1 ? [first, second] : [second, first],
      pile: [deck[20]], top: 21, bottom: 52, drawn: null, taken: false, passes: 0, takes: 0,
      took: [[], []], threw: [[], []], called: null, laid: [null, null],
    };
  }

  /** The hand after one action, in the notation of a transcript. */
  function play(hand, word) {
    const [kind, ...declared] = word.split(":");
    const action = ACTIONS[kind];
    if (action) return action(hand, declared);
    return discard(hand, card(word));
  }

  const both = (pair, seat, mine) => (seat === 0 ? [mine, pair[1]] : [pair[0], mine]);
  const add = (pair, seat, one) => both(pair, seat, [...pair[seat], one]);

  function pass(hand) {
    if (hand.phase === "last_take") return { ...hand, phase: "over" };
    const other = 1 - hand.seat;
    if (hand.passes === 0) return { ...hand, seat: other, passes: 1 };
    return { ...hand, seat: other, passes: 2, phase: hand.rules.after_two_passes === "stock" ? "first_draw" : "draw" };
  }

  function take(hand) {
    const one = hand.pile.at(-1);
    return {
      ...hand, phase: hand.phase === "last_take" ? "last_knock" : "discard", pile: hand.pile.slice(0, -1),
      cards: add(hand.cards, hand.seat, one), took: add(hand.took, hand.seat, one), drawn: one, taken: true, takes: hand.takes + 1,
    };
  }

  function draw(hand) {
    const below = hand.rules.stock === "two-ended" && hand.seat === hand.dealer;
    const one = hand.deck[below ? hand.bottom - 1 : hand.top];
    const [top, bottom] = below ? [hand.top, hand.bottom - 1] : [hand.top + 1, hand.bottom];
    return { ...hand, phase: "discard", cards: add(hand.cards, hand.seat, one), top, bottom, drawn: one, taken: false };
  }

  function discard(hand, one) {
    const seat = hand.seat;
    const after = {
      ...hand, phase: "draw", seat: 1 - seat, cards: both(hand.cards, seat, without(hand.cards[seat], [one])),
      pile: [...hand.pile, one], threw: add(hand.threw, seat, one), drawn: null, taken: false,
    };
    if (after.bottom - after.top <= 2) return { ...after, phase: hand.rules.stock_out === "last_take" ? "last_take" : "over" };
    return after.takes >= hand.rules.max_takes ? { ...after, phase: "over" } : after;
  }

  function declaredMelds(declared) {
    const found = declared.find((part) => part.startsWith("melds="));
    return found ? found.slice(6).split(",").filter(Boolean).map(parse) : [];
  }

  function declaredOn(declared) {
    const found = declared.find((part) => part.startsWith("on="));
    return found ? found.slice(3).split(",").filter(Boolean).map((one) => [card(one.slice(0, 2)), Number(one.slice(2))]) : [];
  }

  function layDown(hand, cards, melds, called) {
    const left = points(without(cards, melds.flat()));
    const laid = { melds, on: [], left };
    return {
      ...hand, phase: "lay_off", seat: 1 - hand.seat, cards: both(hand.cards, hand.seat, cards), called: called || (left ? "knock" : "gin"),
      laid: both(hand.laid, hand.seat, laid), drawn: null, taken: false,
    };
  }

  function layOff(hand, declared) {
    const [melds, on] = [declaredMelds(declared), declaredOn(declared)];
    const left = points(without(hand.cards[hand.seat], [...melds.flat(), ...on.map(([one]) => one)]));
    return { ...hand, phase: "over", laid: both(hand.laid, hand.seat, { melds, on, left }) };
  }

  const ACTIONS = {
    pass, take, draw,
    knock: (hand, [discarded, ...declared]) => {
      return layDown(hand, without(hand.cards[hand.seat], [card(discarded)]), declaredMelds(declared), null);
    },
    big_gin: (hand, declared) => layDown(hand, hand.cards[hand.seat], declaredMelds(declared), "big_gin"),
    lay_off: layOff,
  };

  // The legal actions of a phase. Where they depend on the cards, as for a knock, `played.may` has them for the turn.
  const MAY = {
    upcard: ["pass", "take"], first_draw: ["draw"], draw: ["draw", "take"], discard: ["discard"], lay_off: ["lay_off"], over: [],
  };

  /** Every state of a hand, from the deal to its end; `words[n]` is the action that leads from state n to the next. */
  function replay(played, rules) {
    const words = played.actions.split(" ").filter(Boolean);
    const states = [start(played, rules)];
    for (const word of words) states.push(play(states.at(-1), word));
    if (played.shown) states.push(shown(states.pop(), played.shown));
    const choices = new Map(played.may.flatMap(([kinds, turns]) => turns.map((turn) => [turn, kinds])));
    return { words, states: states.map((hand, turn) => ({ ...hand, may: choices.get(turn) ?? MAY[hand.phase] })) };
  }

  function shown(hand, laid) {
    const side = ([melds, on, left]) => ({ melds: melds.map((meld) => meld.map(card)), on: on.map(([one, to]) => [card(one), to]), left });
    return { ...hand, called: "showdown", laid: laid.map(side) };
  }

  // --- the messages between referee and bot, as in arena/protocol

  const mayDiscard = (hand) => without(sorted(hand.cards[hand.seat]), hand.taken && !hand.rules.return_taken ? [hand.drawn] : []);

  const mayLayOff = (hand) => hand.called === "knock" || (hand.called === "gin" && hand.rules.layoff_on_gin);

  /** The turn message to the seat that acts next; `match` is the state of the match before the hand. */
  function question(hand, match) {
    const seat = hand.seat;
    const mine = (pair) => (seat === 0 ? pair : [pair[1], pair[0]]);
    const knocked = hand.phase === "lay_off" ? hand.laid[1 - seat] : null;
    const discards = hand.phase === "discard" || hand.phase === "last_knock";
    return {
      type: "turn", game: match.game, hand: match.hand, score: mine(match.score), games: mine(match.games), dealer: hand.dealer === seat,
      phase: hand.phase, may: hand.may, cards: names(hand.cards[seat]), may_discard: discards ? names(mayDiscard(hand)) : [],
      drawn: hand.drawn === null ? null : name(hand.drawn), pile: hand.pile.map(name), stock: hand.bottom - hand.top,
      took: mine(hand.took).map((some) => names(new Set(some))), threw: mine(hand.threw).map((some) => names(new Set(some))),
      knocker: knocked && { melds: knocked.melds.map(names), deadwood: knocked.left, lay_offs: mayLayOff(hand) },
    };
  }

  /** The answer that an action records, with the melds that the referee chose where the bot left them out. */
  function answer(word) {
    const [kind, ...declared] = word.split(":");
    if (kind === "knock") return { kind, card: declared[0], melds: declaredMelds(declared).map(names) };
    if (kind === "big_gin") return { kind, melds: declaredMelds(declared).map(names) };
    if (kind === "lay_off") {
      return { kind, melds: declaredMelds(declared).map(names), lay_offs: declaredOn(declared).map(([one, to]) => [name(one), to]) };
    }
    return ["pass", "take", "draw"].includes(kind) ? { kind } : { kind: "discard", card: word };
  }

  return { name, names, value, arrange, replay, question, answer, sorted, without };
})();
