"""A conversation with `banmen rpc`: one request, one answer."""

import json
import subprocess


class Banmen:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.next_id = 0

    def ask(self, op, **fields):
        """The final answer to a request; what a search says in between is passed over."""
        self.next_id += 1
        self.process.stdin.write(json.dumps({"id": self.next_id, "op": op, **fields}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer["id"] != self.next_id or "info" in answer:
                continue
            if "error" in answer:
                raise RuntimeError(answer["error"]["message"])
            return answer["ok"]
