"""An example bot for any game of the arena.

It plays at random, but takes a corner of Othello's board when it can. From the root of the repository:

    banmen match othello 'rpc:python3 clients/python/example_bot.py' random --games 4
"""

from __future__ import annotations

from banmen import Bot, Question

#: The corners, whose discs can never be flipped, and the squares diagonally next to them, which give corners away.
CORNERS = {"a1", "h1", "a8", "h8"}
TRAPS = {"b2", "g2", "b7", "g7"}


def othello(legal: list[str]) -> list[str]:
    """The candidate moves."""
    corners = [move for move in legal if move in CORNERS]
    return corners or [move for move in legal if move not in TRAPS] or legal


def choose(question: Question) -> dict:
    """A move and the expected score of the side to move: even, unless it takes a corner."""
    legal = question.legal
    if not legal:
        raise ValueError("the moves are too many to be listed: this bot would have to know the rules")
    good = othello(legal) if question.game == "othello" else legal
    move = question.random.choice(good)
    return {"move": move, "value": 0.8 if move in CORNERS else 0.5, "nodes": len(legal)}


if __name__ == "__main__":
    Bot(choose).run()
