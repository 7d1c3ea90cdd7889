//! Faults in GOLAD, where they cost only the turn: the game continues, the record lists the lost turns, and a league counts
//! them.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use banmen_arena::{
    Contestant, GameFilter, GameRecord, League, LeagueEvent, Match, MatchFilter, MatchSpec, Openings, Outcome, Plan,
    Score, SideClock, State, Store, check,
};
use banmen_catalog::{AnyGame, Catalog, ErrorCode, PlayerEntry};
use banmen_game::Game;
use banmen_search::{Limits, Player, Report, StopFlag, Task, TimeControl};

/// Uses far more time than its clock has.
struct Slow;

impl<G: Game> Player<G> for Slow {
    fn think(&mut self, task: Task<'_, G>) -> Report<G::Move> {
        std::thread::sleep(Duration::from_millis(40));
        let first = task.state.game().visit_moves(task.state.position(), ControlFlow::Break);
        Report::of(first.break_value().expect("the game goes on"), 0.5)
    }
}

fn slow<G: Game>() -> PlayerEntry<G> {
    PlayerEntry { name: "slow", summary: "", source: "", keys: &[], make: |_, _, _, _| Ok(Box::new(Slow)) }
}

fn golad() -> impl AnyGame {
    banmen_golad::entry().player(slow()).in_memory()
}

/// Plays two games from one opening by wall time; returns them and their store.
fn play(game: &dyn AnyGame, players: [&str; 2], limits: Limits) -> (Score, Vec<GameRecord>, Store) {
    play_by(SideClock::Wall, game, players, limits)
}

/// The same by this clock.
fn play_by(
    clock: SideClock,
    game: &dyn AnyGame,
    players: [&str; 2],
    limits: Limits,
) -> (Score, Vec<GameRecord>, Store) {
    let [a, b] = players.map(|player| Contestant::new(player, limits));
    let matchup = Match::new(game, MatchSpec { clock, openings: Openings::Random(2), ..MatchSpec::new(game, a, b) });
    let (mut games, store) = (Vec::new(), Store::memory().expect("memory"));
    let score = matchup
        .play(&store, &Plan::games(2, 1), &StopFlag::default(), &mut |progress| games.extend(progress.game.cloned()))
        .unwrap_or_else(|error| panic!("{players:?}: {error}"));
    games.sort_by_key(|game| game.game);
    let catalog = Catalog::default().with(banmen_othello::entry()).with(banmen_golad::entry());
    let found = check(&store, &catalog, &StopFlag::default(), &mut |_, _| {}).expect("a check");
    assert!(found.games == 2 && found.damages.is_empty(), "{found:?}");
    (score, games, store)
}

/// Checks that each turn of player `a` was lost by this fault, in a game that its rules ended.
#[track_caller]
fn lost_all(game: &GameRecord, by: &str) {
    lost_after(0, game, by);
}

/// The same after this number of turns.
#[track_caller]
fn lost_after(turns: usize, game: &GameRecord, by: &str) {
    let own: Vec<usize> = (game.opening..game.moves.len()).filter(|ply| ply % 2 == game.game).skip(turns).collect();
    assert!(own.len() > 1, "{game:?}");
    let lost: Vec<usize> = game.lost_turns.iter().map(|turn| turn.ply).collect();
    assert_eq!(lost, own, "{by}");
    assert!(game.lost_turns.iter().all(|turn| turn.by == by), "{:?}", game.lost_turns);
    assert!(lost.iter().all(|&ply| game.moves[ply] == "pass"), "{:?}", game.moves);
    assert!(["extinction", "rounds"].contains(&game.by.as_str()), "{}", game.by);
    assert_eq!((game.fault, game.failed_by()), (Some(0), Some(by)));
    assert_eq!(game.times.len(), game.moves.len() - game.opening);
}

