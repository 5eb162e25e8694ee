from client_cli.backoff import BASE_S, CAP_S, STEADY_S, Backoff


def test_pauses_grow_to_a_cap_and_begin_at_nothing() -> None:
    bounds: list[tuple[float, float]] = []

    def upper(low: float, high: float) -> float:
        bounds.append((low, high))
        return high

    backoff = Backoff(upper)
    delays = [backoff.delay_s() for _ in range(50)]
    assert delays[:6] == [BASE_S * 2**i for i in range(5)] + [CAP_S]
    assert max(delays) == CAP_S
    assert all(low == 0.0 for low, _ in bounds)  # full jitter
    assert Backoff(lambda low, high: low).delay_s() == 0.0


def test_only_a_steady_connection_ends_a_row_of_failures() -> None:
    backoff = Backoff(lambda low, high: high)
    backoff.delay_s()
    backoff.lived(STEADY_S - 1)
    assert backoff.delay_s() == 2 * BASE_S
    backoff.lived(STEADY_S)
    assert backoff.delay_s() == BASE_S


def test_a_server_that_says_later_is_believed() -> None:
    assert Backoff(lambda low, high: low).delay_s(1013) >= 1.0
    assert Backoff(lambda low, high: low).delay_s(1008) >= 5.0
