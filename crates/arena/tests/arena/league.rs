//! Leagues on Dobutsu shogi: bots that join, leave, change and fail.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use banmen_arena::{Contestant, League, LeagueEvent, Match, MatchSpec, Openings, Standings, State, Store, standings};
use banmen_catalog::AnyGame;
use banmen_search::{Limits, StopFlag};

/// A temporary folder.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("league-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn bot(&self, name: &str, text: &str) {
        fs::write(self.0.join(format!("{name}.bot")), text).expect("a file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn league<'g>(game: &'g dyn AnyGame, folder: &Path, rounds: u32) -> League<'g> {
    let nobody = Contestant::new("random", Limits::nodes(60));
    League {
        folder: folder.to_owned(),
        conditions: Match::new(
            game,
            MatchSpec { openings: Openings::Random(3), ..MatchSpec::new(game, nobody.clone(), nobody) },
        ),
        rounds: Some(rounds),
        pause: Duration::from_secs(3600),
        scan: Duration::ZERO,
    }
}

/// Plays, and returns the events except for games and rankings; `at` receives the number of games after each.
fn play(league: &League<'_>, store: &Store, at: impl Fn(usize) + Send + Sync) -> (Standings, Vec<String>) {
    let (mut events, mut games) = (Vec::new(), 0);
    let table = league.play(store, 2, &StopFlag::default(), &mut |event| match event {
        LeagueEvent::Joined(bot) => events.push(format!("{} joined", bot.name)),
        LeagueEvent::Retired(bot) => events.push(format!("{} retired", bot.name)),
        LeagueEvent::Suspended(bot) => events.push(format!("{} suspended", bot.name)),
        LeagueEvent::Rejected(file) => events.push(file.to_string()),
        LeagueEvent::Game(..) => {
            games += 1;
            at(games);
        }
        LeagueEvent::Ranking(_) => {}
    });
    (table.expect("a league"), events)
}

fn names(table: &Standings) -> Vec<&str> {
    table.players.iter().map(|player| player.entrant.name.as_str()).collect()
}

#[test]
fn bots_play_and_one_joins_midway() {
    let (game, folder, store) =
        (banmen_dobutsu::entry().in_memory(), Folder::new("midway"), Store::memory().expect("a store"));
    folder.bot("chance", "# nothing but luck\nplayer = random\n");
    folder.bot("third", "player = engine:level=3,table=1\nnote = a level\n");
    folder.bot("broken", "player = random\nplaier = engine\n");
    folder.bot("copy", "player = random\n");
    folder.bot("quote", "player = rpc:\"x\n");
    folder.bot("protocol", "player = nboard:cat\n");
    fs::write(folder.0.join("readme.txt"), "no bot").expect("a file");
    // Hidden files come first in the folder, and are not read.
    folder.bot(".third", "player = engine:level=3,table=1\n");
    folder.bot("escape\u{1b}", "player = engine:level=9\n");
    let late = |games| {
        if games == 6 {
            folder.bot("first", "player = engine:level=1,table=1\n");
        }
    };
    let (table, events) = play(&league(&game, &folder.0, 12), &store, late);
    assert_eq!(events[..2], ["chance joined", "third joined"]);
    let refused = "broken.bot, line 2: there is no key \"plaier\"; the keys are player and note";
    assert!(events.iter().any(|line| line == refused), "{events:?}");
    assert!(events.iter().any(|line| line == "copy.bot, line 1: it is the same player as chance"), "{events:?}");
    // A program that could not be one is not started.
    assert!(
        events.iter().any(|line| line == "quote.bot, line 1: character 5: the quote \" is not closed"),
        "{events:?}"
    );
    assert!(
        events.iter().any(|line| line.starts_with("protocol.bot, line 1: dobutsu is not written in")),
        "{events:?}"
    );
    let unnamed = "escape .bot: a bot's name has 1 to 40 characters, none of which is a control character";
    assert!(events.iter().any(|line| line == unnamed), "{events:?}");
    // A rejected file is reported once.
    assert_eq!(events.iter().filter(|line| line.starts_with("copy.bot")).count(), 1);
    assert_eq!(events.last().map(String::as_str), Some("first joined"));
    assert_eq!((names(&table).len(), names(&table)[2]), (3, "chance"));
    assert!(table.players.iter().all(|player| player.games() >= 10), "{:?}", table.players);

    // The files agree with the standings.
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.0.join("ranking.json")).expect("a file")).expect("JSON");
    assert_eq!(json["standings"]["games"], table.games);
    assert_eq!(json["standings"]["players"][2]["name"], "chance");
    assert_eq!(json["recent"].as_array().expect("games").len() as u64, table.games.min(50));
    let markdown = fs::read_to_string(folder.0.join("ranking.md")).expect("a file");
    assert!(markdown.contains("| 3 | chance | -"), "{markdown}");
    // So does the store.
    let event = store.events().expect("an event")[0].id;
    assert_eq!(names(&standings(&store, event, None).expect("a table")), names(&table));
    assert_eq!(League::last_game(&store, &folder.0).expect("a store"), Some("dobutsu".to_owned()));
    // The same command goes on; with other conditions another league begins.
    let mut same = league(&game, &folder.0, 1);
    assert_eq!(same.replaces(&store).expect("a store"), None);
    same.conditions.spec.seed += 1;
    assert_eq!(same.replaces(&store).expect("a store"), Some(event));
}

