# A gin rummy player in POSIX awk. It needs no memory: every turn holds all information.
#
# It counts the deadwood of some cards twice, sets before runs and runs before sets, and uses the lower count. That is never below the
# true deadwood, so a knock within the limit by its count is legal; and the referee lays the melds at least as well.

/^\{"type":"hello"/ { say("{\"type\":\"ready\",\"protocol\":1,\"bot\":\"awk-counter\"}") }

/^\{"type":"turn"/ {
    knock_limit = number("knock_limit")
    phase = word("phase")
    cards = list("cards")
    if (phase == "upcard") say(joins() ? kind("take") : kind("pass"))
    else if (phase == "first_draw") say(kind("draw"))
    else if (phase == "draw") say(joins() ? kind("take") : kind("draw"))
    else if (phase == "discard") say(throw())
    else if (phase == "last_take") say(kind("pass"))
    else if (phase == "lay_off") say(kind("lay_off"))
}

/^\{"type":"bye"/ { exit }

function say(line) { print line; fflush() }

function kind(what) { return "{\"kind\":\"" what "\"}" }

function with_card(what, card) { return "{\"kind\":\"" what "\",\"card\":\"" card "\"}" }

# The replay shows the note; the opponent never sees it.
function with_note(answer, note) { return substr(answer, 1, length(answer) - 1) ",\"note\":\"" note "\"}" }

# --- what to do

# Would the upcard be in a meld?
function joins(    pile) {
    pile = list("pile")
    return deadwood(cards " " substr(pile, length(pile) - 1)) <= deadwood(cards)
}

# Discard the card that leaves least, the dearest of several; knock with it if that is certainly legal.
function throw(    may, several, count, n, left, least, best) {
    may = " " list("may") " "
    if (index(may, " big_gin ")) return kind("big_gin")
    count = split(list("may_discard"), several, " ")
    least = 999
    for (n = 1; n <= count; n++) {
        left = deadwood(without(several[n]))
        if (left < least || (left == least && value(several[n]) > value(best))) {
            least = left
            best = several[n]
        }
    }
    if (!index(may, " knock ")) return with_card("discard", best)
    return with_note(with_card(least <= knock_limit ? "knock" : "discard", best), "could knock, " least " by my count")
}

function without(card,    rest) {
    rest = cards
    sub(card, "", rest)
    return rest
}

# --- counting

function deadwood(held,    sets_first, runs_first) {
    hold(held); lay_sets(); lay_runs(); sets_first = points()
    hold(held); lay_runs(); lay_sets(); runs_first = points()
    return sets_first < runs_first ? sets_first : runs_first
}

# Lay some cards out in rows of rank and suit: have[1, 1] is the ace of clubs.
function hold(held,    several, count, n) {
    split("", have)
    count = split(held, several, " ")
    for (n = 1; n <= count; n++) have[rank(several[n]), index("cdhs", substr(several[n], 2))] = 1
}

function lay_sets(    r, s, same) {
    for (r = 1; r <= 13; r++) {
        same = 0
        for (s = 1; s <= 4; s++) same += ((r, s) in have)
        if (same >= 3) for (s = 1; s <= 4; s++) delete have[r, s]
    }
}

function lay_runs(    s, r, length_so_far) {
    for (s = 1; s <= 4; s++) {
        length_so_far = 0
        for (r = 1; r <= 14; r++) {
            if ((r, s) in have) { length_so_far++; continue }
            if (length_so_far >= 3) for (; length_so_far > 0; length_so_far--) delete have[r - length_so_far, s]
            length_so_far = 0
        }
    }
}

function points(    place, part, sum) {
    for (place in have) {
        split(place, part, SUBSEP)
        sum += part[1] < 10 ? part[1] : 10
    }
    return sum + 0
}

function rank(card) { return index("A23456789TJQK", substr(card, 1, 1)) }

function value(card) { return rank(card) < 10 ? rank(card) : 10 }

# --- reading a line; the referee writes no whitespace

function after(name) { return substr($0, index($0, "\"" name "\":") + length(name) + 3) }

function number(name) { return after(name) + 0 }

function word(name,    part) {
    split(after(name), part, "\"")
    return part[2]
}

function list(name,    text) {
    text = after(name)
    text = substr(text, 2, index(text, "]") - 2)
    gsub(/"/, "", text)
    gsub(/,/, " ", text)
    return text
}
