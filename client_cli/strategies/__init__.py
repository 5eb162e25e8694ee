"""How the bots play: each from what its player sees, and in bounded time.

`STRATEGIES` has them by the names under which `crescent bot --strategy` knows them.
"""

from client_cli.strategies.careful import Careful
from client_cli.strategies.greedy import Greedy
from client_cli.strategies.random_legal import RandomLegal
from client_cli.strategies.strategy import Strategy

STRATEGIES: dict[str, type[Strategy]] = {"random": RandomLegal, "greedy": Greedy, "careful": Careful}