#[test]
fn a_player_that_overdraws_its_clock_loses_its_remaining_turns() {
    let control = TimeControl { main: Duration::from_millis(5), ..TimeControl::default() };
    let limits = Limits { clock: Some(control), ..Limits::default() };
    let (score, games, store) = play(&golad(), ["slow", "random"], limits);
    for game in &games {
        lost_all(game, "time");
        assert_eq!(game.complaint.as_deref(), Some("slow overdrew its clock"));
        assert_eq!(game.spent[0].moves, 1, "it is not asked again");
    }
    assert_eq!((score.totals[0].faults, score.totals[1].faults), (2, 0));
    // The store returns what was played, except for the complaint.
    let stored = store.games(1, GameFilter::default()).expect("games");
    let mut played = games.clone();
    for (game, stored) in played.iter_mut().zip(&stored) {
        game.complaint = None;
        // Times are kept to the microsecond.
        (game.spent, game.times) = (stored.spent, stored.times.clone());
    }
    assert_eq!(stored, played);
    let faults = GameFilter { outcome: Some(Outcome::Fault), ..GameFilter::default() };
    assert_eq!(store.count_games(1, faults).expect("a count"), 2);
}

#[test]
fn an_overdrawn_clock_ends_a_game_in_which_faults_cost_the_game() {
    let control = TimeControl { main: Duration::from_millis(5), ..TimeControl::default() };
    let limits = Limits { clock: Some(control), ..Limits::default() };
    let (score, games, _) = play(&banmen_othello::entry().player(slow()).in_memory(), ["slow", "random"], limits);
    for game in &games {
        assert_eq!((game.score, game.by.as_str(), game.lost_turns.len()), (0.0, "time", 0), "{game:?}");
        assert_eq!((game.fault, game.failed_by()), (Some(0), Some("time")));
        assert!(game.moves.len() <= game.opening + 1, "{game:?}");
    }
    assert_eq!((score.totals[0].faults, score.losses), (2, 2));
}

/// The decision at which [`Broken`] panics: after two games of at most 60 moves.
const PANICS: usize = 70;

/// The decisions that [`Broken`] has made.
static DECISIONS: AtomicUsize = AtomicUsize::new(0);

/// Plays the first move, and panics once.
struct Broken;

impl<G: Game> Player<G> for Broken {
    fn think(&mut self, task: Task<'_, G>) -> Report<G::Move> {
        assert_ne!(DECISIONS.fetch_add(1, Ordering::Relaxed), PANICS, "a fault of the player");
        let first = task.state.game().visit_moves(task.state.position(), ControlFlow::Break);
        Report::of(first.break_value().expect("the game goes on"), 0.5)
    }
}

/// A bug says nothing about strength: the match ends with an error that names the game and the player, and the same command
/// continues it.
#[test]
fn a_player_that_panics_loses_no_other_game() {
    let broken =
        PlayerEntry { name: "broken", summary: "", source: "", keys: &[], make: |_, _, _, _| Ok(Box::new(Broken)) };
    let game = banmen_othello::entry().player(broken).in_memory();
    let [a, b] = ["random", "broken"].map(|player| Contestant::new(player, Limits::nodes(1)));
    let matchup = Match::new(&game, MatchSpec::new(&game, a, b));
    let store = Store::memory().expect("memory");
    let play = || matchup.play(&store, &Plan::games(12, 2), &StopFlag::default(), &mut |_| {});
    let error = play().expect_err("a panic");
    assert_eq!((error.code, error.args["player"].as_u64()), (ErrorCode::Internal, Some(1)));
    let place = error.message.strip_prefix("internal error: broken was aborted in game ").expect("the player");
    let (pair, number) = place.split_once('.').expect("a game");
    let stored = store.games(1, GameFilter::default()).expect("games");
    assert!((2..12).contains(&stored.len()), "{} games", stored.len());
    assert!(stored.iter().all(|game| (&*game.pair.to_string(), &*game.game.to_string()) != (pair, number)), "{place}");
    assert_eq!(play().expect("it continues").games(), 12);
}

/// A temporary folder with scripts that speak the protocol of the site.
#[cfg(unix)]
struct Bots(PathBuf);

#[cfg(unix)]
impl Bots {
    fn new(name: &str) -> Bots {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Bots(path)
    }

