from server.engine.actions import REDEAL, UNDO, Action


def test_redeal_and_undo_have_no_places():
    assert REDEAL == ("r", 0, 0)
    assert UNDO == ("u", 0, 0)


def test_actions_are_values():
    assert Action("m", 3, 25) == Action("m", 3, 25) != Action("m", 3, 24)
    assert len({Action("m", 3, 25), Action("m", 3, 25)}) == 1
