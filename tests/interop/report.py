"""Counts checks. A check that raises has failed; its message says why."""


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, run):
        """Run a check: it returns a few words about what it saw, or raises."""
        try:
            words = run()
        except Exception as error:  # whatever goes wrong in one check, the others still run
            self.failed += 1
            print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
        else:
            self.passed += 1
            print(f"ok     {name}" + (f": {words}" if words else ""), flush=True)

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed else 0


def require(condition, message):
    if not condition:
        raise AssertionError(message)
