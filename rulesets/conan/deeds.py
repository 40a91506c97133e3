"""What players ask about deeds, and what an arrest charges with: verbs, keywords and phases in words (CON-KEY, CON-INV-10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from parser.names import Ambiguous, Found, Unknown
from parser.normal import fold

Named = Found | Ambiguous | Unknown

VERBS: dict[str, tuple[str, str]] = {
    "kill": (
        "player",
        "kills|killed|kill|attacks|attacked|attack|snipes|sniped|snipe|bribes|bribed|bribe|murders|murdered|murder",
    ),
    "arrest": (
        "player",
        "arrests|arrested|arrest|house[ -]?search(?:es|ed)?|detains|detained|detain|auto-?arrests|auto-?arrested",
    ),
    "investigate": ("player", r"(?:special(?:ly)?[ -])?investigate[sd]?"),
    "observe": (
        "player",
        r"(?:age[ -]|gender[ -])?observe[sd]?|stake[sd]?[ -]?out|clumsies|clumsied|clumsy(?: on)?|trips(?: over)?|"
        r"tripped(?: over)?|is clumsy on|was clumsy on",
    ),
    "protect": (
        "player",
        r"protect(?:s|ed)?|lovey[ -]?dove?y?(?:s|ed|'s)?|lovey[ -]?doveys|snipe[ -]?guard(?:s|ed)?|cover(?:s|ed)?",
    ),
    "heal": ("player", r"heal(?:s|ed)?|(?:gives |gave )?first[ -]?aid(?:s|ed)?(?: to)?|judo(?:s|es|ed)?"),
    "slander": ("player", r"slander(?:s|ed)?"),
    "discombobulate": ("player", r"discombobulate[sd]?|trick(?:s|ed)?"),
    "steal": ("player", r"(?:steals|stole|steal|has stolen) from|robs|robbed|rob"),
    "frighten": ("player", r"frighten(?:s|ed)?"),
    "detect": ("role", r"detect(?:s|ed)?"),
    "interrogate": ("player", r"interrogate[sd]?|cross[ -]?examine[sd]?"),
    "pinch": ("player", r"(?:face[ -]?)?pinch(?:es|ed)?(?: the face of)?"),
    "travel": ("none", r"travel(?:s|led|ed)?(?: abroad)?"),
    "drug": ("player", r"drug(?:s|ged)?|(?:uses|used|use) (?:a )?sleeping pill on|gives? a sleeping pill to"),
    "erase": ("player", r"erase[sd]?"),
    "disguise": ("role", r"(?:is |was )?disguise(?:s|d)? as|disguises? himself as|disguises? herself as"),
    "befriend": ("player", r"befriend(?:s|ed)?"),
    "choose_costumes": ("none", r"(?:chooses|chose|choose) costumes"),
    "frame": ("player", r"frame[sd]?|blame[sd]?"),
    "sabotage": ("player", r"sabotage[sd]?"),
    "abduct": ("none", r"abduct(?:s|ed)?"),
    "betrayal": ("none", r"betray(?:s|ed)?"),
    "research": ("ability", r"research(?:es|ed)?"),
    "lawsuit": ("player", r"(?:sues|sued|sue) for"),
    "black_suitcase": ("player", r"(?:gives|gave|give) (?:the )?(?:black )?suitcase to"),
    "lend_bowtie": ("player", r"(?:lends|lent|lend) (?:the )?bow-?tie to"),
    "lend_watch": ("player", r"(?:lends|lent|lend) (?:the )?watch to"),
    "amor": ("players", r"(?:pairs|paired|pair)"),
    "follow_up": ("player", r"follow(?:s|ed)? up"),
    "follow": ("player", r"follow(?:s|ed)?"),
    "accompany": ("player", r"accompan(?:ies|ied|y)"),
    "charm": ("player", r"charm(?:s|ed)?"),
    "stalk": ("player", r"stalk(?:s|ed)?"),
    "identify": ("player", r"identif(?:ies|ied|y)"),
    "voice_of_reason": ("none", r"(?:uses|used) voice of reason"),
    "vote": ("player", r"vote[sd]? for"),
    "aptx": ("player", r"(?:uses|used) aptx(?: ?4869)? on|poison(?:s|ed)?"),
}
"""Deed → what stands behind its verb, and every form of the verb."""

CHARGES: dict[str, tuple[str, str]] = {
    "disguise": ("role", r"disguising(?: (?:him|her|them)self)? as|wearing (?:a )?disguise as|(?:being |having )?disguised? as"),
    "aptx": ("player", r"(?:using )?aptx(?: ?4869)? on|poisoning(?: of)?|aptxing"),
    "drug": ("player", r"drugg(?:ing|ed)|(?:(?:using|giving) )?(?:(?:a|the) )?sleeping pill(?: (?:on|to))?"),
    "kill": (
        "player",
        r"killing(?: of)?|attacking|sniping|murdering|(?:the )?(?:kill|(?:attempted )?murder) of|(?:the )?attack on|"
        r"having killed|(?:attempting|trying) to kill",
    ),
    "bribe": (
        "player",
        r"bribing|bribe[ -]killing|(?:the )?bribed (?:kill|killing|murder) of|(?:using )?(?:(?:a|the) )?bribe on",
    ),
    "slander": ("player", r"slandering|the slander of"),
    "discombobulate": ("player", r"discombobulating|tricking|(?:the )?discombobulation of"),
    "abduct": ("none", r"abducting|abduction"),
    "erase": ("player", r"erasing"),
    "sabotage": ("player", r"sabotaging"),
    "frighten": ("player", r"frightening"),
    "steal": ("player", r"stealing (?:[\w' -]{1,24} )?from|robbing|(?:the )?theft from"),
    "frame": ("player", r"framing|blaming"),
}
"""Crime → what stands behind its gerund, and the gerunds (glossary, "Crimes")."""

NO_CRIMES: dict[str, tuple[str, str]] = {
    "heal": ("player", r"healing|giving first aid to"),
    "protect": ("player", r"protecting|covering"),
    "investigate": ("player", r"investigating"),
    "interrogate": ("player", r"interrogating|cross[ -]?examining"),
    "observe": ("player", r"observing|staking out"),
    "detect": ("role", r"detecting"),
    "pinch": ("player", r"pinching"),
    "arrest": ("player", r"arresting|detaining"),
    "travel": ("none", r"travell?ing(?: abroad)?"),
    "choose_costumes": ("none", r"choosing costumes"),
    "befriend": ("player", r"befriending"),
    "fake": ("text", r"faking"),
    "help": ("text", r"helping|assisting|ordering"),
    "be": ("identity", r"being(?: an?)?"),
}
"""What an officer may charge in vain, and pay for: deeds that are no crimes, help, and what somebody is (CON-ARREST-04)."""
UNDATED = ("help", "be")
"""Of these the ones that are complete without a phase."""

_PHASE = r"(?:(?:on|in|during)\s+)?(?:the\s+)?(?P<kind>night|day|n|d|prep)\s*(?P<number>\d{1,3})?(?:\s+phase)?"
_WHEN = re.compile(rf"[\s,(\[-]*(?<![^\W_]){_PHASE}[\s.!)\]]*$", re.IGNORECASE)
_WHEN_FIRST = re.compile(rf"[\s(\[]*{_PHASE}(?:[)\]]?\s*[:,–-]\s*|[)\]]\s*|\s+)", re.IGNORECASE)
_OF_THE_BO = re.compile(
    r"(?:in |(?:a |the )?(?:member|leader|boss) of )?(?:the )?(?:bo|black org(?:ani[sz]ation)?)(?: member| leader| boss)?",
    re.IGNORECASE,
)
_ASKING = re.compile(r"(?:does|did|is|was|has|if|whether)\s+", re.IGNORECASE)
_FOR = re.compile(r"\s+for\s*$", re.IGNORECASE)
_REFLEXIVE = frozenset(("himself", "herself", "themself", "themselves", "itself"))


@dataclass(frozen=True, slots=True)
class Question:
    """A deed that is asked about or charged: the doer (None in a charge), what was done, to whom, and when where it is said."""

    doer: str | None
    deed: str
    object: str | tuple[str, ...] | None
    when: str | None

    def written(self) -> str:
        """As one text, which `read` takes apart again."""
        thing = "\x1e".join(self.object) if isinstance(self.object, tuple) else self.object
        return "\x1f".join(part if part is not None else "\x00" for part in (self.doer, self.deed, thing, self.when))

    @classmethod
    def read(cls, text: str) -> Question:
        """The question that `written` wrote."""
        doer, deed, thing, when = (None if part == "\x00" else part for part in text.split("\x1f"))
        assert deed is not None
        things = tuple(thing.split("\x1e")) if thing is not None and "\x1e" in thing else thing
        return cls(doer, deed, things, when)


@cache
def _verbs() -> list[tuple[str, str, re.Pattern[str]]]:
    return [
        (deed, kind, re.compile(rf"(?<![^\W_])(?:{forms})(?![^\W_])", re.IGNORECASE)) for deed, (kind, forms) in VERBS.items()
    ]


@cache
def _any_verb() -> re.Pattern[str]:
    forms = "|".join(forms for _, forms in VERBS.values())
    return re.compile(rf"(?<![^\W_])(?:{forms})(?![^\W_])", re.IGNORECASE)


@cache
def _gerunds() -> list[tuple[str, str, re.Pattern[str]]]:
    return [
        (deed, kind, re.compile(rf"\s*(?:the (?:{forms}) of|{forms})(?![^\W_])", re.IGNORECASE))
        for deed, (kind, forms) in (CHARGES | NO_CRIMES).items()
    ]


def split_when(text: str) -> tuple[str, str | None]:
    """The text without the phase at its end or beginning, and that phase's label."""
    for found in (_WHEN.search(text), _WHEN_FIRST.match(text)):
        if found is not None and (found["kind"].lower() == "prep") == (found["number"] is None):
            kind = {"n": "night", "d": "day"}.get(found["kind"].lower(), found["kind"].lower())
            rest = text[: found.start()] if found.end() == len(text) else text[found.end() :]
            return rest, kind if kind == "prep" else f"{kind} {int(found['number'])}"
    return text, None


