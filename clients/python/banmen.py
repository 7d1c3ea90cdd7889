"""Drive `banmen rpc`, or play in its arena as a bot: one file, no dependencies, Python 3.8 or newer.

A client sends requests::

    with Banmen() as banmen:
        print(banmen.show("othello", moves=["f5", "d6"])["legal"])
        search = banmen.think("othello", limits={"time_ms": 500})
        for info in search:              # progress reports
            print(info["depth"], info["value"])
        print(search.result()["move"])

A bot answers requests and plays as `rpc:python3 my_bot.py`::

    def choose(question):
        return question.random.choice(question.legal)

    Bot(choose).run()

`banmen rpc --schema` describes the messages and their fields.
"""

from __future__ import annotations

import itertools
import json
import queue
import random
import subprocess
import sys
import threading
import traceback
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, TextIO, Union

__all__ = ["Banmen", "BanmenError", "Bot", "Question", "Search"]

Json = Dict[str, Any]


class BanmenError(Exception):
    """An error: the reason why a request has no result."""

    def __init__(self, error: Json) -> None:
        super().__init__(error.get("message", "the connection has ended"))
        #: The kind of error, such as `illegal_move`.
        self.code: str = error.get("code", "closed")
        #: The reason in one word, or None.
        self.reason: Optional[str] = error.get("reason")
        #: The number of the move, from 1, or the index of the character, from 0; None if neither applies.
        self.at: Optional[int] = error.get("at")
        #: The values that the message mentions.
        self.arguments: Json = error.get("args", {})


class Search:
    """A request that may take a while. Iterate over it for progress; `result` waits for the answer."""

    def __init__(self, client: "Banmen", number: int) -> None:
        self._client = client
        self._answers: "queue.Queue[Json]" = queue.Queue()
        self._last: Optional[Json] = None
        #: The id of the request.
        self.number = number

    def __iter__(self) -> Iterator[Json]:
        """Yields progress reports until the answer arrives."""
        while self._last is None:
            answer = self._answers.get()
            if "info" in answer:
                yield answer["info"]
            else:
                self._last = answer

    def result(self, timeout: Optional[float] = None) -> Any:
        """The answer. Raises BanmenError for an error, and queue.Empty after `timeout` seconds without a message."""
        while self._last is None:
            answer = self._answers.get(timeout=timeout)
            if "info" not in answer:
                self._last = answer
        if "error" in self._last:
            raise BanmenError(self._last["error"])
        return self._last.get("ok")

    def stop(self) -> bool:
        """Stops the search, which then answers with its best result. False if it has already ended."""
        return bool(self._client.ask("stop", target=self.number)["stopped"])


