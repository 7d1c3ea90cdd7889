"""Dobutsu shogi by Fairy-Stockfish (pyffish): the moves and node counts of random positions under the rules `catch`.

pyffish before 0.0.90 plays by other rules (no self-check) and is refused.
"""

import argparse
import random
import sys

from rpc import Banmen

try:
    import pyffish
except ImportError:
    print("pyffish is not installed: pip install pyffish")
    sys.exit(77)

VARIANT = "dobutsu"


def moves_of(fen):
    """Legal moves of a position; none once a lion was caught or has tried."""
    ended, _ = pyffish.is_immediate_game_end(VARIANT, fen, [])
    return [] if ended else sorted(pyffish.legal_moves(VARIANT, fen, []))


def perft(fen, depth):
    moves = moves_of(fen)
    if depth == 1:
        return len(moves)
    return sum(perft(pyffish.get_fen(VARIANT, fen, [move]), depth - 1) for move in moves)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--banmen", default="target/release/banmen", help="the program")
    arguments.add_argument("--positions", type=int, default=300, help="random positions")
    arguments.add_argument("--depth", type=int, default=3, help="plies of perft")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()

    banmen, rng, wrong = Banmen(given.banmen), random.Random(given.seed), 0
    start = pyffish.start_fen(VARIANT)
    fens = [start]
    while len(fens) < given.positions:
        fen = start
        for _ in range(rng.randrange(1, 40)):
            moves = moves_of(fen)
            if not moves:
                break
            fen = pyffish.get_fen(VARIANT, fen, [rng.choice(moves)])
        fens.append(fen)

    nodes = 0
    for fen in fens:
        shown = banmen.ask("show", game=VARIANT, position=fen, dialect="fen")
        theirs, ours = moves_of(fen), sorted(shown["legal"])
        count = perft(fen, given.depth)
        own = banmen.ask("perft", game=VARIANT, position=fen, depth=given.depth)["count"]
        nodes += count
        if theirs != ours or count != own:
            wrong += 1
            print(f"{fen}\n  moves  {theirs}\n  banmen {ours}\n  perft {given.depth}: {count}, banmen {own}")
    print(f"{len(fens)} positions, {nodes} nodes of depth {given.depth}: {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
