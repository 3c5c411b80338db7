"""``python tests/studies/peers_java.py HANDS``: the simple player of the EAAI challenge's framework against itself, in Java.

``EAAI`` in the environment is the folder of a copy of the framework, https://github.com/tneller/gin-rummy-eaai, which is under the
GPL and therefore not here: only its interface is, in bots/guests/java. ``javac`` compiles it. The time is the processor time of the
thread that plays, after as many hands again, because Java compiles what has run often.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import ginrummy.*;
import java.lang.management.ManagementFactory;

public class Peer extends SimpleGinRummyPlayer {
    static int hands, decisions;

    @Override public void startGame(int me, int starts, Card[] cards) { hands += 1 - me; super.startGame(me, starts, cards); }
    @Override public boolean willDrawFaceUpCard(Card card) { decisions++; return super.willDrawFaceUpCard(card); }
    @Override public Card getDiscard() { decisions++; return super.getDiscard(); }

    static long play(int least) {
        hands = decisions = 0;
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        while (hands < least) new GinRummyGame(new Peer(), new Peer()).play();
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
    }

    public static void main(String[] arguments) {
        int least = Integer.parseInt(arguments[0]);
        play(least);
        long spent = play(least);
        System.out.printf("{\\"hands\\":%d,\\"decisions\\":%d,\\"seconds\\":%s}%n", hands, decisions, spent / 1e9);
    }
}
"""


def main(hands: str) -> None:
    """Compile the framework with the program, and run it."""
    framework = os.environ.get("EAAI", "")
    if not Path(framework, "ginrummy", "SimpleGinRummyPlayer.java").is_file():
        raise SystemExit(f"EAAI={framework}; expected the folder of a copy of github.com/tneller/gin-rummy-eaai")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "Peer.java")
        source.write_text(PROGRAM, encoding="utf-8")
        subprocess.run(["javac", "-nowarn", "-cp", framework, "-d", folder, str(source)], check=True)  # noqa: S607 - the user's JDK
        subprocess.run(["java", "-cp", folder, "Peer", hands], check=True)  # noqa: S607


if __name__ == "__main__":
    main(sys.argv[1])