def question(
    text: str, player: Callable[[str], Named], role: Callable[[str], Named], ability: Callable[[str], Named], *, dated: bool
) -> Named:
    """What is asked: "X heals Y", "X healed Y on night 1"; ambiguous where a name is. Every place of a verb is tried."""
    body, when = split_when(fold(text)) if dated or split_when(fold(text))[1] else (fold(text), None)
    body = body[found.end() :] if (found := _ASKING.match(body)) is not None else body
    best: Named = Unknown()
    for deed, kind, start, end in (*_places(body), *_gerund_places(body)):
        doer = player(_FOR.sub("", body[:start]).strip(" ,:"))
        if isinstance(doer, Unknown):
            continue
        thing = _object(kind, body[end:].strip(" ,:?.!"), player, role, ability)
        if kind == "player" and body[end:].strip(" ?.!") in _REFLEXIVE:
            thing = doer
        match doer, thing:
            case Found(name), Found(what):
                objects = tuple(what.split("\x1e")) if kind == "players" else what or None
                return Found(Question(name, deed, objects, when).written())
            case Ambiguous(), _:
                best = doer
            case _, Ambiguous():
                best = thing
    return best


@lru_cache(maxsize=4096)
def _places(text: str) -> tuple[tuple[str, str, int, int], ...]:
    """Each verb where it stands; the longest at a place first. Questions are read again with each preview and each tick."""
    places: list[tuple[str, str, int, int]] = []
    at = 0
    while (start := _any_verb().search(text, at)) is not None:
        at = start.start()
        here = [(deed, kind, at, found.end()) for deed, kind, verb in _verbs() if (found := verb.match(text, at)) is not None]
        places += sorted(here, key=lambda place: -place[3])
        at += 1
    return tuple(places)


