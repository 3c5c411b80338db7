import ginrummy.Card;
import ginrummy.GinRummyPlayer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * java Bridge PLAYER [ARGUMENT...]: runs a player of the EAAI challenge, made by its constructor for these arguments, as a bot of arena.
 *
 * <p>Such a player expects events, but arena sends complete turns. So each turn is compared with the events reported so far. The
 * referee writes its messages without whitespace and in the documented order, so a text search finds a member by its name.
 */
public class Bridge {
    private final GinRummyPlayer player;
    private String line = "";
    private String hand = ""; // its game and number
    private int me;
    private final List<Card> took = new ArrayList<>(); // by the opponent, as reported to the player so far
    private final List<Card> threw = new ArrayList<>();

    Bridge(GinRummyPlayer player) {
        this.player = player;
    }

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        PrintStream answers = System.out;
        System.setOut(System.err); // only answers go to stdout
        Bridge bridge = new Bridge(construct(Class.forName(args[0]), Arrays.copyOfRange(args, 1, args.length)));
        ClassLoader.getSystemResource("none"); // opens each jar of the class path, while files may be opened
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String answer = bridge.answer(line);
            if (answer != null) {
                answers.print(answer + "\n");
                answers.flush();
            }
            if (line.startsWith("{\"type\":\"bye\"")) return;
        }
    }

    /** Return an object by the first constructor whose parameters the words fit; it may be private. */
    private static GinRummyPlayer construct(Class<?> player, String[] words) throws ReflectiveOperationException {
        for (Constructor<?> constructor : player.getDeclaredConstructors()) {
            Object[] values = values(constructor.getParameterTypes(), words);
            if (values == null) continue;
            constructor.setAccessible(true);
            return (GinRummyPlayer) constructor.newInstance(values);
        }
        throw new NoSuchMethodException(player.getName() + " has no constructor for (" + String.join(", ", words) + "); it has "
                + Arrays.toString(player.getDeclaredConstructors()));
    }

    /** Return the words as values of these types; null: they do not fit. */
    private static Object[] values(Class<?>[] types, String[] words) {
        if (types.length != words.length) return null;
        Object[] values = new Object[words.length];
        for (int i = 0; i < words.length; i++) if ((values[i] = parse(types[i], words[i])) == null) return null;
        return values;
    }

    private static Object parse(Class<?> type, String word) {
        try {
            if (type == String.class) return word;
            if (type == boolean.class || type == Boolean.class) return word.matches("true|false") ? Boolean.valueOf(word) : null;
            if (type == int.class || type == Integer.class) return Integer.valueOf(word);
            if (type == long.class || type == Long.class) return Long.valueOf(word);
            if (type == float.class || type == Float.class) return Float.valueOf(word);
            return type == double.class || type == Double.class ? Double.valueOf(word) : null;
        } catch (NumberFormatException error) {
            return null;
        }
    }

    private String answer(String message) {
        line = message;
        switch (word("type")) {
            case "hello":
                return "{\"type\":\"ready\",\"protocol\":1,\"bot\":\"" + player.getClass().getSimpleName() + "\"}";
            case "match":
                me = Integer.parseInt(value("seat"));
                return null;
            case "turn":
                return turn();
            case "hand_over":
                over();
                return null;
            default:
                return null;
        }
    }

    // --- a turn

    private String turn() {
        if (!hand.equals(value("game") + "." + value("hand"))) begin();
        catchUp();
        switch (word("phase")) {
            case "upcard":
                return kind(player.willDrawFaceUpCard(upcard()) ? "take" : "pass");
            case "draw":
                return kind(!list("pile").isEmpty() && player.willDrawFaceUpCard(upcard()) ? "take" : "draw");
            case "first_draw":
                return kind("draw");
            case "discard":
                return discard();
            case "lay_off":
                return layOff();
            default: // the last discard; the challenge has no such decision
                return kind("pass");
        }
    }

    private void begin() {
        hand = value("game") + "." + value("hand");
        took.clear();
        threw.clear();
        int starts = value("dealer").equals("true") ? 1 - me : me;
        player.startGame(me, starts, list("cards").toArray(new Card[0]));
    }

    /** Report the opponent's actions since the last turn to the player. */
    private void catchUp() {
        List<Card> taken = second("took"), thrown = second("threw");
        taken.removeAll(took);
        thrown.removeAll(threw);
        took.addAll(taken);
        threw.addAll(thrown);
        boolean knocked = word("phase").equals("lay_off");
        if (!thrown.isEmpty() || knocked) player.reportDraw(1 - me, taken.isEmpty() ? null : taken.get(0));
        if (!thrown.isEmpty()) player.reportDiscard(1 - me, thrown.get(0));
    }

    private String discard() {
        player.reportDraw(me, card(word("drawn")));
        Card thrown = player.getDiscard();
        player.reportDiscard(me, thrown);
        ArrayList<ArrayList<Card>> melds = player.getFinalMelds();
        boolean knocks = melds != null && part("\"may\":[", "]").contains("\"knock\"");
        String with = ",\"card\":\"" + name(thrown) + "\"";
        return knocks ? "{\"kind\":\"knock\"" + with + ",\"melds\":" + written(melds) + "}" : "{\"kind\":\"discard\"" + with + "}";
    }

    private String layOff() {
        player.reportFinalMelds(1 - me, melds(part("\"knocker\":{\"melds\":[", "]],")));
        return "{\"kind\":\"lay_off\",\"melds\":" + written(player.getFinalMelds()) + "}"; // the referee lays off all cards that fit
    }

    private void over() {
        String[] score = part("\"score\":[", "]").split(",");
        int[] scores = new int[2];
        scores[me] = Integer.parseInt(score[0]);
        scores[1 - me] = Integer.parseInt(score[1]);
        player.reportFinalHand(me, cards(part("\"cards\":[[", "]")));
        player.reportFinalHand(1 - me, second("cards"));
        player.reportScores(scores);
    }

    // --- reading a line, and writing one

    private String part(String from, String to) {
        int start = line.indexOf(from) + from.length();
        return line.substring(start, line.indexOf(to, start));
    }

    private String value(String name) {
        int start = line.indexOf("\"" + name + "\":") + name.length() + 3;
        return line.substring(start).split("[,}]", 2)[0];
    }

    private String word(String name) {
        return value(name).replace("\"", "");
    }

    private Card upcard() {
        ArrayList<Card> pile = list("pile");
        return pile.get(pile.size() - 1);
    }

    private ArrayList<Card> list(String name) {
        return cards(part("\"" + name + "\":[", "]"));
    }

    /** Return the second of two lists: the opponent's. */
    private ArrayList<Card> second(String name) {
        return cards(part("\"" + name + "\":[[", "]]").replaceFirst("^[^\\]]*\\],\\[", ""));
    }

    private static ArrayList<ArrayList<Card>> melds(String text) {
        ArrayList<ArrayList<Card>> melds = new ArrayList<>();
        for (String meld : text.split("\\],\\[")) melds.add(cards(meld));
        return melds;
    }

    private static ArrayList<Card> cards(String text) {
        ArrayList<Card> cards = new ArrayList<>();
        for (String name : text.split("[^A-Za-z0-9]+")) if (!name.isEmpty()) cards.add(card(name));
        return cards;
    }

    private static Card card(String name) {
        return Card.strCardMap.get(name.toUpperCase(Locale.ROOT));
    }

    private static String name(Card card) {
        return card.toString().substring(0, 1) + card.toString().substring(1).toLowerCase(Locale.ROOT);
    }

    private static String kind(String what) {
        return "{\"kind\":\"" + what + "\"}";
    }

    private static String written(List<ArrayList<Card>> melds) {
        return melds.stream()
                .filter(meld -> !meld.isEmpty())
                .map(meld -> meld.stream().map(card -> "\"" + name(card) + "\"").collect(Collectors.joining(",", "[", "]")))
                .collect(Collectors.joining(",", "[", "]"));
    }
}
