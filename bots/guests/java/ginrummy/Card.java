package ginrummy;

import java.util.HashMap;

/** A card in the interface of the EAAI challenge: one object for each, by rank and suit, by number, by name. */
public class Card {
    public static final String[] rankNames = {"A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"};
    public static final String[] suitNames = {"C", "H", "S", "D"};
    public static final boolean[] isSuitRed = {false, true, false, true};
    public static final int NUM_RANKS = 13;
    public static final int NUM_SUITS = 4;
    public static final int NUM_CARDS = 52;
    public static final Card[] allCards = new Card[NUM_CARDS];
    public static final HashMap<String, Card> strCardMap = new HashMap<>();
    public static final HashMap<String, Integer> strIdMap = new HashMap<>();
    public static final HashMap<Integer, String> idStrMap = new HashMap<>();

    static {
        for (int id = 0; id < NUM_CARDS; id++) {
            Card card = allCards[id] = new Card(id % NUM_RANKS, id / NUM_RANKS);
            strCardMap.put(card.toString(), card);
            strIdMap.put(card.toString(), id);
            idStrMap.put(id, card.toString());
        }
    }

    public final int rank;
    public final int suit;

    public Card(int rank, int suit) {
        this.rank = rank;
        this.suit = suit;
    }

    public static Card getCard(int id) {
        return allCards[id];
    }

    public static Card getCard(int rank, int suit) {
        return allCards[getId(rank, suit)];
    }

    public static int getId(int rank, int suit) {
        return suit * NUM_RANKS + rank;
    }

    public int getRank() {
        return rank;
    }

    public int getSuit() {
        return suit;
    }

    public int getId() {
        return getId(rank, suit);
    }

    public boolean isRed() {
        return isSuitRed[suit];
    }

    @Override
    public String toString() {
        return rankNames[rank] + suitNames[suit];
    }
}
