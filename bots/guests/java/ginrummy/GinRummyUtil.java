package ginrummy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** The functions on melds of the EAAI challenge, with their published signatures, so that players which call them run here. */
public class GinRummyUtil {
    public static final int GOAL_SCORE = 100;
    public static final int GIN_BONUS = 25;
    public static final int UNDERCUT_BONUS = 25;
    public static final int MAX_DEADWOOD = 10;

    private static final Set<Long> MELDS = new LinkedHashSet<>(); // a bit for each card, at its number

    static {
        for (int rank = 0; rank < Card.NUM_RANKS; rank++) addSets(rank);
        for (int suit = 0; suit < Card.NUM_SUITS; suit++) addRuns(suit);
    }

    private static void addSets(int rank) {
        long all = 0;
        for (int suit = 0; suit < Card.NUM_SUITS; suit++) all |= bit(Card.getCard(rank, suit));
        for (int suit = 0; suit < Card.NUM_SUITS; suit++) MELDS.add(all & ~bit(Card.getCard(rank, suit)));
        MELDS.add(all);
    }

    private static void addRuns(int suit) {
        for (int from = 0; from < Card.NUM_RANKS; from++) {
            long run = 0;
            for (int rank = from; rank < Card.NUM_RANKS; rank++) {
                run |= bit(Card.getCard(rank, suit));
                if (rank - from >= 2) MELDS.add(run);
            }
        }
    }

    private static long bit(Card card) {
        return 1L << card.getId();
    }

    public static ArrayList<Card> bitstringToCards(Long bitstring) {
        ArrayList<Card> cards = new ArrayList<>();
        for (Card card : Card.allCards) if ((bitstring & bit(card)) != 0) cards.add(card);
        return cards;
    }

    public static long cardsToBitstring(ArrayList<Card> cards) {
        long bits = 0;
        for (Card card : cards) bits |= bit(card);
        return bits;
    }

    public static Set<Long> getAllMeldBitstrings() {
        return new HashSet<>(MELDS);
    }

    public static ArrayList<Long> cardsToAllMeldBitstrings(ArrayList<Card> cards) {
        long hand = cardsToBitstring(cards);
        ArrayList<Long> melds = new ArrayList<>();
        for (long meld : MELDS) if ((meld & ~hand) == 0) melds.add(meld);
        return melds;
    }

    public static ArrayList<ArrayList<Card>> cardsToAllMelds(ArrayList<Card> cards) {
        return toCards(cardsToAllMeldBitstrings(cards));
    }

    /** Return each choice of disjoint melds to which no other can be added; none, if there is no meld. */
    public static ArrayList<ArrayList<ArrayList<Card>>> cardsToAllMaximalMeldSets(ArrayList<Card> cards) {
        ArrayList<ArrayList<ArrayList<Card>>> found = new ArrayList<>();
        choose(cardsToAllMeldBitstrings(cards), 0, 0, new ArrayList<>(), found);
        return found;
    }

    private static void choose(
            ArrayList<Long> melds, int next, long used, ArrayList<Long> chosen, ArrayList<ArrayList<ArrayList<Card>>> found) {
        for (int i = next; i < melds.size(); i++) {
            if ((melds.get(i) & used) != 0) continue;
            chosen.add(melds.get(i));
            choose(melds, i + 1, used | melds.get(i), chosen, found);
            chosen.remove(chosen.size() - 1);
        }
        boolean isMaximal = melds.stream().allMatch(meld -> (meld & used) != 0);
        if (isMaximal && !chosen.isEmpty()) found.add(toCards(chosen));
    }

    private static ArrayList<ArrayList<Card>> toCards(ArrayList<Long> melds) {
        ArrayList<ArrayList<Card>> found = new ArrayList<>();
        for (Long meld : melds) found.add(bitstringToCards(meld));
        return found;
    }

    /** Return those of the maximal choices of melds that leave least deadwood; none, if there is no meld. */
    public static ArrayList<ArrayList<ArrayList<Card>>> cardsToBestMeldSets(ArrayList<Card> cards) {
        ArrayList<ArrayList<ArrayList<Card>>> sets = cardsToAllMaximalMeldSets(cards);
        if (sets.isEmpty()) return sets;
        int least = sets.stream().mapToInt(melds -> getDeadwoodPoints(melds, cards)).min().getAsInt();
        sets.removeIf(melds -> getDeadwoodPoints(melds, cards) > least);
        return sets;
    }

    public static int getDeadwoodPoints(ArrayList<ArrayList<Card>> melds, ArrayList<Card> hand) {
        Set<Card> melded = new HashSet<>();
        for (ArrayList<Card> meld : melds) melded.addAll(meld);
        int points = 0;
        for (Card card : hand) if (!melded.contains(card)) points += getDeadwoodPoints(card);
        return points;
    }

    public static int getDeadwoodPoints(Card card) {
        return Math.min(card.getRank() + 1, 10);
    }

    public static int getDeadwoodPoints(ArrayList<Card> cards) {
        int points = 0;
        for (Card card : cards) points += getDeadwoodPoints(card);
        return points;
    }
}
