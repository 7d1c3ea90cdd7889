"""Tests of the client and of bots against the real program: `banmen` on the path, or the file that BANMEN names."""

import io
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

from banmen import Banmen, BanmenError, Bot

FOLDER = pathlib.Path(__file__).resolve().parent
BANMEN = os.environ.get("BANMEN", "banmen")
RPC = [BANMEN, "rpc", "--allow-programs"]

#: The timeout of all tests, ample even on a loaded machine.
PATIENCE = 60.0


def bot(source: str, folder: str) -> str:
    """The player text of a bot with this source."""
    path = pathlib.Path(folder, "bot.py")
    path.write_text("import sys; sys.path.insert(0, %r)\n%s" % (str(FOLDER), textwrap.dedent(source)), "utf-8")
    return "rpc:%s %s" % (shlex.quote(sys.executable), shlex.quote(str(path)))


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.banmen = Banmen(RPC)
        self.addCleanup(self.banmen.close)

    def test_requests_are_answered(self) -> None:
        names = [game["name"] for game in self.banmen.games()]
        self.assertIn("othello", names)
        self.assertIn("random", [player["name"] for player in self.banmen.players("othello")])
        shown = self.banmen.show("othello", moves=["f5", "d6"])
        self.assertEqual((shown["side"], shown["legal_count"], shown["outcome"]), ("first", 5, None))
        self.assertEqual(self.banmen.legal("othello", prefix="d")["moves"], ["d3"])
        # Published counts: Othello after 6 plies, Dobutsu shogi after 4.
        self.assertEqual(self.banmen.perft("othello", 6), 8200)
        self.assertEqual(self.banmen.perft("dobutsu", 4), 976)

    def test_a_search_reports_progress(self) -> None:
        search = self.banmen.think("othello", player="engine", limits={"depth": 6})
        depths = [info["depth"] for info in search]
        self.assertEqual(depths, sorted(depths))
        self.assertGreater(len(depths), 2)
        self.assertEqual(search.result()["depth"], 6)
        self.assertEqual(search.result()["move"], search.result()["lines"][0]["moves"][0])

    def test_an_ending_is_proven(self) -> None:
        ending = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"
        self.assertEqual(self.banmen.solve("othello", position=ending).result(PATIENCE)["best"], ["a2"])

    def test_searches_run_concurrently_and_stop(self) -> None:
        endless = [self.banmen.think("dobutsu", player="mcts") for _ in range(2)]
        self.assertEqual(self.banmen.perft("othello", 3), 56)
        for search in endless:
            self.assertTrue(search.stop())
            self.assertTrue(search.result(PATIENCE)["move"])
            self.assertFalse(search.stop())

    def test_errors_give_place_and_reason(self) -> None:
        with self.assertRaises(BanmenError) as caught:
            self.banmen.show("othello", moves=["f5", "d6", "e4"])
        error = caught.exception
        self.assertEqual((error.code, error.reason, error.at), ("illegal_move", "occupied", 3))
        self.assertEqual((str(error), error.arguments["move"]), ("move 3: e4 is occupied", "e4"))
        for op, fields, code in [
            ("show", {"game": "otelo"}, "unknown_game"),
            ("dance", {}, "unknown_op"),
            ("think", {"game": "othello", "player": "engine:level=11"}, "out_of_range"),
            ("think", {"game": "othello", "player": "rpc:/no/such/program"}, "program_start"),
        ]:
            with self.assertRaises(BanmenError) as caught:
                self.banmen.ask(op, **fields)
            self.assertEqual(caught.exception.code, code)

    def test_numbers_that_json_lacks_are_refused_before_they_are_sent(self) -> None:
        for number in [float("nan"), float("inf")]:
            with self.assertRaises(ValueError):
                self.banmen.start("think", game="othello", limits={"time_ms": number})
        self.assertEqual(self.banmen.perft("othello", 1), 4)

    def test_an_error_without_an_id_ends_the_open_requests(self) -> None:
        nested: list = []
        for _ in range(200):
            nested = [nested]
        search = self.banmen.think("dobutsu", player="mcts", limits={"time_ms": 3000})
        for request in [self.banmen.start("show", game=nested), search]:
            with self.assertRaises(BanmenError) as caught:
                request.result(PATIENCE)
            self.assertEqual(caught.exception.code, "bad_json")
        self.assertEqual(self.banmen.perft("othello", 1), 4)

    def test_threads_can_share_a_client(self) -> None:
        counts = []
        ask = lambda depth: counts.append((depth, self.banmen.perft("othello", depth)))
        threads = [threading.Thread(target=ask, args=(1 + number % 4,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(set(counts), {(1, 4), (2, 12), (3, 56), (4, 244)})

    def test_requests_may_wait_for_answers_that_fill_the_pipe(self) -> None:
        searches = [self.banmen.start("show", game="othello", moves=["f5", "d6"]) for _ in range(3000)]
        self.assertEqual({search.result(PATIENCE)["legal_count"] for search in searches}, {5})

    def test_requests_after_the_end_raise_an_error(self) -> None:
        self.banmen.think("dobutsu", player="mcts")
        self.assertEqual(self.banmen.close(), 0)
        with self.assertRaises(BanmenError) as caught:
            self.banmen.games()
        self.assertEqual(caught.exception.code, "closed")
        with self.assertRaises(FileNotFoundError):
            Banmen(["/no/such/banmen"])
        with Banmen([sys.executable, "-c", "print('no json')"]) as silent:
            with self.assertRaises(BanmenError):
                silent.games()


class BotTest(unittest.TestCase):
    """The answers of a bot to requests, without a `banmen` process."""

    def answers(self, choose, requests, **settings):
        source = io.StringIO("".join(line + "\n" for line in requests))
        target, errors = io.StringIO(), io.StringIO()
        real, sys.stderr = sys.stderr, errors
        try:
            Bot(choose, source=source, target=target, **settings).run()
        finally:
            sys.stderr = real
        return [json.loads(line) for line in target.getvalue().splitlines()], errors.getvalue()

    def test_a_bot_answers_known_requests(self) -> None:
        def choose(question):
            print("thinking")
            question.info(depth=1, value=0.5)
            return {"move": question.legal[0], "value": 0.75}

        think = {"id": 2, "op": "think", "game": "othello", "moves": [], "here": {"legal": ["d3"], "side": "first"}}
        lists = ['{"id":[1],"op":"think"}', '{"id":3,"op":"stop","target":{}}']
        requests = ['{"id":1,"op":"games"}', *lists, json.dumps(think), "", "what?", "[]", '{"id":"x","op":"dance"}']
        answers, errors = self.answers(choose, requests, games=["othello"])
        answers = {str(answer["id"]) + next(key for key in answer if key != "id"): answer for answer in answers}
        self.assertEqual(answers["1ok"]["ok"], {"games": [{"name": "othello"}]})
        self.assertEqual(answers["2info"]["info"], {"depth": 1, "value": 0.5})
        self.assertEqual(answers["2ok"]["ok"], {"move": "d3", "value": 0.75})
        self.assertEqual(answers["xerror"]["error"]["code"], "unknown_op")
        self.assertEqual(answers["Noneerror"]["error"]["code"], "bad_request")
        self.assertNotIn("3ok", answers)
        self.assertIn("thinking", errors)

    def test_an_exception_of_a_bot_is_an_error(self) -> None:
        def choose(question):
            return question.legal[0]

        answers, errors = self.answers(choose, ['{"id":1,"op":"think","game":"othello"}'])
        self.assertEqual(answers[0]["error"]["code"], "internal")
        self.assertIn("TypeError", answers[0]["error"]["message"])
        self.assertIn("Traceback", errors)

    def test_stop_reaches_the_bot(self) -> None:
        def choose(question):
            question.stopped.wait(PATIENCE)
            return "d3"

        answers, _ = self.answers(choose, ['{"id":1,"op":"think"}', '{"id":2,"op":"stop","target":1}'])
        self.assertEqual({answer["id"]: answer["ok"] for answer in answers}, {1: {"move": "d3"}, 2: {"stopped": True}})


class ArenaTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def run_match(self, *words: str) -> subprocess.CompletedProcess:
        command = [BANMEN, "--data", self.folder, "match", *words, "--concurrency", "2", "--time", "20s", "--json"]
        return subprocess.run(
            command, cwd=FOLDER.parent.parent, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False
        )

    def test_the_example_plays_complete_games(self) -> None:
        for game in ["othello", "dobutsu"]:
            done = self.run_match(game, "rpc:%s clients/python/example_bot.py" % sys.executable, "random", "--games", "4")
            self.assertEqual(done.returncode, 0, done.stderr)
            score = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual((score["games"], score["totals"][0]["faults"]), (4, 0))
            self.assertGreater(score["totals"][0]["nodes"], 10)

    def test_an_exception_loses_only_the_game(self) -> None:
        player = bot(
            """
            from banmen import Bot
            def choose(question):
                assert len(question.moves) < 20, "no more ideas"
                return question.legal[0]
            Bot(choose, ["othello"]).run()
            """,
            self.folder,
        )
        done = self.run_match("othello", player, "random", "--games", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        score = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((score["games"], score["losses"], score["totals"][0]["faults"]), (4, 4, 4))
        done = self.run_match("dobutsu", player, "random", "--games", "4")
        self.assertEqual(done.returncode, 3, "the bot plays only Othello")
        self.assertIn("does not play dobutsu", done.stderr)

    def test_a_bot_that_does_not_start_ends_the_match(self) -> None:
        done = self.run_match("othello", bot("import no_such_module", self.folder), "random", "--games", "4")
        self.assertEqual(done.returncode, 3)
        self.assertIn("did not start", done.stderr)
        self.assertIn("No module named 'no_such_module'", done.stderr)

    def test_progress_and_stop_pass_through_the_arena(self) -> None:
        player = bot(
            """
            from banmen import Bot
            def choose(question):
                question.info(depth=7, nodes=3, value=0.25, lines=[{"moves": question.legal[:1], "value": 0.25}])
                question.stopped.wait(50)
                return {"move": question.legal[-1], "value": 2.0, "nodes": -1}
            Bot(choose).run()
            """,
            self.folder,
        )
        with Banmen(RPC) as banmen:
            search = banmen.think("othello", player=player, limits={"nodes": 5})
            info = next(iter(search))
            self.assertEqual((info["depth"], info["nodes"], info["value"]), (7, 3, 0.25))
            begun = time.monotonic()
            self.assertTrue(search.stop())
            answer = search.result(PATIENCE)
            self.assertLess(time.monotonic() - begun, 40)
            self.assertEqual((answer["move"], answer["value"], answer["nodes"]), ("e6", 0.5, 0))


if __name__ == "__main__":
    unittest.main()