#[test]
fn resumes_and_keeps_the_games_of_bots_that_left() {
    let (game, folder, store) =
        (banmen_dobutsu::entry().in_memory(), Folder::new("goes-on"), Store::memory().expect("a store"));
    for (name, player) in [("a", "random"), ("b", "engine:level=1,table=1"), ("c", "engine:level=2,table=1")] {
        folder.bot(name, &format!("player = {player}\n"));
    }
    let (before, _) = play(&league(&game, &folder.0, 2), &store, |_| {});
    assert_eq!(before.games, 12);
    // One leaves, one changes, one is renamed.
    fs::remove_file(folder.0.join("a.bot")).expect("a file");
    folder.bot("b", "player = engine:level=3,table=1\n");
    fs::rename(folder.0.join("c.bot"), folder.0.join("d.bot")).expect("a file");
    fs::create_dir(folder.0.join("e.bot")).expect("a folder");
    let (after, events) = play(&league(&game, &folder.0, 3), &store, |_| {});
    assert_eq!(events, ["b joined", "d joined", "a retired", "b retired", "e.bot: it is not a file"]);
    assert_eq!(after.games, 12 + 6);
    let state = |name: &str| -> Vec<(State, u64)> {
        let named = after.players.iter().filter(|player| player.entrant.name == name);
        named.map(|player| (player.entrant.state, player.games())).collect()
    };
    let games = |name: &str| before.players.iter().find(|player| player.entrant.name == name).expect("a bot").games();
    assert_eq!(state("a"), [(State::Retired, games("a"))]);
    assert_eq!(state("b"), [(State::Playing, 6), (State::Retired, games("b"))]);
    assert_eq!(state("d"), [(State::Playing, games("c") + 6)]);
    // Of both players with this name the one that plays is the anchor.
    let event = store.events().expect("an event")[0].id;
    let anchored = standings(&store, event, Some(("b", 500.0))).expect("a table");
    let playing = anchored.players.iter().find(|player| player.entrant.name == "b").expect("b");
    assert_eq!((playing.entrant.state, playing.elo.map(|elo| elo.value)), (State::Playing, Some(500.0)));
    // An invalid file retires its bot, which joins again when the file is corrected.
    folder.bot("d", "plaier = engine:level=2,table=1\n");
    folder.bot("f", "player = random\n");
    let (spoilt, _) = play(&league(&game, &folder.0, 1), &store, |_| {});
    let d = spoilt.players.iter().find(|player| player.entrant.name == "d").expect("a bot");
    assert_eq!(d.entrant.reason.as_deref(), Some("its file is ignored"));
    folder.bot("d", "player = engine:level=2,table=1\n");
    let (corrected, events) = play(&league(&game, &folder.0, 1), &store, |_| {});
    assert_eq!(events[0], "d joined");
    let again = corrected.players.iter().find(|player| player.entrant.name == "d").expect("a bot");
    assert!(again.entrant.id == d.entrant.id && again.games() > d.games());
    let ranks: Vec<Option<usize>> = after.players.iter().map(|player| player.rank).collect();
    assert_eq!(ranks, [Some(1), Some(2), None, None]);
}

