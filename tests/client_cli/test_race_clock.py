from client_cli.race_clock import RaceClock


class Monotonic:
    s = 50.0

    def __call__(self) -> float:
        return self.s


def test_the_server_s_moment_is_carried_on_by_a_monotonic_clock() -> None:
    mono = Monotonic()
    clock = RaceClock(mono)
    assert (clock.known, clock.now_ms()) == (False, 0)
    asked = mono.s
    mono.s += 0.2
    clock.sample(1_000_000, asked)
    assert clock.known
    assert clock.now_ms() == 1_000_100
    mono.s += 10
    assert clock.now_ms() == 1_010_100


def test_the_sample_with_the_least_error_is_kept() -> None:
    mono = Monotonic()
    clock = RaceClock(mono)
    clock.sample(1_000_000, mono.s - 0.01)
    mono.s += 1
    clock.sample(1_000_500)  # nobody asked: it may be old
    assert clock.now_ms() == 1_001_005
    mono.s += 10_000
    clock.sample(2_000_000)  # the old one has drifted by now
    assert clock.now_ms() == 2_000_000
