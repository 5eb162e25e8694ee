"""What a screen reader is told, in English, Danish and German: whole words, no signs."""

from server.engine.texts import Texts

PLAIN: dict[str, Texts] = {
    # Cards and places
    "plain_card": Texts("{rank} of {suit}", "{suit} {rank}", "{suit}-{rank}"),
    "suit_S": Texts("spades", "spar", "Pik"),
    "suit_H": Texts("hearts", "hjerter", "Herz"),
    "suit_D": Texts("diamonds", "ruder", "Karo"),
    "suit_C": Texts("clubs", "klør", "Kreuz"),
    "rank_A": Texts("ace", "es", "Ass"),
    "rank_2": Texts("two", "to", "Zwei"),
    "rank_3": Texts("three", "tre", "Drei"),
    "rank_4": Texts("four", "fire", "Vier"),
    "rank_5": Texts("five", "fem", "Fünf"),
    "rank_6": Texts("six", "seks", "Sechs"),
    "rank_7": Texts("seven", "syv", "Sieben"),
    "rank_8": Texts("eight", "otte", "Acht"),
    "rank_9": Texts("nine", "ni", "Neun"),
    "rank_T": Texts("ten", "ti", "Zehn"),
    "rank_J": Texts("jack", "knægt", "Bube"),
    "rank_Q": Texts("queen", "dame", "Dame"),
    "rank_K": Texts("king", "konge", "König"),
    "place_pile": Texts("pile {number}", "bunke {number}", "Stapel {number}"),
    "place_ace": Texts("ace foundation of {suit}", "es-grundbunke i {suit}", "Ass-Grundstapel {suit}"),
    "place_king": Texts("king foundation of {suit}", "konge-grundbunke i {suit}", "König-Grundstapel {suit}"),
    "where_left": Texts(
        "left side, number {number} from below",
        "venstre side, nummer {number} nedefra",
        "linke Seite, Nummer {number} von unten",
    ),
    "where_top": Texts(
        "top, number {number} from the left",
        "øverst, nummer {number} fra venstre",
        "oben, Nummer {number} von links",
    ),
    "where_right": Texts(
        "right side, number {number} from above",
        "højre side, nummer {number} oppefra",
        "rechte Seite, Nummer {number} von oben",
    ),
    "where_aces": Texts("middle, upper row", "midten, øverste række", "Mitte, obere Reihe"),
    "where_kings": Texts("middle, lower row", "midten, nederste række", "Mitte, untere Reihe"),
    "place_where": Texts("{place}, {where}", "{place}, {where}", "{place}, {where}"),
    "cards_one": Texts("1 card", "1 kort", "1 Karte"),
    "cards_many": Texts("{count} cards", "{count} kort", "{count} Karten"),
    "place_empty": Texts("{place}: empty", "{place}: tom", "{place}: leer"),
    "place_holds": Texts("{place}: {card}, {cards}", "{place}: {card}, {cards}", "{place}: {card}, {cards}"),
    "unit_hours_one": Texts("1 hour", "1 time", "1 Stunde"),
    "unit_hours": Texts("{count} hours", "{count} timer", "{count} Stunden"),
    "unit_minutes_one": Texts("1 minute", "1 minut", "1 Minute"),
    "unit_minutes": Texts("{count} minutes", "{count} minutter", "{count} Minuten"),
    "unit_seconds_one": Texts("1 second", "1 sekund", "1 Sekunde"),
    "unit_seconds": Texts("{count} seconds", "{count} sekunder", "{count} Sekunden"),
    # What is done
    "plain_moved": Texts(
        "{card} from {src} to {dst}.", "{card} fra {src} til {dst}.", "{card} von {src} auf {dst}."
    ),
    "plain_undone": Texts(
        "Undone: {card} is back on {src}.",
        "Fortrudt: {card} ligger igen på {src}.",
        "Zurückgenommen: {card} liegt wieder auf {src}.",
    ),
    "plain_redealt": Texts(
        "Redealt. Redeals left: {redeals}.",
        "Omdelt. Omdelinger tilbage: {redeals}.",
        "Neu verteilt. Übrige Neuverteilungen: {redeals}.",
    ),
    "plain_head": Texts(
        "Moves: {moves}. Redeals left: {redeals}. Home: {home} of 104. Time: {time}.",
        "Træk: {moves}. Omdelinger tilbage: {redeals}. Hjemme: {home} af 104. Tid: {time}.",
        "Züge: {moves}. Übrige Neuverteilungen: {redeals}. Abgelegt: {home} von 104. Zeit: {time}.",
    ),
    "plain_begins": Texts("Your game begins.", "Dit spil begynder.", "Deine Partie beginnt."),
    "plain_goes_on": Texts("Your game goes on.", "Dit spil går videre.", "Deine Partie geht weiter."),
    "plain_by": Texts("{who}: {what}", "{who}: {what}", "{who}: {what}"),
    # The room
    "plain_room": Texts(
        "Room {room} {name}is {state}. Players: {players} of {max_players}. Deal: {variant}, {visibility}.",
        "Rum {room} {name}{state}. Spillere: {players} af {max_players}. Spil: {variant}, {visibility}.",
        "Raum {room} {name}{state}. Spieler: {players} von {max_players}. Spiel: {variant}, {visibility}.",
    ),
    "visibility_top": Texts("top cards only", "kun de øverste kort", "nur oberste Karten"),
    "visibility_open": Texts("every card", "alle kort", "alle Karten"),
    "plain_says": Texts("{who} says: {text}", "{who} siger: {text}", "{who} sagt: {text}"),
    "plain_place_in": Texts(
        "You are number {rank} of {players}; {who} leads.",
        "Du er nummer {rank} af {players}; {who} fører.",
        "Du bist Nummer {rank} von {players}; {who} führt.",
    ),
    "plain_leads": Texts("You lead, of {players}.", "Du fører, af {players}.", "Du führst, von {players}."),
    "plain_leader": Texts("{who} leads.", "{who} fører.", "{who} führt."),
    "plain_row": Texts(
        "{rank}: {who}, {status}, {home} of 104 home, moves {moves}, {time}",
        "{rank}: {who}, {status}, {home} af 104 hjemme, træk {moves}, {time}",
        "{rank}: {who}, {status}, {home} von 104 abgelegt, Züge {moves}, {time}",
    ),
    # Questions
    "look": Texts("{what}", "{what}", "{what}"),
    "places_none": Texts("nowhere", "intet sted", "keine Stelle"),
    "public_room": Texts(
        "{room}: {name}, {state}, players: {players} of {most}, host: {host}.",
        "{room}: {name}, {state}, spillere: {players} af {most}, vært: {host}.",
        "{room}: {name}, {state}, Spieler: {players} von {most}, Gastgeber: {host}.",
    ),
    "public_room_no_host": Texts(
        "{room}: {name}, {state}, players: {players} of {most}.",
        "{room}: {name}, {state}, spillere: {players} af {most}.",
        "{room}: {name}, {state}, Spieler: {players} von {most}.",
    ),
    "public_room_bare": Texts(
        "{room}: {state}, players: {players} of {most}.",
        "{room}: {state}, spillere: {players} af {most}.",
        "{room}: {state}, Spieler: {players} von {most}.",
    ),
    "places": Texts(
        "{card} may go to: {places}.", "{card} kan lægges på: {places}.", "{card} kann auf: {places}."
    ),
    "clock_race": Texts("Your time: {time}.", "Din tid: {time}.", "Deine Zeit: {time}."),
    "clock_none": Texts("No clock runs for you.", "Der går intet ur for dig.", "Für dich läuft keine Uhr."),
    "place_unknown": Texts(
        "“{text}” is no place. Type a pile, 1 to 16, or a foundation such as AS or KH.",
        "“{text}” er intet sted. Skriv en bunke, 1 til 16, eller en grundbunke som AS eller KH.",
        "„{text}“ ist keine Stelle. Tippe einen Stapel, 1 bis 16, oder einen Grundstapel wie AS oder KH.",
    ),
    # A replay
    "plain_op_m": Texts("{src} to {dst}", "{src} til {dst}", "{src} auf {dst}"),
    "plain_op_r": Texts("redeal", "omdeling", "Neuverteilung"),
    "plain_op_u": Texts("undo", "fortrudt", "zurückgenommen"),
    "plain_bar": Texts(
        "{who}: {home} of 104 home, {status}.",
        "{who}: {home} af 104 hjemme, {status}.",
        "{who}: {home} von 104 abgelegt, {status}.",
    ),
    "plain_step": Texts(
        "{time}: {who}, {action}. Home: {home}.",
        "{time}: {who}, {action}. Hjemme: {home}.",
        "{time}: {who}, {action}. Abgelegt: {home}.",
    ),
}