#[cfg(unix)]
#[test]
fn a_bot_that_fails_is_suspended_and_readmitted() {
    let (game, folder, store) =
        (banmen_dobutsu::entry().in_memory(), Folder::new("fails"), Store::memory().expect("a store"));
    folder.bot("good", "player = random\n");
    folder.bot("better", "player = engine:level=1,table=1\n");
    folder.bot("dead", "player = rpc:false\n");
    let (table, events) = play(&league(&game, &folder.0, 4), &store, |_| {});
    assert_eq!(events.iter().filter(|line| *line == "dead suspended").count(), 1, "{events:?}");
    let dead = table.players.iter().find(|player| player.entrant.name == "dead").expect("a bot");
    assert_eq!((dead.entrant.state, dead.games(), dead.elo, dead.rank), (State::Suspended, 0, None, None));
    assert!(dead.entrant.reason.as_deref().is_some_and(|reason| reason.contains("false")), "{:?}", dead.entrant);
    assert!(table.games > 4, "the others go on");
    // It stays suspended when the league is resumed, until the suspension ends; the next one is longer.
    let (_, events) = play(&league(&game, &folder.0, 2), &store, |_| {});
    assert!(events.is_empty(), "{events:?}");
    let until = |table: &Standings| {
        let dead = table.players.iter().find(|player| player.entrant.name == "dead").expect("a bot");
        (dead.entrant.suspensions, dead.entrant.until)
    };
    assert_eq!(until(&table).0, 1);
    // Under another name too.
    fs::rename(folder.0.join("dead.bot"), folder.0.join("gone.bot")).expect("a file");
    let (renamed, events) = play(&league(&game, &folder.0, 2), &store, |_| {});
    assert_eq!(events[0], "gone suspended", "{events:?}");
    let gone = renamed.players.iter().find(|player| player.entrant.name == "gone").expect("a bot");
    assert_eq!((gone.entrant.state, gone.entrant.suspensions), (State::Suspended, 1));
    assert_eq!(gone.entrant.until, until(&table).1);
    fs::rename(folder.0.join("gone.bot"), folder.0.join("dead.bot")).expect("a file");
    let other = Store::memory().expect("a store");
    let soon = League { pause: Duration::ZERO, ..league(&game, &folder.0, 6) };
    let (table, events) = play(&soon, &other, |_| {});
    assert!(events.iter().filter(|line| *line == "dead suspended").count() > 1, "{events:?}");
    assert!(until(&table).0 > 1);
}

/// A program that starts, and exits when it is to move.
#[cfg(unix)]
const CRASH: &str = r#"
read line
id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
echo "{\"id\":$id,\"error\":{}}"
read line
exit 3
"#;

#[cfg(unix)]
#[test]
fn faults_lose_games_and_repeated_faults_suspend() {
    let (game, folder, store) =
        (banmen_dobutsu::entry().in_memory(), Folder::new("faults"), Store::memory().expect("a store"));
    let script = folder.0.join("crash.sh");
    fs::write(&script, CRASH).expect("a file");
    folder.bot("good", "player = random\n");
    folder.bot("better", "player = engine:level=1,table=1\n");
    folder.bot("crash", &format!("player = rpc:sh '{}'\n", script.display()));
    let (table, events) = play(&league(&game, &folder.0, 5), &store, |_| {});
    assert!(events.contains(&"crash suspended".to_owned()), "{events:?}");
    let crash = table.players.iter().find(|player| player.entrant.name == "crash").expect("a bot");
    assert_eq!((crash.entrant.state, crash.score), (State::Suspended, Some(0.0)));
    assert!(crash.faults >= 3 && crash.faults == crash.games(), "{crash:?}");
    let reason = crash.entrant.reason.as_deref().expect("a reason");
    assert_eq!(reason, "3 games in a row with a fault, the last by crash");
    // Another program in the same file is another bot; the games of the old one are kept.
    fs::write(&script, "echo sorry").expect("a file");
    let (table, events) = play(&league(&game, &folder.0, 2), &store, |_| {});
    assert_eq!(events, ["crash retired", "crash joined", "crash suspended"]);
    assert_eq!(table.players.iter().filter(|player| player.entrant.name == "crash").count(), 2);
}

#[test]
fn a_stopped_league_completes_its_pairs() {
    let (game, folder, store) =
        (banmen_dobutsu::entry().in_memory(), Folder::new("stopped"), Store::memory().expect("a store"));
    folder.bot("a", "player = random\n");
    folder.bot("b", "player = engine:level=1,table=1\n");
    let endless = League { rounds: None, ..league(&game, &folder.0, 0) };
    let stop = StopFlag::default();
    let mut games = 0;
    let table = endless
        .play(&store, 2, &stop, &mut |event| {
            if let LeagueEvent::Game(..) = event {
                games += 1;
                if games == 5 {
                    stop.stop();
                }
            }
        })
        .expect("a league");
    // Pairs are completed, so that the number of games is even.
    assert!(table.games >= 6 && table.games.is_multiple_of(2), "{}", table.games);
    assert_eq!(table.games, games);
}
