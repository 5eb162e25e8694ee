"""msgspec against msgpack with the checks that msgspec makes: one `op` in, one `done` out."""

from typing import Any

import msgpack
import msgspec

from bench.decisions.clocks import best_us
from protocol.codec import MSGPACK
from protocol.messages import Done, OpRequest

TIMES = 20_000
KINDS = {"op": OpRequest}


def main() -> None:
    """Measure and print."""
    frame = MSGPACK.encode(OpRequest(n=57, op="m", src=3, dst=17))
    done = Done(
        n=57, op="m", src=3, dst=17, changed=[(3, "7H", 5), (17, "6H", 6)],
        redeals=3, moves=55, undone=1, undoable=55, status="playing", ms=61_234,
    )  # fmt: skip

    def typed() -> Any:
        return MSGPACK.decode_client(frame)

    def untyped() -> Any:
        return msgpack.unpackb(frame)

    def converted() -> Any:
        fields = msgpack.unpackb(frame)
        return msgspec.convert(fields, KINDS[fields["t"]])

    def packed() -> Any:
        return msgpack.packb(msgspec.to_builtins(done))

    def encoded() -> Any:
        return MSGPACK.encode(done)

    assert typed() == converted()
    assert packed() == encoded()
    a, b, c = best_us(typed, TIMES), best_us(untyped, TIMES), best_us(converted, TIMES)
    print(f"An op of {len(frame)} bytes, decoded and checked: {c / a:.1f} x")
    print(f"  msgspec {a:.2f} us, msgpack and conversion {c:.2f}; msgpack alone, unchecked, {b:.2f}")
    a, b = best_us(encoded, TIMES), best_us(packed, TIMES)
    print(f"A done of {len(encoded())} bytes, encoded: {b / a:.1f} x")
    print(f"  msgspec {a:.2f} us, to builtins and msgpack {b:.2f}")


if __name__ == "__main__":
    main()