class Banmen:
    """A running `banmen rpc`. Several threads may send requests, and searches run concurrently."""

    def __init__(self, command: Sequence[str] = ("banmen", "rpc")) -> None:
        self._process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="replace"
        )
        self._numbers = itertools.count(1)
        self._open: Dict[int, Search] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        self._reader = threading.Thread(target=self._read, name="banmen", daemon=True)
        self._reader.start()

    def __enter__(self) -> "Banmen":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self, timeout: float = 10.0) -> int:
        """Stops running searches, ends the program, and returns its exit code."""
        with self._lock:
            running = [number for number in self._open]
        for number in running:
            try:
                self.start("stop", target=number)
            except BanmenError:
                break
        try:
            self._pipe(self._process.stdin).close()
        except OSError:
            pass  # The program has already ended.
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._reader.join(timeout)
        self._pipe(self._process.stdout).close()
        return code

    @staticmethod
    def _pipe(pipe: Optional[Any]) -> Any:
        assert pipe is not None, "both pipes were requested"
        return pipe

    def _read(self) -> None:
        for line in self._pipe(self._process.stdout):
            try:
                answer = json.loads(line)
            except ValueError:
                continue
            number = answer.get("id")
            if number is None and "error" in answer:
                # A request was not understood, not even its id. Its sender must not wait forever.
                self._fail(answer)
                continue
            with self._lock:
                search = self._open.get(number) if "info" in answer else self._open.pop(number, None)
            if search is not None:
                search._answers.put(answer)
        with self._lock:
            self._closed = True
        self._fail({"error": {"code": "closed", "message": "banmen has ended"}})

    def _fail(self, answer: Json) -> None:
        """Ends all open requests with this error."""
        with self._lock:
            failed, self._open = list(self._open.values()), {}
        for search in failed:
            search._answers.put(answer)

    def start(self, op: str, **fields: Any) -> Search:
        """Sends a request without waiting. Fields that are None are left out. Raises ValueError for fields that are not JSON,
        such as NaN."""
        search = Search(self, next(self._numbers))
        request = {"id": search.number, "op": op}
        request.update((name, value) for name, value in fields.items() if value is not None)
        text = json.dumps(request, ensure_ascii=False, allow_nan=False) + "\n"
        with self._lock:
            if self._closed:
                raise BanmenError({"code": "closed", "message": "banmen has ended"})
            self._open[search.number] = search
        try:
            # Not under the other lock: a full pipe empties only while answers are read, which needs that one.
            with self._writing:
                pipe = self._pipe(self._process.stdin)
                pipe.write(text)
                pipe.flush()
        except (OSError, ValueError):
            with self._lock:
                self._open.pop(search.number, None)
            raise BanmenError({"code": "closed", "message": "banmen has ended"}) from None
        return search

    def ask(self, op: str, **fields: Any) -> Any:
        """Sends a request and waits for the answer."""
        return self.start(op, **fields).result()

    def games(self) -> List[Json]:
        """The games, with their rules, dialects and sides."""
        return self.ask("games")["games"]

    def players(self, game: str) -> List[Json]:
        """The players of a game, with all their keys."""
        return self.ask("players", game=game)["players"]

    def show(self, game: str, **place: Any) -> Json:
        """A position (`rules`, `position`, `moves`, `dialect`): side, outcome, legal moves, board."""
        return self.ask("show", game=game, **place)

    def legal(self, game: str, prefix: str = "", **place: Any) -> Json:
        """Legal moves that begin with `prefix`, and the possible continuations of the prefix."""
        return self.ask("legal", game=game, prefix=prefix, **place)

    def perft(self, game: str, depth: int, **place: Any) -> int:
        """The number of move sequences of a given length."""
        return self.ask("perft", game=game, depth=depth, **place)["count"]

    def think(self, game: str, **fields: Any) -> Search:
        """Starts a search of a position by a player (`player`, `seed`, `lines`, `limits`, `session`)."""
        return self.start("think", game=game, **fields)

    def solve(self, game: str, **fields: Any) -> Search:
        """Solves a position: proves the score of a best move, or of every move with `all=True`."""
        return self.start("solve", game=game, **fields)


class Question:
    """A request to a bot to choose a move."""

    def __init__(self, request: Json, report: Callable[[Json], None]) -> None:
        here = request.get("here") or {}
        #: The game's name, such as `othello`.
        self.game: str = request.get("game", "")
        #: The rules variant; None for the default.
        self.rules: Optional[str] = request.get("rules")
        #: The position before the moves; None for the game's starting position.
        self.position: Optional[str] = request.get("position")
        #: The moves played from there.
        self.moves: List[str] = request.get("moves") or []
        #: The current position.
        self.here: str = here.get("position", "")
        #: The side to move: `first` or `second`.
        self.side: str = here.get("side", "")
        #: The legal moves; None if there are more than 4096.
        self.legal: Optional[List[str]] = here.get("legal")
        #: `time_ms`, `nodes`, `playouts`, `depth`, `clock`; each is None if there is no such limit.
        self.limits: Json = request.get("limits") or {}
        #: The random seed.
        self.seed: int = request.get("seed", 1)
        #: A random generator seeded by the seed and the moves, so that games are reproducible.
        self.random = random.Random("%s %s" % (self.seed, " ".join(self.moves)))
        #: Identifies the game; use it as the key for data kept between moves.
        self.session: Optional[str] = request.get("session")
        #: Set when the search is stopped: answer at once with the best move so far.
        self.stopped = threading.Event()
        self._report = report

    def info(self, **found: Any) -> None:
        """Reports progress: `depth`, `nodes`, `value` (0 to 1 for the side to move), `lines`."""
        self._report(found)