def _gerund_places(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Each gerund where it stands: "X healing Y", "X for healing Y"."""
    for deed, kind, gerund in _gerunds():
        if deed in VERBS or deed == "bribe":
            for found in gerund.finditer(text):
                yield ("kill" if deed == "bribe" else deed), kind, found.start(), found.end()


def _object(
    kind: str, text: str, player: Callable[[str], Named], role: Callable[[str], Named], ability: Callable[[str], Named]
) -> Named:
    if kind == "none":
        return Found("") if not text else Unknown()
    if kind == "players":
        parts = re.split(r"\s*(?:,|\band\b|&)\s*", text)
        names = [player(part) for part in parts]
        found = [one.name for one in names if isinstance(one, Found)]
        return Found("\x1e".join(found)) if len(found) == len(parts) > 1 else Unknown()
    if kind == "text":
        return Found("")
    if kind == "identity":
        return Found("") if _OF_THE_BO.fullmatch(text) else role(text)
    return {"player": player, "role": role, "ability": ability}[kind](text)


def charge(text: str, player: Callable[[str], Named], role: Callable[[str], Named]) -> Named:
    """What is charged: "killing Y on night 1", "disguising as Megure on night 3", "abducting on night 2"."""
    body, when = split_when(fold(text))
    for deed, kind, gerund in _gerunds():
        found = gerund.match(body)
        if found is None:
            continue
        thing = _object(kind, body[found.end() :].strip(" ,:?.!"), player, role, role)
        if isinstance(thing, Found):
            return Found(Question(None, deed, thing.name or None, when).written())
        return thing
    return Unknown()
