"""What Conan's posts say, and what they keep to themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.events import Event
from engine.posts import Language
from parser.markup import runs
from publisher.markup import DIALECTS, JOINER
from publisher.render import Context, Rendered, glossary, nudge, opening_post, phase_post, player_message, rules_post, tally_post
from rulesets.conan.actions import actions
from rulesets.conan.cast import roles
from rulesets.conan.deeds import VERBS
from rulesets.conan.posts import abilities, wording
from tests.conan_games import RULES, opened
from tests.test_sandbox import context as plain_context

GOLDEN = Path(__file__).parent / "golden"
NAMES = ("Ann", "[b]Bo[/b]", "*Cy*", "<script>alert(1)</script>", "{{7*7}}", "Eve\n\u202eAdam")
OPTIONS = {name: option.default for name, option in RULES.options.items()}
GAME = RULES.game(dict(zip(NAMES, ("gin", "ran", "araide", "satou", "takagi", "eri"), strict=True)), start="night 1")


def context(dialect: str = "phpbb", **changed: Any) -> Context:
    state = RULES.begin(GAME)
    posts = RULES.posts
    given = replace(
        plain_context(None), ruleset="conan", dialect=dialect, options=OPTIONS, players=NAMES, living=NAMES[1:],
        facts=posts.facts(state), words={"en": posts.words(state, Language())}, languages=(Language(),),
    )  # fmt: skip
    return replace(given, **changed)


def public(kind: str, phase: str, secret: tuple[str, ...] = (), **data: Any) -> Event:
    return Event(kind, phase, "public", (), data, secret)


def told(topic: str, **data: Any) -> Event:
    return Event("notice", "night 1", "private", (), {"to": "Ann", "topic": topic, **data})


def result(action: str, value: Any, **data: Any) -> Event:
    return Event("result", "night 1", "private", (), {"to": "Ann", "action": action, "value": value, **data})


def death(player: str, cause: str, reveal: str | None, **more: Any) -> Event:
    return public("death", "night 1", ("by",), player=player, cause=cause, by=["*Cy*"], reveal=reveal, **more)


NIGHT = [
    death("Ann", "snipe", "anokata", town_role="heiji"), death("*Cy*", "suicide", "ran"), death(NAMES[1], "kill", None),
    public("announce", "night 1", topic="erased", player=NAMES[1]), public("announce", "night 1", topic="will", player="Ann", text="I am [b]Gin[/b]\nvote Ann"),
    public("announce", "night 1", topic="arrested", player=NAMES[3]), public("announce", "night 1", topic="detained", player=NAMES[4]),
    public("announce", "night 1", topic="officer_suspended", count=2), public("announce", "night 1", topic="officer_injured", count=1),
    public("announce", "night 1", topic="released", player="Ann"), public("announce", "night 1", topic="replacement", player="Ann", by="*Cy*"),
    public("announce", "night 1", topic="next_phase", label="day 1"),
]  # fmt: skip
TALLY = public("tally", "day 1", ("final",), published={"Ann": 2, "*Cy*": 1}, votes={"Ann": [NAMES[1], "Token"], "*Cy*": ["Ann"]}, final={"Zoe": 9})
DAY = [
    TALLY, public("lynch", "day 1", player="Ann", reason="votes"), death("Ann", "lynch", "akai"), death("*Cy*", "vengeance", "eri"),
    public("announce", "day 1", topic="vengeance"), public("announce", "day 1", topic="vote_increased"),
    public("announce", "day 1", topic="injured", player=NAMES[1]), public("announce", "day 1", topic="next_phase", label="night 2"),
]  # fmt: skip
FAILED = [
    TALLY, public("lynch", "day 1", player=None, reason="aptx"), public("announce", "day 1", ("reason",), topic="lynch_failed", reason="aptx"),
    public("announce", "day 1", topic="vote_reduced"), death("Ann", "aptx", "ran"),
]  # fmt: skip
HIDDEN = [
    Event("tally", "day 1", "gm", (), TALLY.data), public("lynch", "day 1", player=None, reason="stopped"),
    public("announce", "day 1", topic="votes_hidden"), public("announce", "day 1", topic="no_death"),
]  # fmt: skip
END = [public("lynch", "day 1", player=None, reason="no_votes"), public("win", "day 1", sides=["black_org"], players=["Ann", "*Cy*"], cast=[
    {"player": "Ann", "role": "gin"}, {"player": "*Cy*", "role": "anokata", "town_role": "ran"}, {"player": NAMES[1], "role": "mizunashi_rena"},
])]
TOLD = [
    told("order_rejected", action="order_kill", reason="kill_cycle"),
    told("order_rejected", action="bribe", reason="no_ability", played="kill"), told("saved"), told("injured", until="day 2"), told("injured", until=None),
    told("suspended", until="night 2"), told("arrested"), told("detained", until="day 1"), told("released"), told("pinched"),
    told("stolen", item="car_keys", rivals=1), told("followed"), told("asleep"), told("bowtie", **{"from": "agasa"}), told("watch", **{"from": "agasa"}),
    told("charm", **{"from": "kazuha"}), told("suitcase"), told("watch_broken"), told("charm_used"), told("disguise_given", disguise="kobayashi"),
    told("costumes_offered", costumes=["ran", "heiji", "eri", "sera", "agasa"]), told("costumes_taken", costumes=["ran", "eri", "sera"]),
    told("friend", player="*Cy*", role="sonoko"), told("friend", player="*Cy*", role="megure"),
    told("lover", player=NAMES[1], role="anokata", town_role="ran"), told("group", players=["*Cy*"], roles=["genta"]),
    told("bo_members", players=[NAMES[1], "*Cy*"], roles=["vermouth", "kir"], leader=NAMES[1]), told("noc_count", count=3), told("fbi_count", count=1, strange=True),
    told("fbi_result", action="investigate", value="true", target="*Cy*", deed="heal", object="Ann"), told("vote_failed"), told("ticket", left=2),
    told("inactive", phases=["night 1", "day 1", "night 2"]), told("inactive_actions", what="actions", night=["heal"], day=["sleeping_pill"], passive=[]),
    told("inactive_actions", what="vote"), told("inactive_lost"), told("inactive_warning", count=2),
    result("kill", "success", target="*Cy*"), result("snipe", "saved", target="*Cy*"), result("heal", "saved", target=NAMES[1]),
    result("heal", "success", target=NAMES[1], via="inactive"), result("protect", "failed", target="*Cy*"),
    result("investigate", "false", target="*Cy*", deed="kill", object=NAMES[1]), result("special_investigate", "true", target="*Cy*", deed="disguise", object="ran", when="night 1"),
    result("investigate", "failed", target="*Cy*", deed="travel"), result("investigate", "false", target="Ann", deed="amor", object=["*Cy*", NAMES[1]]),
    result("stake_out", ["heal", "kill"], target="*Cy*", killer_gender="male"), result("stake_out", [], target="*Cy*"),
    result("interrogate", "not_bo", target="*Cy*", via="bowtie"), result("cross_examine", "guilty", target="*Cy*"), result("detect", "true", role="mizunashi_rena"),
    result("identify", "false", target="*Cy*", role="sonoko"), result("observe_age", "teen", target="*Cy*"), result("stalk", "male", target="*Cy*"),
    result("steal", "gun", target="*Cy*", rivals=2), result("steal", "nothing", target="*Cy*"), result("abduct", "sera"), result("research", "true"),
    result("erase", "success", target="*Cy*", victim="*Cy*", role="ran", will="[b]x[/b]"), result("erase", "success", target="*Cy*", victim="*Cy*", role="ran", will=None),
    result("house_search", "guilty", target="*Cy*", crimes=[{"crime": "kill", "phase": "night 1"}]), result("house_search", "not_guilty", target="*Cy*"),
    result("arrest", "success", target="*Cy*"), result("arrest", "failed", target="*Cy*"), result("face_pinch", "true", target="*Cy*", disguise="ran"),
    result("face_pinch", "false", target="*Cy*"), result("betrayal", "steal"), result("interview", "none"), result("follow", "no_scent", target="*Cy*"),
    result("aptx", "failed", target="*Cy*", left=1), result("aptx", "success", target="*Cy*", left=0), result("black_suitcase", "success", target="*Cy*", receiver="*Cy*"),
    result("lend_watch", "success", target="*Cy*", receiver=NAMES[1]), result("charm", "success", target="*Cy*"),
    result("sleeping_pill", "success", target="*Cy*"), result("research", "false", ability="first_aid"),
    told("order_rejected", action="kill", reason="incompatible"), told("order_rejected", action="heal", reason="incompatible"),
    told("inactive_actions", what="actions", night=["kill", "order_kill"], day=["black_suitcase"], passive=[]),
    result("travel", "success"), result("choose_costumes", "success", costumes=["ran", "eri"]), result("temporary_disguise", "success", disguise="ran"),
    result("discombobulate", "success", target="*Cy*", via="cover"), result("fake", "success", target="*Cy*", faked="heal"), result("voice_of_reason", "success"),
]  # fmt: skip


def message(events: Sequence[Event], **changed: Any) -> Rendered:
    made = player_message("Ann", events, context(**changed))
    assert made is not None
    assert made.error is None
    return made


def role_message(role: str, dialect: str = "phpbb", **more: str) -> str:
    return message([told("role", role=role, **more)], dialect=dialect).body


POSTS: dict[str, Callable[[str], str]] = {
    "conan_night": lambda d: phase_post(NIGHT, "night 1", context(d)).body,
    "conan_day": lambda d: phase_post(DAY, "day 1", context(d)).body,
    "conan_failed": lambda d: phase_post(FAILED, "day 1", context(d)).body,
    "conan_hidden": lambda d: phase_post(HIDDEN, "day 1", context(d)).body,
    "conan_end": lambda d: phase_post(END, "day 1", context(d, seed="hush", deadline=None)).body,
    "conan_told": lambda d: message(TOLD, dialect=d).body,
    "conan_role": lambda d: role_message("gin", d),
    "conan_boss": lambda d: role_message("anokata", d, town_role="satou"),
    "conan_opening": lambda d: opening_post(context(d)).body,
    "conan_nudges": lambda d: "\n\n".join(nudge(NAMES[1], what, label, context(d)).body for what, label in (("vote", "day 1"), ("order", "night 2"))),
    "conan_tally": lambda d: tally_post(TALLY.data, "day 1", context(d)).body,
    "conan_rules": lambda d: rules_post(RULES, OPTIONS, d),
    "conan_glossary": lambda d: glossary(RULES, d),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("post", POSTS)
def test_each_post_is_as_on_file(post: str, dialect: str) -> None:
    """`NIGHTPOST_GOLDEN=write` writes the files anew; then read what has changed."""
    file = GOLDEN / dialect / f"{post}.txt"
    body = POSTS[post](dialect) + "\n"
    if os.environ.get("NIGHTPOST_GOLDEN") == "write":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")
    assert body == file.read_text(encoding="utf-8")


def plain(body: str) -> str:
    """The text of a BBCode post as one reads it."""
    return " ".join("".join(run.text for run in runs(body)).replace(JOINER, "").split())


@pytest.mark.clause("CON-GEN-15", "CON-ERASE-05", "CON-SNIPE-08", "CON-LOVER-10")
def test_a_night_tells_the_dead_and_their_roles_and_no_cause() -> None:
    body = plain(phase_post(NIGHT, "night 1", context()).body)
    assert "Ann was Anokata, in daily life Heiji." in body
    assert "The body of [b]Bo[/b] was erased: neither role nor will is known." in body
    assert "[b]Bo[/b] was" not in body.replace("[b]Bo[/b] was erased", "")
    for secret in ("snipe", "suicide", "kill", "Gin (", "by *Cy*", "count", "2 officers"):
        assert secret not in body


@pytest.mark.clause("CON-COND-20", "CON-ARREST-06", "CON-DETAIN-12")
def test_an_arrest_names_neither_officer_nor_role() -> None:
    body = plain(phase_post([public("announce", "day 1", topic="arrested", player=NAMES[3])], "day 1", context()).body)
    assert "An unidentified officer has arrested <script>alert(1)</script>." in body
    assert not re.search("|".join(role.name for role in roles().values()), body)


@pytest.mark.clause("CON-VOTE-04", "CON-VOTE-12", "CON-INACT-11", "CON-SAB-10", "CON-ACCOMP-03", "CON-VOA-05")
def test_the_votes_are_shown_as_cast_with_who_voted_for_whom() -> None:
    body = plain(phase_post(DAY, "day 1", context()).body)
    assert "Ann – 2 – [b]Bo[/b] and Token" in body
    assert "*Cy* – 1 – Ann" in body
    assert "One vote was added." in body
    assert "Zoe" not in body
    assert "9" not in body


@pytest.mark.clause("CON-VOTE-06", "CON-VOTE-15", "CON-VOTE-16")
def test_a_failed_lynching_has_one_note_whatever_the_reason_and_votes_are_hidden_only_when_stopped() -> None:
    bodies = set()
    for why in ("arrested", "aptx", "accompany", "sabotage", "voice_of_accusation", "tie"):
        reason = why if why in ("arrested", "aptx") else "tie"
        note = public("announce", "day 1", ("reason",), topic="lynch_failed", reason=why)
        bodies.add(phase_post([TALLY, public("lynch", "day 1", player=None, reason=reason), note], "day 1", context()).body)
    assert len(bodies) == 1
    assert "The lynching failed: nobody is lynched." in bodies.pop()
    hidden = plain(phase_post(HIDDEN, "day 1", context()).body)
    assert "The votes of this day are not shown." in hidden
    assert "Ann" not in hidden.replace("Still alive", "")


@pytest.mark.clause("CON-INACT-17")
def test_the_message_to_the_inactive() -> None:
    body = plain(message([told("inactive", phases=["night 1", "day 1", "night 2"])]).body)
    for said in ("You sent nothing in night 1, day 1 and night 2", "considered inactive", "no longer take part", "split among players of your side",
                 "may still be investigated", "you get no results", "not speak with living players", "nor post in the thread"):  # fmt: skip
        assert said in body


@pytest.mark.clause("CON-INACT-18", "CON-INACT-12", "CON-INACT-07")
def test_the_message_to_a_receiver_names_neither_player_nor_role() -> None:
    body = plain(message([told("inactive_actions", what="actions", night=["heal"], day=["sleeping_pill"], passive=[])]).body)
    for said in ("A player on your side is now inactive", "each night: Heal", "each day: Sleeping Pill", "You receive the results", "cannot be investigated",
                 "may not speak about this with anyone"):  # fmt: skip
        assert said in body
    assert "Araide" not in body
    vote = plain(message([told("inactive_actions", what="vote")]).body)
    assert "a second vote each day" in vote
    assert "token vote X" in vote
    assert "may not speak about this with anyone" in vote


@pytest.mark.clause("CON-INACT-20")
def test_the_warning_tells_the_count() -> None:
    assert "That makes 2 missed phases." in plain(message([told("inactive_warning", count=2)]).body)


@pytest.mark.clause("CON-GADGET-06")
def test_the_watch_is_named_to_the_holder_whom_it_saved() -> None:
    assert "The watch protected you." in message([told("saved"), result("watch", "saved")]).body


@pytest.mark.clause("CON-FBI-11")
def test_the_fbi_report_names_no_subordinate() -> None:
    body = plain(message([told("fbi_result", action="detect", value="true", role="ran")]).body)
    assert "One of your subordinates reports: Ran is in the game: true." in body


@pytest.mark.clause("CON-CONDUCT-01", "CON-CONDUCT-02", "CON-CONDUCT-03", "CON-CONDUCT-04", "CON-CONDUCT-05", "CON-CONDUCT-06", "CON-COND-22")
def test_the_rules_post_has_the_rules_of_conduct() -> None:
    body = plain(rules_post(RULES, OPTIONS, "phpbb"))
    for said in ("One account a player", "banned for good", "Do not ask the host for roles, hints or favours", "Do not quote, copy or picture what the host has sent you",
                 "You may claim whatever you like", "The living may write each other", "The dead tell the living nothing", "never of the host"):  # fmt: skip
        assert said in body


@pytest.mark.clause("CON-GEN-03", "CON-ROLE-01")
@pytest.mark.parametrize("role", roles())
def test_a_role_message_lists_actions_statuses_and_notes(role: str) -> None:
    row = roles()[role]
    body = role_message(role, **({"town_role": "heiji"} if role == "anokata" else {}))
    assert f"[b]{row.name}[/b], {row.title}" in body
    words = {ability.word for sheet in row.sheet.values() for group in sheet for one in group for ability in one} | set(row.passive)
    for word in words | ({row.status} & set(abilities())):
        assert abilities()[word]["name"] in plain(body), word
        assert all(f"[code]{line}" in body for line in abilities()[word]["write"]), word
    assert row.notes in plain(body)
    assert ("[code]kill X" in body) == (row.side == "black_org")
    assert "[code]vote X" in body


@pytest.mark.clause("CON-ROLE-01", "CON-ROLE-02", "CON-ROLE-34", "CON-ROLE-35")
def test_a_role_message_tells_what_others_can_learn_of_the_role() -> None:
    for role, said in {
        "mizunashi_rena": "You look like a female adult, and an interrogation hears Black Org. You have no scent.",
        "sera": "You look like a male or female teen, and an interrogation hears not Black Org. You have no scent.",
        "vermouth": "Undisguised you look like a female adult, and an interrogation hears not Black Org. You have a scent.",
    }.items():
        assert said in plain(role_message(role))
    assert "You look like a male teen, and an interrogation hears not Black Org." in plain(role_message("anokata", town_role="heiji"))


@pytest.mark.clause("CON-ERASE-05")
def test_no_list_of_the_living_tells_whose_body_was_erased_with_the_name() -> None:
    state = RULES.begin(GAME)
    assert RULES.posts.living(state) == GAME.names
    seen_by_the_gm = Event("death", "night 1", "gm", ("CON-KILL-01",), {"player": "Ann", "cause": "kill", "by": ["*Cy*"], "reveal": None})
    state.apply(seen_by_the_gm)
    assert RULES.posts.living(state) is None
    body = phase_post([*NIGHT[3:4], public("announce", "night 1", topic="next_phase", label="day 1")], "night 1", context(living=None)).body
    assert "Still alive" not in body


@pytest.mark.clause("CON-BEFRIEND-14", "CON-FRIEND-04")
def test_a_friend_of_akai_is_not_promised_vengeance() -> None:
    body = plain(message([told("friend", player="*Cy*", role="akai")]).body)
    assert "Snipe Guard" in body
    assert "By itself" not in body
    assert "By itself: Betrayal" in plain(message([told("friend", player="*Cy*", role="mizunashi_rena")]).body)


@pytest.mark.clause("CON-APTX-03", "CON-APTX-04", "CON-VOA-01", "CON-VOA-08", "CON-HOUSE-05", "CON-VENG-06", "CON-LD-06", "CON-FAID-02", "CON-ABDUCT-03")
def test_what_abilities_cost_and_ask_for_is_told_as_the_rules_have_it() -> None:
    capsules = "The right role kills, and the capsule is kept; a wrong one uses it up."
    assert capsules in plain(rules_post(RULES, OPTIONS, "phpbb"))
    assert capsules in plain(role_message("gin"))
    for role, said in {
        "kujou": "if you have cross-examined that player on an earlier night", "megure": "can never search a house again",
        "akai": "when you are arrested, the officer is", "yamato": "the target's own actions fail", "vodka": "With more than 15 players only on nights 1, 3, 5",
    }.items():  # fmt: skip
        assert said in plain(role_message(role))


def test_every_ability_deed_and_reason_has_words() -> None:
    words = {word for role in roles().values() for sheet in role.sheet.values() for group in sheet for one in group for word in (ability.word for ability in one)}
    assert words <= set(abilities())
    assert set(VERBS) <= set(wording()["does"])
    clauses = (RULES.folder / "clauses.md").read_text("utf-8")
    told_of = re.search(r"`order_rejected` \| action, reason: ([^(]*)", clauses)
    assert told_of is not None
    assert set(re.findall(r"`(\w+)`", told_of[1])) == set(wording()["reasons"])
    assert {action.crime for action in actions().values() if action.crime} <= set(wording()["crimes"])


def test_the_ruleset_says_who_may_be_dealt_and_what_looks_wrong() -> None:
    assert ("gin", "black_org") in RULES.role_ids()
    assert ("satou", "town, police") in RULES.role_ids()
    few = RULES.game({"Ann": "gin", **{f"P{n}": role for n, role in enumerate(("ran", "araide", "eri", "satou", "heiji"))}})
    assert any("1/4" in one for one in RULES.warnings(few))
    assert RULES.warnings(RULES.game({"Ann": "gin", "Bo": "ran", "Cy": "eri"})) == []
    assert any("nobody is in the Black Organization" in one for one in RULES.warnings(RULES.game({"Bo": "ran", "Cy": "eri"})))
    phrases = {phrase for phrase, _, _ in RULES.order_phrases()}
    assert {"heal X", "arrest X for killing Y on night 1", "give suitcase to X, else Y", "choose costumes: R, R, R"} <= phrases


def test_in_prep_only_those_are_waited_for_who_have_something_to_choose() -> None:
    game = RULES.game({"Ann": "sonoko", "Bo": "yumi", "Cy": "yukiko", "Di": "gin", "Eve": "vermouth"}, start="prep")
    scene = opened(RULES.begin(game), RULES.first_label(game))
    assert RULES.awaited(scene, None) == {"Ann": "order", "Bo": "order", "Cy": "order"}
