-- Lists of games by the person who played them, in each of their orders.

CREATE INDEX game_player ON game (player, score) WHERE player IS NOT NULL;
CREATE INDEX game_player_age ON game (player) WHERE player IS NOT NULL;
