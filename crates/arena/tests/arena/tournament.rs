//! Tournaments on Dobutsu shogi: even progress, resumption, standings.

use banmen_arena::{
    Contestant, Match, MatchFilter, MatchSpec, Openings, Standings, Store, Tournament, TournamentProgress, standings,
};
use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_search::{Limits, StopFlag};

fn conditions(game: &dyn AnyGame) -> Match<'_> {
    let nobody = Contestant::new("random", Limits::nodes(60));
    Match::new(game, MatchSpec { openings: Openings::Random(3), ..MatchSpec::new(game, nobody.clone(), nobody) })
}

fn players(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

const THREE: [&str; 3] = ["random", "engine:level=3,table=1", "engine:level=1,table=1"];

fn play(tournament: &Tournament<'_>, store: &Store, games: usize) -> Result<Standings, Error> {
    tournament.play(store, games, 2, &StopFlag::default(), &mut |_| {})
}

/// All games of an event, in order.
fn moves(store: &Store, event: i64) -> Vec<(String, usize, usize, Vec<String>)> {
    let mut games = Vec::new();
    for found in store.matches(&MatchFilter { event: Some(event), ..MatchFilter::default() }).expect("matches") {
        let name = found.players.join(" ");
        let visited = store.visit_games(found.id, &mut |record| {
            games.push((name.clone(), record.pair, record.game, record.moves));
            Ok(())
        });
        visited.expect("games");
    }
    games.sort();
    games
}

#[test]
fn pairings_of_a_round_robin_progress_evenly() {
    let (game, store) = (banmen_dobutsu::entry().in_memory(), Store::memory().expect("a store"));
    let tournament = Tournament::round_robin(conditions(&game), players(&THREE));
    let mut order = Vec::new();
    let table = tournament
        .play(&store, 8, 1, &StopFlag::default(), &mut |round: TournamentProgress<'_>| {
            order.extend(round.game.map(|(game, players)| (game.pair, players.join(" "))));
            assert!(round.games <= round.planned && round.planned == 24);
        })
        .expect("a tournament");
    // On one thread each pairing plays its pair before any plays the next.
    assert!(order.windows(2).all(|two| two[0].0 <= two[1].0), "{order:?}");
    assert_eq!((table.games, table.players.len(), table.encounters.len()), (24, 3, 3));
    for player in &table.players {
        assert_eq!((player.games(), player.faults), (16, 0));
        let elo = player.elo.expect("games");
        assert!(elo.low < elo.value && elo.value < elo.high);
    }
    assert_eq!(table.players.iter().map(|player| player.rank).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
    assert_eq!(table.players[2].entrant.name, "random");
    // The crosstable is the sum of the matches, from both sides.
    let [a, b] = [0, 2].map(|at| table.players[at].entrant.id);
    let ([won, drawn, lost], turned) = (table.between(a, b), table.between(b, a));
    assert_eq!((won + drawn + lost, turned), (8, [lost, drawn, won]));
    let (difference, better) = table.difference(a, b).expect("both take part");
    assert!(better > 0.5 && difference.value > 0.0 && difference.low < difference.high);
    assert!(table.difference(a, -1).is_none());
    // All pairings have the same opening in pair k.
    let event = tournament.enter(&store).expect("the same event");
    let games = moves(&store, event);
    for pair in 0..4 {
        let begun: Vec<&[String]> = games.iter().filter(|game| game.1 == pair).map(|game| &game.3[..3]).collect();
        assert!(begun.len() == 6 && begun.iter().all(|moves| *moves == begun[0]), "{begun:?}");
    }
    let latest = store.recent(event, 5).expect("games");
    assert_eq!(latest.len(), 5);
    assert!(latest.windows(2).all(|two| two[0].finished >= two[1].finished));
}

#[test]
fn resumes_and_a_player_may_join() {
    let game = banmen_dobutsu::entry().in_memory();
    let whole = Store::memory().expect("a store");
    let tournament = Tournament::round_robin(conditions(&game), players(&THREE));
    play(&tournament, &whole, 8).expect("a tournament");

    let broken = Store::memory().expect("a store");
    let stop = StopFlag::default();
    let halted = tournament.play(&broken, 8, 2, &stop, &mut |round: TournamentProgress<'_>| {
        if round.games == 5 {
            stop.stop();
        }
    });
    // The number of games that end before the stop takes effect depends on the machine.
    assert!((5..24).contains(&halted.expect("a table all the same").games));
    // The order of the players does not matter.
    let mut turned = players(&THREE);
    turned.reverse();
    let again = Tournament::round_robin(conditions(&game), turned);
    let event = again.enter(&broken).expect("an event");
    assert_eq!(play(&again, &broken, 8).expect("the rest").games, 24);
    assert_eq!(moves(&broken, event), moves(&whole, tournament.enter(&whole).expect("an event")));

    // A finished tournament plays nothing; a fourth player adds its games.
    assert_eq!(play(&again, &broken, 8).expect("nothing").games, 24);
    let mut four = players(&THREE);
    four.push("engine:level=2,table=1".to_owned());
    let table = play(&Tournament::round_robin(conditions(&game), four), &broken, 8).expect("three more pairings");
    assert_eq!((table.games, table.players.len()), (48, 4));
    let anchored = standings(&broken, event, Some(("random", 1000.0))).expect("a table");
    let random = anchored.players.iter().find(|player| player.entrant.name == "random").expect("random");
    assert_eq!(random.elo.map(|elo| (elo.value, elo.low)), Some((1000.0, 1000.0)));
    assert_eq!(standings(&broken, event, Some(("rendom", 0.0))).expect_err("nobody").code, ErrorCode::UnknownPlayer);
}

#[test]
fn a_gauntlet_and_a_ladder_have_their_pairings() {
    let game = banmen_dobutsu::entry().in_memory();
    let gauntlet = Tournament::gauntlet(conditions(&game), players(&THREE));
    assert_eq!(gauntlet.pairings, [(0, 1), (0, 2)]);
    let ladder = Tournament::ladder(conditions(&game), 1..=4);
    assert_eq!(ladder.players[..3], players(&["random", "engine:level=1", "engine:level=2"]));
    assert_eq!(ladder.pairings, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]);
    let store = Store::memory().expect("a store");
    let table = play(&gauntlet, &store, 4).expect("a gauntlet");
    let [a, b] = ["engine:level=3,table=1", "engine:level=1,table=1"]
        .map(|name| table.players.iter().find(|player| player.entrant.name == name).expect(name).entrant.id);
    assert_eq!(table.between(a, b), [0; 3]);
    assert_eq!(table.games, 8);
}

#[test]
fn rejects_invalid_conditions_before_the_first_game() {
    let (game, store) = (banmen_dobutsu::entry().in_memory(), Store::memory().expect("a store"));
    let refused = |texts: &[&str], games| {
        let tournament = Tournament::round_robin(conditions(&game), players(texts));
        play(&tournament, &store, games).expect_err("refused").message
    };
    assert!(refused(&["random"], 4).contains("two players or more"));
    assert!(refused(&["random", "engine", "random"], 4).contains("players 1 and 3 are both random"));
    assert!(refused(&["random", "engin"], 4).contains("`engin`; the nearest name is `engine`"));
    let message = refused(&["random", "engine:level=11"], 4);
    assert_eq!(message, "engine:level=11: `level` must be an integer from 1 to 10, not `11`");
    assert!(refused(&["random", "engine"], 3).contains("games=3 must be an even number"));
    assert!(store.events().expect("no event").is_empty());
}
