package ginrummy;

import java.util.ArrayList;

/** The methods that a player of the EAAI challenge has, declared after their published signatures, so that a player compiles here. */
public interface GinRummyPlayer {
    /** A hand begins; called for each hand, whatever its name says. */
    void startGame(int playerNum, int startingPlayerNum, Card[] cards);

    boolean willDrawFaceUpCard(Card card);

    /** The card is null where only the other player knows it. */
    void reportDraw(int playerNum, Card drawnCard);

    Card getDiscard();

    void reportDiscard(int playerNum, Card discardedCard);

    /** After my own discard: null to play on, melds to knock. After the other's melds: mine. */
    ArrayList<ArrayList<Card>> getFinalMelds();

    void reportFinalMelds(int playerNum, ArrayList<ArrayList<Card>> melds);

    void reportScores(int[] scores);

    void reportLayoff(int playerNum, Card layoffCard, ArrayList<Card> opponentMeld);

    void reportFinalHand(int playerNum, ArrayList<Card> hand);
}
