"""What is said of a move: where a card may go, where it went, and why it may not; English, Danish, German."""

from server.engine.texts import Texts

MOVES: dict[str, Texts] = {
    # Parts of the sentences below
    "or": Texts("or", "eller", "oder"),
    "of_pile": Texts("{card} (pile {number})", "{card} (bunke {number})", "{card} (Stapel {number})"),
    "to_home": Texts("home (onto {cards})", "hjem (på {cards})", "nach Hause (auf {cards})"),
    "to_other": Texts(
        "to its suit's other foundation (onto {cards})",
        "til kulørens anden grundbunke (på {cards})",
        "auf den anderen Grundstapel der Farbe (auf {cards})",
    ),
    "to_piles": Texts("to pile {numbers}", "til bunke {numbers}", "auf Stapel {numbers}"),
    # Where it may go, and where it went
    "may_go": Texts("{card} may go {places}.", "{card} kan komme {places}.", "{card} darf {places}."),
    "went_home": Texts(
        "{card} went home: its only place.",
        "{card} kom hjem: dets eneste sted.",
        "{card} ging nach Hause: der einzige Ort.",
    ),
    "went_onto": Texts(
        "{card} went onto {onto}: its only place.",
        "{card} kom på {onto}: dets eneste sted.",
        "{card} ging auf {onto}: der einzige Ort.",
    ),
    "gone_home": Texts(
        "{card} has gone home already; once more plays the card beneath.",
        "{card} er allerede hjemme; tryk igen for at spille kortet under.",
        "{card} ist schon zu Hause; noch einmal drücken spielt die darunter.",
    ),
    "gone_onto": Texts(
        "{card} has gone onto {onto} already; once more plays the card beneath.",
        "{card} er allerede på {onto}; tryk igen for at spille kortet under.",
        "{card} liegt schon auf {onto}; noch einmal drücken spielt die darunter.",
    ),
    "undone_home": Texts(
        "Undone: {card} is back on pile {number}, no longer home.",
        "Fortrudt: {card} er igen på bunke {number}, ikke længere hjemme.",
        "Zurückgenommen: {card} liegt wieder auf Stapel {number}, nicht mehr zu Hause.",
    ),
    "undone_onto": Texts(
        "Undone: {card} is back on pile {number}, no longer on {onto}.",
        "Fortrudt: {card} er igen på bunke {number}, ikke længere på {onto}.",
        "Zurückgenommen: {card} liegt wieder auf Stapel {number}, nicht mehr auf {onto}.",
    ),
    "undone_other": Texts(
        "Undone: {card} is back on the foundation it came from.",
        "Fortrudt: {card} er igen på den grundbunke, det kom fra.",
        "Zurückgenommen: {card} liegt wieder auf dem Grundstapel, von dem sie kam.",
    ),
    "redealt": Texts(
        "Redealt: every pile's bottom card is on top now ({count} left).",
        "Omdelt: hver bunkes nederste kort ligger nu øverst ({count} tilbage).",
        "Neu verteilt: die unterste Karte jedes Stapels liegt jetzt oben (noch {count}).",
    ),
    "stuck": Texts(
        "No card can move: {redeal} redeals ({count} left).",
        "Intet kort kan flyttes: {redeal} omdeler ({count} tilbage).",
        "Keine Karte kann ziehen: {redeal} verteilt neu (noch {count}).",
    ),
    "stuck_undo": Texts(
        "No card can move: {redeal} redeals ({count} left), {undo} takes back.",
        "Intet kort kan flyttes: {redeal} omdeler ({count} tilbage), {undo} fortryder.",
        "Keine Karte kann ziehen: {redeal} verteilt neu (noch {count}), {undo} nimmt zurück.",
    ),
    # Why not
    "why_empty_source": Texts(
        "Pile {number} is empty: there is no card to move.",
        "Bunke {number} er tom: der er intet kort at flytte.",
        "Stapel {number} ist leer: es gibt keine Karte zu bewegen.",
    ),
    "why_same_place": Texts(
        "{card} lies there already; choose another place.",
        "{card} ligger der allerede; vælg et andet sted.",
        "{card} liegt schon dort; wähle einen anderen Ort.",
    ),
    "why_base_locked": Texts(
        "{card} is its foundation's base and never moves.",
        "{card} er sin grundbunkes basis og flyttes aldrig.",
        "{card} ist die Basis des Grundstapels und bleibt liegen.",
    ),
    "why_from_foundation": Texts(
        "{card} is home and never returns to a pile.",
        "{card} er hjemme og kommer aldrig tilbage til en bunke.",
        "{card} ist zu Hause und kehrt nie auf einen Stapel zurück.",
    ),
    "why_empty_pile": Texts(
        "{card} cannot go onto pile {number}: an emptied pile stays empty.",
        "{card} kan ikke komme på bunke {number}: en tom bunke forbliver tom.",
        "{card} kann nicht auf Stapel {number}: ein leerer Stapel bleibt leer.",
    ),
    "why_suit": Texts(
        "{card} cannot go onto {onto}: the suits differ.",
        "{card} kan ikke komme på {onto}: kulørerne er forskellige.",
        "{card} kann nicht auf {onto}: die Farben sind verschieden.",
    ),
    "why_rank": Texts(
        "{card} cannot go onto {onto}: {next} may lie there.",
        "{card} kan ikke komme på {onto}: {next} kan ligge der.",
        "{card} kann nicht auf {onto}: {next} darf dorthin.",
    ),
    "why_not_next": Texts(
        "{card} cannot go onto {onto}: {next} comes next there.",
        "{card} kan ikke komme på {onto}: {next} er den næste der.",
        "{card} kann nicht auf {onto}: dort kommt {next} als Nächstes.",
    ),
    "why_not_home": Texts(
        "{card} cannot go home: {next} comes next there.",
        "{card} kan ikke komme hjem: {next} er den næste der.",
        "{card} kann nicht nach Hause: dort kommt {next} als Nächstes.",
    ),
    "why_full_pile": Texts(
        "{card} cannot go onto {onto}: 13 cards lie there, and no more may.",
        "{card} kan ikke komme på {onto}: der ligger 13 kort, og flere må der ikke.",
        "{card} kann nicht auf {onto}: dort liegen schon 13 Karten.",
    ),
    "why_foundation_complete": Texts(
        "{card} cannot go onto {onto}: that foundation is complete.",
        "{card} kan ikke komme på {onto}: den grundbunke er færdig.",
        "{card} kann nicht auf {onto}: dieser Grundstapel ist vollständig.",
    ),
    "why_no_destination": Texts(
        "{card} can go nowhere: no pile has room on {neighbours}; home waits for {next}.",
        "{card} kan ikke flyttes: der er ingen fri {neighbours}; hjem kan {next}.",
        "{card} kann nicht ziehen: keine freie {neighbours}; nach Hause darf {next}.",
    ),
    "why_stays_home": Texts(
        "{card} stays home: on its suit's other foundation {next} comes next.",
        "{card} bliver hjemme: på kulørens anden grundbunke er {next} den næste.",
        "{card} bleibt zu Hause: auf dem anderen Grundstapel kommt erst {next}.",
    ),
    "why_stays_home_complete": Texts(
        "{card} stays home: its suit's other foundation is complete.",
        "{card} bliver hjemme: kulørens anden grundbunke er færdig.",
        "{card} bleibt zu Hause: der andere Grundstapel ist vollständig.",
    ),
    "why_ambiguous": Texts(
        "{card} may go {places}; say which.",
        "{card} kan komme {places}; sig hvor.",
        "{card} darf {places}; sag, wohin.",
    ),
    "why_nothing_to_undo": Texts(
        "Nothing can be undone: no move was played yet.",
        "Intet kan fortrydes: der er ikke spillet noget træk endnu.",
        "Nichts ist zurückzunehmen: noch ist kein Zug gespielt.",
    ),
    "why_no_more_undo": Texts(
        "Nothing can be undone: 100 moves are the most.",
        "Intet kan fortrydes: 100 træk er det højeste.",
        "Nichts ist zurückzunehmen: mehr als 100 Züge gehen nicht.",
    ),
    "why_redealt": Texts(
        "Nothing can be undone: not past a redeal.",
        "Intet kan fortrydes: ikke forbi en omdeling.",
        "Nichts ist zurückzunehmen: nicht über ein Neuverteilen hinweg.",
    ),
}
