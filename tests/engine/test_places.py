import pytest

from server.engine.places import (
    ASCENDING,
    DESCENDING,
    DESTINATIONS,
    FOUNDATION_AREA,
    FOUNDATIONS,
    ONLY_PLACE,
    PILES,
    PLACES,
    check_destination,
    check_source,
    foundation_suit,
    sibling,
)


def test_the_places_are_numbered_without_gap():
    assert [*PILES, *ASCENDING, *DESCENDING, FOUNDATION_AREA, ONLY_PLACE] == list(range(26))
    assert [*ASCENDING, *DESCENDING] == list(FOUNDATIONS)
    assert [*PILES, *FOUNDATIONS] == list(PLACES)
    assert [*PLACES, FOUNDATION_AREA, ONLY_PLACE] == list(DESTINATIONS)


def test_foundations_of_a_suit_are_siblings():
    assert [foundation_suit(place) for place in FOUNDATIONS] == [0, 1, 2, 3] * 2
    assert [sibling(place) for place in FOUNDATIONS] == [20, 21, 22, 23, 16, 17, 18, 19]


def test_places_of_other_numbers_are_malformed():
    for place in PLACES:
        check_source(place)
    for place in DESTINATIONS:
        check_destination(place)
    for place in (-1, 24, 25, 100):
        with pytest.raises(ValueError, match="Source"):
            check_source(place)
    for place in (-1, 26, 100):
        with pytest.raises(ValueError, match="Destination"):
            check_destination(place)
