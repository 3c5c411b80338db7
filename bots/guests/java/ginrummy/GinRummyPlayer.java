package ginrummy;

import java.util.ArrayList;

/** The methods of a player of the EAAI challenge, with their published signatures, so that players compile here. */
public interface GinRummyPlayer {
    /** A hand begins; despite its name it is called for each hand, not each game. */
    void startGame(int playerNum, int startingPlayerNum, Card[] cards);

    boolean willDrawFaceUpCard(Card card);

    /** The card is null if only the other player knows it. */
    void reportDraw(int playerNum, Card drawnCard);

    Card getDiscard();

    void reportDiscard(int playerNum, Card discardedCard);

    /** After my discard: null to play on, melds to knock. After the opponent's melds: mine. */
    ArrayList<ArrayList<Card>> getFinalMelds();

    void reportFinalMelds(int playerNum, ArrayList<ArrayList<Card>> melds);

    void reportScores(int[] scores);

    void reportLayoff(int playerNum, Card layoffCard, ArrayList<Card> opponentMeld);

    void reportFinalHand(int playerNum, ArrayList<Card> hand);
}