#: A move, or a report with `move` and optionally `value`, `nodes`, `depth`.
Choice = Union[str, Json]


class Bot:
    """Runs a function as a player, `rpc:python3 FILE`. The function's output goes to standard error."""

    def __init__(
        self,
        choose: Callable[[Question], Choice],
        games: Optional[Iterable[str]] = None,
        source: Optional[TextIO] = None,
        target: Optional[TextIO] = None,
    ) -> None:
        self._choose = choose
        self._games = None if games is None else list(games)
        self._source = source if source is not None else sys.stdin
        self._target = target if target is not None else sys.stdout
        self._lock = threading.Lock()
        self._asked: Dict[Any, Question] = {}

    def run(self) -> None:
        """Answers requests until the input ends."""
        printed, sys.stdout = sys.stdout, sys.stderr
        questions: "queue.Queue[Optional[tuple]]" = queue.Queue()
        worker = threading.Thread(target=self._work, args=(questions,), name="bot", daemon=True)
        worker.start()
        try:
            for line in self._source:
                if line.strip():
                    self._read(line, questions)
            # The input has ended: the open requests need no answer any more.
            with self._lock:
                for question in self._asked.values():
                    question.stopped.set()
            questions.put(None)
            worker.join(1.0)
        finally:
            sys.stdout = printed

    def _say(self, number: Any, **answer: Any) -> None:
        with self._lock:
            try:
                self._target.write(json.dumps({"id": number, **answer}, allow_nan=False) + "\n")
                self._target.flush()
            except OSError:
                pass  # The other end is closed, so the input ends soon.

    def _refuse(self, number: Any, code: str, message: str) -> None:
        self._say(number, error={"code": code, "reason": None, "args": {}, "message": message, "at": None})

    def _read(self, line: str, questions: "queue.Queue[Optional[tuple]]") -> None:
        try:
            request = json.loads(line)
        except ValueError as error:
            return self._refuse(None, "bad_json", str(error))
        if not isinstance(request, dict):
            return self._refuse(None, "bad_request", "a request is a JSON object")
        number, op = request.get("id"), request.get("op")
        if any(isinstance(request.get(name), (dict, list)) for name in ("id", "target")):
            return self._refuse(None, "bad_request", "an id is a number or a text")
        if op == "games":
            # Without a list the bot accepts every game.
            names = self._games
            self._say(number, ok={} if names is None else {"games": [{"name": name} for name in names]})
        elif op == "think":
            question = Question(request, lambda found: self._say(number, info=found))
            with self._lock:
                self._asked[number] = question
            questions.put((number, question))
        elif op == "stop":
            with self._lock:
                running = self._asked.get(request.get("target"))
            if running is not None:
                running.stopped.set()
            self._say(number, ok={"stopped": running is not None})
        else:
            self._refuse(number, "unknown_op", "this bot answers games, think and stop")

    def _work(self, questions: "queue.Queue[Optional[tuple]]") -> None:
        for number, question in iter(questions.get, None):
            try:
                choice = self._choose(question)
                answer = {"move": choice} if isinstance(choice, str) else dict(choice)
                with self._lock:
                    self._asked.pop(number, None)
                self._say(number, ok=answer)
            except Exception as error:  # Report any error to the arena.
                traceback.print_exc()
                with self._lock:
                    self._asked.pop(number, None)
                self._refuse(number, "internal", "%s: %s" % (type(error).__name__, error))
