import ginrummy.Card;
import ginrummy.GinRummyPlayer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A player for the interface of the EAAI challenge: keeps the least deadwood, and knocks with five points or fewer. */
public class LeastDeadwood implements GinRummyPlayer {
    private static final int LITTLE = 5; // points

    private final ArrayList<Card> mine = new ArrayList<>();
    private int me;
    private Card taken; // from the discard pile, in this turn
    private Card offered;
    private boolean answering; // the opponent has laid its melds

    @Override
    public void startGame(int playerNum, int startingPlayerNum, Card[] cards) {
        me = playerNum;
        mine.clear();
        mine.addAll(List.of(cards));
        answering = false;
    }

    @Override
    public boolean willDrawFaceUpCard(Card card) {
        offered = card;
        ArrayList<Card> more = new ArrayList<>(mine);
        more.add(card);
        return best(more).left <= best(mine).left;
    }

    @Override
    public void reportDraw(int playerNum, Card drawnCard) {
        if (playerNum != me) return;
        mine.add(drawnCard);
        taken = drawnCard == offered ? drawnCard : null;
    }

    @Override
    public Card getDiscard() {
        return mine.stream()
                .filter(card -> card != taken)
                .min(Comparator.comparingInt((Card card) -> best(without(mine, List.of(card))).left).thenComparingInt(card -> -card.rank))
                .orElseThrow();
    }

    @Override
    public void reportDiscard(int playerNum, Card discardedCard) {
        if (playerNum == me) mine.remove(discardedCard);
    }

    @Override
    public ArrayList<ArrayList<Card>> getFinalMelds() {
        Melding melding = best(mine);
        return answering || melding.left <= LITTLE ? melding.melds : null;
    }

    @Override
    public void reportFinalMelds(int playerNum, ArrayList<ArrayList<Card>> melds) {
        answering = playerNum != me;
    }

    @Override
    public void reportScores(int[] scores) {}

    @Override
    public void reportLayoff(int playerNum, Card layoffCard, ArrayList<Card> opponentMeld) {}

    @Override
    public void reportFinalHand(int playerNum, ArrayList<Card> hand) {}

    // --- melds

    private record Melding(int left, ArrayList<ArrayList<Card>> melds) {}

    /** Return the melds that leave the fewest points: the first card is deadwood, or in one of its possible melds. */
    private static Melding best(List<Card> cards) {
        if (cards.isEmpty()) return new Melding(0, new ArrayList<>());
        Card first = cards.get(0);
        Melding rest = best(cards.subList(1, cards.size()));
        Melding least = new Melding(rest.left + Math.min(first.rank + 1, 10), rest.melds);
        for (List<Card> meld : meldsWith(first, cards)) {
            Melding others = best(without(cards, meld));
            if (others.left < least.left) {
                ArrayList<ArrayList<Card>> melds = new ArrayList<>(others.melds);
                melds.add(new ArrayList<>(meld));
                least = new Melding(others.left, melds);
            }
        }
        return least;
    }

    private static List<List<Card>> meldsWith(Card card, List<Card> cards) {
        List<List<Card>> found = new ArrayList<>();
        List<Card> same = cards.stream().filter(other -> other.rank == card.rank).toList();
        if (same.size() >= 3) found.add(same);
        if (same.size() == 4) for (Card gone : same) if (gone != card) found.add(without(same, List.of(gone)));
        for (int low = Math.max(0, card.rank - 9); low <= card.rank; low++) {
            List<Card> run = new ArrayList<>();
            for (int rank = low; rank < 13 && cards.contains(Card.getCard(rank, card.suit)); rank++) {
                run.add(Card.getCard(rank, card.suit));
                if (run.size() >= 3 && rank >= card.rank) found.add(List.copyOf(run));
            }
        }
        return found;
    }

    private static List<Card> without(List<Card> cards, List<Card> gone) {
        return cards.stream().filter(card -> !gone.contains(card)).toList();
    }
}
