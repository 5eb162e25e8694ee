"""Every bound of the wire, its reason beside it. Sizes in bytes or characters, times in milliseconds."""

SUBPROTOCOL_MSGPACK = "crescent-race.v1.msgpack"
SUBPROTOCOL_JSON = "crescent-race.v1.json"
WEBSOCKET_PATH = "/ws"

CLIENT_FRAME_BYTES_MAX = 4096  # the largest honest frame is a `create` with every option, below 2 KiB
ID_MAX = 2**53 - 1  # what a double holds exactly, so that every language can read it

ROOM_ID_CHARACTERS = 8  # 40 bits: nobody guesses a room at the rates below
PLAYER_ID_CHARACTERS = 12
TOKEN_BYTES = 16  # 128 random bits
TOKEN_CHARACTERS_MAX = 64  # longer than any token we make; what is longer is malformed, not unknown
CREATE_KEY_CHARACTERS_MAX = 64
CLIENT_NAME_CHARACTERS_MAX = 64
SENT_CHARACTERS_MAX = 64

PLAYER_NAME_CHARACTERS_MAX = 24
# What a name may have before trimming; the room judges the rest (`bad_name`) in words.
PLAYER_NAME_RAW_CHARACTERS_MAX = 256
PASSWORD_CHARACTERS_MAX = 60
SAY_CHARACTERS_MAX = 300
REASON_CHARACTERS_MAX = 300

SOURCE_PLACE_MAX = 23
DESTINATION_PLACE_MAX = 25
ACTIONS_MAX = 5000  # a game's most; a won game takes some 150
REPEATS_KEPT = 64  # a player's last actions whose `done` is given again
BOARD_ROWS_MAX = 100  # a board's common rows; a player beyond them is sent their own as well
BOARD_INTERVAL_MS = 100  # ten boards a second a room
FORFEIT_TAKE_BACK_MS = 60_000
HOST_ABSENCE_MS = 60_000
CLOSE_GRACE_MS = 500  # a limit closes this much later, so that what came in time counts

CLOSE_DONE = 1000
CLOSE_NODE_LEAVING = 1012
CLOSE_NOT_OF_THE_ENCODING = 1007
CLOSE_TOO_BIG = 1009
CLOSE_TOO_MANY_MESSAGES = 1008
CLOSE_STORE_AWAY = 1013
CLOSE_MALFORMED = 4400
CLOSE_UNKNOWN_TOKEN = 4401
CLOSE_BANNED = 4403
CLOSE_NEWER_CONNECTION = 4409
CLOSE_TOO_SLOW = 4429
