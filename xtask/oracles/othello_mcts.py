"""Simulations a second from Othello's start, uniform playouts, one thread: OpenSpiel's C++ search bot and ours.

Both are measured by processor time in one run, in turns, so that a busy machine slows both alike.
"""

import argparse
import json
import resource
import subprocess
import sys
import time

try:
    import pyspiel
except ImportError:
    print("OpenSpiel is not installed: pip install open_spiel")
    sys.exit(77)


def theirs(simulations):
    game = pyspiel.load_game("othello")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2**0.5, simulations, 256, False, 1, False)
    state = game.new_initial_state()
    begin = time.process_time()
    bot.step(state)
    return simulations / (time.process_time() - begin)


def ours(program, simulations):
    command = [program, "think", "othello", "--player", "mcts:solver=off", "--playouts", str(simulations), "--json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = json.loads(output.splitlines()[-1])["playouts"]
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return made / spent


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--banmen", default="target/release/banmen", help="the program")
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    for _ in range(given.rounds):
        other, own = theirs(5_000), ours(given.banmen, 500_000)
        print(f"OpenSpiel {other:,.0f} simulations/s, banmen {own:,.0f}: {own / other:.0f} times as many")


if __name__ == "__main__":
    main()