    /// A bot that runs this command when it is to move; `$line` is the last line that it read. A file counts its processes.
    fn bot(&self, name: &str, does: &str) -> String {
        let (script, starts) = (self.0.join(format!("{name}.sh")), self.0.join(format!("{name}.starts")));
        let text = format!(
            "echo start >> '{}'\nwhile read -r line; do\n case $line in action*) {does};; *' move '*) reply=$line;; esac\ndone\n",
            starts.display()
        );
        fs::write(&script, text).expect("a script");
        format!("riddles:sh '{}'", script.display())
    }

    /// A bot that answers once, and exits at every later request.
    fn dead(&self) -> String {
        let up = self.0.join("dead.up");
        self.bot("dead", &format!("[ -e '{0}' ] && exit 3; touch '{0}'; echo pass", up.display()))
    }

    fn starts(&self, name: &str) -> usize {
        fs::read_to_string(self.0.join(format!("{name}.starts"))).map_or(0, |text| text.lines().count())
    }
}

#[cfg(unix)]
impl Drop for Bots {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
#[test]
fn an_illegal_move_costs_only_the_turn() {
    let bots = Bots::new("illegal");
    let bot = bots.bot("illegal", "echo 'kill 99,99'");
    let (_, games, _) = play(&golad(), [&bot, "random"], Limits::default());
    for game in &games {
        lost_all(game, "illegal move");
        assert!(game.complaint.as_deref().is_some_and(|why| why.contains("99,99 is off the board")), "{game:?}");
    }
    assert_eq!(bots.starts("illegal"), 2, "it is not ended, and has a process for each game");
}

/// A program that starts slowly plays illegal moves with its first two processes.
#[cfg(target_os = "linux")]
#[test]
fn a_fault_costs_the_time_until_it_by_the_clock_of_the_match_without_the_restart() {
    for (clock, thinks) in [(SideClock::Wall, ":"), (SideClock::Cpu, "sleep 6")] {
        let bots = Bots::new(&format!("restart-{clock:?}"));
        let script = bots.0.join("slow.sh");
        let text = format!(
            r#"echo start >> '{}'
            sleep 6
            if [ "$(wc -l < '{0}')" -lt 3 ]; then chosen='kill 99,99'; else chosen=pass; fi
            while read -r line; do
                id=${{line##*\"id\":}} move=$chosen
                case $line in *'"op":"think"'*) [ "$move" = pass ] || {thinks};; esac
                echo "{{\"id\":${{id%%[!0-9]*}},\"ok\":{{\"move\":\"$move\"}}}}"
            done"#,
            bots.0.join("slow.starts").display()
        );
        fs::write(&script, text).expect("a script");
        let control = TimeControl { main: Duration::from_secs(5), ..TimeControl::default() };
        let limits = Limits { clock: Some(control), ..Limits::default() };
        let player = format!("rpc:sh '{}'", script.display());
        let (_, games, _) = play_by(clock, &golad(), [&player, "random"], limits);
        let lost: Vec<(&GameRecord, usize, &str)> = games
            .iter()
            .flat_map(|game| game.lost_turns.iter().map(move |lost| (game, lost.ply, lost.by.as_str())))
            .collect();
        assert_eq!((lost.len(), bots.starts("slow")), (2, 3), "{clock:?}: {games:?}");
        for (game, ply, by) in lost {
            let time = game.times[ply - game.opening];
            assert!(by == "illegal move" && time < Duration::from_secs(3), "{clock:?}: {by}, {time:?}");
        }
    }
}

/// S20.
#[cfg(unix)]
#[test]
fn a_crash_costs_the_remaining_turns_and_the_opponent_reads_null_moves() {
    let bots = Bots::new("crash");
    let dead = bots.dead();
    let log = bots.0.join("log");
    let reader = bots.bot("reader", &format!("echo \"$reply\" >> '{}'; echo pass", log.display()));
    let (score, games, _) = play(&golad(), [&dead, &reader], Limits::default());
    for (game, answered) in games.iter().zip([1, 0]) {
        lost_after(answered, game, "crash");
    }
    assert_eq!(bots.starts("dead"), 2, "it is not started again in its game");
    assert_eq!((score.totals[0].faults, score.totals[1].faults), (2, 0));
    let log = fs::read_to_string(log).expect("the lines that it read");
    // Only before the first lost turn there are moves: its own one, and in the other game that of the opening.
    let moves = log.lines().filter(|line| !line.ends_with(" move null")).count();
    assert!(log.lines().count() > 4 && moves <= 2, "{log}");
    assert!(log.lines().any(|line| line == "update player0 move null"), "{log}");
    assert!(log.lines().any(|line| line == "update player1 move null"), "{log}");
}

#[cfg(unix)]
#[test]
fn a_program_that_does_not_start_ends_the_match_without_games() {
    let (game, bots, store) = (golad(), Bots::new("stillborn"), Store::memory().expect("memory"));
    let [a, b] = ["random".to_owned(), bots.bot("stillborn", "echo no licence >&2; exit 3")]
        .map(|player| Contestant::new(player, Limits::default()));
    let matchup = Match::new(
        &game,
        MatchSpec { clock: SideClock::Wall, openings: Openings::Random(2), ..MatchSpec::new(&game, a, b) },
    );
    let error =
        matchup.play(&store, &Plan::games(2, 1), &StopFlag::default(), &mut |_| {}).expect_err("it says nothing");
    assert_eq!((error.code, error.args["player"].as_u64()), (ErrorCode::ProgramStart, Some(1)), "{error}");
    assert!(error.message.ends_with("its last output on standard error: no licence"), "{error}");
    assert_eq!(store.count_games(1, GameFilter::default()).expect("a count"), 0);
}

#[cfg(unix)]
#[test]
fn rejects_an_empty_clock_of_a_program_before_anything_is_stored() {
    let (game, bots, store) = (golad(), Bots::new("bank"), Store::memory().expect("memory"));
    let control = TimeControl { increment: Duration::from_secs(1), ..TimeControl::default() };
    let limits = Limits { clock: Some(control), ..Limits::default() };
    let [a, b] = ["random".to_owned(), bots.bot("bank", "echo pass")].map(|player| Contestant::new(player, limits));
    let matchup = Match::new(&game, MatchSpec { openings: Openings::Random(2), ..MatchSpec::new(&game, a, b) });
    let error = matchup.play(&store, &Plan::games(2, 1), &StopFlag::default(), &mut |_| {}).expect_err("an empty bank");
    assert_eq!((error.code, error.args["player"].as_u64()), (ErrorCode::OutOfRange, Some(1)), "{error}");
    assert!(store.matches(&MatchFilter::default()).expect("matches").is_empty());
    // Built-in players may play on the increment alone.
    let (score, ..) = play(&game, ["random", "random"], limits);
    assert_eq!(score.games(), 2);
}

#[cfg(unix)]
#[test]
fn a_league_suspends_a_bot_that_fails_repeatedly() {
    let (game, bots, store) = (golad(), Bots::new("league"), Store::memory().expect("memory"));
    let bot = |name: &str, player: &str| fs::write(bots.0.join(format!("{name}.bot")), format!("player = {player}\n"));
    bot("good", "random").expect("a file");
    bot("calm", &bots.bot("calm", "echo pass")).expect("a file");
    bot("dead", &bots.dead()).expect("a file");
    let nobody = Contestant::new("random", Limits::default());
    let league = League {
        folder: bots.0.clone(),
        conditions: Match::new(
            &game,
            MatchSpec { openings: Openings::Random(2), ..MatchSpec::new(&game, nobody.clone(), nobody) },
        ),
        rounds: Some(4),
        pause: Duration::from_secs(3600),
        scan: Duration::ZERO,
    };
    let mut suspended = Vec::new();
    let table = league
        .play(&store, 1, &StopFlag::default(), &mut |event| {
            if let LeagueEvent::Suspended(bot) = event {
                suspended.push((bot.name.clone(), bot.reason.clone().unwrap_or_default()));
            }
        })
        .expect("a league");
    assert_eq!(suspended, [("dead".to_owned(), "3 games in a row with a fault, the last by crash".to_owned())]);
    let player = |name: &str| table.players.iter().find(|player| player.entrant.name == name).expect("a bot");
    assert_eq!((player("dead").entrant.state, player("dead").faults), (State::Suspended, player("dead").games()));
    assert_eq!((player("calm").entrant.state, player("calm").faults), (State::Playing, 0));
}
